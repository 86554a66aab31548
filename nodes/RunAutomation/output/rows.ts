import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Failure } from '../../errors/failure';
import { isUsedAsTool, type ReaderContext } from '../../errors/node-error';
import { shortenList } from '../../values/shorten';
import type { RowsRequest } from '../parameters/rows-request';
import type { ReadRows, Row } from '../rows/read-rows';
import { shownToTool } from './items';
import { headOf, type RunResult } from './result';

/** Problems that are listed in data. */
const MAX_PROBLEMS = 100;

/** Problems that an AI agent is told. */
const MAX_TOOL_PROBLEMS = 5;

/** Characters of rows that an AI agent is given: what it reads costs it room for its own work. */
const MAX_TOOL_ROWS = 20_000;

/** As many rows as fit in what an AI agent is given. */
function rowsForTool(rows: Row[]): Row[] {
	let left = MAX_TOOL_ROWS;
	const end = rows.findIndex((row) => (left -= JSON.stringify(row).length) < 0);
	return end === -1 ? rows : rows.slice(0, end);
}

/** What an AI agent needs: the rows, of a bounded size, and what is missing among them. */
function toolResult(result: RunResult, { rows, problems }: ReadRows): IDataObject {
	const shown = rowsForTool(rows);
	const left = rows.length - shown.length;
	const warnings = [
		...shortenList(problems, MAX_TOOL_PROBLEMS),
		...(left ? [`${left} more rows do not fit in this response`] : []),
	];
	const known = warnings.length ? { warnings } : {};
	return { rows: shown as IDataObject[], ...headOf(result), ...known, ...shownToTool(result) };
}

/** The result with the problems of its rows among its warnings. */
const withProblems = (result: RunResult, problems: string[]): RunResult => ({
	...result,
	warnings: [...result.warnings, ...shortenList(problems, MAX_PROBLEMS)],
});

/** The field `run` of *Include Run Details*. */
function detailsOf(result: RunResult): IDataObject {
	const { text, sources, warnings } = result;
	return { ...headOf(result), text, sources, warnings };
}

/** One item per row, with its columns at the top level; for an AI agent, one item with all rows. */
export function rowItems(
	context: ReaderContext,
	itemIndex: number,
	result: RunResult,
	read: ReadRows,
	{ includeRunDetails }: RowsRequest,
): INodeExecutionData[] {
	const pairedItem = { item: itemIndex };
	if (isUsedAsTool(context)) return [{ json: toolResult(result, read), pairedItem }];
	const details = includeRunDetails ? { run: detailsOf(withProblems(result, read.problems)) } : {};
	return read.rows.map((row) => ({ json: { ...row, ...details } as IDataObject, pairedItem }));
}

/** The first of several problems, and how many more there are. */
export const firstOf = ([first, ...more]: string[]): string =>
	more.length ? `${first} (and ${more.length} more)` : first;

function misfitAdvice(onMisfit: RowsRequest['onMisfit']): string {
	const change =
		onMisfit === 'askAgain'
			? "Raise 'Maximum Follow-Ups'"
			: "Set the option 'If Rows Do Not Fit' to 'Ask Again in the Same Thread'";
	return `${change}, or say in the task what each column should contain. The full reply is in the error data`;
}

/** What happened if the rows of a reply do not fit: with the full reply and every problem. */
export const misfitFailure = (result: RunResult, problems: string[], { onMisfit }: RowsRequest): Failure => ({
	reason: firstOf(problems),
	advice: misfitAdvice(onMisfit),
	run: withProblems(result, problems),
});

/** What happened if a run found no rows, and the form does not accept that. */
export const noRowsFailure = (result: RunResult): Failure => ({
	reason: 'The run found no rows',
	advice: "Change the task, or set the option 'If No Rows Are Found' to 'Return No Items'",
	run: result,
});
