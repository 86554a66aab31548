import type { IExecuteFunctions } from 'n8n-workflow';

import { apiError } from '../errors/node-error';
import { rowsHints, runHints } from './output/hints';
import type { CollectedRun } from './output/items';
import { resultOf, type RunResult } from './output/result';
import { misfitError, noRowsError, rowItems } from './output/rows';
import { incompleteRunError } from './output/run-error';
import type { RowsRequest } from './parameters/rows-request';
import type { RunRequest } from './parameters/run-request';
import { followUpTask } from './rows/instruction';
import { readRows } from './rows/read-rows';
import type { Follow, Output } from './run-item';

/** Asks again in the thread of a run. The reply so far is kept, even if the follow-up fails. */
async function askAgain(
	context: IExecuteFunctions,
	request: RunRequest,
	{ result, problems, threadId }: { result: RunResult; problems: string[]; threadId: string },
	follow: Follow,
): Promise<CollectedRun> {
	const query = followUpTask(problems, request.rows!);
	return await follow({ ...request, body: { ...request.body, query, thread_id: threadId } }).catch((cause: Error) => {
		const advice =
			'This is about the follow-up run. Open the thread in the web console before you start another one. The earlier reply is in the error data';
		const { itemIndex } = request;
		throw apiError(context.getNode(), { reason: cause.message, advice, itemIndex, run: result });
	});
}

/**
 * Reads the rows of a run. If they do not fit and the form says so, asks again in its thread.
 *
 * @param first the run, which has ended
 * @param follow starts a further run
 */
export async function getRows(
	context: IExecuteFunctions,
	request: RunRequest,
	rows: RowsRequest,
	first: CollectedRun,
	follow: Follow,
): Promise<Output> {
	const { itemIndex, onIncomplete } = request;
	const node = context.getNode();
	let collected = first;
	let result = resultOf(first.threadId, first.run);
	let read = readRows(result.text, rows);
	let followUps = rows.onMisfit === 'askAgain' ? rows.maxFollowUps : 0;
	while (read.problems.length && result.status === 'completed' && result.thread_id !== null && followUps-- > 0) {
		const { problems } = read;
		collected = await askAgain(context, request, { result, problems, threadId: result.thread_id }, follow);
		const latest = resultOf(collected.threadId ?? result.thread_id, collected.run);
		read = readRows(latest.text, rows);
		result = { ...latest, text: [result.text, latest.text].filter(Boolean).join('\n\n') };
		if (result.status !== 'completed' && onIncomplete === 'error') {
			return { error: incompleteRunError(node, itemIndex, result) };
		}
	}
	const { problems, isUsable } = read;
	if (problems.length && !(rows.onMisfit === 'fitting' && isUsable)) {
		return { error: misfitError(node, itemIndex, result, problems, rows) };
	}
	if (read.rows.length === 0 && rows.needsRows) return { error: noRowsError(node, itemIndex, result) };
	return {
		items: rowItems(context, itemIndex, result, read, rows),
		hints: [...runHints(collected, request), ...rowsHints(read, result.thread_id)],
		reason: result.reason,
	};
}
