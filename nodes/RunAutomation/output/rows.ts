import { deepCopy, type IDataObject, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import type { Failure } from '../../errors/failure';
import { isUsedAsTool, type AudienceContext } from '../../execution/execution-context';
import { shortenList, valueAt } from '../../values';
import type { RowsRequest } from '../parameters/rows-request';
import type { RunRequest } from '../parameters/run-request';
import type { ReadRows, Row } from '../rows/read-rows';
import { attachFiles } from './files';
import { shownToTool, withBinary } from './items';
import { briefly, headOf, type RunResult } from './result';

const MAX_PROBLEMS = 100;

const MAX_TOOL_PROBLEMS = 5;

/** Characters of rows that an AI agent is given: what it reads costs it room for its own work. */
const MAX_TOOL_ROWS = 20_000;

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
export const withProblems = (result: RunResult, problems: string[]): RunResult => ({
	...result,
	warnings: [...result.warnings, ...shortenList(problems, MAX_PROBLEMS)],
});

/** The field `run` of *Include Run Details*. */
function detailsOf(result: RunResult): IDataObject {
	const { text, sources, files, data, metadata, warnings } = result;
	return { ...headOf(result), text, sources: sources.map(briefly), files, data, metadata, warnings };
}

function includedFields(json: IDataObject, { included, columns }: RowsRequest): IDataObject {
	const isFree = (name: string) => name !== 'error' && columns.every((column) => column.name !== name);
	const names = (included === 'all' ? Object.keys(json) : included).filter(isFree);
	return Object.fromEntries(names.map((name) => [name, valueAt(json, name) ?? null])) as IDataObject;
}

/** The items of rows with the fields of their input item in front; as a tool, they get none. */
export function withIncludedFields(
	context: AudienceContext & Pick<IExecuteFunctions, 'getInputData'>,
	items: INodeExecutionData[],
	itemIndex: number,
	request: RowsRequest | undefined,
): INodeExecutionData[] {
	if (!request?.included.length || isUsedAsTool(context)) return items;
	const included = includedFields(context.getInputData()[itemIndex].json, request);
	return items.map(({ json, ...item }) => ({ ...item, json: { ...deepCopy(included), ...json } }));
}

/**
 * One item per row, with its columns at the top level; for an AI agent, one item with all rows. The files of the run are in its
 * details, and their binary data on the first item.
 *
 * @param deadline when the download of linked files has to end, in milliseconds since 1970
 * @returns the items, why files of the run are not in them, and how many no item has
 */
export async function rowItems(
	context: IExecuteFunctions,
	request: RunRequest,
	result: RunResult,
	read: ReadRows,
	deadline: number,
): Promise<{ items: INodeExecutionData[]; warnings: string[]; filesLeftOut: number }> {
	const pairedItem = { item: request.itemIndex };
	const without = (items: INodeExecutionData[], filesLeftOut = 0) => ({ items, warnings: [], filesLeftOut });
	if (isUsedAsTool(context)) return without([{ json: toolResult(result, read), pairedItem }]);
	const itemOf = (row: Row, details: IDataObject = {}) => ({ json: { ...row, ...details } as IDataObject, pairedItem });
	const hasDetails = request.rows!.includeRunDetails && read.rows.length > 0;
	if (!hasDetails)
		return without(
			read.rows.map((row) => itemOf(row)),
			result.files.length,
		);
	const { files, binary, warnings } = await attachFiles(context, result.files, request, deadline);
	const complete = { ...result, files, warnings: [...result.warnings, ...warnings] };
	const run = detailsOf(withProblems(complete, read.problems));
	const [first, ...others] = read.rows.map((row) => itemOf(row, { run: deepCopy(run) }));
	return { items: [{ ...first, ...withBinary(binary) }, ...others], warnings, filesLeftOut: 0 };
}

/** The first of several problems, and how many more there are. */
export const firstOf = ([first, ...more]: string[]): string =>
	more.length ? `${first} (and ${more.length} more)` : first;

/** What to ask for in the same thread, which keeps the work of the run. */
const ASK: Record<string, string> = { date: 'dates in ISO 8601', number: 'plain numbers' };

/** What can help if the rows of a run that completed do not fit: first what costs no further run. */
function misfitAdvice({ cause }: ReadRows, { thread_id }: RunResult, { onMisfit }: RowsRequest): string {
	if (cause === 'digits') return "Set the type of this column to 'Text', which keeps every digit";
	const ways = ['say in the task what each column should contain'];
	if (thread_id !== null) {
		const asked = "raise 'If Rows Do Not Fit: Maximum Follow-Ups'";
		ways.unshift(
			onMisfit === 'askAgain' ? asked : "set the option 'If Rows Do Not Fit' to 'Ask Again in the Same Thread'",
		);
	}
	if (thread_id !== null && cause !== 'required') {
		ways.unshift(`run again with this 'Thread ID' and ask for ${ASK[cause ?? ''] ?? 'rows that fit'}`);
	}
	if (cause === 'required') ways.unshift("turn off 'Required' for this column if the page may lack the value");
	const advice = ways.join(', or ');
	return `${advice.charAt(0).toUpperCase()}${advice.slice(1)}`;
}

/** What happened if the rows of a reply do not fit: with the full reply and every problem. */
export const misfitFailure = (result: RunResult, read: ReadRows, request: RowsRequest): Failure => ({
	reason: firstOf(read.problems),
	advice: misfitAdvice(read, result, request),
	kept: 'The full reply',
	run: withProblems(result, read.problems),
});

/** What happened if a run found no rows, and the form does not accept that. */
export const noRowsFailure = (result: RunResult): Failure => ({
	reason: 'The run found no rows',
	advice: "Change the task, or set the option 'If No Rows Are Found' to 'Return No Items'",
	run: result,
});
