import { FailureError, type Failure } from '../errors/failure';
import { withoutTokens } from '../errors/file-tokens';
import { withoutFileContents } from '../errors/file-contents';
import { filesPathOfError } from '../errors/node-error';
import { maskOf } from '../errors/secrets';
import { listLinks, type AgentFile } from '../files/input-files';
import type { Ledger } from '../starts/ledger';
import { isSameThread, NO_TIME_LEFT, withRequestedThread } from '../starts/response';
import { changeTexts, shorten } from '../values';
import { continuationTask, hasUnknownOutcome, nextFollowUp, startFollowUp } from './follow-ups';
import { attachFiles } from './output/files';
import { backgroundHints, formHints, runHints } from './output/hints';
import { resultItems, rowItems } from './output/items';
import { LiveOutput } from './output/live';
import { followUpFailure, incompleteFailure, rowsFailure, withLostFiles, type Outcome } from './output/outcome';
import type { RunResult } from './output/result';
import type { RunRequest, StartBody } from './parameters/run-request';
import { addReply, resultToReturn, type Replies, type Reply } from './reply';
import { correctionTask } from './rows/instruction';
import { asCorrection } from './rows/read-rows';
import { failureOf, startInBackground, startRun, type Batch, type FollowUpKind, type ItemContext } from './start-run';
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
	ledger: Ledger<unknown>,
): Promise<Outcome | undefined> {
	const { context, execution } = batch;
	const mask = maskOf(to.secrets);
	const live = new LiveOutput(context, request, mask);
	const item: ItemContext = {
		...{ batch, request, to, files, ledger, live, mask },
		excerpt: (text, limit) => shorten(mask(text), limit),
		deadline: Infinity,
		counts: { continuation: 0, correction: 0, maybe: 0 },
		followUpAttempts: { count: 0 },
	};
	const outcome = await runToOutcome(item);
	if (!outcome || (outcome.failure && !execution.continues)) live.breakOff();
	else if (outcome.failure) live.end(reasonToShow(request, outcome.failure.reason, outcome.failure.run));
	else live.end(outcome.reason);
	return outcome;
}

async function runToOutcome(item: ItemContext): Promise<Outcome | undefined> {
	try {
		const outcome = await (item.request.operation === 'background' ? runInBackground(item) : runInForeground(item));
		return outcome && { ...outcome, hints: [...formHints(item.request.hints), ...outcome.hints] };
	} catch (error) {
		const failure = withRequestedThread(failureOf(item, error as Error), item.requestedThread);
		const failed = await failedOutcome(item, failure).catch(() => ({ failure, binary: undefined }));
		return { ...failed, failure: toKeep(failed.failure, item.mask) };
	}
}

/** A failure for later attempts, which may have another credential: without secrets, and without the contents of files. */
const toKeep = (failure: Failure, mask: (text: string) => string): Failure => ({
	...failure,
	reason: mask(failure.reason),
	advice: mask(failure.advice),
	run: failure.run && changeTexts(withoutFileContents(failure.run), mask),
});

/** The reason why a run has no result, for its viewers, unless its text has just shown it. */
const reasonToShow = ({ operation, liveKinds }: RunRequest, reason: string | undefined, run?: { status?: string }) =>
	operation === 'result' && run?.status === 'not_done' && liveKinds.includes('text') ? undefined : reason;

type Success = Exclude<Outcome, { failure: Failure }>;

async function runInBackground(item: ItemContext): Promise<Success | undefined> {
	const started = await startInBackground(item, () => firstBody(item));
	if (!started) return undefined;
	const json = changeTexts(started, withoutTokens);
	return { items: [{ json, pairedItem: { item: item.request.itemIndex } }], hints: backgroundHints(started, item) };
}

/** The body of the first start of an item. Its file links are valid for as long as its run may take, from now on. */
function firstBody({ batch: { context, execution }, request, files }: ItemContext): StartBody {
	if (files.length === 0) return request.body;
	const time = Math.min(request.limits.total, execution.endsAt - performance.now());
	const limit = request.operation === 'background' ? Infinity : time;
	return { ...request.body, query: request.taskWith(listLinks(context.helpers, files, limit)) };
}

/** Starts a run, reads it, and starts follow-up runs in its thread if the form allows it. Returns their combined output. */
async function runInForeground(item: ItemContext): Promise<Success | undefined> {
	const { batch, request, counts } = item;
	const first = await startFirst(item);
	if (!first) return undefined;
	let replies = record(item, addReply(first));
	while (!batch.mayNotStart()) {
		const next = nextFollowUp(replies, request, counts, batch.execution.isTool);
		const added = next && (await followUp(item, replies, next));
		if (!added) break;
		replies = added;
	}
	return await conclude(item, replies);
}

/** Records the combined replies of an item, so that any ending can return them. */
function record(item: ItemContext, replies: Replies): Replies {
	item.result = replies.result;
	item.ledger.lostThread = replies.connectionLost ? replies.threadId : undefined;
	return replies;
}

/** The first run of an item; in a *Retry*, one that continues in the thread of a run whose connection was lost, if the form allows it. */
async function startFirst(item: ItemContext): Promise<Reply | undefined> {
	const { ledger, request, counts } = item;
	const threadId = threadToContinue(ledger, request);
	if (threadId === undefined) return await startRun(item, () => firstBody(item), 'first', request.body.thread_id);
	const reply = await continueInThread(item, threadId, true);
	if (reply) counts.continuation++;
	else if (!item.batch.mayNotStart()) throw new FailureError(NO_TIME_LEFT);
	return reply;
}

/** The thread in which a *Retry* continues the run of an item, instead of starting anew; undefined if it starts anew. */
export const threadToContinue = (
	{ lostThread }: Pick<Ledger<unknown>, 'lostThread'>,
	{ continuesLostRuns, followUps }: Pick<RunRequest, 'continuesLostRuns' | 'followUps'>,
): string | undefined => (continuesLostRuns && followUps > 0 ? lostThread : undefined);

/**
 * Starts a follow-up run.
 *
 * @returns the replies with its own, or with its failure; undefined if nothing was sent
 */
async function followUp(
	item: ItemContext,
	replies: Replies,
	{ kind, threadId }: { kind: FollowUpKind; threadId: string },
): Promise<Replies | undefined> {
	const { live, counts, ledger } = item;
	const isLost = kind === 'continuation';
	live.nextRun(isLost ? 'Connection lost. Continuing in the same thread' : undefined);
	try {
		const reply = await (isLost ? continueInThread(item, threadId) : correct(item, replies, threadId));
		if (!reply) return undefined;
		counts[kind]++;
		return record(item, addReply(reply, replies.result));
	} catch (error) {
		const failure = failureOf(item, error as Error);
		if (failure.effect && failure.effect !== 'none') counts[failure.effect === 'run' ? kind : 'maybe']++;
		// Without a response, the run counts as one whose connection was lost, also for a *Retry*.
		const isUnknown = hasUnknownOutcome(failure);
		if (isUnknown) ledger.lostThread = threadId;
		const found = failure.run?.thread_id;
		// A run in another thread may be in progress: a person has to look first.
		const isOther = typeof found === 'string' && !isSameThread(found, threadId);
		return { ...replies, failure, connectionLost: isUnknown && !isOther };
	}
}

async function correct(item: ItemContext, { latest }: Replies, threadId: string): Promise<Reply | undefined> {
	const { body, rows } = item.request;
	const query = correctionTask(latest.rows!.problems, rows!);
	const bodyOf = () => ({ ...body, query, thread_id: threadId });
	const reply = await startFollowUp(item, bodyOf, 'correction', threadId, true);
	return reply && { ...reply, rows: asCorrection(reply.rows!, latest.rows!) };
}

/**
 * Starts a run that continues in the thread of a run whose connection was lost.
 *
 * @param isImmediate whether there is no pause before the first attempt, as in a *Retry*
 * @returns undefined, and throws, as `startFollowUp`
 */
async function continueInThread(item: ItemContext, threadId: string, isImmediate = false): Promise<Reply | undefined> {
	const bodyOf = () => {
		const first = firstBody(item);
		return { ...first, query: continuationTask(first.query), thread_id: threadId };
	};
	return await startFollowUp(item, bodyOf, 'continuation', threadId, isImmediate);
}

/** Makes the output from the combined replies of an item. Throws FailureError if they must not be returned. */
async function conclude(item: ItemContext, replies: Replies): Promise<Success> {
	const { request, counts } = item;
	const { latest, latestResult, failure } = replies;
	if (failure && (latestResult.status === 'completed' || request.onIncomplete === 'error')) {
		throw new FailureError(followUpFailure(failure, replies.result));
	}
	const ofFollowUp = followUpWarnings(failure, item.mask);
	const missing = [...latest.run.warnings, ...ofFollowUp];
	const found = resultToReturn(replies);
	const result = { ...found, warnings: [...found.warnings, ...ofFollowUp] };
	// An AI agent does not always see an error: it gets the reason why a task is not done as a result.
	const isReported = result.status === 'not_done' && item.batch.execution.isTool;
	const isReturned = result.status === 'completed' || request.onIncomplete !== 'error';
	if (!isReturned && !isReported) throw new FailureError(incompleteFailure(result, latest));
	const { rows } = request;
	const { rows: read } = latest;
	const invalid = rows && read && !isReported && rowsFailure(latest, read, replies.result, rows);
	if (invalid) throw new FailureError(invalid);
	const { items, warnings } = await (read
		? rowItems(item, read, result, missing)
		: resultItems(item, latest, result, missing));
	const hints = runHints(latest, request, warnings, counts);
	return { items, hints, reason: reasonToShow(request, result.reason, result) };
}

/** Why the latest follow-up returned nothing, as a warning in a partial result. */
function followUpWarnings(failure: Failure | undefined, mask: (text: string) => string): string[] {
	if (!failure) return [];
	const event = failure.effect === 'none' ? 'did not start' : 'returned nothing';
	return [`The follow-up run ${event}: ${mask(failure.reason)}`];
}

/** A failure with the files of the run as binary data. If no item can contain them, the advice says that they were not kept. */
async function failedOutcome(item: ItemContext, failure: Failure): Promise<Extract<Outcome, { failure: Failure }>> {
	const { batch, request, deadline } = item;
	const known = failure.run as RunResult | undefined;
	if (!known?.files?.length) return { failure };
	const { continues, isTool, node } = batch.execution;
	const wantsFiles = request.operation === 'result' && request.includeFiles && !isTool;
	if (!continues || isTool) return { failure: wantsFiles ? withLostFiles(failure, known) : failure };
	const filesFor = { ...request, path: filesPathOfError(node) };
	const { files, binary, warnings } = await attachFiles(batch, known.files, filesFor, deadline);
	const complete = { ...known, files, warnings: [...known.warnings, ...warnings] };
	return { failure: { ...failure, run: complete }, binary };
}
