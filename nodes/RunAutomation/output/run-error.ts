import type { IDataObject, INode, INodeExecutionData, NodeApiError } from 'n8n-workflow';

import { apiError } from '../../shared/service-error';
import type { Run, RunStatus } from '../stream';
import { attachDetails, detailsOf, type NodeError } from '../transport/run-details';
import { simplify } from './simplified';

const ADVICE: Record<Exclude<RunStatus, 'completed'>, string> = {
	needs_approval: 'Answer the approvals in the details with a further run of this thread',
	incomplete: 'The partial result is kept in the details. Continue the thread by its ID, or change the task',
	failed: 'What the run did until then is kept in the details. Change the task, or continue the thread by its ID',
	aborted: 'The run was ended on the side of the service. Continue the thread by its ID, or start a new run',
	interrupted:
		'The run may still go on: look at it in the web console before you start another, which would be billed again',
	timed_out:
		'The run may still go on: look at it in the web console before you start another, and raise the limit in the options',
};

/** The error for a run that ended without a result, with everything that had arrived in its details. */
export function incompleteRunError(
	node: INode,
	itemIndex: number,
	threadId: string | undefined,
	run: Run & { status: Exclude<RunStatus, 'completed'> },
): NodeApiError {
	const error = apiError(node, run.reason ?? run.status, ADVICE[run.status], { itemIndex });
	return attachDetails(error, simplify(threadId, run));
}

/**
 * The item that stands for an error when the workflow is to go on. It has no `error` beside its `json`, for n8n would
 * keep nothing but the message. Which items go to an error output differs: all versions of n8n send one there whose
 * `json` has `error` as its only key, and only the newest allow `details` beside it.
 */
export function errorItem(node: INode, error: NodeError, itemIndex: number): INodeExecutionData {
	const details = detailsOf(error);
	const known = details ? { details: details as IDataObject } : {};
	const json =
		node.onError === 'continueErrorOutput'
			? { error: { message: error.message, ...known } }
			: { error: error.message, ...known };
	return { json, pairedItem: { item: itemIndex } };
}

/** One run that was started: which item it belongs to, how it ended, and its thread. */
export type StartedRun = { item: number; status: RunStatus | 'started'; thread_id: string | null };

/**
 * Completes the error that stops the node: n8n drops what the other items gave, so the error lists every run that was
 * started, and how many items were not.
 */
export function listStartedRuns(error: NodeError, runs: StartedRun[], notStarted: number): void {
	error.context.runs = runs;
	const list = runs.map(({ item, status, thread_id }) => `item ${item} ${status} (${thread_id ?? 'no thread ID'})`);
	const rest = notStarted ? `. Items not started: ${notStarted}` : '';
	error.description = `${error.description ?? error.message}. Runs started: ${list.join(', ') || 'none'}${rest}`;
}
