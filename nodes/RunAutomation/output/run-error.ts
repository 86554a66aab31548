import type { IBinaryKeyData, IDataObject, INode, INodeExecutionData, NodeApiError } from 'n8n-workflow';

import { apiError, runOf, type NodeError } from '../../errors/node-error';
import { isUsedAsTool, type ErrorContext } from '../../errors/reader';
import type { RunStatus } from '../stream';
import { withBinary } from './items';
import type { RunResult } from './result';

const ADVICE: Record<Exclude<RunStatus, 'completed'>, string> = {
	failed: 'Change the task, or continue the thread with its Thread ID. The partial result is in the error data',
	aborted: 'The service ended the run. Continue the thread with its Thread ID, or start a new run',
	incomplete: 'Run again with this Thread ID to let the agent continue, or ask for less in one run',
	needs_approval: 'Run again with this Thread ID and a task that says whether you approve',
	interrupted:
		'The run may still be in progress. Open the thread in the web console before you start another run, which is billed again',
	timed_out:
		'The run may still be in progress. Open the thread in the web console before you start another run. To wait longer, raise the limit in the options',
};

/**
 * The error for a run that did not complete, with its partial result.
 *
 * @param result the partial result; a file in it that is not yet binary data is lost, and the error says so
 */
export function incompleteRunError(node: INode, itemIndex: number, result: RunResult): NodeApiError {
	const { reason, status, files } = result;
	const advice = ADVICE[status as keyof typeof ADVICE];
	const lost = files.some(({ url }) => /^data:/i.test(String(url)))
		? '. Its files are lost. To keep them next time, set On Error to Continue'
		: '';
	return apiError(node, { reason: reason ?? status, advice: advice + lost, itemIndex, run: result });
}

/**
 * The item that stands for an error if the workflow continues. It has no `error` beside its `json`, because n8n would
 * keep only the message. All versions of n8n send an item to the error output if `error` is the only key of its `json`;
 * only the newest allow `details` beside it. An AI agent gets no details: the message says all that it needs.
 */
export function errorItem(
	context: ErrorContext,
	error: NodeError,
	itemIndex: number,
	binary: IBinaryKeyData = {},
): INodeExecutionData {
	const run = runOf(error);
	const pairedItem = { item: itemIndex };
	if (isUsedAsTool(context)) {
		const known = run ? { thread_id: run.thread_id, status: run.status } : {};
		return { json: { error: error.message, ...known }, pairedItem };
	}
	const known = run ? { details: run as IDataObject } : {};
	const json =
		context.getNode().onError === 'continueErrorOutput'
			? { error: { message: error.message, ...known } }
			: { error: error.message, ...known };
	return { json, ...withBinary(binary), pairedItem };
}

/** A run that was started: its item, how it ended, and its thread. */
export type StartedRun = { item: number; status: string; thread_id: string | null };

/**
 * Completes the error that stops the node while other items had runs: n8n drops their results, so the error lists every
 * run that was started, and says how many items got none.
 *
 * @param succeeded how many of the runs have results that are dropped now
 */
export function addBatch(error: NodeError, runs: StartedRun[], succeeded: number, notStarted: number): NodeError {
	error.context.data = { ...runOf(error), runs };
	const sentences = [error.description ?? ''];
	if (succeeded) {
		sentences.push(
			`${succeeded} of ${runs.length} runs succeeded, but their results are dropped. To keep them next time, set On Error to Continue (using error output)`,
		);
	}
	if (notStarted) sentences.push(`Items not started: ${notStarted}`);
	error.description = sentences.filter(Boolean).join('. ');
	return error;
}
