import { NodeApiError, type ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { NodeMemory, SharedToken } from './memory';
import { issuedFor, storedToken, type TokenUse } from './credential';

/** The tokens that an execution has used so far. */
export const tokensInUse = ({ tokens }: NodeMemory): unknown[] => [...tokens.values()].map(({ value }) => value);

/**
 * Sends a request with a token, and resends it with another token if the service rejects the first. n8n sends the requests of
 * all items at the same time and would get a token for each of them: here one item gets it, and the others of the same user
 * wait for it.
 */
export async function sendWithSharedToken<T extends { statusCode: number }>(
	{ tokens }: NodeMemory,
	credentials: ICredentialDataDecryptedObject,
	send: (use: TokenUse) => Promise<T>,
): Promise<T> {
	let used = '';
	const sendUnless = async (rejected: string) =>
		await sendShared(tokens, credentials, send, { rejected, onUse: (token) => (used = token) });
	const response = await sendUnless('').catch((error: Error) => {
		if (error instanceof NodeApiError && error.httpCode === '401') return undefined;
		throw error;
	});
	return response && response.statusCode !== 401 ? response : await sendUnless(used);
}

/** Sends with the token that other items use or wait for, or else with a new token, for which they then wait. */
async function sendShared<T>(
	tokens: NodeMemory['tokens'],
	credentials: ICredentialDataDecryptedObject,
	send: (use: TokenUse) => Promise<T>,
	{ rejected, onUse }: TokenUse,
): Promise<T> {
	const user = issuedFor(credentials);
	const stored = storedToken(credentials);
	const known = tokens.get(user) ?? (stored ? { value: stored } : undefined);
	if (known && known.value !== rejected)
		return await send({ value: known.value ?? (await known.ready), rejected, onUse });

	const shared: SharedToken = {};
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
		// Once the token is known, the end of this request does not concern the other items.
		sent.then(() => share(undefined), fail);
	});
	// The next item, or n8n's next attempt, requests a token again.
	shared.ready.then((token) => token ?? tokens.delete(user)).catch(() => tokens.delete(user));
	return await sent!;
}
