import type { IExecuteFunctions } from 'n8n-workflow';

import { FailureError, type Failure } from '../errors/failure';
import type { BusyGate } from '../execution/busy';
import type { Execution } from '../execution/execution-context';
import { Watchdog } from '../execution/watchdog';
import type { AgentFile } from '../files/input-files';
import { fieldOf, nameOf } from '../form/read-field';
import type { Ledger, Start } from '../starts/ledger';
import { logStart, recordThread } from '../starts/record-runs';
import { CHECK_BEFORE_RESTART, NO_TIME_LEFT, notSent, withLongerWait } from '../starts/response';
import { counted, type Excerpt } from '../values';
import type { LiveOutput } from './output/live';
import type { RunResult } from './output/result';
import { optionFields } from './parameters/options';
import type { RunRequest, StartBody } from './parameters/run-request';
import { readReply, withoutFileTokens, type Reply } from './reply';
import { readStream } from './transport/read-stream';
import { openStream, startDetached, type Destination } from './transport/send-start';

/** State that the items of a node share. */
export interface Batch {
	context: IExecuteFunctions;
	execution: Execution;
	busy: BusyGate;
	/** Whether the execution was stopped, or another item has stopped the node. */
	mayNotStart(): boolean;
}

/** Request and state of one item. */
export interface ItemContext {
	batch: Batch;
	request: RunRequest;
	to: Destination;
	/** Copies of the files for the agent. */
	files: AgentFile[];
	ledger: Ledger<unknown>;
	live: LiveOutput;
	/** Masks secrets. */
	mask(text: string): string;
	/** Shortens text of the service for a sentence, and masks secrets in it. */
	excerpt: Excerpt;
	/** When *Run Timeout* ends its latest run and the downloads, in milliseconds of `performance.now`. */
	deadline: number;
	/** Corrections that were started in this execution. */
	corrections: number;
	/** The result of its runs so far. */
	result?: RunResult;
}

/** The field that limits the wait for a busy service. Tools do not have it. */
const MAX_WAIT = nameOf(fieldOf(optionFields, 'waitIfBusy'));

/**
 * Sends a start, and resends it while the service is busy, until it is accepted.
 *
 * @param bodyOf makes the body at each attempt, because file links are valid for as long as the run may take
 * @param send sends the start, reads the response, and corrects the entry in the ledger
 * @returns undefined if nothing was sent, because the node ends
 * @throws FailureError if there is no run to read, or no time to read it
 */
async function sendUntilAccepted<T>(
	item: ItemContext,
	bodyOf: () => StartBody,
	send: (body: StartBody, watchdog: Watchdog, start: Start) => Promise<T>,
): Promise<T | undefined> {
	const { batch, request, live } = item;
	const { busy, execution } = batch;
	let rejected: FailureError | undefined;
	for (;;) {
		await busy.wait(() => batch.mayNotStart());
		if (rejected && (batch.mayNotStart() || busy.exhaustedError)) throw rejected;
		if (batch.mayNotStart()) return undefined;
		if (busy.exhaustedError) throw busy.exhaustedError;
		const workflow = execution.endsAt - performance.now();
		if (workflow <= 0) throw new FailureError(NO_TIME_LEFT);
		const body = bodyOf();
		const watchdog = new Watchdog({ ...request.limits, workflow }, execution.stop);
		const { start, isResend } = item.ledger.add(request.itemIndex, body.thread_id ?? null);
		// Once, however often it is resent after a rejection.
		if (!isResend) logStart(batch.context, 'requested', request.itemIndex);
		try {
			return await send(body, watchdog, start);
		} catch (error) {
			const failure = recordFailedStart(item, start, error as Error);
			rejected = new FailureError(failure);
			if (failure.cause !== 'busy') throw rejected;
			const field = execution.isTool ? '' : MAX_WAIT;
			const wait = busy.reject(
				failure.headers!,
				(endedBy, neededWait) => new FailureError(withLongerWait(failure, endedBy, field, neededWait)),
			);
			live.showLine(`The service is busy. Next attempt in ${counted(Math.ceil(wait / 1000), 'second')}`);
		} finally {
			watchdog.close();
		}
	}
}

/** Records the thread of a start in the ledger, the log and the custom data. */
function recordStartThread({ batch, request, mask }: ItemContext, start: Start, threadId: string | undefined): void {
	start.thread_id = threadId ?? start.thread_id;
	if (threadId !== undefined) recordThread(batch.context, request.itemIndex, mask(threadId));
}

/** Adds the known data of its run to the entry of a start that failed. Without a run, the entry is withdrawn. */
function recordFailedStart(item: ItemContext, start: Start, error: Error): Failure {
	const original = error instanceof FailureError ? error.failure : unexpectedFailure(error, start);
	// Other items, whose credentials may differ, end with the same failure.
	const failure = { ...original, reason: item.mask(original.reason) };
	const { busy } = item.batch;
	const { cause, effect = 'none', run: known } = failure;
	if (cause === 'unavailable') busy.suspend(failure.headers!, () => new FailureError(notSent(failure)));
	else if (effect === 'run') busy.accept();
	if (effect === 'none') {
		item.ledger.withdraw(start);
		return failure;
	}
	if (known?.thread_id && known.thread_id !== start.thread_id) recordStartThread(item, start, known.thread_id);
	start.effect = effect;
	start.status = known?.status ?? start.status;
	return failure;
}

/** The failure of an unexpected error during or after a start, whose run may be in progress. */
const unexpectedFailure = ({ message }: Error, { effect, thread_id }: Start): Failure => ({
	...{ reason: message, advice: CHECK_BEFORE_RESTART, effect },
	run: { thread_id, status: 'interrupted' },
});

/** The failure of an error. An unexpected one keeps the result so far. */
export function failureOf({ ledger, result }: ItemContext, error: Error): Failure {
	if (error instanceof FailureError) return error.failure;
	const start = ledger.ofThisExecution.at(-1);
	if (!start) return { reason: error.message, advice: 'Execute this node again', effect: 'none' };
	const failure = unexpectedFailure(error, start);
	return result ? { ...failure, effect: 'run', run: result } : failure;
}

/** Starts a run in the background. Returns undefined if nothing was sent, because the node ends. */
export async function startInBackground(item: ItemContext, bodyOf: () => StartBody) {
	const { batch, to } = item;
	return await sendUntilAccepted(item, bodyOf, async (body, watchdog, start) => {
		const response = await startDetached(batch.context, body, to, watchdog);
		batch.busy.accept();
		recordStartThread(item, start, response.thread_id);
		// The service may report another status, such as "queued", but an accepted run counts as started.
		start.status = 'started';
		start.effect = 'run';
		return response;
	});
}

/**
 * Starts one run, which is billed, and reads it to its end.
 *
 * @returns undefined if nothing was sent, because the node ends
 * @throws FailureError if there is nothing to read
 */
export async function startRun(item: ItemContext, bodyOf: () => StartBody): Promise<Reply | undefined> {
	const { batch, request, to, live, excerpt } = item;
	return await sendUntilAccepted(item, bodyOf, async (body, watchdog, start) => {
		// Set at each attempt, because the wait for a busy service does not count.
		item.deadline = performance.now() + request.limits.total;
		const stream = await openStream(batch.context, body, to, watchdog);
		const opened = { ...stream, threadId: stream.threadId ?? body.thread_id };
		recordStartThread(item, start, opened.threadId);
		start.effect = 'run';
		const reading = async () => await readStream(opened, request, watchdog, live.onChunk, excerpt);
		const read = await batch.busy.whileRunning(reading);
		// In an earlier run of the thread, the agent may have received file links.
		const knowsLinks = item.files.length > 0 || body.thread_id !== undefined;
		const reply = readReply(knowsLinks ? withoutFileTokens(read) : read, request, excerpt);
		// Never `failed` if the run may be in progress: the advice is then to find it before starting another.
		start.status = reply.run.mayBeRunning ? 'interrupted' : reply.run.status;
		return reply;
	});
}
