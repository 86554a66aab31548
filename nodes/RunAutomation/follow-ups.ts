import type { Failure } from '../errors/failure';
import { waitUntil } from '../execution/busy';
import { mayBeRestarting } from '../starts/response';
import type { RunRequest, StartBody } from './parameters/run-request';
import type { Replies, Reply } from './reply';
import { failureOf, startRun, type FollowUpCounts, type FollowUpKind, type ItemContext } from './start-run';

// When and how a follow-up run starts in the thread of an earlier one, and its task after a lost connection.

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
export const mayResend = ({ cause }: Failure): boolean => cause === 'threadInUse' || cause === 'unsent';

/** Whether a follow-up may have been started, although it returned nothing. */
export const hasUnknownOutcome = ({ run, cause }: Failure): boolean =>
	run?.status === 'interrupted' || cause === 'silent';

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
const MAX_FOLLOW_UP_TIME = 30 * 60_000;

/**
 * Starts a follow-up run, and reads it to its end. While its thread is in use, or there is no connection, it is attempted again, for as
 * long as the run before it could have taken. The pauses between attempts grow over all follow-ups of the item.
 *
 * @returns undefined if nothing was sent, because the time had passed, or the node ends
 * @throws FailureError with the failure of the last attempt
 */
export async function startFollowUp(
	item: ItemContext,
	bodyOf: () => StartBody,
	kind: FollowUpKind,
	threadId: string,
	isImmediate: boolean,
): Promise<Reply | undefined> {
	const { batch, deadline, followUpAttempts: attempts } = item;
	const { execution } = batch;
	const now = performance.now();
	const until = Math.min(deadline < Infinity ? deadline : now + MAX_FOLLOW_UP_TIME, execution.endsAt);
	let failed: Error | undefined;
	for (let hasPause = !isImmediate; ; hasPause = true) {
		const pause = hasPause ? pauseBefore(attempts.count++, attempts.failure) : 0;
		const time = performance.now() + pause;
		if (time >= until) break;
		await waitUntil(
			() => time,
			() => batch.mayNotStart(),
		);
		try {
			const reply = await startRun(item, bodyOf, kind, threadId);
			attempts.failure = undefined;
			return reply;
		} catch (error) {
			failed = error as Error;
			attempts.failure = failureOf(item, failed);
			if (!mayResend(attempts.failure) || execution.isTool) throw failed;
		}
	}
	if (failed) throw failed;
	return undefined;
}

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
