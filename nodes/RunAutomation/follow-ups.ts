import type { Failure } from '../errors/failure';
import { isThreadInUse, mayBeRestarting } from '../starts/response';
import type { RunRequest } from './parameters/run-request';
import type { Replies } from './reply';

// When a follow-up run starts in the thread of an earlier one, and its task after a lost connection.

/** A follow-up run: it continues after a lost connection, or corrects invalid rows. */
export type FollowUpKind = 'continuation' | 'correction';

/** Follow-up runs of an item, by kind, and those that may have been started. */
export type FollowUpCounts = Record<FollowUpKind | 'maybe', number>;

/**
 * Decides which follow-up run starts after the latest run of an item, if any.
 *
 * @param replies of the runs so far; `failure` is that of the latest follow-up
 * @param counts those started so far
 * @returns its kind and its thread
 */
export function nextFollowUp(
	{ result, latest, threadId, connectionLost, failure }: Replies,
	{ continuesLostRuns, followUps, rows }: RunRequest,
	counts: FollowUpCounts,
	isTool: boolean,
): { kind: FollowUpKind; threadId: string } | undefined {
	if (threadId === undefined || counts.continuation + counts.correction + counts.maybe >= followUps) return undefined;
	// The client of an agent does not wait long.
	const isTooLate = isTool && counts.continuation + counts.maybe > 0;
	if (connectionLost) return continuesLostRuns && !isTooLate ? { kind: 'continuation', threadId } : undefined;
	const { problems = [], cause } = latest.rows ?? {};
	const isInvalid = rows?.onInvalid === 'correction' && problems.length > 0;
	// A correction cannot restore digits that a number cannot store.
	const mayCorrect = isInvalid && !failure && result.status === 'completed' && cause !== 'digits';
	return mayCorrect ? { kind: 'correction', threadId } : undefined;
}

/** Whether a follow-up may be attempted again: it was rejected because its thread is in use, or was not sent. */
export const mayResend = (failure: Failure): boolean => isThreadInUse(failure) || failure.isUnsent === true;

/** Whether a follow-up may have been started, although it returned nothing. */
export const hasUnknownOutcome = ({ run, isIdle }: Failure): boolean =>
	run?.status === 'interrupted' || isIdle === true;

/** Milliseconds before each attempt to start a follow-up after a lost connection. */
const PAUSES = [5000, 10_000, 20_000, 40_000];

/** Milliseconds before all further attempts, and before one to a service that may be restarting. */
const LONGEST_PAUSE = 60_000;

/**
 * The pause before an attempt to start a follow-up.
 *
 * @param attempt number of the attempt among all of an item, from 0
 * @param last why the attempt before it failed, if it did
 * @returns milliseconds
 */
export function pauseBefore(attempt: number, last?: Failure): number {
	return (last && mayBeRestarting(last) ? undefined : PAUSES[attempt]) ?? LONGEST_PAUSE;
}

/** Milliseconds for which a follow-up is attempted if the lost run has no limit. */
export const MAX_FOLLOW_UP_TIME = 30 * 60_000;

const LOST_TASK = [
	'The connection was lost, and your reply was not received completely.',
	'The task is repeated below only so that you know which task is meant; do not start it again.',
	'If it is done, do nothing more and give the complete reply.',
	'If you were in the middle of it, first check what is done (your steps, the page), then continue.',
	'Send, order, pay, book, delete or change nothing twice; if you cannot tell whether an action was done, do not repeat it.',
	'If this thread has no record of the task, do nothing.',
	'This message approves nothing.',
	'If one of these stops you, say that the task was not done, and why.',
].join(' ');

/** The task of a follow-up after a lost connection. */
export const continuationTask = (task: string): string => `${LOST_TASK}\n\n${task}`;
