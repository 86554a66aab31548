import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { FailureError, type Failure } from './failure';
import { noResponseFailure } from './no-response';
import { adviceFor, serviceFailure, type ServiceResponse } from './service-failure';
import { readReason } from './reason';
import { isBusy } from './busy';
import { WORKFLOW_LIMIT, type Body, type Watchdog } from './watchdog';
import { filledText } from './text';
import { isObject } from './nested';
import { parseJson } from './json';

/** Statuses with which the service rejects a start before it has any effect. */
const REJECTED = [400, 401, 402, 403, 404, 405, 413, 422];

export const isRejection = (statusCode: number): boolean => REJECTED.includes(statusCode) || isBusy(statusCode);

/** Statuses with which the service rejects a run in a thread whose earlier run is still in progress. */
const THREAD_IN_USE = [409, 423, 425];

/** The advice for a run whose end is unknown. */
export const FIND_THREAD = "Find the thread in the service's web console first: the run may still be in progress";

/** The steps for a person and for an AI agent if a thread is in use. */
const EARLIER_RUN: Partial<Failure> = {
	cause: 'threadInUse',
	advice: "Find the thread in the service's web console first: the earlier run may still be in progress",
	adviceForAgent: 'The earlier run may still be in progress. Call this tool again later in the same thread',
};

/** The advice if a start may have had an effect, but no run is known: a second start would be billed, too. */
export const CHECK_BEFORE_RESTART = "The run may have started. Look for it in the service's web console";

/** Data of a start that may have had an effect, although no run is known: its thread is the one that it asked for, if any. */
export const possibleRun = (thread: string | undefined) =>
	({
		advice: CHECK_BEFORE_RESTART,
		effect: 'maybe',
		run: { thread_id: thread ?? null, status: 'interrupted' },
	}) satisfies Partial<Failure>;

const CHECK_AUTOMATION_URL = "Check 'Automation URL' in the credential";

/** The advice after a 404. A start has no ID in its path: the cause is the URL, or the thread to continue. */
function startNotFoundAdvice(body: unknown, thread: string | undefined): string {
	if (thread && isPage(body)) return CHECK_AUTOMATION_URL;
	if (thread) return "Check whether the thread still exists. If it does, check 'Automation URL' in the credential";
	return "'Automation URL' responds but cannot start runs. Correct it in the credential";
}

/** The thread in the response to a start, from its header or its parsed body. Node.js joins a header that is sent twice. */
export const threadIdIn = (headers: Record<string, unknown>, body?: unknown): string | undefined =>
	filledText((Object(body) as { thread_id?: unknown }).thread_id) ??
	filledText(headers['x-thread-id'])?.replace(/^(.+), \1$/, '$1');

/** Characters of a body that are read. */
const MAX_BODY = 64 * 1024;

/**
 * Reads the body of a response to a start as far as it is received: the headers may name a thread that is billed.
 *
 * @param watchdog is reset by each piece
 * @returns JSON, or text if it is none
 */
export async function readBody(body: Body, watchdog: Watchdog): Promise<unknown> {
	const decoder = new TextDecoder();
	let text = '';
	try {
		for await (const bytes of body) {
			watchdog.touch();
			text += decoder.decode(bytes, { stream: true });
			// Some services leave the connection open after it.
			const isComplete = text.trimEnd().endsWith('}') && isObject(parseJson(text));
			if (isComplete || text.length > MAX_BODY) break;
		}
	} catch {
		// The received part is sufficient.
	}
	return parseJson(text) ?? text;
}

/** Whether a body is a web page, which is not from the service. */
export const isPage = (body: unknown): boolean => readReason(body).page !== undefined;

/** Whether two IDs are of the same thread. */
export const isSameThread = (one: string, other: string | undefined): boolean =>
	one.toLowerCase() === other?.toLowerCase();

function rejectionAdvice(response: ServiceResponse, thread: string | undefined): Partial<Failure> {
	if (response.statusCode === 404) return { advice: startNotFoundAdvice(response.body, thread) };
	const advice = adviceFor(response);
	return isBusy(response.statusCode) ? { advice, cause: 'busy', headers: response.headers } : { advice };
}

/**
 * The failure of a response that is not a success: whether a run may have been started, and its known data. A response other
 * than a rejection may come from a proxy in front of a service that did start a run. A response with another thread than the
 * requested thread means a started run, whatever its status.
 */
export function startFailure(given: ServiceResponse, thread?: string): Failure {
	const response: ServiceResponse = { ...given, urlLabel: 'Automation URL' };
	const { statusCode, headers } = response;
	const threadId = threadIdIn(headers, response.body);
	const namesNewThread = threadId !== undefined && !isSameThread(threadId, thread);
	if (!namesNewThread && isRejection(statusCode)) {
		return { ...serviceFailure(response), ...rejectionAdvice(response, thread), effect: 'none' };
	}
	if (!namesNewThread && thread && THREAD_IN_USE.includes(statusCode)) {
		return { ...serviceFailure(response), ...EARLIER_RUN, effect: 'none' };
	}
	// A success has started a run even if the rest of the response cannot be read; a web page shows a wrong URL.
	const isWrongUrl = statusCode < 300 && threadId === undefined && isPage(response.body);
	const mayHaveStarted = !isWrongUrl && (statusCode < 300 || statusCode >= 400);
	const failure = serviceFailure(response, { thread_id: threadId ?? thread ?? null, status: 'interrupted' });
	return {
		...failure,
		adviceForAgent: undefined,
		...(mayHaveStarted && { advice: CHECK_BEFORE_RESTART }),
		effect: namesNewThread ? 'run' : 'maybe',
		...(statusCode === 503 && { cause: 'unavailable', headers }),
	};
}

/** The failure of a start that is not sent, because the execution is about to be canceled. */
export const NO_TIME_LEFT: Failure = {
	reason: WORKFLOW_LIMIT,
	advice: "Raise 'Timeout After' in the workflow settings, or send fewer items to this node",
	effect: 'none',
};

/** A run in the background, with every field of the response to its start. */
export type DetachedStart = IDataObject & { thread_id: string; url: string | null; status: string };

/**
 * Reads the response to the start of a run in the background.
 *
 * @param response with its body as JSON, or as text if it is none
 * @param thread the thread that the start is to continue
 * @throws FailureError if no run was started in the background
 */
export function readStart(response: ServiceResponse, thread?: string): DetachedStart {
	const { statusCode, headers } = response;
	const threadId = threadIdIn(headers, response.body);
	if (statusCode >= 300 || threadId === undefined) {
		throw new FailureError(startFailure({ ...response, expected: 'a thread ID' }, thread));
	}
	const body = isObject(response.body) ? (response.body as IDataObject) : {};
	const known = {
		thread_id: threadId,
		url: filledText(body.url) ?? null,
		status: filledText(body.status) ?? 'started',
	};
	return { ...known, ...body, ...known };
}

const NO_RESPONSE_ADVICE = { unsent: `${CHECK_AUTOMATION_URL}, and that n8n can reach it`, sent: CHECK_BEFORE_RESTART };

/** The failure of a start without a response. If this node closed the connection, the error of n8n's client is meaningless. */
export function noStartFailure(
	{ expiredReason, isStopped }: Watchdog,
	cause: NodeApiError,
	thread: string | undefined,
): Failure {
	const run = { thread_id: thread ?? null, status: expiredReason ? 'timed_out' : 'interrupted' };
	if (!expiredReason && !isStopped) return noResponseFailure(cause, NO_RESPONSE_ADVICE, run);
	const reason = expiredReason ?? 'The execution was stopped before the service responded';
	return { reason, advice: CHECK_BEFORE_RESTART, effect: 'maybe', run };
}
