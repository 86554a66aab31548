// Sends one item's request, again while the service is busy, and lists a start in the ledger.

import { NodeApiError, type IN8nHttpFullResponse } from 'n8n-workflow';

import type { Outcome, Success } from '../../shared/items/outcome';
import type { BusyGate } from '../../shared/start/busy';
import type { Ledger } from '../../shared/start/ledger';
import { listStart, recordAcceptedStart, recordFailedStart } from '../../shared/start/record-start';
import { secretsIn, type CredentialUse, type TokenUse } from '../../shared/http/credential';
import { TooLargeError } from '../../shared/http/download';
import { FailureError, type Failure } from '../../shared/failure/failure';
import { cutReason, isUnsent, noResponseFailure } from '../../shared/failure/response/no-response';
import { MAX_BODY_TIME, readBody, readWholeBody } from '../../shared/http/read-body';
import { maskOf } from '../../shared/mask/secrets';
import { counted } from '../../shared/values/text';
import { NO_TIME_LEFT, noStartFailure } from '../../shared/start/start-response';
import { bodyOf, Watchdog, watchedBy, WORKFLOW_LIMIT } from '../../shared/http/watchdog';
import { USER_LOGIN } from '../resources';
import { requestedThread, type Call } from './fields';
import { outcomeIn, unknownEffect, urlFieldIn } from './response';
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
	isEnding: () => boolean,
): Promise<Success | undefined> {
	const patience = call.steps.patience?.(call);
	const ownGate = patience?.gate ?? gate;
	const accepted = await ownGate.send<Success>(isEnding, async () => {
		const outcome = await (call.operation.startsRun ? startOnce(call, ledger) : sendOnce(call));
		if (!outcome.failure) return { value: outcome };
		const failure = patience?.judge(outcome.failure) ?? outcome.failure;
		return { failure: { ...failure, reason: maskOf(secretsOf(call))(failure.reason) } };
	});
	if (accepted) ownGate.leave();
	return accepted;
}

async function startOnce(call: Call, ledger: Ledger<unknown>): Promise<Outcome> {
	const { context, execution, itemIndex } = call;
	if (execution.endsAt <= performance.now()) throw new FailureError(NO_TIME_LEFT);
	const item = { context, ledger, itemIndex, mask: (text: string) => maskOf(secretsOf(call))(text) };
	const start = listStart(item, requestedThread(call));
	const outcome = await sendOnce(call);
	if (outcome.failure) {
		recordFailedStart(item, start, outcome.failure);
		return outcome;
	}
	recordAcceptedStart(item, start, outcome.items[0]!.json.thread_id as string);
	start.status = 'started';
	return outcome;
}

/** Milliseconds without data, as in n8n's client, which also counts n8n's own standstills. */
const IDLE_LIMIT = 300_000;

/** Milliseconds for a request without a run, even at the workflow's time limit. */
const LEAST_TIME = 1000;

async function sendOnce(call: Call): Promise<Outcome> {
	const { execution, operation } = call;
	const left = execution.endsAt - performance.now();
	const workflow = operation.startsRun ? left : Math.max(left, LEAST_TIME);
	const watchdog = new Watchdog({ idle: IDLE_LIMIT, total: Infinity, workflow }, execution.stop);
	const received = await receive(call, watchdog)
		.catch((error: Error) => ({ failure: sendFailure(error, call, watchdog) }))
		.finally(() => watchdog.close());
	if ('failure' in received) return received;
	try {
		return await outcomeIn(received, call);
	} catch (error) {
		if (error instanceof FailureError) return { failure: error.failure };
		throw error;
	}
}

/** Bytes after decompression. */
const MAX_RESPONSE_BYTES = 32e6;

/** A start's headers may name a billed thread, whatever happens to the body. */
async function receive(call: Call, watchdog: Watchdog): Promise<IN8nHttpFullResponse> {
	const { startsRun } = call.operation;
	const response = await request(call, watchdog);
	const stream = bodyOf(response.body);
	const isWhole = !startsRun && response.statusCode < 300;
	const body = isWhole ? await readWholeBody(stream, watchdog, MAX_RESPONSE_BYTES) : await readBody(stream, watchdog);
	return { ...response, body: body as IN8nHttpFullResponse['body'] };
}

async function request(call: Call, watchdog: Watchdog): Promise<IN8nHttpFullResponse> {
	const { context, credentials, credentialType: type, execution, itemIndex } = call;
	// Other items may have renewed the token. n8n adds a new one to the returned object.
	const newest = async () => (call.credentials = await context.getCredentials(type, itemIndex));
	const forItem = watchedBy(watchdog, context, newest);
	const sendWith = async (token?: TokenUse) => {
		const credentialUse: CredentialUse = { urlField: urlFieldIn(call), token };
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

const EXPIRED_REASONS = {
	idle: 'No response from the service: timed out',
	total: `The response took more than ${counted(MAX_BODY_TIME / 1000, 'second')}`,
	workflow: WORKFLOW_LIMIT,
};

/** The client's error contains the key and cookies, so only its cause is kept. */
function sendFailure(error: Error, call: Call, { expired, isStopped }: Watchdog): Failure {
	const expiredReason = expired && EXPIRED_REASONS[expired];
	if (call.operation.startsRun && error instanceof NodeApiError) {
		return noStartFailure({ expiredReason, isStopped }, error, requestedThread(call));
	}
	const failure = failureWithoutResponse(error, expiredReason);
	if (failure.cause || (error instanceof NodeApiError && isUnsent(error))) return failure;
	return { ...failure, ...unknownEffect(call) };
}

const NO_RESPONSE_ADVICE = {
	neverSent: "Check 'Base URL' in the credential, and that n8n can reach it",
	maybeSent: "Try again later. If it happens again, check 'Base URL' in the credential",
};

function failureWithoutResponse(error: Error, reason: string | undefined): Failure {
	const { maybeSent: advice } = NO_RESPONSE_ADVICE;
	if (reason !== undefined) return { reason, advice };
	if (error instanceof NodeApiError) return noResponseFailure(error, NO_RESPONSE_ADVICE);
	if (!(error instanceof TooLargeError)) {
		return { reason: cutReason(error), advice, httpCode: (error as { code?: string }).code };
	}
	return { reason: `The response is larger than ${MAX_RESPONSE_BYTES / 1e6} MB`, advice: 'Request less data' };
}
