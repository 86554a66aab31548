import {
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type NodeExecutionHint,
} from 'n8n-workflow';

import { isNodeError, runOf, type NodeError } from '../errors/node-error';
import { forReader } from '../errors/reader';
import { CHECK_BEFORE_RESTART } from '../starts/outcome';
import { detachedHint, runHints, showHints } from './output/hints';
import { runItems } from './output/items';
import { LiveOutput } from './output/live';
import { recordThread } from './output/record-thread';
import { addBatch, errorItem, incompleteRunError, type StartedRun } from './output/run-error';
import { readParallelRuns, readRunRequest, type RunRequest } from './parameters/run-request';
import type { Chunk } from './stream';
import { followRun } from './transport/follow-run';
import { startDetached } from './transport/start-detached';
import { stopSignalOf } from './transport/watchdog';

/** What one item led to: its items, and the run that was started for it, if any; or an error in place of the items. */
type Outcome = { started?: StartedRun } & (
	| { items: INodeExecutionData[]; hints: NodeExecutionHint[]; error?: undefined }
	| { error: NodeError }
);

async function startInBackground(context: IExecuteFunctions, request: RunRequest): Promise<Outcome> {
	const { itemIndex } = request;
	const json = await startDetached(context, request);
	recordThread(context, itemIndex, json.thread_id);
	return {
		items: [{ json, pairedItem: { item: itemIndex } }],
		hints: [detachedHint(json)],
		started: { item: itemIndex, status: json.status, thread_id: json.thread_id },
	};
}

async function waitForResult(context: IExecuteFunctions, request: RunRequest, live: LiveOutput): Promise<Outcome> {
	const { itemIndex, operation, chunkLimit } = request;
	const chunks: Chunk[] = [];
	let chunksLeftOut = 0;
	const followed = await followRun(context, request, {
		onStart: (threadId) => recordThread(context, itemIndex, threadId),
		onChunk: (chunk) => {
			live.onChunk(chunk);
			if (operation !== 'chunks') return;
			if (chunks.length < chunkLimit) chunks.push(chunk);
			else chunksLeftOut++;
		},
		onTick: () => live.onTick(),
	});
	const { run, threadId } = followed;
	if (run.status !== 'completed') {
		if (request.onIncomplete === 'error') {
			throw incompleteRunError(context.getNode(), itemIndex, threadId, { ...run, status: run.status });
		}
		live.showReason(run.reason);
	}
	const collected = { ...followed, chunks, chunksLeftOut };
	return {
		items: await runItems(context, collected, request),
		hints: runHints(collected, request),
		started: { item: itemIndex, status: run.status, thread_id: threadId ?? null },
	};
}

/** Any error as one that n8n can show, with the item it belongs to. */
const asNodeError = (context: IExecuteFunctions, error: Error, itemIndex: number, advice: string): NodeError =>
	isNodeError(error) ? error : new NodeOperationError(context.getNode(), error, { itemIndex, description: advice });

/** Does what one item asks for. Never throws: an error is part of the outcome, with the run that it is about. */
async function runOne(
	context: IExecuteFunctions,
	request: RunRequest | NodeError,
	itemIndex: number,
): Promise<Outcome> {
	if (isNodeError(request)) return { error: request };
	const live = request.operation === 'background' ? undefined : new LiveOutput(context, itemIndex, request.live);
	try {
		const outcome = live ? await waitForResult(context, request, live) : await startInBackground(context, request);
		live?.end();
		return outcome;
	} catch (caught) {
		if (context.continueOnFail()) live?.end();
		const error = asNodeError(context, caught as Error, itemIndex, CHECK_BEFORE_RESTART);
		const run = runOf(error);
		return { error, ...(run ? { started: { item: itemIndex, status: run.status, thread_id: run.thread_id } } : {}) };
	}
}

/** What `read` makes of the form. Bad input is thrown at once if the node stops on an error, and returned otherwise. */
function readForm<T>(context: IExecuteFunctions, itemIndex: number, read: () => T): T | NodeError {
	try {
		return read();
	} catch (caught) {
		const advice = 'Nothing was sent to the service. Correct the form of this node';
		const error = asNodeError(context, caught as Error, itemIndex, advice);
		if (context.continueOnFail()) return error;
		throw forReader(context, error);
	}
}

/**
 * Starts one run per item, each once, at most as many at a time as the form says. Items keep their order. If the node
 * stops on an error, no run starts after one that failed, and those that are running are read to their end: they are
 * paid for, and their threads must not be lost.
 *
 * @throws NodeApiError or NodeOperationError with everything that is known of the runs that were started
 */
export async function runAllItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const inputs = context.getInputData();
	const requests = inputs.map((_input, item) => readForm(context, item, () => readRunRequest(context, item)));
	const parallelRuns = inputs.length ? readForm(context, 0, () => readParallelRuns(context)) : 0;
	if (isNodeError(parallelRuns)) {
		const error = forReader(context, parallelRuns);
		return inputs.map((_input, item) => errorItem(context.getNode(), error, item));
	}
	const stop = stopSignalOf(context);
	const outcomes: Outcome[] = [];
	let firstError: NodeError | undefined;
	let next = 0;

	const work = async () => {
		while (next < requests.length && !stop?.aborted && !firstError) {
			const itemIndex = next++;
			const outcome = await runOne(context, requests[itemIndex], itemIndex);
			outcomes[itemIndex] = outcome;
			if (outcome.error && !context.continueOnFail()) firstError ??= outcome.error;
		}
	};
	await Promise.all(Array.from({ length: Math.min(parallelRuns, requests.length) }, work));

	if (firstError) {
		const started = outcomes.flatMap((outcome) => outcome.started ?? []);
		if (requests.length > 1) addBatch(firstError, started, requests.length - next);
		throw forReader(context, firstError);
	}
	showHints(
		context,
		outcomes.flatMap((outcome) => (outcome.error ? [] : outcome.hints)),
	);
	return outcomes.flatMap((outcome, itemIndex) =>
		outcome.error ? errorItem(context.getNode(), forReader(context, outcome.error), itemIndex) : outcome.items,
	);
}
