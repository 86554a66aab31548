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
	hasUnknownOutcome,
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
import { addReply, resultToReturn, type Replies, type Reply } from './reply';
import { followUpTask } from './rows/instruction';
import type { ReadRows } from './rows/read-rows';
import { failureOf, startInBackground, startRun, withRequestedThread, type Batch, type ItemContext } from './start-run';
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
	const privacy = { mask: maskOf(to.secrets), isRedacted: execution.isRedacted };
	const live = new LiveOutput(context, request, privacy.mask);
	const excerpt: Excerpt = (text, limit) => shorten(privacy.mask(text), limit);
	const deadlines = { total: Infinity, workflow: execution.endsAt };
	const counts = { lost: 0, invalid: 0, maybe: 0 };
	const continuation = { attempts: 0 };
	const item: ItemContext = {
		batch,
		request,
		to,
		files,
		ledger,
		live,
		privacy,
		excerpt,
		deadlines,
		counts,
		continuation,
	};
	const outcome = await runToOutcome(item);
	if (!outcome) live.breakOff();
	else if (!outcome.failure) live.end(outcome.reason);
	else if (execution.continues) live.end(reasonToShow(request, outcome.failure.reason, outcome.failure.run));
	else live.breakOff();
	return outcome;
}

async function runToOutcome(item: ItemContext): Promise<Outcome | undefined> {
	try {
		const outcome = await (item.request.operation === 'background' ? runInBackground(item) : runInForeground(item));
		return outcome && { ...outcome, hints: [...formHints(item.request.hints), ...outcome.hints] };
	} catch (error) {
		const failure = withRequestedThread(failureOf(item, error as Error), item.requestedThread);
		const failed = await failedOutcome(item, failure).catch(() => ({ failure, binary: undefined }));
		// An outcome is saved for later attempts: without the contents of files.
		const { run: known } = failed.failure;
		return { ...failed, failure: { ...failed.failure, run: known && withoutFileContents(known) } };
	}
}

/** The reason why a run has no result, for its viewers, unless its text has just shown it. */
const reasonToShow = ({ operation, live }: RunRequest, reason: string | undefined, run?: { status?: string }) =>
	operation === 'result' && run?.status === 'not_done' && live.includes('text') ? undefined : reason;

type Success = Exclude<Outcome, { failure: Failure }>;

async function runInBackground(item: ItemContext): Promise<Success | undefined> {
	const { batch, request, files, privacy } = item;
	const body = firstBody(item);
	const started = await startInBackground(item, body);
	if (!started) return undefined;
	const isOther = body.thread_id !== undefined && !isSameThread(started.thread_id, body.thread_id);
	return {
		items: [{ json: changeTexts(started, withoutTokens), pairedItem: { item: request.itemIndex } }],
		hints: [
			detachedHint(started, privacy),
			...(isOther ? [otherThreadHint] : []),
			...(files.length > 0 && batch.execution.isDroppedOnSuccess ? [shortLinksHint] : []),
		],
	};
}

/** The body of the first start of an item. Its file links are valid for as long as its run may take, from now on. */
function firstBody({ batch: { context, execution }, request, files }: ItemContext): StartBody {
	if (files.length === 0) return request.body;
	const time = Math.min(request.limits.total, execution.endsAt - performance.now());
	const limit = request.operation === 'background' ? Infinity : time;
	return { ...request.body, query: request.taskWith(listLinks(context.helpers, files, limit)) };
}

async function runInForeground(item: ItemContext): Promise<Success | undefined> {
	const replies = await converse(item);
	return replies && (await conclude(item, replies));
}

/** Starts a run, reads it, and starts follow-up runs in its thread if the form allows it. Returns their combined replies. */
async function converse(item: ItemContext): Promise<Replies | undefined> {
	const { batch, request, counts } = item;
	const first = await startFirst(item);
	if (!first) return undefined;
	let replies = note(item, addReply(first));
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
		if (!reason || thread.threadId === null) return replies;
		const next = await followUp(item, replies, reason, thread.threadId);
		if (!next) return replies;
		replies = next;
	}
}

/** Records the combined replies of an item, so that any ending can return them. */
function note(item: ItemContext, replies: Replies): Replies {
	item.result = replies.result;
	item.ledger.lostThread = replies.connectionLost ? (replies.result.thread_id ?? undefined) : undefined;
	return replies;
}

/** The first run of an item; in a *Retry*, one that continues in the thread of a run whose connection was lost, if the form allows it. */
async function startFirst(item: ItemContext): Promise<Reply | undefined> {
	const { ledger, request, counts } = item;
	const threadId = threadToContinue(ledger, request);
	if (threadId === undefined) return await startRun(item, () => firstBody(item), 'first');
	const reply = await continueInThread(item, threadId, true);
	if (reply) counts.lost++;
	return reply;
}

/** The thread in which a *Retry* continues the run of an item, instead of starting anew; undefined if it starts anew. */
export const threadToContinue = (
	{ lostThread }: Pick<Ledger<unknown>, 'lostThread'>,
	{ continueInThread, followUps }: Pick<RunRequest, 'continueInThread' | 'followUps'>,
): string | undefined => (continueInThread && followUps > 0 ? lostThread : undefined);

const LOST_LINE = 'Connection lost. Continuing in the same thread';

/**
 * Starts a follow-up run.
 *
 * @returns the replies with its own, or with its failure; undefined if nothing was sent
 */
async function followUp(
	item: ItemContext,
	replies: Replies,
	reason: FollowUpReason,
	threadId: string,
): Promise<Replies | undefined> {
	const { live, counts } = item;
	live.nextRun(reason === 'lost' ? LOST_LINE : undefined);
	try {
		const reply = await (reason === 'lost' ? continueInThread(item, threadId) : correct(item, replies, threadId));
		if (!reply) return undefined;
		counts[reason]++;
		return note(item, addReply(reply, replies.result));
	} catch (error) {
		const failure = failureOf(item, error as Error);
		if (failure.effect && failure.effect !== 'none') counts[failure.effect === 'run' ? reason : 'maybe']++;
		// Without a response, the run counts as one whose connection was lost, also for a *Retry*.
		const connectionLost = hasUnknownOutcome(failure);
		if (connectionLost) item.ledger.lostThread = threadId;
		return { ...replies, failure, connectionLost };
	}
}

async function correct(item: ItemContext, { latest }: Replies, threadId: string): Promise<Reply | undefined> {
	const { body, rows } = item.request;
	const query = followUpTask(latest.rows!.problems, rows!);
	return await startRun(item, () => ({ ...body, query, thread_id: threadId }), 'correction', threadId);
}

/**
 * Starts a run that continues in the thread of a run whose connection was lost, and reads it to its end. While the thread is in use,
 * or there is no connection, it is attempted again, for as long as the lost run could have taken. The pauses between
 * attempts grow over all follow-ups of the item.
 *
 * @param isImmediate whether there is no pause before the first attempt, as in a *Retry*
 * @returns undefined if nothing was sent, because the time had passed, or the node ends
 * @throws FailureError with the failure of the last attempt
 */
async function continueInThread(item: ItemContext, threadId: string, isImmediate = false): Promise<Reply | undefined> {
	const { batch, deadlines, continuation } = item;
	const { execution } = batch;
	const now = performance.now();
	const until = Math.min(deadlines.total < Infinity ? deadlines.total : now + MAX_CONTINUATION_TIME, execution.endsAt);
	const bodyOf = () => {
		const first = firstBody(item);
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
			const reply = await startRun(item, bodyOf, 'continuation', threadId);
			if (!reply) break;
			return reply;
		} catch (error) {
			continuation.failure = failureOf(item, error as Error);
			failed = new FailureError(continuation.failure);
			if (!mayResend(failed.failure) || execution.isTool) throw failed;
		}
	}
	if (failed) throw failed;
	return undefined;
}

/** Makes the output from the combined replies of an item. Throws FailureError if they must not be returned. */
async function conclude(item: ItemContext, replies: Replies): Promise<Success> {
	const { request, counts } = item;
	const { latest, latestResult, failure } = replies;
	if (failure && (latestResult.status === 'completed' || request.onIncomplete === 'error')) {
		throw new FailureError(followUpFailure(failure, replies.result));
	}
	const result = resultToReturn(replies);
	// An AI agent does not always see an error: it gets the reason why a task is not done as a result.
	const isReported = result.status === 'not_done' && item.batch.execution.isTool;
	const isReturned = result.status === 'completed' || request.onIncomplete !== 'error';
	if (!isReturned && !isReported) throw new FailureError(incompleteFailure(result, latest));
	const { rows } = request;
	const { rows: read } = latest;
	if (rows && read) {
		const invalid = isReported ? undefined : rowsFailure(latest, read, replies.result, rows);
		if (invalid) throw new FailureError(invalid);
		const { items, warnings } = await rowItems(item, { result, read, missing: latest.run.warnings });
		const hints = [...runHints(latest, request, warnings), ...rowsHints(read, rows), ...followUpHints(counts)];
		return { items, hints, reason: result.reason };
	}
	const { items, warnings } = await runItems(item, latest, result);
	return {
		items,
		hints: [...runHints(latest, request, warnings), ...followUpHints(counts)],
		reason: reasonToShow(request, latest.run.reason, latest.run),
	};
}

/** The failure if the rows of a run cannot be returned. */
function rowsFailure(latest: Reply, read: ReadRows, result: RunResult, rows: RowsRequest): Failure | undefined {
	const { problems, isUsable, rows: found } = read;
	const isInvalid = problems.length > 0 && !(rows.onInvalid === 'fitting' && isUsable);
	if (!isInvalid && !(found.length === 0 && rows.needsRows)) return undefined;
	// If the run did not complete, its own reason explains why there are no rows.
	if (result.status !== 'completed') return incompleteFailure(withProblems(result, problems), latest);
	return isInvalid ? invalidRowsFailure(result, latest) : noRowsFailure(result);
}

/** A failure with the files of the run as binary data. If no item can contain them, the advice says that they were not kept. */
async function failedOutcome(item: ItemContext, failure: Failure): Promise<Extract<Outcome, { failure: Failure }>> {
	const { batch, request, deadlines } = item;
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
