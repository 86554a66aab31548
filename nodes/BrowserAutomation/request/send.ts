// Sends one item's request, and lists a start in the ledger.

import { NodeApiError, type IN8nHttpFullResponse } from 'n8n-workflow';

import { isBusy, isChallenge } from '../../shared/failure/response/retry-after';
import type { BusyGate } from '../../shared/http/busy';
import { listStart, recordAcceptedStart, recordFailedStart, type Ledger } from '../../shared/start/ledger';
import { secretsIn, urlIn, type CredentialUse, type TokenUse } from '../../shared/http/credential';
import { TooLargeError } from '../../shared/http/download';
import { FailureError, type Effect, type Failure } from '../../shared/failure/failure';
import { cutReason, isUnsent, noResponseFailure } from '../../shared/failure/response/no-response';
import { MAX_BODY_TIME, readBody, readWholeBody } from '../../shared/http/read-body';
import { maskOf } from '../../shared/mask/secrets';
import { counted } from '../../shared/values/text';
import { isRejection, NO_TIME_LEFT, noStartFailure, threadIdIn } from '../../shared/start/start-response';
import { sendWithSharedToken, tokensInUse } from './token';
import { bodyOf, Watchdog, watchedBy, WORKFLOW_LIMIT } from '../../shared/http/watchdog';
import { USER_LOGIN } from '../resources';
import { requestedThread, type Call, type SendResult } from './call';
import { failureIn } from './read-response';

const NO_RESPONSE_ADVICE = {
	neverSent: "Check 'Base URL' in the credential, and that n8n can reach it",
	maybeSent: "Try again later. If it happens again, check 'Base URL' in the credential",
};

const CHECK_EFFECT = "The request may have had an effect. Check in the service's web console before you send it again";

/** A second request could do harm. Starts have a rule of their own. */
const isSentOnce = ({ request, operation: { isRepeatable, startsRun } }: Call): boolean =>
	request.method === 'POST' && !isRepeatable && !startsRun;

const withUnknownEffect = (failure: Failure, call: Call, advice = CHECK_EFFECT): Failure =>
	isSentOnce(call) ? { ...failure, advice, cause: 'unknownEffect' } : failure;

export const secretsOf = ({ credentials, execution, operation }: Call): unknown[] => [
	...secretsIn(credentials),
	...(operation.credentialType === USER_LOGIN ? tokensInUse(execution.memory) : []),
];

const urlFieldIn = ({ operation }: Call): CredentialUse['urlField'] =>
	operation.startsRun ? 'automationUrl' : 'baseUrl';

/** Milliseconds without data, as in n8n's client, which also counts n8n's own standstills. */
const IDLE_LIMIT = 300_000;

/** Milliseconds for a request without a run, even at the workflow's time limit. */
const LEAST_TIME = 1000;

async function request(call: Call, watchdog: Watchdog): Promise<IN8nHttpFullResponse> {
	const { context, credentials, execution, itemIndex, operation } = call;
	const { credentialType: type } = operation;
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

function responseFailure(response: IN8nHttpFullResponse, call: Call): Failure | undefined {
	const { statusCode, headers } = response;
	const failure = failureIn({ ...response, url: urlIn(call.credentials, urlFieldIn(call)) }, call);
	if (!failure || isRejection(statusCode) || isChallenge(headers)) return failure;
	return withUnknownEffect(failure, call, statusCode < 400 ? failure.advice : CHECK_EFFECT);
}

function failureWithoutResponse(error: Error, reason: string | undefined, effect: Effect): Failure {
	const { maybeSent: advice } = NO_RESPONSE_ADVICE;
	if (reason !== undefined) return { reason, advice, effect };
	if (error instanceof NodeApiError) return noResponseFailure(error, NO_RESPONSE_ADVICE);
	if (!(error instanceof TooLargeError)) {
		return { reason: cutReason(error), advice, effect, httpCode: (error as { code?: string }).code };
	}
	return { reason: `The response is larger than ${MAX_RESPONSE_BYTES / 1e6} MB`, advice: 'Request less data', effect };
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
	const failure = failureWithoutResponse(error, expiredReason, call.operation.startsRun ? 'maybe' : 'none');
	if (error instanceof NodeApiError && isUnsent(error)) return failure;
	return failure.cause ? failure : withUnknownEffect(failure, call);
}

export async function sendOnce(call: Call): Promise<SendResult> {
	const { execution, operation } = call;
	const left = execution.endsAt - performance.now();
	const workflow = operation.startsRun ? left : Math.max(left, LEAST_TIME);
	const watchdog = new Watchdog({ idle: IDLE_LIMIT, total: Infinity, workflow }, execution.stop);
	try {
		const response = await receive(call, watchdog);
		const failure = responseFailure(response, call);
		return failure ? { response, failure } : { response };
	} catch (error) {
		return { failure: sendFailure(error as Error, call, watchdog) };
	} finally {
		watchdog.close();
	}
}

function maySendAgain({ response, failure }: SendResult, call: Call): boolean {
	if (!response || !failure || isChallenge(response.headers)) return false;
	if (call.operation.startsRun) return failure.cause === 'busy';
	return isBusy(response) || (response.statusCode === 503 && !isSentOnce(call));
}

async function startOnce(call: Call, ledger: Ledger<unknown>): Promise<SendResult> {
	const { context, execution, itemIndex } = call;
	if (execution.endsAt <= performance.now()) throw new FailureError(NO_TIME_LEFT);
	const item = { context, ledger, index: itemIndex, mask: (text: string) => maskOf(secretsOf(call))(text) };
	listStart(item, requestedThread(call));
	const result = await sendOnce(call);
	if (result.failure) {
		recordFailedStart(item, result.failure);
		return result;
	}
	const { headers, body } = result.response;
	recordAcceptedStart(item, threadIdIn(headers, body));
	ledger.endStart('started');
	return result;
}

/** Returns nothing if the node was ending, and nothing was sent. */
export async function sendWhileBusy(
	call: Call,
	ledger: Ledger<unknown>,
	gate: BusyGate,
	ending: AbortSignal,
): Promise<IN8nHttpFullResponse | undefined> {
	while (await gate.opens(ending)) {
		const result = await (call.operation.startsRun ? startOnce(call, ledger) : sendOnce(call));
		if (!result.failure) {
			gate.enter();
			gate.leave();
			return result.response;
		}
		const { failure, response } = result;
		const cause = maySendAgain(result, call) ? 'busy' : failure.cause;
		const reason = maskOf(secretsOf(call))(failure.reason);
		gate.pauseAfter({ ...failure, reason, headers: response?.headers, cause });
	}
	return undefined;
}
