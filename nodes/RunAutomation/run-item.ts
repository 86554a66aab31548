import type { IBinaryKeyData, IExecuteFunctions, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { NodeError } from '../errors/node-error';
import { isUsedAsTool } from '../errors/reader';
import { getRows } from './get-rows';
import { attachFiles } from './output/files';
import { detachedHint, runHints } from './output/hints';
import { runItems, type CollectedRun } from './output/items';
import { LiveOutput } from './output/live';
import { resultOf } from './output/result';
import { incompleteRunError, type StartedRun } from './output/run-error';
import type { RunRequest } from './parameters/run-request';
import { StartedRuns } from './started-runs';
import type { Chunk } from './stream';
import { followRun } from './transport/follow-run';
import { startDetached } from './transport/start-detached';

/** The output for one input item: items, with the reason if they are a partial result; or an error. */
export type Output =
	| { items: INodeExecutionData[]; hints: NodeExecutionHint[]; reason?: string; error?: undefined }
	| { error: NodeError; binary?: IBinaryKeyData };

/** The output for one input item, and the runs that were started for it, in order. */
export type Outcome = Output & { runs: StartedRun[] };

/** Starts a run and follows it to its end. */
export type Follow = (request: RunRequest) => Promise<CollectedRun>;

async function startInBackground(
	context: IExecuteFunctions,
	request: RunRequest,
	started: StartedRuns,
): Promise<Output> {
	const start = startDetached(context, request).then((response) => {
		started.onStart(response.thread_id);
		return response;
	});
	const json = await started.count(start, ({ status }) => status);
	return { items: [{ json, pairedItem: { item: request.itemIndex } }], hints: [detachedHint(json)] };
}

/** Follows a run, and collects what is available only during the run. */
async function collectRun(
	context: IExecuteFunctions,
	request: RunRequest,
	live: LiveOutput,
	onStart: StartedRuns['onStart'],
): Promise<CollectedRun> {
	const { operation, rawOutput, chunkLimit } = request;
	const keepsChunks = operation === 'raw' && rawOutput === 'chunks';
	const chunks: Chunk[] = [];
	let chunksLeftOut = 0;
	const followed = await followRun(context, request, {
		onStart,
		onChunk: (chunk) => {
			live.onChunk(chunk);
			if (!keepsChunks) return;
			if (chunks.length < chunkLimit) chunks.push(chunk);
			else chunksLeftOut++;
		},
		onTick: () => live.onTick(),
	});
	return { ...followed, chunks, chunksLeftOut };
}

async function waitForOutput(context: IExecuteFunctions, request: RunRequest, follow: Follow): Promise<Output> {
	const { itemIndex, limits } = request;
	const begin = Date.now();
	const collected = await follow(request);
	const { run, threadId } = collected;
	const fileLimits = { ...limits, total: limits.total - (Date.now() - begin) };
	if (run.status !== 'completed' && request.onIncomplete === 'error') {
		const result = resultOf(threadId, run);
		// If the workflow stops, and for an agent, no item could hold them.
		const keepsFiles = context.continueOnFail() && !isUsedAsTool(context);
		const { files, binary } = keepsFiles
			? await attachFiles(context, result.files, request, fileLimits)
			: { files: result.files, binary: undefined };
		return { error: incompleteRunError(context.getNode(), itemIndex, { ...result, files }), binary };
	}
	if (request.rows) return await getRows(context, request, request.rows, collected, follow);
	const items = await runItems(context, collected, request, fileLimits);
	return { items, hints: runHints(collected, request), reason: run.reason };
}

/** Does what one item asks for. Never throws: an error is part of the outcome. */
export async function runItem(context: IExecuteFunctions, request: RunRequest): Promise<Outcome> {
	const started = new StartedRuns(context, request.itemIndex);
	const live = new LiveOutput(context, request);
	const follow: Follow = async (next) =>
		await started.count(collectRun(context, next, live, started.onStart), ({ run }) => run.status);
	const output: Output = await (
		request.operation === 'background'
			? startInBackground(context, request, started)
			: waitForOutput(context, request, follow)
	).catch((caught: Error) => ({ error: started.errorOf(caught) }));
	// The error that stops the node is sent by n8n itself, after this.
	if (!output.error) live.end(output.reason);
	else if (context.continueOnFail()) live.end(output.error.message);
	return { ...output, runs: started.list };
}
