import type { IBinaryKeyData, IExecuteFunctions, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import { apiError, isMadeHere, isNodeError, runOf, type NodeError } from '../errors/node-error';
import { isUsedAsTool } from '../errors/reader';
import { CHECK_BEFORE_RESTART } from '../starts/outcome';
import { attachFiles } from './output/files';
import { detachedHint, runHints } from './output/hints';
import { runItems } from './output/items';
import { LiveOutput } from './output/live';
import { recordThread } from './output/record-thread';
import { resultOf } from './output/result';
import { incompleteRunError, type StartedRun } from './output/run-error';
import type { RunRequest } from './parameters/run-request';
import type { Chunk } from './stream';
import { followRun } from './transport/follow-run';
import { startDetached } from './transport/start-detached';

/** What one item led to: its items, and the run that was started for it, if any; or an error in place of the items. */
export type Outcome = { started?: StartedRun } & (
	| { items: INodeExecutionData[]; hints: NodeExecutionHint[]; error?: undefined }
	| { error: NodeError; binary?: IBinaryKeyData }
);

type OnStart = (threadId: string | undefined) => void;

async function startInBackground(context: IExecuteFunctions, request: RunRequest, onStart: OnStart): Promise<Outcome> {
	const { itemIndex } = request;
	const json = await startDetached(context, request);
	onStart(json.thread_id);
	return {
		items: [{ json, pairedItem: { item: itemIndex } }],
		hints: [detachedHint(json)],
		started: { item: itemIndex, status: json.status, thread_id: json.thread_id },
	};
}

async function waitForResult(
	context: IExecuteFunctions,
	request: RunRequest,
	live: LiveOutput,
	onStart: OnStart,
): Promise<Outcome> {
	const { itemIndex, operation, chunkLimit, limits } = request;
	const begin = Date.now();
	const chunks: Chunk[] = [];
	let chunksLeftOut = 0;
	const followed = await followRun(context, request, {
		onStart,
		onChunk: (chunk) => {
			live.onChunk(chunk);
			if (operation !== 'chunks') return;
			if (chunks.length < chunkLimit) chunks.push(chunk);
			else chunksLeftOut++;
		},
		onTick: () => live.onTick(),
	});
	const { run, threadId } = followed;
	const fileLimits = { ...limits, total: limits.total - (Date.now() - begin) };
	const started = { item: itemIndex, status: run.status, thread_id: threadId ?? null };
	if (run.status !== 'completed' && request.onIncomplete === 'error') {
		const result = resultOf(threadId, run);
		// If the workflow stops, and for an agent, there is no item that could carry them.
		const keepsFiles = context.continueOnFail() && !isUsedAsTool(context);
		const { files, binary } = keepsFiles
			? await attachFiles(context, result.files, request, fileLimits)
			: { files: result.files, binary: undefined };
		return { error: incompleteRunError(context.getNode(), itemIndex, { ...result, files }), binary, started };
	}
	live.showReason(run.reason);
	const collected = { ...followed, chunks, chunksLeftOut };
	const items = await runItems(context, collected, request, fileLimits);
	return { items, hints: runHints(collected, request), started };
}

/** An error of ours that is about a run as it is; any other one, which came after the start was sent, as one about it. */
function runErrorOf(
	context: IExecuteFunctions,
	error: Error,
	itemIndex: number,
	threadId: string | undefined,
): NodeError {
	if (isNodeError(error) && isMadeHere(error)) return error;
	const run = { thread_id: threadId ?? null, status: 'interrupted' };
	return apiError(context.getNode(), { reason: error.message, advice: CHECK_BEFORE_RESTART, itemIndex, run });
}

/** Ends the live output of one item. The error that stops the node is left to n8n, which sends it after this. */
function endLive(context: IExecuteFunctions, live: LiveOutput | undefined, error: NodeError | undefined): void {
	if (error && !context.continueOnFail()) return;
	live?.showReason(error?.message);
	live?.end();
}

/** Does what one item asks for. Never throws: an error is part of the outcome, with the run that it is about. */
export async function runItem(context: IExecuteFunctions, request: RunRequest): Promise<Outcome> {
	const { itemIndex } = request;
	const live = request.operation === 'background' ? undefined : new LiveOutput(context, itemIndex, request.live);
	let threadId: string | undefined;
	const onStart = (id: string | undefined) => {
		threadId = id;
		recordThread(context, itemIndex, id);
	};
	try {
		const outcome = live
			? await waitForResult(context, request, live, onStart)
			: await startInBackground(context, request, onStart);
		endLive(context, live, outcome.error);
		return outcome;
	} catch (caught) {
		const error = runErrorOf(context, caught as Error, itemIndex, threadId);
		endLive(context, live, error);
		const run = runOf(error);
		// A response that is not a stream may name a thread, too.
		if (threadId === undefined) recordThread(context, itemIndex, run?.thread_id ?? undefined);
		return { error, ...(run ? { started: { item: itemIndex, status: run.status, thread_id: run.thread_id } } : {}) };
	}
}
