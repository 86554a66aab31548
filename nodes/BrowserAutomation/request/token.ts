// Shares one token among the items of a node, and renews it once if the service rejects it.

import { NodeApiError, type ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { NodeMemory, SharedToken } from '../../shared/n8n/memory';
import { issuedFor, storedToken, type TokenUse } from '../../shared/http/credential';

export const tokensInUse = ({ tokens }: NodeMemory): unknown[] =>
	[...tokens.values()].flatMap(({ value, rejected = [] }) => [value, ...rejected]);

const isWithoutToken = (error: unknown): boolean => error instanceof NodeApiError && error.httpCode === '401';

/**
 * After a 401, another token is sent; after a 403 only if the token was stored, because it may have lost its rights. Items
 * of a user share one token request.
 */
export async function sendWithSharedToken<T extends { statusCode: number }>(
	{ tokens }: NodeMemory,
	credentials: ICredentialDataDecryptedObject,
	send: (use: TokenUse) => Promise<T>,
): Promise<T> {
	let used = '';
	const sendUnless = async (rejected: string) =>
		await sendShared(tokens, credentials, send, { rejected, onUse: (token) => (used = token) });
	let first: T | undefined;
	try {
		first = await sendUnless('');
	} catch (error) {
		if (!isWithoutToken(error)) throw error;
	}
	const mayBeOld = first?.statusCode === 403 && used === storedToken(credentials);
	if (first && first.statusCode !== 401 && !mayBeOld) return first;
	try {
		return await sendUnless(used);
	} catch (error) {
		// If the service issues the rejected token again, its rejection is returned.
		if (first && isWithoutToken(error)) return first;
		throw error;
	}
}

async function sendShared<T>(
	tokens: NodeMemory['tokens'],
	credentials: ICredentialDataDecryptedObject,
	send: (use: TokenUse) => Promise<T>,
	{ rejected, onUse }: TokenUse,
): Promise<T> {
	const user = issuedFor(credentials);
	const stored = storedToken(credentials);
	const known: SharedToken | undefined = tokens.get(user) ?? (stored ? { value: stored } : undefined);
	if (known && known.value !== rejected)
		return await send({ value: known.value ?? (await known.ready), rejected, onUse });

	const shared: SharedToken = { rejected: [...(known?.rejected ?? []), rejected].filter(Boolean) };
	tokens.set(user, shared);
	let sent: Promise<T>;
	shared.ready = new Promise((share, fail) => {
		sent = send({
			rejected,
			onUse: (token) => {
				onUse(token);
				shared.value = token;
				share(token);
			},
		});
		sent.then(() => share(undefined), fail);
	});
	shared.ready.then((token) => token ?? tokens.delete(user)).catch(() => tokens.delete(user));
	return await sent!;
}
