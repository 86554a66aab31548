import {
	NodeApiError,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { tokenOf, type RequestWithToken, type TokenUse } from '../../shared/access-token';
import { USER_LOGIN } from './credential';

/** Where the items of an execution meet. As a symbol it is not stored with the execution. */
const RENEWAL = Symbol('renewal of the token');

type Meeting = { [RENEWAL]?: Promise<void> };

/**
 * Sends a request with a token, and once more with another one where the service has refused it.
 *
 * n8n sends the requests of all items at once, and would get a token for each of them: many at the first request, and many
 * again when a token expires. Here one item gets the token and the others wait for it, and share the reason where there is
 * none.
 */
export async function sendWithToken(
	this: IExecutePaginationFunctions,
	request: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	let used = '';
	const { items, error } = await send(this, request, '', (token) => (used = token)).then(
		(received) => ({ items: received, error: undefined }),
		(reason: Error) => ({ items: undefined, error: reason }),
	);
	if (items) return items;
	if (!isRefusal(error)) throw error;
	return await send(this, request, used);
}

const isRefusal = (error: Error): boolean => error instanceof NodeApiError && error.httpCode === '401';

/**
 * Sends a request once.
 *
 * @param refused the token that must not be sent again, or nothing
 * @param onUse is told the token, before it is sent
 */
async function send(
	context: IExecutePaginationFunctions,
	request: DeclarativeRestApiSettings.ResultOptions,
	refused: string,
	onUse: TokenUse['onUse'] = () => {},
): Promise<INodeExecutionData[]> {
	const sendNow = async (onSend = onUse) => {
		const options = { ...request.options, tokenUse: { refused, onUse: onSend } } as RequestWithToken;
		return await context.makeRoutingRequest({ ...request, options: options as typeof request.options });
	};
	const meeting = context.getContext('node') as Meeting;
	await meeting[RENEWAL]?.catch(() => {});
	const lastRenewal = meeting[RENEWAL];
	const token = tokenOf(await context.getCredentials(USER_LOGIN));
	if (token !== '' && token !== refused) return await sendNow();
	if (meeting[RENEWAL] !== lastRenewal) {
		await meeting[RENEWAL];
		return await sendNow();
	}
	let sent: Promise<INodeExecutionData[]> | undefined;
	meeting[RENEWAL] = new Promise((resolve, reject) => {
		sent = sendNow((newToken) => {
			onUse(newToken);
			// What comes after it is of no concern to the others.
			resolve();
		});
		sent.then(() => resolve(), reject);
	});
	meeting[RENEWAL].catch(() => {});
	return await sent!;
}
