import { FailureError, type Failure } from '../errors/failure';
import { withoutTokens } from '../errors/file-tokens';
import { withoutFileContents } from '../errors/file-contents';
import { filesPathOfError } from '../errors/node-error';
import { maskOf } from '../errors/secrets';
import { waitUntil } from '../execution/busy';
import { listLinks, type AgentFile } from '../files/input-files';
import type { Ledger } from '../starts/ledger';
import { isSameThread } from '../starts/response';
import { changeTexts, shorten, type Excerpt } from '../values';
import {
	continuationTask,
	followUpReason,
	MAX_CONTINUATION_TIME,
	mayBeRunning,
	mayResend,
	pauseBefore,
	type FollowUpReason,
} from './follow-ups';
import { attachFiles } from './output/files';
import {
	detachedHint,
	followUpHints,
	formHints,
	otherThreadHint,
	rowsHints,
	runHints,
	shortLinksHint,
} from './output/hints';
import { rowItems, runItems } from './output/items';
import { LiveOutput } from './output/live';
import {
	followUpFailure,
	incompleteFailure,
	invalidRowsFailure,
	noRowsFailure,
	withLostFiles,
	type Outcome,
} from './output/outcome';
import { withProblems, type RunResult } from './output/result';
import type { RowsRequest } from './parameters/rows-request';
import type { RunRequest, StartBody } from './parameters/run-request';
import { addReply, completedResult, type Replies, type Reply } from './reply';
import { followUpTask } from './rows/instruction';
import { failureOf, startInBackground, startRun, withRequestedThread, type Batch, type ItemRun } from './start-run';
import type { Destination } from './transport/send-start';

/**
 * Processes one item. Never rejects: failures are part of the outcome.
 *
 * @returns undefined if nothing was sent, because the node ends
 */
export async function runItem(
	batch: Batch,
	request: RunRequest,
	to: Destination,
	files: AgentFile[],
	ledger: Ledger<Outcome>,
): Promise<Outcome | undefined> {
	const { context, execution } = batch;
	const style = { mask: maskOf(to.secrets), isRedacted: execution.isRedacted };
	const live = new LiveOutput(context, request, style.mask);
	const excerpt: Excerpt = (text, limit) => shorten(style.mask(text), limit);
	const deadlines = { total: Infinity, workflow: execution.endsAt };
	const counts = { lost: 0, invalid: 0, maybe: 0 };
	const continuation = { attempts: 0 };
	const run: ItemRun = { batch, request, to, files, ledger, live, style, excerpt, deadlines, counts, continuation };
	const outcome = await runToOutcome(run);
	if (!outcome) live.breakOff();
	else if (!outcome.failure) live.end(outcome.reason);
	else if (execution.continues) live.end(reasonToShow(request, outcome.failure.reason, outcome.failure.run));
	else live.breakOff();
	return outcome;
}

async function runToOutcome(run: ItemRun): Promise<Outcome | undefined> {
	try {
		const outcome = await (run.request.operation === 'background' ? runInBackground(run) : runInForeground(run));
		return outcome && { ...outcome, hints: [...formHints(run.request.hints), ...outcome.hints] };
	} catch (error) {
		const failure = withRequestedThread(failureOf(run, error as Error), run.requestedThread);
		const failed = await failedOutcome(run, failure).catch(() => ({ failure, binary: undefined }));
		// An outcome is saved for further attempts: without the contents of files.
		const { run: known } = failed.failure;
		return { ...failed, failure: { ...failed.failure, run: known && withoutFileContents(known) } };
	}
}

/** Why a run has no result, for a person who watches it, unless its text has just shown that. */
const reasonToShow = ({ operation, live }: RunRequest, reason: string | undefined, run?: { status?: string }) =>
	operation === 'result' && run?.status === 'not_done' && live.includes('text') ? undefined : reason;

type Success = Exclude<Outcome, { failure: Failure }>;

async function runInBackground(run: ItemRun): Promise<Success | undefined> {
	const { batch, request, files, style } = run;
	const body = firstBody(run);
	const started = await startInBackground(run, body);
	if (!started) return undefined;
	const isOther = body.thread_id !== undefined && !isSameThread(started.thread_id, body.thread_id);
	return {
		items: [{ json: changeTexts(started, withoutTokens), pairedItem: { item: request.itemIndex } }],
		hints: [
			detachedHint(started, style),
			...(isOther ? [otherThreadHint] : []),
			...(files.length > 0 && batch.execution.isDroppedOnSuccess ? [shortLinksHint] : []),
		],
	};
}

/** The body of the first start of an item. Its links to files last as long as its run may take, from now on. */
function firstBody({ batch: { context, execution }, request, files }: ItemRun): StartBody {
	if (files.length === 0) return request.body;
	const time = Math.min(request.limits.total, execution.endsAt - performance.now());
	const limit = request.operation === 'background' ? Infinity : time;
	return { ...request.body, query: request.taskWith(listLinks(context.helpers, files, limit)) };
}

async function runInForeground(run: ItemRun): Promise<Success | undefined> {
	const replies = await converse(run);
	return replies && (await conclude(run, replies));
}

/** Starts a run, reads it, and starts follow-up runs in its thread if the form says so. Returns what they have returned. */
async function converse(run: ItemRun): Promise<Replies | undefined> {
	const { batch, request, counts } = run;
	const first = await startFirst(run);
	if (!first) return undefined;
	let replies = note(run, addReply(first));
	for (;;) {
		const { result, latest, failure } = replies;
		const thread = {
			status: result.status,
			threadId: latest.otherThread ? null : result.thread_id,
			connectionLost: replies.connectionLost && !batch.mayNotStart(),
			hasFailed: failure !== undefined,
			rows: latest.rows,
		};
		const reason = followUpReason(thread, request, counts, batch.execution.isTool);
		const next = reason && (await followUp(run, replies, reason));
		if (!next) return replies;
		replies = next;
	}
}

/** Notes what the runs of an item have returned, for whatever ends it. */
function note(run: ItemRun, replies: Replies): Replies {
	run.result = replies.result;
	run.ledger.lostThread = replies.connectionLost ? (replies.result.thread_id ?? undefined) : undefined;
	return replies;
}

/** The first run of an item; in a *Retry*, one that continues in the thread of a run whose connection was lost, if the form says so. */
async function startFirst(run: ItemRun): Promise<Reply | undefined> {
	const { ledger, request, counts } = run;
	if (!continuesOnRetry(ledger, request)) return await startRun(run, () => firstBody(run), 'first');
	const reply = await continueInThread(run, ledger.lostThread!, true);
	if (reply) counts.lost++;
	return reply;
}

/** Whether a *Retry* continues the run of an item in its thread, instead of starting anew. */
export const continuesOnRetry = (
	{ lostThread }: Pick<Ledger<unknown>, 'lostThread'>,
	{ continueInThread, followUps }: Pick<RunRequest, 'continueInThread' | 'followUps'>,
): boolean => lostThread !== undefined && continueInThread && followUps > 0;

const LOST_LINE = 'Connection lost. Continuing in the same thread';

/**
 * Starts a follow-up run.
 *
 * @returns what the runs have returned then, or why it has returned nothing; undefined if nothing was sent
 */
async function followUp(run: ItemRun, replies: Replies, reason: FollowUpReason): Promise<Replies | undefined> {
	const { live, counts } = run;
	const threadId = replies.result.thread_id!;
	live.nextRun(reason === 'lost' ? LOST_LINE : undefined);
	try {
		const reply = await (reason === 'lost' ? continueInThread(run, threadId) : correct(run, replies, threadId));
		if (!reply) return undefined;
		counts[reason]++;
		return note(run, addReply(reply, replies.result));
	} catch (error) {
		const failure = failureOf(run, error as Error);
		if (failure.effect && failure.effect !== 'none') counts[failure.effect === 'run' ? reason : 'maybe']++;
		// Without a response, the run counts as one whose connection was lost, also for a *Retry*.
		const connectionLost = mayBeRunning(failure);
		if (connectionLost) run.ledger.lostThread = threadId;
		return { ...replies, failure, connectionLost };
	}
}

async function correct(run: ItemRun, { latest }: Replies, threadId: string): Promise<Reply | undefined> {
	const { body, rows } = run.request;
	const query = followUpTask(latest.rows!.problems, rows!);
	return await startRun(run, () => ({ ...body, query, thread_id: threadId }), 'correction', threadId);
}

/**
 * Starts a run that continues in the thread of a run whose connection was lost, and reads it to its end. While the thread is in use,
 * or there is no connection, it is attempted again, as long as the run that was lost could have taken. The pauses between
 * attempts grow over all follow-ups of the item.
 *
 * @param isImmediate whether there is no pause before the first attempt, as in a *Retry*
 * @returns undefined if nothing was sent, because the time was over before, or the node ends
 * @throws FailureError with the failure of the last attempt
 */
async function continueInThread(run: ItemRun, threadId: string, isImmediate = false): Promise<Reply | undefined> {
	const { batch, deadlines, continuation } = run;
	const { execution } = batch;
	const now = performance.now();
	const until = Math.min(deadlines.total < Infinity ? deadlines.total : now + MAX_CONTINUATION_TIME, execution.endsAt);
	const bodyOf = () => {
		const first = firstBody(run);
		return { ...first, query: continuationTask(first.query), thread_id: threadId };
	};
	let failed: FailureError | undefined;
	for (let hasPause = !isImmediate; ; hasPause = true) {
		const pause = hasPause ? pauseBefore(continuation.attempts++, continuation.failure) : 0;
		const time = performance.now() + pause;
		if (time >= until) break;
		await waitUntil(
			() => time,
			() => batch.mayNotStart(),
		);
		try {
			const reply = await startRun(run, bodyOf, 'continuation', threadId);
			if (!reply) break;
			return reply;
		} catch (error) {
			continuation.failure = failureOf(run, error as Error);
			failed = new FailureError(continuation.failure);
			if (!mayResend(failed.failure) || execution.isTool) throw failed;
		}
	}
	if (failed) throw failed;
	return undefined;
}

/** Makes the output of what the runs of an item have returned. Throws FailureError if that is not to be returned. */
async function conclude(run: ItemRun, replies: Replies): Promise<Success> {
	const { request, counts } = run;
	const { latest, latestResult, failure } = replies;
	if (failure && (latestResult.status === 'completed' || request.onIncomplete === 'error')) {
		throw new FailureError(followUpFailure(failure, replies.result));
	}
	const result = completedResult(replies);
	const isReported = isReportedAnyway(run, result);
	const isReturned = result.status === 'completed' || request.onIncomplete !== 'error';
	if (!isReturned && !isReported) throw new FailureError(incompleteFailure(result, latest));
	if (request.rows) return await rowsOutcome(run, replies, result, request.rows);
	const { items, warnings } = await runItems(run, latest, result);
	return {
		items,
		hints: [...runHints(latest, request, warnings), ...followUpHints(counts)],
		reason: reasonToShow(request, latest.run.reason, latest.run),
	};
}

/** Whether the reason why a task is not done is returned to an AI agent, which does not always see an error. */
const isReportedAnyway = ({ batch }: ItemRun, { status }: RunResult) => status === 'not_done' && batch.execution.isTool;

async function rowsOutcome(run: ItemRun, replies: Replies, result: RunResult, rows: RowsRequest): Promise<Success> {
	const { request, counts } = run;
	const { latest } = replies;
	const read = latest.rows!;
	const invalid = isReportedAnyway(run, result) ? undefined : rowsFailure(latest, replies.result, rows);
	if (invalid) throw new FailureError(invalid);
	const found = { result, read, missing: latest.run.warnings };
	const { items, warnings } = await rowItems(run, found);
	const hints = [...runHints(latest, request, warnings), ...rowsHints(read, rows), ...followUpHints(counts)];
	return { items, hints, reason: result.reason };
}

/** The failure if the rows of a run cannot be returned. */
function rowsFailure(latest: Reply, result: RunResult, rows: RowsRequest): Failure | undefined {
	const { problems, isUsable, rows: found } = latest.rows!;
	const isInvalid = problems.length > 0 && !(rows.onInvalid === 'fitting' && isUsable);
	if (!isInvalid && !(found.length === 0 && rows.needsRows)) return undefined;
	// A run that did not complete says itself why there are no rows, and what can help.
	if (result.status !== 'completed') return incompleteFailure(withProblems(result, problems), latest);
	return isInvalid ? invalidRowsFailure(result, latest) : noRowsFailure(result);
}

/** A failure with the files of the run as binary data. If no item could hold them, the advice says that they are lost. */
async function failedOutcome(run: ItemRun, failure: Failure): Promise<Extract<Outcome, { failure: Failure }>> {
	const { batch, request, deadlines } = run;
	const known = failure.run as RunResult | undefined;
	if (!known?.files?.length) return { failure };
	const { continues, isTool, node } = batch.execution;
	const wantsFiles = request.operation === 'result' && request.includeFiles && !isTool;
	if (!continues || isTool) return { failure: wantsFiles ? withLostFiles(failure, known) : failure };
	const filesFor = { ...request, path: filesPathOfError(node) };
	const { files, binary, warnings } = await attachFiles(batch, known.files, filesFor, deadlines);
	const complete = { ...known, files, warnings: [...known.warnings, ...warnings] };
	return { failure: { ...failure, run: complete }, binary };
}
