import { FailureError, type Failure } from '../errors/failure';
import { withoutTokens } from '../errors/file-tokens';
import { withoutFileContents } from '../errors/file-contents';
import { filesPathOfError } from '../errors/node-error';
import { maskOf } from '../errors/secrets';
import { listLinks, type AgentFile } from '../files/input-files';
import type { Ledger } from '../starts/ledger';
import { changeTexts, shorten } from '../values';
import { attachFiles } from './output/files';
import { backgroundHints, formHints, runHints } from './output/hints';
import { resultItems, rowItems } from './output/items';
import { LiveOutput } from './output/live';
import { correctionFailure, incompleteFailure, rowsFailure, withLostFiles, type Outcome } from './output/outcome';
import type { RunResult } from './output/result';
import type { RunRequest, StartBody } from './parameters/run-request';
import { addReply, resultToReturn, type Replies } from './reply';
import { correctionTask } from './rows/instruction';
import { asCorrection } from './rows/read-rows';
import { failureOf, startInBackground, startRun, type Batch, type ItemContext } from './start-run';
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
		corrections: 0,
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
		const failure = failureOf(item, error as Error);
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

/** Starts a run, reads it, and starts corrections in its thread if the form allows it. Returns their combined output. */
async function runInForeground(item: ItemContext): Promise<Success | undefined> {
	const first = await startRun(item, () => firstBody(item));
	if (!first) return undefined;
	let replies = record(item, addReply(first));
	while (mayCorrect(item, replies)) {
		const corrected = await correct(item, replies);
		if (!corrected) break;
		replies = corrected;
	}
	return await conclude(item, replies);
}

/** Records the combined replies of an item, so that any ending can return them. */
function record(item: ItemContext, replies: Replies): Replies {
	item.result = replies.result;
	return replies;
}

/** Whether a correction starts after the latest run. It cannot restore digits that a number cannot store. */
function mayCorrect({ batch, request, corrections }: ItemContext, { result, latest }: Replies): boolean {
	const { problems = [], cause } = latest.rows ?? {};
	const isInvalid = result.status === 'completed' && problems.length > 0 && cause !== 'digits';
	const isAllowed = request.rows?.onInvalid === 'correction' && corrections < request.maxCorrections;
	// Without time for it, the rows are what the item failed by.
	const isLate = batch.mayNotStart() || batch.execution.endsAt <= performance.now();
	return isInvalid && isAllowed && latest.threadId !== undefined && !isLate;
}

/**
 * Starts a run that corrects the rows of the latest one, in its thread.
 *
 * @returns undefined if nothing was sent
 */
async function correct(item: ItemContext, { latest, result }: Replies): Promise<Replies | undefined> {
	const { body, rows } = item.request;
	const query = correctionTask(latest.rows!.problems, rows!);
	item.live.nextRun();
	const bodyOf = () => ({ ...body, query, thread_id: latest.threadId });
	const reply = await startRun(item, bodyOf).catch((error: Error) => {
		throw new FailureError(correctionFailure(failureOf(item, error), result));
	});
	if (!reply) return undefined;
	item.corrections++;
	return record(item, addReply({ ...reply, rows: asCorrection(reply.rows!, latest.rows!) }, result));
}

/** Makes the output from the combined replies of an item. Throws FailureError if they must not be returned. */
async function conclude(item: ItemContext, replies: Replies): Promise<Success> {
	const { request } = item;
	const { latest } = replies;
	const missing = latest.run.warnings;
	const result = resultToReturn(replies);
	// An AI agent does not always see an error: it gets the reason why a task is not done as a result.
	const isReported = result.status === 'not_done' && item.batch.execution.isTool;
	const isReturned = result.status === 'completed' || request.returnsPartial;
	if (!isReturned && !isReported) throw new FailureError(incompleteFailure(result, latest));
	const { rows } = request;
	const { rows: read } = latest;
	const invalid = rows && read && !isReported && rowsFailure(read, replies.result, rows);
	if (invalid) throw new FailureError(invalid);
	const { items, warnings } = await (read
		? rowItems(item, read, result, missing)
		: resultItems(item, latest, result, missing));
	const hints = runHints(latest, request, warnings, item.corrections);
	return { items, hints, reason: reasonToShow(request, result.reason, result) };
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
