// Sends one item's request, again while the service is busy, and lists a start in the ledger. Items of one user share a token.

import { NodeApiError, type ICredentialDataDecryptedObject, type IN8nHttpFullResponse } from 'n8n-workflow';

import type { Outcome } from '../../shared/items/outcome';
import type { Ledger } from '../../shared/start/ledger';
import { noStartFailure, possibleRun, readStartBody } from '../../shared/start/start-response';
import type { BusyGate } from '../../shared/http/busy';
import {
	issuedFor,
	secretsIn,
	storedToken,
	TOKEN_USE,
	USER_LOGIN,
	type RequestWithUse,
	type TokenUse,
} from '../../shared/http/credential';
import type { NodeMemory, SharedToken } from '../../shared/n8n/execution';
import { bodyOf, whyEnded, readBody, TRY_LATER, Watchdog } from '../../shared/http/watchdog';
import { withSignalAndCredentials } from '../../shared/n8n/request-context';
import { isUnsent, noResponseFailure } from '../../shared/failure/response/no-response';
import type { ReceivedResponse } from '../../shared/failure/response/service-failure';
import { FailureError, type Failure } from '../../shared/failure/failure';
import { maskOf } from '../../shared/mask/secrets';
import { requestedThread, type Call } from './request';
import { urlFieldOf } from '../resources/operation';
import { outcomeIn, unknownEffect } from './response';

export const tokensInUse = ({ tokens }: NodeMemory): unknown[] =>
	[...tokens.values()].flatMap(({ value, rejected = [] }) => [value, ...rejected]);

export const secretsOf = ({ credentials, credentialType, execution }: Call): unknown[] => [
	...secretsIn(credentials),
	...(credentialType === USER_LOGIN ? tokensInUse(execution.memory) : []),
];

/** Never rejects: a failure is an outcome. Returns nothing if the node was ending, and nothing was sent. */
export async function send(
	call: Call,
	ledger: Ledger<unknown>,
	sharedGate: BusyGate,
	nodeEnds: AbortSignal,
): Promise<Outcome | undefined> {
	const { operation, steps } = call;
	try {
		const patience = steps.patience?.(call);
		const gate = patience?.gate ?? sharedGate;
		while (await gate.opens(nodeEnds)) {
			const outcome = await (operation.startsRun ? startOnce(call, ledger) : sendOnce(call));
			if (!outcome.failure) {
				gate.accept();
				return outcome;
			}
			const { failure } = outcome;
			// This throws the failure, unless the request may be sent again.
			gate.pauseAfter(failure, maskOf(secretsOf(call)), patience?.mayResend(failure));
		}
		return undefined;
	} catch (error) {
		if (error instanceof FailureError) return { failure: error.failure };
		// Nobody expects another error, such as one of n8n's storage of files.
		const { message, description } = error as NodeApiError;
		const failure: Failure = { reason: message, advice: description ?? '', effect: 'none' };
		return { failure: { ...failure, ...(operation.startsRun && possibleRun(requestedThread(call))) } };
	}
}

/** A start is listed before it is sent, because the execution may end before there is a response. */
async function startOnce(call: Call, ledger: Ledger<unknown>): Promise<Outcome> {
	const { context, itemIndex } = call;
	const item = { context, index: itemIndex, mask: (text: string) => maskOf(secretsOf(call))(text) };
	ledger.listStart(item, requestedThread(call));
	const outcome = await sendOnce(call);
	if (outcome.failure) {
		ledger.failStart(item, outcome.failure);
		return outcome;
	}
	ledger.acceptStart(item, outcome.items[0]!.json.thread_id as string);
	ledger.setStatus('started');
	return outcome;
}

/** Milliseconds without data, as in n8n's client, which also counts n8n's own standstills. */
const IDLE_LIMIT = 300_000;

/** Bytes after decompression. */
const MAX_RESPONSE_BYTES = 32e6;

async function sendOnce(call: Call): Promise<Outcome> {
	const { execution, operation } = call;
	const watchdog = new Watchdog({ idle: IDLE_LIMIT, total: Infinity }, execution);
	let received: ReceivedResponse;
	try {
		const response = await sendRequest(call, watchdog);
		const maxBytes = response.statusCode < 300 ? MAX_RESPONSE_BYTES : undefined;
		const read = operation.startsRun
			? await readStartBody(response, watchdog)
			: await readBody(bodyOf(response.body), watchdog, maxBytes);
		received = { ...response, ...read };
	} catch (error) {
		return { failure: sendFailure(error as Error, call, watchdog) };
	} finally {
		watchdog.close();
	}
	return await outcomeIn(received, call);
}

async function sendRequest(call: Call, watchdog: Watchdog): Promise<IN8nHttpFullResponse> {
	const { context, credentials, credentialType: type, execution, itemIndex } = call;
	/** Other items may have renewed the token. n8n adds a new one to the returned object, which `secretsOf` must know. */
	const newestCredentials = async () => (call.credentials = await context.getCredentials(type, itemIndex));
	const forItem = withSignalAndCredentials(context, watchdog.signal, newestCredentials);
	const sendWith = async (token?: TokenUse) => {
		const options: RequestWithUse = {
			...call.request,
			// The credential puts its URL before the path, and removes both of these.
			credentialUse: { urlField: urlFieldOf(call.operation) },
			...(token && { [TOKEN_USE]: token }),
			encoding: 'stream',
			returnFullResponse: true,
			// n8n would resend after a 401, and put the complete response into its error.
			ignoreHttpStatusErrors: true,
			timeout: 0,
		};
		return (await context.helpers.httpRequestWithAuthentication.call(forItem, type, options)) as IN8nHttpFullResponse;
	};
	return type === USER_LOGIN ? await sendWithSharedToken(execution.memory, credentials, sendWith) : await sendWith();
}

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
	const first = sendUnless('');
	const mayAnotherHelp = await first.then(
		({ statusCode }) => statusCode === 401 || (statusCode === 403 && used === storedToken(credentials)),
		isWithoutToken,
	);
	if (!mayAnotherHelp) return await first;
	const second = sendUnless(used);
	// If the service issues the rejected token again, its rejection is returned.
	const isWithoutAnother = await second.then(() => false, isWithoutToken);
	return await (isWithoutAnother ? first : second);
}

async function sendShared<T>(
	tokens: NodeMemory['tokens'],
	credentials: ICredentialDataDecryptedObject,
	send: (use: TokenUse) => Promise<T>,
	{ rejected, onUse }: Omit<TokenUse, 'user'>,
): Promise<T> {
	const user = issuedFor(credentials);
	const stored = storedToken(credentials);
	const known: SharedToken | undefined = tokens.get(user) ?? (stored ? { value: stored } : undefined);
	if (known && known.value !== rejected)
		return await send({ user, value: known.value ?? (await known.ready), rejected, onUse });

	const shared: SharedToken = { rejected: [...(known?.rejected ?? []), rejected].filter(Boolean) };
	tokens.set(user, shared);
	let sent: Promise<T>;
	shared.ready = new Promise((share, fail) => {
		sent = send({
			user,
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

const NO_RESPONSE_ADVICE = {
	neverSent: "Check 'Base URL' in the credential, and that n8n can reach it",
	maybeSent: TRY_LATER,
};

/** An error of n8n's client contains the key and cookies, so only its innermost message is kept. */
function sendFailure(error: Error, call: Call, watchdog: Watchdog): Failure {
	const ended = whyEnded(watchdog);
	const { startsRun } = call.operation;
	if (!(error instanceof NodeApiError)) {
		const failure: Failure = { reason: error.message, advice: TRY_LATER, effect: 'none', ...ended };
		return { ...failure, ...(startsRun ? possibleRun(requestedThread(call)) : unknownEffect(call)) };
	}
	if (startsRun) return noStartFailure(watchdog, 'response', error, requestedThread(call));
	const failure: Failure = ended ? { ...ended, effect: 'none' } : noResponseFailure(error, NO_RESPONSE_ADVICE);
	return failure.cause || isUnsent(error) ? failure : { ...failure, ...unknownEffect(call) };
}
