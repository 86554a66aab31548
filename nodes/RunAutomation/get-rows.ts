import type { IExecuteFunctions } from 'n8n-workflow';

import { Failed } from '../errors/failure';
import { maskOf } from '../errors/secrets';
import { incompleteFailure } from './output/failures';
import { rowsHints, runHints } from './output/hints';
import { resultOf, type RunResult } from './output/result';
import { misfitFailure, noRowsFailure, rowItems } from './output/rows';
import type { CollectedRun, Output, StartAndStream } from './outcome';
import type { RowsRequest } from './parameters/rows-request';
import type { RunRequest } from './parameters/run-request';
import { followUpTask } from './rows/instruction';
import { readRows } from './rows/read-rows';

/** Asks again in the thread of a run. The reply so far is kept, even if the follow-up fails. */
async function askAgain(
	request: RunRequest,
	{ result, problems, threadId }: { result: RunResult; problems: string[]; threadId: string },
	start: StartAndStream,
): Promise<CollectedRun> {
	const query = followUpTask(problems, request.rows!);
	return await start({ ...request, body: { ...request.body, query, thread_id: threadId } }).catch((cause: Error) => {
		const advice =
			'This is about the follow-up run. Open the thread in the web console before you start another one. The earlier reply is in the error data';
		throw new Failed({ reason: cause.message, advice, run: result });
	});
}

/**
 * Reads the rows of a run. If they do not fit and the form says so, asks again in its thread.
 *
 * @param first the run, which has ended
 * @param start starts a further run
 * @param secrets values that must not appear in a hint
 */
export async function getRows(
	context: IExecuteFunctions,
	request: RunRequest,
	rows: RowsRequest,
	first: CollectedRun,
	start: StartAndStream,
	secrets: unknown[],
): Promise<Output> {
	const { itemIndex, onIncomplete } = request;
	let collected = first;
	let result = resultOf(first.threadId, first.run);
	let read = readRows(result.text, rows);
	let followUps = rows.onMisfit === 'askAgain' ? rows.maxFollowUps : 0;
	while (read.problems.length && result.status === 'completed' && result.thread_id !== null && followUps-- > 0) {
		const { problems } = read;
		collected = await askAgain(request, { result, problems, threadId: result.thread_id }, start);
		const latest = resultOf(collected.threadId ?? result.thread_id, collected.run);
		read = readRows(latest.text, rows);
		result = { ...latest, text: [result.text, latest.text].filter(Boolean).join('\n\n') };
		if (result.status !== 'completed' && onIncomplete === 'error') {
			return { failure: incompleteFailure(result, collected.advice) };
		}
	}
	const { problems, isUsable } = read;
	if (problems.length && !(rows.onMisfit === 'fitting' && isUsable)) {
		return { failure: misfitFailure(result, problems, rows) };
	}
	if (read.rows.length === 0 && rows.needsRows) return { failure: noRowsFailure(result) };
	return {
		items: rowItems(context, itemIndex, result, read, rows),
		hints: [
			...runHints(collected, request),
			...rowsHints({ ...read, problems: problems.map(maskOf(secrets)) }, result.thread_id),
		],
		reason: result.reason,
	};
}
