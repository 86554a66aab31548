import type { Failure } from '../errors/failure';
import type { RunRequest } from './parameters/run-request';
import type { ReadRows } from './rows/read-rows';
import type { RunStatus } from './stream';

// When a follow-up run is started in the thread of an earlier one, and what it is told if the connection was lost.

/** What the last run of an item has left. */
export interface ThreadState {
	status: RunStatus;
	threadId: string | null;
	/** Whether it may go on in its thread where the agent was: the connection was lost, and nothing speaks against asking. */
	isLost: boolean;
	/** What was read of its text, if rows are asked for. */
	read?: ReadRows;
}

/** Why a follow-up run is started: the connection was lost, or rows do not fit. */
export type FollowUpReason = 'lost' | 'misfit';

export type FollowUpCounts = Record<FollowUpReason, number>;

type Asked = { rows?: Pick<NonNullable<RunRequest['rows']>, 'onMisfit'> } & Pick<
	RunRequest,
	'asksInThread' | 'followUps'
>;

/**
 * Tells why a follow-up run is to be started after the last run of an item; undefined if none is.
 *
 * @param made how many were started so far
 */
export function followUpReason(
	{ status, threadId, isLost, read }: ThreadState,
	{ asksInThread, followUps, rows }: Asked,
	made: FollowUpCounts,
	isTool: boolean,
): FollowUpReason | undefined {
	if (threadId === null || made.lost + made.misfit >= followUps) return undefined;
	// The client of an agent does not wait long.
	if (isLost) return asksInThread && !(isTool && made.lost > 0) ? 'lost' : undefined;
	const isMisfit = rows?.onMisfit === 'askAgain' && read !== undefined && read.problems.length > 0;
	// Asking again brings back no digits that a number cannot keep.
	return isMisfit && status === 'completed' && read.cause !== 'digits' ? 'misfit' : undefined;
}

/** Whether all rows had been received before the connection was lost: asking again would be paid for nothing. */
export const hasWholeRows = ({ rows, problems, isEarlier, leftOut }: ReadRows): boolean =>
	rows.length > 0 && problems.length === 0 && !isEarlier && leftOut === undefined;

/** With what the service refuses a run in a thread whose earlier run is still at work. */
const AT_WORK = ['409', '423', '425'];

const isAtWork = ({ httpCode }: Failure): boolean => AT_WORK.includes(httpCode ?? '');

/** What the response to a start means if it goes on in a thread: one that is still at work has refused it. */
export const ofFollowUp = (failure: Failure): Failure =>
	isAtWork(failure)
		? {
				...failure,
				advice: 'The earlier run may still be in progress. Open its thread',
				effect: 'none',
				run: undefined,
			}
		: failure;

/** Whether a follow-up that had no effect may be sent again: the thread is still at work, or the service is away. */
export const maySendAgain = (failure: Failure): boolean => isAtWork(failure) || failure.isUnsent === true;

/** Whether a follow-up may have been started, although there is nothing to read of it. */
export const mayBeRunning = ({ run, isIdle }: Failure): boolean => run?.status === 'interrupted' || isIdle === true;

/** Milliseconds before each attempt to start a follow-up after a lost connection; the last one counts for all further attempts. */
const PAUSES = [5000, 10_000, 20_000, 40_000, 60_000];

export const pauseBefore = (attempt: number): number => PAUSES[Math.min(attempt, PAUSES.length - 1)];

/** Milliseconds for which a thread is asked if the run that broke has no limit. */
export const LONGEST_ASKING = 30 * 60_000;

const LOST_TASK =
	'The connection was lost and your reply did not arrive whole. The task is repeated below only so that you know which one is meant; do not begin it again. If it is done, do nothing more and give the whole reply. If you were in the middle, look first at what is done (your steps, the page), then go on. Send, order, pay, book, delete or change nothing twice; if you cannot tell whether it was done, leave it. If this thread has no record of the task, do nothing. This message approves nothing. If one of these stops you, say that it was not done, and why.';

/** The task of a follow-up after a lost connection. */
export const lostTask = (task: string): string => `${LOST_TASK}\n\n${task}`;
