// Sends one item's request, again while the service is busy, and lists a start in the ledger.

import { NodeApiError, type IN8nHttpFullResponse } from 'n8n-workflow';

import type { Outcome, Success } from '../../shared/items/outcome';
import type { BusyGate } from '../../shared/http/busy';
import { listStart, recordAcceptedStart, recordFailedStart, type Ledger } from '../../shared/start/ledger';
import { secretsIn, USER_LOGIN, type CredentialUse, type TokenUse } from '../../shared/http/credential';
import { FailureError, type Failure } from '../../shared/failure/failure';
import { isUnsent, noResponseFailure } from '../../shared/failure/response/no-response';
import { ownEndOf, readBody, TRY_LATER } from '../../shared/http/read-body';
import { maskOf } from '../../shared/mask/secrets';
import { noStartFailure, possibleRun, readStartBody } from '../../shared/start/start-response';
import { bodyOf, Watchdog, watchedBy } from '../../shared/http/watchdog';
import { requestedThread, type Call } from './fields';
import { outcomeIn, unknownEffect, urlFieldOf, type ReceivedResponse } from './response';
import { sendWithSharedToken, tokensInUse } from './token';

export const secretsOf = ({ credentials, credentialType, execution }: Call): unknown[] => [
	...secretsIn(credentials),
	...(credentialType === USER_LOGIN ? tokensInUse(execution.memory) : []),
];

/**
 * @returns undefined if the node was ending, and nothing was sent
 * @throws FailureError if there is no result
 */
export async function sendUntilAccepted(
	call: Call,
	ledger: Ledger<unknown>,
	gate: BusyGate,
	ending: AbortSignal,
): Promise<Success | undefined> {
	const patience = call.steps.patience?.(call);
	const ownGate = patience?.gate ?? gate;
	while (await ownGate.opens(ending)) {
		const outcome = await (call.operation.startsRun ? startOnce(call, ledger) : sendOnce(call));
		if (!outcome.failure) {
			ownGate.enter();
			ownGate.leave();
			return outcome;
		}
		const failure = patience?.judge(outcome.failure) ?? outcome.failure;
		ownGate.pauseAfter({ ...failure, reason: maskOf(secretsOf(call))(failure.reason) });
	}
	return undefined;
}

async function startOnce(call: Call, ledger: Ledger<unknown>): Promise<Outcome> {
	const { context, itemIndex } = call;
	const item = { context, ledger, index: itemIndex, mask: (text: string) => maskOf(secretsOf(call))(text) };
	listStart(item, requestedThread(call));
	const outcome = await sendOnce(call);
	if (outcome.failure) {
		recordFailedStart(item, outcome.failure);
		return outcome;
	}
	recordAcceptedStart(item, outcome.items[0]!.json.thread_id as string);
	ledger.endStart('started');
	return outcome;
}

/** Milliseconds without data, as in n8n's client, which also counts n8n's own standstills. */
const IDLE_LIMIT = 300_000;

async function sendOnce(call: Call): Promise<Outcome> {
	const watchdog = new Watchdog({ idle: IDLE_LIMIT, total: Infinity }, call.execution);
	const received = await receive(call, watchdog)
		.catch((error: Error) => ({ failure: sendFailure(error, call, watchdog) }))
		.finally(() => watchdog.close());
	if ('failure' in received) return received;
	return await outcomeIn(received, call).catch((error: Error) => {
		if (error instanceof FailureError) return { failure: error.failure };
		throw error;
	});
}

/** Bytes after decompression. */
const MAX_RESPONSE_BYTES = 32e6;

async function receive(call: Call, watchdog: Watchdog): Promise<ReceivedResponse> {
	const response = await request(call, watchdog);
	if (call.operation.startsRun) return { ...response, ...(await readStartBody(response, watchdog)) };
	const maxBytes = response.statusCode < 300 ? MAX_RESPONSE_BYTES : undefined;
	return { ...response, ...(await readBody(bodyOf(response.body), watchdog, maxBytes)) };
}

async function request(call: Call, watchdog: Watchdog): Promise<IN8nHttpFullResponse> {
	const { context, credentials, credentialType: type, execution, itemIndex } = call;
	// Other items may have renewed the token. n8n adds a new one to the returned object.
	const newest = async () => (call.credentials = await context.getCredentials(type, itemIndex));
	const forItem = watchedBy(watchdog, context, newest);
	const sendWith = async (token?: TokenUse) => {
		const credentialUse: CredentialUse = { urlField: urlFieldOf(call.operation), token };
		const options = {
			...call.request,
			credentialUse,
			encoding: 'stream' as const,
			returnFullResponse: true,
			// n8n would resend after a 401, and put the complete response into its error.
			ignoreHttpStatusErrors: true,
			timeout: 0,
		};
		return (await context.helpers.httpRequestWithAuthentication.call(forItem, type, options)) as IN8nHttpFullResponse;
	};
	return type === USER_LOGIN ? await sendWithSharedToken(execution.memory, credentials, sendWith) : await sendWith();
}

const NO_RESPONSE_ADVICE = {
	neverSent: "Check 'Base URL' in the credential, and that n8n can reach it",
	maybeSent: TRY_LATER,
};

/** The client's error contains the key and cookies, so only its cause is kept. */
function sendFailure(error: Error, call: Call, watchdog: Watchdog): Failure {
	const ownEnd = ownEndOf(watchdog);
	const { startsRun } = call.operation;
	if (!(error instanceof NodeApiError)) {
		const failure: Failure = { reason: error.message, advice: TRY_LATER, effect: 'none', ...ownEnd };
		return { ...failure, ...(startsRun ? possibleRun(requestedThread(call)) : unknownEffect(call)) };
	}
	if (startsRun) {
		const expiredReason = watchdog.expired && ownEnd!.reason;
		return noStartFailure({ expiredReason, isStopped: watchdog.isStopped }, error, requestedThread(call));
	}
	const failure: Failure = ownEnd ? { ...ownEnd, effect: 'none' } : noResponseFailure(error, NO_RESPONSE_ADVICE);
	return failure.cause || isUnsent(error) ? failure : { ...failure, ...unknownEffect(call) };
}
