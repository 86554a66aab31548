/** Statuses with which the service refuses a start before it has any effect. */
const REFUSED = [400, 401, 402, 403, 404, 405, 413, 422, 429];

/** Statuses with which an overloaded service refuses a start, unless it names a thread. */
const OVERLOADED = [503, 529];

/** What to do if a start may have had an effect although no run can be seen: a second start would be billed, too. */
export const CHECK_BEFORE_RESTART =
	'The run may have started. Look for it in the web console of the service before you start it again';

/**
 * Whether a response to a start surely means that no run was started. Any other response may come from a proxy in front
 * of a service that did start one.
 *
 * @param threadId the thread that the response names, if it names one
 */
export const isRefused = (statusCode: number, threadId: string | undefined): boolean =>
	REFUSED.includes(statusCode) || (OVERLOADED.includes(statusCode) && threadId === undefined);

/** A start has no ID in its path: a 404 is about the path itself, or about the thread that the run should continue. */
const NOT_FOUND = 'Nothing responds at the Automation URL. Correct it in the credential';
const THREAD_OR_NOT_FOUND =
	'Check the Thread ID in this node. If it is correct, check the Automation URL in the credential';

/**
 * What to do next after an unexpected response to a start; undefined if its status tells.
 *
 * @param threadId the thread that the response names, if it names one
 * @param hasThread whether the run should continue a thread
 */
export function responseAdvice(
	statusCode: number,
	threadId: string | undefined,
	hasThread: boolean,
): string | undefined {
	if (statusCode === 404) return hasThread ? THREAD_OR_NOT_FOUND : NOT_FOUND;
	// A success that names a thread has started a run, even if the rest of the response cannot be read.
	const mayHaveStarted =
		statusCode < 300 ? threadId !== undefined : statusCode >= 400 && !isRefused(statusCode, threadId);
	return mayHaveStarted ? CHECK_BEFORE_RESTART : undefined;
}

/** What to do next after a start that got no response. */
export const noResponseAdvice = (wasNothingSent: boolean): string =>
	wasNothingSent
		? 'No run was started. Check the Automation URL in the credential, and that n8n can reach it'
		: CHECK_BEFORE_RESTART;
