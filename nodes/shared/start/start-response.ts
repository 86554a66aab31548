// Reads whether a response to a start means a run, and in which thread.

import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { FailureError, type Failure } from '../failure/failure';
import { isUnsent, noResponseFailure } from '../failure/response/no-response';
import type { ServiceResponse } from '../failure/response/response';
import { serviceFailure } from '../failure/response/service-failure';
import { isPage, isSenderError } from '../failure/response/reason';
import { isBusy, isChallenge } from '../failure/response/retry-after';
import { RAISE_LIMIT, STOPPED, WORKFLOW_LIMIT, type Watchdog } from '../http/watchdog';
import { filledText } from '../values/text';
import { isObject } from '../values/nested';

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

export const isSameThread = (one: string, other: string | undefined): boolean =>
	one.toLowerCase() === other?.toLowerCase();

/** A proxy may send these after the service has taken a request: time-outs, and closed connections. */
const MAYBE_TAKEN = [408, 409, 423, 425, 460, 499];

/** These mean that no connection was made (Cloudflare 521, 523, 525, 526, 530), overload, or a sign-in to the network. */
const NEVER_TAKEN = [511, 521, 523, 525, 526, 529, 530, 561];

/** A rejected request has started nothing (contract 7). */
export const isRejection = (statusCode: number): boolean =>
	(statusCode >= 400 && statusCode < 500 && !MAYBE_TAKEN.includes(statusCode)) || NEVER_TAKEN.includes(statusCode);

const THREAD_IN_USE = [409, 423, 425];

export const FIND_THREAD = "Find the thread in the service's web console first: the run may still be in progress";

const EARLIER_RUN: Partial<Failure> = {
	cause: 'threadInUse',
	advice: "Find the thread in the service's web console first: the earlier run may still be in progress",
	adviceForAgent: 'The earlier run may still be in progress. Call this tool again later in the same thread',
};

export const CHECK_BEFORE_RESTART = "The run may have started. Look for it in the service's web console";

export const possibleRun = (thread: string | null = null) =>
	({
		advice: CHECK_BEFORE_RESTART,
		effect: 'maybe',
		run: { thread_id: thread, status: 'interrupted' },
	}) satisfies Partial<Failure>;

const CHECK_AUTOMATION_URL = "Check 'Automation URL' in the credential";

/** A start's path has no ID, so the URL or the thread to continue is wrong. */
const notFoundAdvice = (thread: string | undefined): string =>
	thread ? `${CHECK_AUTOMATION_URL}, and whether the thread still exists` : CHECK_AUTOMATION_URL;

function aboutRejection(response: ServiceResponse, thread: string | undefined): Partial<Failure> {
	if ([404, 410].includes(response.statusCode)) return { advice: notFoundAdvice(thread) };
	return isBusy(response) ? { cause: 'busy', headers: response.headers } : {};
}

/**
 * Only a rejection proves that no run started: a proxy may answer for a service that did start one. A thread other than the
 * requested one proves a run, whatever the status.
 */
export function startFailure(given: ServiceResponse, thread?: string): Failure {
	const response: ServiceResponse = { ...given, urlLabel: 'Automation URL' };
	const { statusCode, headers } = response;
	const threadId = threadIdIn(headers, response.body);
	const namesNewThread = threadId !== undefined && !isSameThread(threadId, thread);
	if (!namesNewThread && (isRejection(statusCode) || isChallenge(headers))) {
		return { ...serviceFailure(response), ...aboutRejection(response, thread), effect: 'none' };
	}
	if (!namesNewThread && thread && THREAD_IN_USE.includes(statusCode)) {
		return { ...serviceFailure(response), ...EARLIER_RUN, effect: 'none' };
	}
	const isWrongUrl = statusCode < 300 && threadId === undefined && isPage(response.body);
	const isRedirect = statusCode >= 300 && statusCode < 400;
	const failure = serviceFailure(response, { thread_id: threadId ?? thread ?? null, status: 'interrupted' });
	return {
		...failure,
		adviceForAgent: undefined,
		...(!isWrongUrl && !isRedirect && { advice: CHECK_BEFORE_RESTART }),
		effect: namesNewThread ? 'run' : 'maybe',
		...(statusCode === 503 && { cause: 'unavailable', headers }),
	};
}

export const NO_TIME_LEFT: Failure = {
	reason: WORKFLOW_LIMIT,
	advice: RAISE_LIMIT,
	effect: 'none',
};

export type BackgroundStart = IDataObject & { thread_id: string; url: string | null; status: string };

/** @returns undefined if the response names a thread, and no error beside it */
export function missingThreadFailure(response: ServiceResponse, thread?: string): Failure | undefined {
	const { statusCode, headers, body } = response;
	const isStarted = statusCode < 300 && threadIdIn(headers, body) !== undefined;
	if (isStarted && !isSenderError(body, ['thread_id', 'url'])) return undefined;
	return startFailure({ ...response, expected: 'a thread ID' }, thread);
}

/** @throws FailureError if no run was started in the background */
export function backgroundStartIn(response: ServiceResponse, thread?: string): BackgroundStart {
	const failure = missingThreadFailure(response, thread);
	if (failure) throw new FailureError(failure);
	const threadId = threadIdIn(response.headers, response.body)!;
	const body = isObject(response.body) ? (response.body as IDataObject) : {};
	const known = {
		thread_id: threadId,
		url: filledText(body.url) ?? null,
		status: filledText(body.status) ?? 'started',
	};
	return { ...known, ...body, ...known };
}

const NO_START_ADVICE = {
	neverSent: `${CHECK_AUTOMATION_URL}, and that n8n can reach it`,
	maybeSent: CHECK_BEFORE_RESTART,
};

/** The client's error means nothing if this node closed the connection. */
export function noStartFailure(
	{ expiredReason, isStopped }: Pick<Watchdog, 'expiredReason' | 'isStopped'>,
	cause: NodeApiError,
	thread: string | undefined,
): Failure {
	const run = { thread_id: thread ?? null, status: expiredReason ? 'timed_out' : 'interrupted' };
	if (!expiredReason && !isStopped) return noResponseFailure(cause, NO_START_ADVICE, run);
	const reason = expiredReason ?? STOPPED;
	if (isUnsent(cause)) return { reason, advice: NO_START_ADVICE.neverSent, effect: 'none', cause: 'noConnection' };
	return { reason, ...possibleRun(thread), run };
}
