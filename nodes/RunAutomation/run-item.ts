import type { IExecuteFunctions } from 'n8n-workflow';

import { FailureError, type Failure } from '../errors/failure';
import { chunksWithoutTokens, withoutTokens } from '../errors/file-tokens';
import { withoutFileContents } from '../errors/file-contents';
import { filesPathOfError } from '../errors/node-error';
import { maskOf } from '../errors/secrets';
import type { Execution } from '../execution/execution-context';
import { Watchdog, WORKFLOW_LIMIT } from '../execution/watchdog';
import { waitUntil, type BusyGate, type Stop } from '../execution/busy';
import { listLinks, type AgentFile } from '../files/input-files';
import { fieldOf, nameOf } from '../form/read-field';
import type { Ledger, Start } from '../starts/ledger';
import { logStart, recordThread } from '../starts/record-runs';
import { CHECK_BEFORE_RESTART, withLongerWait } from '../starts/response';
import { changeTexts, counted, shorten, type Excerpt } from '../values';
import {
	followUpReason,
	hasWholeRows,
	LONGEST_ASKING,
	lostTask,
	mayBeRunning,
	maySendAgain,
	ofFollowUp,
	pauseBefore,
	type FollowUpCounts,
} from './follow-ups';
import { attachFiles, type Deadlines } from './output/files';
import {
	detachedHint,
	shortLinksHint,
	followUpHints,
	formHints,
	rowsHints,
	runHints,
	type HintStyle,
} from './output/hints';
import { rowItems, runItems } from './output/items';
import { LiveOutput } from './output/live';
import { followUpFailure, incompleteFailure, misfitFailure, noRowsFailure, withLostFiles } from './output/outcome';
import type { Outcome } from './output/outcome';
import { followedBy, resultOf, textsOf, withProblems, type ReportedRun, type RunResult } from './output/result';
import { optionFields } from './parameters/options';
import type { RowsRequest } from './parameters/rows-request';
import type { RunRequest, StartBody } from './parameters/run-request';
import { followUpTask } from './rows/instruction';
import { readNotDone } from './rows/not-done';
import { readRows, type ReadRows } from './rows/read-rows';
import type { Chunk } from './stream';
import { readStream, type ReadRun } from './transport/read-stream';
import { openStream, startDetached, type Destination } from './transport/send-start';

/** What one item asks for, and what is known of its runs. */
interface Item {
	context: IExecuteFunctions;
	execution: Execution;
	request: RunRequest;
	to: Destination;
	batch: Batch;
	/** The files that the agent gets, copied. */
	files: AgentFile[];
	live: LiveOutput;
	runs: StartedRuns;
	voice: HintStyle;
	/** Cuts what the service wrote to be quoted in a sentence, without secrets. */
	quote: Excerpt;
	/** When the downloads of its run have to end. */
	deadlines: Deadlines;
}

/** What the starts of all items share. */
export interface Batch {
	busy: BusyGate;
	/** Whether nothing further may be started: the execution was stopped, or another item has stopped the node. */
	ended: Stop;
}

/** The runs that are started for one item, in order. Each is listed, however it ends. */
class StartedRuns {
	/** What the runs have returned so far. */
	known: RunResult | undefined;

	private threadId: string | undefined;

	/** How many starts were listed when the latest one was logged. */
	private requested: number | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly itemIndex: number,
		private readonly mask: HintStyle['mask'],
		readonly ledger: Ledger<unknown>,
	) {}

	/** To be called before a start is sent. Further attempts are logged only if the one before them may have had an effect. */
	request(): void {
		const { length } = this.ledger.starts;
		if (this.requested !== length) logStart(this.context, 'requested', this.itemIndex);
		this.requested = length;
	}

	/** To be called as soon as the service has responded to a start. */
	begin(threadId: string | undefined): void {
		this.threadId = threadId ?? this.threadId;
		if (threadId !== undefined) recordThread(this.context, this.itemIndex, this.mask(threadId));
	}

	end(status: string, effect: Start['effect'] = 'run'): void {
		this.ledger.starts.push({ item: this.itemIndex, status, thread_id: this.threadId ?? null, effect });
	}

	/** Lists a run that may have been started although its start failed. */
	fail(error: Error): FailureError {
		const failure = this.failureOf(error);
		const { run, effect } = failure;
		// A response that is not a stream may name a thread, too.
		if (run?.thread_id && run.thread_id !== this.threadId) this.begin(run.thread_id);
		if (run && effect !== 'none') this.end(run.status, effect);
		return new FailureError(failure);
	}

	/**
	 * What happened, if the work for an item ended with an error. One that was not foreseen keeps what was read, or else is about
	 * a run that may go on.
	 */
	failureOf(error: Error): Failure {
		if (error instanceof FailureError) return error.failure;
		const run = this.known ?? { thread_id: this.threadId ?? null, status: 'interrupted' };
		const effect = this.known || this.threadId ? 'run' : 'maybe';
		return { reason: error.message, advice: CHECK_BEFORE_RESTART, effect, run };
	}
}

/**
 * Does what one item asks for. Never rejects: what happens instead of a result is part of the outcome.
 *
 * @returns undefined if nothing was sent, because the node ends
 */
export async function runItem(
	context: IExecuteFunctions,
	execution: Execution,
	request: RunRequest,
	to: Destination,
	batch: Batch,
	files: AgentFile[],
	ledger: Ledger<unknown>,
): Promise<Outcome | undefined> {
	const voice = { mask: maskOf(to.secrets), isRedacted: execution.isRedacted };
	const runs = new StartedRuns(context, request.itemIndex, voice.mask, ledger);
	const live = new LiveOutput(context, request, voice.mask);
	const quote: Excerpt = (text, limit) => shorten(voice.mask(text), limit);
	const deadlines = { total: Infinity, workflow: execution.endsAt };
	const item = { context, execution, request, to, batch, files, live, runs, voice, quote, deadlines };
	const output = await (request.operation === 'background' ? startInBackground(item) : startAndWait(item)).catch(
		async (error: Error) => {
			const failure = runs.failureOf(error);
			return await failedOutput(item, failure).catch((): Outcome => ({ failure }));
		},
	);
	if (!output) {
		live.breakOff();
		return undefined;
	}
	if (!output.failure) live.end(output.reason);
	else if (execution.continues) live.end(reasonToShow(request, output.failure.reason, output.failure.run));
	else live.breakOff();
	if (!output.failure) return { ...output, hints: [...formHints(request.hints), ...output.hints] };
	// An outcome is kept for further tries: without the contents of files.
	const { run } = output.failure;
	return { ...output, failure: { ...output.failure, run: run && withoutFileContents(run) } };
}

/** Why a run has no result, for whoever watches it, unless its text has just shown that. */
const reasonToShow = ({ operation, live }: RunRequest, reason: string | undefined, run?: { status?: string }) =>
	operation === 'result' && run?.status === 'not_done' && live.includes('text') ? undefined : reason;

async function startInBackground(item: Item): Promise<Outcome | undefined> {
	const started = await startAccepted(item, async (watchdog) => {
		const { context, to, runs } = item;
		const response = await startDetached(context, firstBody(item), to, watchdog);
		item.batch.busy.accept();
		runs.begin(response.thread_id);
		// Whatever the service calls it, such as "queued": a run that it has accepted is started.
		runs.end('started');
		return response;
	});
	if (!started) return undefined;
	return {
		items: [{ json: changeTexts(started, withoutTokens), pairedItem: { item: item.request.itemIndex } }],
		hints: [
			detachedHint(started, item.voice),
			...(item.files.length > 0 && item.execution.isDroppedOnSuccess ? [shortLinksHint] : []),
		],
	};
}

/** The body of the first start of an item. Its links to files last as long as its run may take, from now on. */
function firstBody({ context, execution, request, files }: Item): StartBody {
	if (files.length === 0) return request.body;
	const time = Math.min(request.limits.total, execution.endsAt - performance.now());
	const limit = request.operation === 'background' ? Infinity : time;
	return { ...request.body, query: request.taskWith(listLinks(context.helpers, files, limit)) };
}

/**
 * Does what begins with a start, as often as the service refuses it because it is busy, until it is accepted. No other start is
 * repeated.
 *
 * @returns undefined if nothing was sent, because the node ends
 * @throws Failed if there is no run to read, or no time for it
 */
async function startAccepted<T>(item: Item, start: (watchdog: Watchdog) => Promise<T>): Promise<T | undefined> {
	const { execution, request, batch, live, runs } = item;
	const { busy, ended } = batch;
	let refusal: FailureError | undefined;
	for (;;) {
		await busy.wait(ended);
		if (refusal && (ended.aborted || busy.refusal)) throw refusal;
		if (ended.aborted) return undefined;
		if (busy.refusal) throw busy.refusal;
		const workflow = execution.endsAt - performance.now();
		if (workflow <= 0) throw new FailureError({ reason: WORKFLOW_LIMIT, advice: RAISE_LIMIT, effect: 'none' });
		runs.request();
		const watchdog = new Watchdog({ ...request.limits, workflow }, execution.stop);
		try {
			return await start(watchdog);
		} catch (error) {
			refusal = runs.fail(error as Error);
			const { failure } = refusal;
			if (!failure.busy) {
				busy.accept();
				throw refusal;
			}
			const wait = busy.refuse(
				failure.busy,
				(endedBy) => new FailureError(withLongerWait(failure, endedBy, patienceOf(item))),
			);
			live.tell(`The service is busy. Next attempt in ${counted(Math.ceil(wait / 1000), 'second')}`);
		} finally {
			watchdog.close();
		}
	}
}

const WAIT_IF_BUSY = nameOf(fieldOf(optionFields, 'waitIfBusy'));

/** What makes the node wait longer for a busy service. An agent has no field for it. */
const patienceOf = ({ execution }: Item) => (execution.isTool ? '' : `, or raise ${WAIT_IF_BUSY}`);

const RAISE_LIMIT = 'Raise the limit, or send fewer items to this node';

/** What the runs of an item have returned so far, in one thread. */
interface Heard {
	latest: ReadReply;
	/** Of the latest run. */
	own: RunResult;
	/** Of all runs; its text is theirs, too. */
	result: RunResult;
	/** For the operation `rows` only: of the latest run. */
	read?: ReadRows;
	/** Whether a follow-up can go on where the latest run was. */
	isLost: boolean;
	/** Whether the connection was lost behind all rows: asking again would be paid for nothing. */
	isWhole: boolean;
	/** Why the last follow-up returned nothing. */
	failure?: Failure;
}

/** Starts a run, reads it, starts follow-up runs in its thread if the form says so, and makes the output of what they return. */
async function startAndWait(item: Item): Promise<Outcome | undefined> {
	const { context, execution, request, batch, runs, live, voice, deadlines } = item;
	const { rows } = request;
	const first = await startFirst(item);
	if (!first) return undefined;
	let heard = hear(item, first);
	const made: FollowUpCounts = { lost: 0, misfit: 0 };
	for (;;) {
		const { status, thread_id: threadId } = heard.result;
		const standing = { ...heard, status, threadId, isLost: heard.isLost && !batch.ended.aborted };
		const reason = followUpReason(standing, request, made, execution.isTool);
		if (!reason || threadId === null) break;
		live.nextRun(reason === 'lost' ? LOST_LINE : undefined);
		try {
			const correct = async () => {
				const query = followUpTask(heard.read!.problems, rows!);
				return await startAndRead(item, () => ({ ...request.body, query, thread_id: threadId }));
			};
			const next = await (reason === 'lost' ? goOn(item, threadId, pauseBefore) : correct());
			if (!next) break;
			made[reason]++;
			heard = hear(item, { ...next, threadId: next.threadId ?? threadId }, heard.result);
		} catch (error) {
			heard = { ...heard, failure: runs.failureOf(error as Error) };
			if (!request.asksInThread || !mayBeRunning(heard.failure!)) break;
			// Without a response, it counts as one whose connection was lost.
			made[reason]++;
			heard.isLost = true;
		}
	}

	const { latest, own, read, isWhole, failure } = heard;
	// What is whole stands in its own text: those before it were cut off, or do not fit.
	const result = own.status === 'completed' && !failure ? { ...heard.result, text: own.text } : heard.result;
	if (failure && (own.status === 'completed' || request.onIncomplete === 'error')) {
		throw new FailureError(followUpFailure(failure, heard.result));
	}
	if (!(isWhole && request.asksInThread)) refuseIncomplete(item, latest, result);
	if (!rows) return await outputOf(item, latest, result, made);
	const misfit = isToldAnyway(item, result) ? undefined : rowsFailure(latest, heard.result, read!, rows);
	if (misfit) throw new FailureError(misfit);
	const found = { result, read: read!, missing: latest.run.warnings };
	const { items, warnings } = await rowItems(context.helpers, execution, request, found, deadlines);
	const hints = [
		...runHints(latest, request, voice, warnings),
		...rowsHints(read!, rows, voice),
		...followUpHints(made),
	];
	return { items, hints, reason: result.reason };
}

const LOST_LINE = 'The connection was lost. Asking in the same thread';

/** The first run of an item; in a *Retry*, one that goes on in the thread of a run whose connection was lost, if the form says so. */
async function startFirst(item: Item): Promise<ReadReply | undefined> {
	const { lostThread } = item.runs.ledger;
	if (!item.request.asksInThread || lostThread === undefined) return await startAndRead(item, () => firstBody(item));
	const read = await goOn(item, lostThread, (attempt) => (attempt ? pauseBefore(attempt - 1) : 0));
	return read && { ...read, threadId: read.threadId ?? lostThread };
}

/** Reads what a run has returned, after what those before it have. */
function hear({ runs }: Item, latest: ReadReply, before?: RunResult): Heard {
	const { texts, rows: read } = latest;
	const shown = resultOf(latest.threadId, latest.run);
	const own = read ? { ...shown, text: texts.join('\n\n') } : shown;
	const result = before ? followedBy(before, own) : own;
	const { isLost = false, approvals } = latest.run;
	const isWhole = isLost && read !== undefined && hasWholeRows(read) && read.notDone === undefined;
	// What a person has to approve could be taken as approved.
	const canGoOn = isLost && latest.threadId !== undefined && approvals.length === 0 && !isWhole;
	runs.known = result;
	runs.ledger.lostThread = canGoOn ? latest.threadId : undefined;
	return { latest, own, result, read, isLost: canGoOn, isWhole };
}

/**
 * Starts a run that goes on in the thread of a run whose connection was lost, and reads it to its end. While the thread is still at
 * work, or the service is away, it is tried again, as long as that run could have taken.
 *
 * @param pause milliseconds before each attempt
 * @returns undefined if nothing was sent, because the time was over before, or the node ends
 * @throws Failed with what the last attempt came to
 */
async function goOn(item: Item, threadId: string, pause: (attempt: number) => number): Promise<ReadReply | undefined> {
	const { execution, batch, deadlines } = item;
	const now = performance.now();
	const until = Math.min(deadlines.total < Infinity ? deadlines.total : now + LONGEST_ASKING, execution.endsAt);
	const body = () => {
		const first = firstBody(item);
		return { ...first, query: lostTask(first.query), thread_id: threadId };
	};
	let failed: FailureError | undefined;
	for (let attempt = 0; ; attempt++) {
		const time = performance.now() + pause(attempt);
		if (time >= until) break;
		await waitUntil(() => time, batch.ended);
		try {
			const read = await startAndRead(item, body, true);
			if (!read) break;
			return read;
		} catch (error) {
			failed = new FailureError(item.runs.failureOf(error as Error));
			if (!maySendAgain(failed.failure) || execution.isTool) throw failed;
		}
	}
	if (failed) throw failed;
	return undefined;
}

/** A run with what its agent has written, which is read once. */
interface ReadReply extends ReadRun {
	run: ReportedRun;
	/** The text of each step. */
	texts: string[];
	/** For the operation `rows` only. */
	rows?: ReadRows;
}

/**
 * Starts one run, which is billed, and reads it to its end.
 *
 * @param goesOn whether it follows a run whose connection was lost
 */
async function startAndRead(item: Item, bodyOf: () => StartBody, goesOn = false): Promise<ReadReply | undefined> {
	const { context, request, to, batch, live, runs, quote } = item;
	return await startAccepted(item, async (watchdog) => {
		// At each attempt: the wait for a busy service is no part of it.
		item.deadlines.total = performance.now() + request.limits.total;
		const body = bodyOf();
		const opened = await openStream(context, body, to, watchdog).catch((error: Error) => {
			throw goesOn && error instanceof FailureError ? new FailureError(ofFollowUp(error.failure)) : error;
		});
		runs.begin(opened.threadId);
		const onChunk = (chunk: Chunk) => live.onChunk(chunk);
		const read = await batch.busy.whileRunning(async () => await readStream(opened, request, watchdog, onChunk, quote));
		// An agent knows only the links of its thread.
		const knowsLinks = item.files.length > 0 || body.thread_id !== undefined;
		const reply = readReply(knowsLinks ? withoutLinks(read) : read, request, quote);
		// Not as failed: it would be started again beside the one that may go on.
		runs.end(reply.run.mayBeRunning ? 'interrupted' : reply.run.status);
		return reply;
	});
}

/** Characters of why an agent could not do its task. */
const MAX_NOT_DONE_REASON = 2000;

/** Reads what the agent has written. A run that has ended, and whose agent says that it could not do its task, is not done. */
function readReply(read: ReadRun, { checksDone, rows }: RunRequest, quote: Excerpt): ReadReply {
	const { run } = read;
	const { parts } = run.message;
	const texts = textsOf(parts);
	const found = rows && readRows(texts, rows, quote);
	const reply = { ...read, texts, ...(found && { rows: found }) };
	if (!checksDone || run.status !== 'completed') return reply;
	const { reason, blockedBy } = found ? { ...found, reason: found.notDone } : readNotDone(texts.at(-1) ?? '');
	const about = reason !== undefined && {
		status: 'not_done' as const,
		reason: quote(reason, MAX_NOT_DONE_REASON),
		...(blockedBy && { blockedBy }),
	};
	if (found) return { ...reply, run: { ...run, ...about } };
	const last = parts.findLast(({ type, text }) => type === 'text' && String(text).trim() !== '');
	const text = readNotDone(String(last?.text ?? '')).text;
	const message = { ...run.message, parts: parts.map((part) => (part === last ? { ...part, text } : part)) };
	return { ...reply, run: { ...run, message, ...about } };
}

const withoutLinks = ({ run, chunks, ...read }: ReadRun): ReadRun => ({
	...read,
	run: changeTexts(run, withoutTokens),
	chunks: chunksWithoutTokens(chunks),
});

/** Whether an AI agent has called the node, and is told why its task is not done: it does not always hear of an error. */
const isToldAnyway = ({ execution }: Item, { status }: RunResult) => status === 'not_done' && execution.isTool;

/** Throws Failed if a run did not complete, unless what it returned is to be the output. */
function refuseIncomplete(item: Item, { run }: ReadRun, result: RunResult): void {
	const isReturned = result.status === 'completed' || item.request.onIncomplete !== 'error';
	if (!isReturned && !isToldAnyway(item, result)) throw new FailureError(incompleteFailure(result, run.advice));
}

/** What happened, with the files of the run as binary data. If no item could hold them, they are lost, and the advice says so. */
async function failedOutput({ context, execution, request, deadlines }: Item, failure: Failure): Promise<Outcome> {
	const run = failure.run as RunResult | undefined;
	if (!run?.files?.length) return { failure };
	const { continues, isTool, node } = execution;
	const asksForFiles = request.operation === 'result' && request.includeFiles && !isTool;
	if (!continues || isTool) return { failure: asksForFiles ? withLostFiles(failure, run) : failure };
	const path = filesPathOfError(node);
	const { binary, files, warnings } = await attachFiles(
		context.helpers,
		execution,
		run.files,
		request,
		deadlines,
		path,
	);
	const complete = { ...run, files, warnings: [...run.warnings, ...warnings] };
	return { failure: { ...failure, run: complete }, binary };
}

/** What happened if the rows of a run cannot be returned. */
function rowsFailure({ run }: ReadRun, result: RunResult, read: ReadRows, rows: RowsRequest): Failure | undefined {
	const { problems, isUsable } = read;
	const isMisfit = problems.length > 0 && !(rows.onMisfit === 'fitting' && isUsable);
	if (!isMisfit && !(read.rows.length === 0 && rows.needsRows)) return undefined;
	// A run that did not complete says itself why there are no rows, and what can help.
	if (result.status !== 'completed') return incompleteFailure(withProblems(result, problems), run.advice);
	return isMisfit ? misfitFailure(result, read) : noRowsFailure(result);
}

async function outputOf(item: Item, latest: ReadRun, result: RunResult, made: FollowUpCounts): Promise<Outcome> {
	const { context, execution, request, voice, deadlines } = item;
	const { items, warnings } = await runItems(context.helpers, execution, latest, result, request, deadlines);
	return {
		items,
		hints: [...runHints(latest, request, voice, warnings), ...followUpHints(made)],
		reason: reasonToShow(request, latest.run.reason, latest.run),
	};
}
