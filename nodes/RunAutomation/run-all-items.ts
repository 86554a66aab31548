import { NodeApiError, NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { runItems } from './output/items';
import { errorItem, incompleteRunError, listStartedRuns, type StartedRun } from './output/run-error';
import { readRunRequest, type RunRequest } from './parameters/run-request';
import { followRun } from './transport/follow-run';
import type { NodeError } from './transport/run-details';
import { startDetached } from './transport/start-detached';

/** What one item gave, and the run that was started for it. */
interface Outcome {
	items: INodeExecutionData[];
	started: StartedRun;
}

async function runOne(context: IExecuteFunctions, request: RunRequest): Promise<Outcome> {
	const { itemIndex, body } = request;
	if (body.detach) {
		const start = await startDetached(context, request);
		const { thread_id, status } = start;
		return { items: [{ json: start, pairedItem: { item: itemIndex } }], started: { item: itemIndex, status, thread_id } };
	}
	const followed = await followRun(context, request);
	const { run, threadId } = followed;
	if (run.status !== 'completed' && request.onIncomplete === 'error') {
		throw incompleteRunError(context.getNode(), itemIndex, threadId, { ...run, status: run.status });
	}
	return {
		items: runItems(followed, request),
		started: { item: itemIndex, status: run.status, thread_id: threadId ?? null },
	};
}

/** Any error as one that n8n can show, with the item it belongs to. */
function asNodeError(context: IExecuteFunctions, error: Error, itemIndex: number): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeOperationError(context.getNode(), error, { itemIndex, description: error.message });
}

/**
 * Starts one run per item, in order, each once. Where the node is to stop on an error, bad input of any item is refused
 * before the first run starts, and no further run starts after one that gave no result.
 *
 * @throws NodeApiError or NodeOperationError with everything that is known of the runs that were started
 */
export async function runAllItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const goesOn = context.continueOnFail();
	const itemCount = context.getInputData().length;
	const stop = 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	const requests = Array.from({ length: itemCount }, (_, itemIndex) => {
		try {
			return readRunRequest(context, itemIndex);
		} catch (error) {
			const refusal = asNodeError(context, error as Error, itemIndex);
			if (!goesOn) throw refusal;
			return refusal;
		}
	});

	const items: INodeExecutionData[] = [];
	const started: StartedRun[] = [];
	for (const [itemIndex, request] of requests.entries()) {
		if (stop?.aborted) break;
		try {
			if (request instanceof NodeApiError || request instanceof NodeOperationError) throw request;
			const outcome = await runOne(context, request);
			items.push(...outcome.items);
			started.push(outcome.started);
		} catch (error) {
			const nodeError = asNodeError(context, error as Error, itemIndex);
			if (!goesOn) {
				listStartedRuns(nodeError, started, itemCount);
				throw nodeError;
			}
			items.push(errorItem(nodeError, itemIndex));
		}
	}
	return items;
}
