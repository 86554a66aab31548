import {
	NodeApiError,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type NodeExecutionHint,
} from 'n8n-workflow';

import { describe } from '../shared/service-error';
import { tellAgent } from '../shared/tool-use';
import { detachedHint, runHints, showHints } from './output/hints';
import { runItems } from './output/items';
import { LiveOutput } from './output/live';
import { recordThread } from './output/record-thread';
import { errorItem, incompleteRunError, listStartedRuns, type StartedRun } from './output/run-error';
import { readParallelRuns, readRunRequest, type RunRequest } from './parameters/run-request';
import type { Chunk } from './stream';
import { followRun } from './transport/follow-run';
import { detailsOf, type NodeError } from './transport/run-details';
import { startDetached } from './transport/start-detached';
import { stopSignalOf } from './transport/watchdog';

/** What one item gave: its items or the error in their place, and the run that was started for it, if any. */
interface Outcome {
	items: INodeExecutionData[];
	hints: NodeExecutionHint[];
	started?: StartedRun;
	error?: NodeError;
}

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
function asNodeError(context: IExecuteFunctions, error: Error, itemIndex: number): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return tellAgent(context, error);
	// n8n drops a description that says no more than the message, and a chat shows nothing but the description.
	const description = describe(
		error.message,
		'If a run was started, look at it in the web console before you start it again',
	);
	return tellAgent(context, new NodeOperationError(context.getNode(), error, { itemIndex, description }));
}

/** Does what one item asks for. Never throws: an error is part of the outcome, with the run that it is about. */
async function runOne(
	context: IExecuteFunctions,
	request: RunRequest | NodeError,
	itemIndex: number,
): Promise<Outcome> {
	if (request instanceof NodeApiError || request instanceof NodeOperationError) {
		return { items: [errorItem(context.getNode(), request, itemIndex)], hints: [], error: request };
	}
	const live = request.operation === 'background' ? undefined : new LiveOutput(context, itemIndex, request.live);
	try {
		const outcome = live ? await waitForResult(context, request, live) : await startInBackground(context, request);
		live?.end();
		return outcome;
	} catch (caught) {
		const error = asNodeError(context, caught as Error, itemIndex);
		const details = detailsOf(error);
		if (context.continueOnFail()) live?.end();
		return {
			items: [errorItem(context.getNode(), error, itemIndex)],
			hints: [],
			error,
			...(details ? { started: { item: itemIndex, status: details.status, thread_id: details.thread_id } } : {}),
		};
	}
}

/** Reads the form for every item. Where the node is to stop on an error, bad input of any item is refused at once. */
function readRequests(context: IExecuteFunctions): Array<RunRequest | NodeError> {
	return context.getInputData().map((_item, itemIndex) => {
		try {
			return readRunRequest(context, itemIndex);
		} catch (caught) {
			const error = asNodeError(context, caught as Error, itemIndex);
			if (context.continueOnFail()) return error;
			throw error;
		}
	});
}

/**
 * Starts one run per item, each once, at most so many at a time as the form says. Items come out in their order. Where
 * the node is to stop on an error, no run starts after one that gave no result, and those that go on are read to their
 * end: they are paid for, and their threads must not be lost.
 *
 * @throws NodeApiError or NodeOperationError with everything that is known of the runs that were started
 */
export async function runAllItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const requests = readRequests(context);
	const parallelRuns = requests.length ? readParallelRuns(context) : 0;
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

	const reached = outcomes.filter((outcome) => outcome !== undefined);
	if (firstError) {
		const started = reached.flatMap((outcome) => (outcome.started ? [outcome.started] : []));
		if (requests.length > 1) listStartedRuns(firstError, started, requests.length - next);
		throw firstError;
	}
	showHints(
		context,
		reached.flatMap(({ hints }) => hints),
	);
	return reached.flatMap(({ items }) => items);
}
