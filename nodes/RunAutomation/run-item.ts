import type { IExecuteFunctions } from 'n8n-workflow';

import { Failed, type Failure } from '../errors/failure';
import { withoutFileContents } from '../errors/file-contents';
import { isUsedAsTool } from '../execution/audience';
import { maskOf } from '../errors/secrets';
import { CHECK_BEFORE_RESTART } from '../starts/response';
import { getRows } from './get-rows';
import { incompleteFailure } from './output/run-failures';
import { attachFiles } from './output/files';
import { detachedHint, runHints } from './output/hints';
import { runItems } from './output/items';
import { LiveOutput } from './output/live';
import { recordThread } from './output/record-runs';
import { headOf, resultOf, textsOf } from './output/result';
import type { CollectedRun, Outcome, Output, StartAndStream, StartedRun } from './outcome';
import type { RunRequest } from './parameters/run-request';
import type { Chunk } from './stream';
import { startDetached, type Destination } from './transport/send-start';
import { startAndStream } from './transport/stream-run';

/** The runs that are started for one item, in order. Each is recorded, however it ends. */
class StartedRuns {
	private threadId: string | undefined;

	/** @param list the runs of earlier tries */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly itemIndex: number,
		readonly list: StartedRun[],
	) {}

	/** To be called as soon as the service has responded to a start. */
	readonly onStart = (threadId: string | undefined): void => {
		this.threadId = threadId ?? this.threadId;
		recordThread(this.context, this.itemIndex, threadId);
	};

	/** Lists a run at its end, and one that may have been started although its start failed. */
	async track<T>(run: Promise<T>, statusOf: (ended: T) => string): Promise<T> {
		const ended = await run.catch((error: Error) => {
			const failure = this.failureOf(error);
			const { status, thread_id } = failure.run ?? {};
			// A response that is not a stream may name a thread, too.
			if (thread_id && thread_id !== this.threadId) this.onStart(thread_id);
			if (status !== undefined) this.add(status);
			throw new Failed(failure);
		});
		this.add(statusOf(ended));
		return ended;
	}

	/** What happened, if a run ended with an error. One that was not foreseen is about a run that may still go on. */
	failureOf(error: Error): Failure {
		if (error instanceof Failed) return error.failure;
		const run = { thread_id: this.threadId ?? null, status: 'interrupted' };
		return { reason: error.message, advice: CHECK_BEFORE_RESTART, run };
	}

	private add(status: string): void {
		this.list.push({ item: this.itemIndex, status, thread_id: this.threadId ?? null });
	}
}

async function startInBackground(
	context: IExecuteFunctions,
	request: RunRequest,
	to: Destination,
	started: StartedRuns,
): Promise<Output> {
	const start = startDetached(context, request, to).then((response) => {
		started.onStart(response.thread_id);
		return response;
	});
	// Whatever the service calls it, such as "queued": a run that it has accepted is started.
	const json = await started.track(start, () => 'started');
	return { items: [{ json, pairedItem: { item: request.itemIndex } }], hints: [detachedHint(json)] };
}

/** Starts a run, and collects what is available only while it is read. */
async function collectRun(
	context: IExecuteFunctions,
	request: RunRequest,
	to: Destination,
	live: LiveOutput,
	onStart: StartedRuns['onStart'],
): Promise<CollectedRun> {
	const { operation, rawOutput, chunkLimit } = request;
	const keepsChunks = operation === 'raw' && rawOutput === 'chunks';
	const chunks: Chunk[] = [];
	let chunksLeftOut = 0;
	const streamed = await startAndStream(context, request, to, {
		onStart,
		onChunk: (chunk) => {
			live.onChunk(chunk);
			if (!keepsChunks) return;
			if (chunks.length < chunkLimit) chunks.push(chunk);
			else chunksLeftOut++;
		},
		onTick: () => live.onTick(),
	});
	const mask = maskOf(to.secrets);
	const { reason, warnings, ...run } = streamed.run;
	const told = {
		...(reason === undefined ? {} : { reason: mask(reason) }),
		warnings: [...warnings, ...live.warnings].map(mask),
	};
	return { ...streamed, run: { ...run, ...told }, chunks, chunksLeftOut };
}

async function waitForOutput(
	context: IExecuteFunctions,
	request: RunRequest,
	start: StartAndStream,
	to: Destination,
): Promise<Output> {
	const deadline = Date.now() + request.limits.total;
	const collected = await start(request);
	const { run, threadId } = collected;
	if (run.status !== 'completed' && request.onIncomplete === 'error') {
		const last = resultOf(threadId, run);
		// The rows may be in any text of the run.
		const result = request.rows ? { ...last, text: textsOf(run.message.parts).join('\n\n') } : last;
		// If the workflow stops, and for an agent, no item could hold them.
		if (!context.continueOnFail() || isUsedAsTool(context)) return { failure: incompleteFailure(result, run.advice) };
		const { binary, ...attached } = await attachFiles(context, result.files, request, deadline);
		const warnings = [...result.warnings, ...attached.warnings];
		return { failure: incompleteFailure({ ...result, files: attached.files, warnings }, run.advice), binary };
	}
	if (request.rows) return await getRows(context, request, request.rows, collected, start, to.secrets);
	return await runItems(context, collected, request, deadline).then(
		({ items, warnings }) => ({ items, hints: runHints(collected, request, warnings), reason: run.reason }),
		(error: Error) => bareOutput(collected, request, error),
	);
}

/** The result of a run that is complete, but of which something unforeseen could not be shown. */
function bareOutput(collected: CollectedRun, request: RunRequest, error: Error): Output {
	const warning = `Only a part of the result is shown: ${error.message}`;
	const { text, warnings, ...result } = resultOf(collected.threadId, collected.run);
	const json = { text, ...headOf(result), warnings: [...warnings, warning] };
	const items = [{ json, pairedItem: { item: request.itemIndex } }];
	return { items, hints: runHints(collected, request, [warning]), reason: result.reason };
}

/** Does what one item asks for. Never rejects: what happens instead of a result is part of the outcome. */
export async function runItem(
	context: IExecuteFunctions,
	request: RunRequest,
	to: Destination,
	earlierRuns: StartedRun[] = [],
): Promise<Outcome> {
	const started = new StartedRuns(context, request.itemIndex, [...earlierRuns]);
	const live = new LiveOutput(context, request, to.secrets);
	const start: StartAndStream = async (next) =>
		await started.track(collectRun(context, next, to, live, started.onStart), ({ run }) => run.status);
	const output = await (
		request.operation === 'background'
			? startInBackground(context, request, to, started)
			: waitForOutput(context, request, start, to)
	).catch((error: Error): Output => ({ failure: started.failureOf(error) }));
	if (!output.failure) live.end(output.reason);
	else if (context.continueOnFail()) live.end(output.failure.reason);
	else live.breakOff();
	if (!output.failure) return { ...output, runs: started.list };
	// An outcome is kept for further tries: without the contents of files.
	const { run } = output.failure;
	return { ...output, failure: { ...output.failure, run: run && withoutFileContents(run) }, runs: started.list };
}
