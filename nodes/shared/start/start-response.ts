// Reads whether a response to a start means a run, and in which thread. "Contract" is the service's API description.

import type { IDataObject, IN8nHttpFullResponse, NodeApiError } from 'n8n-workflow';

import type { Failure, ValueOrFailure } from '../failure/failure';
import { isUnsent, noResponseFailure } from '../failure/response/no-response';
import { isRedirect, serviceFailure, type ServiceResponse } from '../failure/response/service-failure';
import { isPage, hasError } from '../failure/response/reason';
import { isBusy } from '../failure/response/retry-after';
import { bodyOf, readBody, type ReadBody, type Watchdog } from '../http/watchdog';
import { filledText } from '../values/text';
import { isObject } from '../values/nested';
import type { Start } from './ledger';

const THREAD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A proxy may repeat the header, and so its UUID (contract 2.3). */
function threadIdOf(value: unknown): string | undefined {
	const [id = '', ...others] = String(value)
		.split(',')
		.map((text) => text.trim().replace(/^["']|["']$/g, ''));
	return THREAD_ID.test(id) && others.every((other) => isSameThread(other, id)) ? id : undefined;
}

export const threadIdIn = (headers: Record<string, unknown>, body?: unknown): string | undefined =>
	threadIdOf(isObject(body) ? body.thread_id : undefined) ?? threadIdOf(headers['x-thread-id']);

const isSameThread = (one: string, other: string | undefined): boolean => one.toLowerCase() === other?.toLowerCase();

/**
 * A service rejects a request by these, before it does anything. The last two mean that it is busy. A 401 stands here, too: the
 * start may be sent again by *Retry On Fail* or a person, but never by n8n's client, which the ledger would not see.
 */
const REJECTED = [400, 401, 402, 403, 404, 405, 409, 410, 413, 422, 429, 529];

/** Only a service that knows the thread can lock it. Without a thread, a proxy may send these after it has passed a start on. */
const THREAD_LOCKED = [423, 425];

/**
 * Both nodes decide by this list whether a request may be sent again. Any other status may come from a proxy, while the service
 * has started a run.
 */
export const isRejection = (statusCode: number, thread?: string): boolean =>
	REJECTED.includes(statusCode) || (thread !== undefined && THREAD_LOCKED.includes(statusCode));

const findThread = (which: string): string =>
	`Find the thread in the service's web console first: ${which} may still be in progress`;

export const FIND_THREAD = findThread('the run');

const EARLIER_RUN: Partial<Failure> = {
	cause: 'threadInUse',
	advice: findThread('the earlier run'),
	adviceForAgent: 'The earlier run may still be in progress. Call this tool again later in the same thread',
};

const CHECK_BEFORE_RESTART = "The run may have started: look for it in the service's web console";

export const possibleRun = (thread: string | null = null) =>
	({
		advice: CHECK_BEFORE_RESTART,
		effect: 'maybe',
		run: { thread_id: thread, status: 'interrupted' },
	}) satisfies Partial<Failure>;

/** The failure of an unexpected error, before or after a start. */
export function defectAfter(start: Start | undefined, { message }: Error): Failure {
	if (!start) return { reason: message, advice: 'Execute this node again', effect: 'none' };
	return { reason: message, ...possibleRun(start.thread_id), effect: start.effect };
}

const CHECK_AUTOMATION_URL = "Check 'Automation URL' in the credential";

function aboutRejection(response: ServiceResponse, thread: string | undefined): Partial<Failure> {
	const { statusCode, headers } = response;
	// A start's path has no ID, so the URL or the thread to continue is wrong.
	if (statusCode === 404 || statusCode === 410)
		return { advice: CHECK_AUTOMATION_URL + (thread ? ', and whether the thread still exists' : '') };
	if (thread !== undefined && [409, ...THREAD_LOCKED].includes(statusCode)) return EARLIER_RUN;
	return isBusy(response) ? { cause: 'busy', headers } : {};
}

/**
 * Only a rejection proves that no run started. A thread other than the requested one proves a run, whatever the status.
 */
export function startFailure(given: ServiceResponse, thread?: string): Failure {
	const response: ServiceResponse = { ...given, urlLabel: 'Automation URL' };
	const { statusCode, headers } = response;
	const threadId = threadIdIn(headers, response.body);
	const namesNewThread = threadId !== undefined && !isSameThread(threadId, thread);
	if (!namesNewThread && isRejection(statusCode, thread)) {
		return { ...serviceFailure(response), ...aboutRejection(response, thread), effect: 'none' };
	}
	const isPageAtUrl = statusCode < 300 && threadId === undefined && isPage(response.body);
	// A page, a redirect and a proxy's 407 have advice that helps, although a run cannot be ruled out.
	const isElsewhere = isPageAtUrl || isRedirect(statusCode) || statusCode === 407;
	const failure = serviceFailure(response, { thread_id: threadId ?? thread ?? null, status: 'interrupted' });
	return {
		...failure,
		adviceForAgent: undefined,
		...(!isElsewhere && { advice: CHECK_BEFORE_RESTART }),
		effect: namesNewThread ? 'run' : 'maybe',
		...(statusCode === 503 && { cause: 'unavailable', headers }),
	};
}

/** A thread in the headers is enough to find the run, so its body gets only this long. */
const MAX_BODY_TIME_WITH_THREAD = 10_000;

/** Reads what no stream contains: a background start, or why there is no run. */
export async function readStartBody({ body, headers }: IN8nHttpFullResponse, watchdog: Watchdog): Promise<ReadBody> {
	if (threadIdIn(headers) !== undefined) watchdog.endWithin(MAX_BODY_TIME_WITH_THREAD);
	return await readBody(bodyOf(body), watchdog);
}

export type BackgroundStart = IDataObject & { thread_id: string; url: string | null; status: string };

/** A run was started if the response names a thread, and no error beside it. */
export function backgroundStartIn(response: ServiceResponse, thread?: string): ValueOrFailure<BackgroundStart> {
	const { statusCode, headers, body } = response;
	const threadId = threadIdIn(headers, body);
	if (statusCode >= 300 || threadId === undefined || hasError(body, ['thread_id', 'url'])) {
		return { failure: startFailure({ ...response, expected: 'a thread ID' }, thread) };
	}
	const fields = isObject(body) ? (body as IDataObject) : {};
	const known = {
		thread_id: threadId,
		url: filledText(fields.url) ?? null,
		status: filledText(fields.status) ?? 'started',
	};
	return { value: { ...known, ...fields, ...known } };
}

const NO_START_ADVICE = {
	neverSent: `${CHECK_AUTOMATION_URL}, and that n8n can reach it`,
	maybeSent: CHECK_BEFORE_RESTART,
};

/** The client's error means nothing if this node closed the connection. */
export function noStartFailure(
	watchdog: Pick<Watchdog, 'endReason' | 'expired'>,
	kind: 'response' | 'run',
	cause: NodeApiError,
	thread: string | undefined,
): Failure {
	const run = { thread_id: thread ?? null, status: watchdog.expired ? 'timed_out' : 'interrupted' };
	const reason = watchdog.endReason(kind);
	if (reason === undefined) return noResponseFailure(cause, NO_START_ADVICE, run);
	if (isUnsent(cause)) return { reason, advice: NO_START_ADVICE.neverSent, effect: 'none', cause: 'noConnection' };
	return { reason, ...possibleRun(thread), run };
}
