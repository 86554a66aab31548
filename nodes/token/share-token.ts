import {
	NodeApiError,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IExecuteSingleFunctions,
} from 'n8n-workflow';

import { issuedFor, storedToken, type TokenUse } from './credential-use';

/** A token that the items of an execution share. */
interface SharedToken {
	/** Missing until the token is known. */
	value?: string;
	/** Rejects with the reason if there is no token. */
	ready: Promise<string>;
}

/** Where the items of an execution meet. n8n does not store symbols with the execution. */
const TOKENS = Symbol('tokens of the execution');

type Context = Pick<IExecuteFunctions | IExecuteSingleFunctions, 'getContext'>;

/** By the user and the address that they are for. */
type Tokens = Map<string, SharedToken>;

function tokensOf(context: Context): Tokens {
	const memory = context.getContext('node') as { [TOKENS]?: Tokens };
	return (memory[TOKENS] ??= new Map());
}

/** The tokens that an execution has used so far. */
export const tokensInUse = (context: Context): unknown[] => [...tokensOf(context).values()].map(({ value }) => value);

/**
 * Sends a request with a token, and once more with another token if the service refuses the first.
 *
 * n8n sends the requests of all items at once and would get a token for each of them. Here one item gets the token, and
 * the other items of the same user wait for it.
 *
 * @param credentials the credential with the values of the item
 * @param send sends the request and tells the credential which token to use
 */
export async function sendWithSharedToken<T>(
	context: Context,
	credentials: ICredentialDataDecryptedObject,
	send: (use: TokenUse) => Promise<T>,
): Promise<T> {
	let used = '';
	const sendOnce = async (refused: string) =>
		await sendShared(tokensOf(context), credentials, send, { refused, onUse: (token) => (used = token) });
	const { response, error } = await sendOnce('').then(
		(received) => ({ response: received, error: undefined }),
		(reason: Error) => ({ response: undefined, error: reason }),
	);
	if (!error) return response as T;
	if (!isRefusal(error)) throw error;
	return await sendOnce(used);
}

const isRefusal = (error: Error): boolean => error instanceof NodeApiError && error.httpCode === '401';

/** Sends with the token that other items use or wait for, or else with a new one, for which they then wait. */
async function sendShared<T>(
	tokens: Tokens,
	credentials: ICredentialDataDecryptedObject,
	send: (use: TokenUse) => Promise<T>,
	{ refused, onUse }: TokenUse,
): Promise<T> {
	const user = issuedFor(credentials);
	const stored = storedToken(credentials);
	const known = tokens.get(user) ?? (stored ? { value: stored, ready: Promise.resolve(stored) } : undefined);
	if (known && known.value !== refused) return await send({ value: await known.ready, refused, onUse });

	let sent: Promise<T> | undefined;
	const shared: SharedToken = {
		ready: new Promise((resolve, reject) => {
			sent = send({
				refused,
				onUse: (token) => {
					onUse(token);
					shared.value = token;
					resolve(token);
				},
			});
			// An error after the token was sent does not concern the other items.
			sent.catch(reject);
		}),
	};
	tokens.set(user, shared);
	// If n8n retries the node, it asks for a token again.
	shared.ready.catch(() => tokens.delete(user));
	return await sent!;
}
