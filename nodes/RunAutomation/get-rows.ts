import type { IExecuteFunctions } from 'n8n-workflow';

import { Failed } from '../errors/failure';
import { maskOf } from '../errors/secrets';
import { incompleteFailure } from './output/run-failures';
import { rowsHints, runHints } from './output/hints';
import { followedBy, resultOf, textsOf, type RunResult } from './output/result';
import { misfitFailure, noRowsFailure, rowItems, withProblems } from './output/rows';
import type { CollectedRun, Output, StartAndStream } from './outcome';
import type { RowsRequest } from './parameters/rows-request';
import type { RunRequest } from './parameters/run-request';
import { followUpTask } from './rows/instruction';
import { readRows } from './rows/read-rows';

/** Asks again in the thread of a run. The reply so far is kept, even if the follow-up fails. */
async function askAgain(
	request: RunRequest,
	result: RunResult,
	problems: string[],
	start: StartAndStream,
): Promise<CollectedRun> {
	const query = followUpTask(problems, request.rows!);
	const body = { ...request.body, query, thread_id: result.thread_id! };
	return await start({ ...request, body }).catch((cause: Error) => {
		const advice =
			"This is about the follow-up run. Open the thread in the web console before you start another one. The earlier reply is under 'Error data'";
		throw new Failed({ reason: cause.message, advice, run: result });
	});
}

/** Reads the rows of a run that has ended. If they do not fit and the form says so, asks again in its thread. */
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
	const texts = textsOf(first.run.message.parts);
	let read = readRows(texts, rows);
	let followUps = 0;
	/** With everything that the agent has written: the rows may be in any of its texts. */
	const whole = () => ({ ...result, text: texts.join('\n\n') });
	// Asking again brings back no digits that a number cannot keep.
	const canAskAgain = () =>
		read.problems.length > 0 && read.cause !== 'digits' && result.status === 'completed' && result.thread_id !== null;

	while (rows.onMisfit === 'askAgain' && followUps < rows.maxFollowUps && canAskAgain()) {
		followUps++;
		collected = await askAgain(request, whole(), read.problems, start);
		const latest = resultOf(collected.threadId ?? result.thread_id!, collected.run);
		const latestTexts = textsOf(collected.run.message.parts);
		read = readRows(latestTexts, rows);
		texts.push(...latestTexts);
		result = followedBy(result, latest);
		if (result.status !== 'completed' && onIncomplete === 'error') {
			return { failure: incompleteFailure(whole(), collected.run.advice) };
		}
	}
	const { problems, isUsable } = read;
	const isMisfit = problems.length > 0 && !(rows.onMisfit === 'fitting' && isUsable);
	if (isMisfit || (read.rows.length === 0 && rows.needsRows)) {
		// A run that did not complete says itself why there are no rows, and what can help.
		if (result.status !== 'completed') {
			return { failure: incompleteFailure(withProblems(whole(), problems), collected.run.advice) };
		}
		return { failure: isMisfit ? misfitFailure(whole(), read, rows) : noRowsFailure(whole()) };
	}
	return {
		items: rowItems(context, itemIndex, result, read, rows),
		hints: [
			...runHints(collected, request),
			...rowsHints({ ...read, problems: problems.map(maskOf(secrets)) }, rows, followUps, result.thread_id),
		],
		reason: result.reason,
	};
}
