import type { IDataObject } from 'n8n-workflow';

import { FailureError, type Failure } from '../errors/failure';
import { adviceFor, serviceFailure, type ServiceResponse } from '../errors/service-error';
import { readReason } from '../errors/service-reason';
import { isBusy, type WaitEnd } from '../execution/busy';
import type { Body, Watchdog } from '../execution/watchdog';
import { filledText, isObject, parseJson } from '../values';

/** Statuses with which the service refuses a start before it has any effect, unless it names a thread that is new. */
const REFUSED = [400, 401, 402, 403, 404, 405, 413, 422];

/** What to do if a start may have had an effect although no run can be seen: a second start would be billed, too. */
export const CHECK_BEFORE_RESTART = "The run may have started. Look for it in the service's web console";

/** What is known of a start that may have had an effect although no run can be seen. */
export const POSSIBLE_RUN = {
	advice: CHECK_BEFORE_RESTART,
	effect: 'maybe',
	run: { thread_id: null, status: 'interrupted' },
} satisfies Partial<Failure>;

/** A start has no ID in its path: a 404 is about the path itself, or about the thread that the run should continue. */
const NOT_FOUND = "'Automation URL' responds but cannot start runs. Correct it in the credential";
const THREAD_OR_NOT_FOUND =
	"Check 'Thread ID' in this node. If it is correct, check 'Automation URL' in the credential";

/** The thread that a response to a start names, in its header or in its parsed body. Node.js joins a header that is sent twice. */
export const threadIdIn = (headers: Record<string, unknown>, body?: unknown): string | undefined =>
	filledText((Object(body) as { thread_id?: unknown }).thread_id) ??
	filledText(headers['x-thread-id'])?.replace(/^(.+), \1$/, '$1');

/** Characters of a body that are read. */
const MAX_BODY = 64 * 1024;

/**
 * Reads the body of a response to a start as far as it is received: the headers may name a thread that is billed.
 *
 * @param watchdog is told of each piece
 * @returns JSON, or text if it is none
 */
export async function readBody(body: Body, watchdog: Watchdog): Promise<unknown> {
	const decoder = new TextDecoder();
	let text = '';
	try {
		for await (const bytes of body) {
			watchdog.touch();
			text += decoder.decode(bytes, { stream: true });
			// Some services leave the connection open behind it.
			const isWhole = text.trimEnd().endsWith('}') && isObject(parseJson(text));
			if (isWhole || text.length > MAX_BODY) break;
		}
	} catch {
		// What was received is enough.
	}
	return parseJson(text) ?? text;
}

/** Whether a body is a web page, which is not from the service. */
export const isPage = (body: unknown): boolean => readReason(body).page !== undefined;

/**
 * What a response that is no success says about the start: whether a run may have been started, and what is known of it. Any
 * response but a refusal may come from a proxy in front of a service that did start one.
 *
 * @param threadToContinue the thread that the start has named: a response that names another one has started a run
 */
export function startFailure(given: ServiceResponse, threadToContinue?: string): Failure {
	const response: ServiceResponse = { ...given, address: 'Automation URL' };
	const { statusCode } = response;
	const threadId = threadIdIn(response.headers, response.body);
	const namesNewThread = threadId !== undefined && threadId.toLowerCase() !== threadToContinue?.toLowerCase();
	const wasBusy = isBusy(response);
	if (!namesNewThread && (wasBusy || REFUSED.includes(statusCode))) {
		const notFound = threadToContinue ? THREAD_OR_NOT_FOUND : NOT_FOUND;
		const advice = statusCode === 404 ? notFound : adviceFor(response);
		const failure = serviceFailure({ ...response, advice });
		return { ...failure, effect: 'none', ...(wasBusy && { busy: response.headers }) };
	}
	// A success has started a run even if the rest of the response cannot be read; a web page shows a wrong address.
	const isWrongAddress = statusCode < 300 && threadId === undefined && isPage(response.body);
	const mayHaveStarted = !isWrongAddress && (statusCode < 300 || statusCode >= 400);
	const advice = mayHaveStarted ? CHECK_BEFORE_RESTART : undefined;
	const failure = serviceFailure({ ...response, advice }, { thread_id: threadId ?? null, status: 'interrupted' });
	return { ...failure, effect: namesNewThread ? 'run' : 'maybe' };
}

/** What else may help against a busy service, by what has ended the waiting. */
export const withLongerWait = (failure: Failure, endedBy: WaitEnd, patience: string): Failure => ({
	...failure,
	advice: `${failure.advice}${endedBy === 'workflow' ? ", or raise 'Timeout Workflow' in the settings of the workflow" : patience}`,
});

/** A run in the background, with every field of the response to its start. */
export type DetachedStart = IDataObject & { thread_id: string; url: string | null; status: string };

/**
 * Reads the response to the start of a run in the background.
 *
 * @param response with its body as JSON, or as text if it is none
 * @param threadToContinue the thread that the start has named
 * @throws Failed if no run was started in the background
 */
export function readStart(response: ServiceResponse, threadToContinue?: string): DetachedStart {
	const { statusCode, headers } = response;
	const threadId = threadIdIn(headers, response.body);
	if (statusCode >= 300 || threadId === undefined) {
		throw new FailureError(startFailure({ ...response, expected: 'a thread ID' }, threadToContinue));
	}
	const body = isObject(response.body) ? (response.body as IDataObject) : {};
	const known = {
		thread_id: threadId,
		url: filledText(body.url) ?? null,
		status: filledText(body.status) ?? 'started',
	};
	return { ...known, ...body, ...known };
}

/** What to do next after a start that got no response. */
export const noResponseAdvice = (wasNothingSent: boolean): string =>
	wasNothingSent ? "Check 'Automation URL' in the credential, and that n8n can reach it" : CHECK_BEFORE_RESTART;
