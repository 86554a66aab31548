import { deepCopy, type IDataObject, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import type { Failure } from '../../errors/failure';
import { isUsedAsTool, type AudienceContext } from '../../execution/execution-context';
import { shortenList, valueAt } from '../../values';
import type { RowsRequest } from '../parameters/rows-request';
import type { RunRequest } from '../parameters/run-request';
import type { ReadRows, Row } from '../rows/read-rows';
import { attachFiles } from './files';
import { withBinary } from './items';
import { shownOf, type RunResult } from './result';

const MAX_PROBLEMS = 100;

/** Characters of rows that an AI agent is given: what it reads costs it room for its own work. */
const MAX_TOOL_ROWS = 20_000;

function rowsForTool(rows: Row[]): Row[] {
	let left = MAX_TOOL_ROWS;
	const end = rows.findIndex((row) => (left -= JSON.stringify(row).length) < 0);
	return end === -1 ? rows : rows.slice(0, end);
}

/** The rows of a run, and of the runs that followed it. */
interface FoundRows {
	result: RunResult;
	read: ReadRows;
	/** What is missing in the run that has the rows, one sentence each. */
	missing: string[];
}

/** What an AI agent needs: the rows, of a bounded size, and what is missing: rows first, then content, then what does not fit. */
function toolResult({ result, read: { rows, problems }, missing }: FoundRows): IDataObject {
	const shown = rowsForTool(rows);
	const left = rows.length - shown.length;
	const leftOut = left ? [`${left} more rows do not fit in this response`] : [];
	const about = { ...result, text: undefined, warnings: [...leftOut, ...missing, ...problems] };
	return { rows: shown as IDataObject[], ...shownOf(about, 'tool') };
}

/** The result with the problems of its rows among its warnings. */
export const withProblems = (result: RunResult, problems: string[]): RunResult => ({
	...result,
	warnings: [...result.warnings, ...shortenList(problems, MAX_PROBLEMS)],
});

/** The items of rows with the fields of their input item in front; as a tool, they get none. */
export function withIncludedFields(
	context: AudienceContext & Pick<IExecuteFunctions, 'getInputData'>,
	items: INodeExecutionData[],
	itemIndex: number,
	request: RowsRequest | undefined,
): INodeExecutionData[] {
	if (!request?.included.length || isUsedAsTool(context)) return items;
	const { included, columns } = request;
	const input = context.getInputData()[itemIndex].json;
	const isFree = (name: string) => name !== 'error' && columns.every((column) => column.name !== name);
	const names = (included === 'all' ? Object.keys(input) : included).filter(isFree);
	const fields = Object.fromEntries(names.map((name) => [name, valueAt(input, name) ?? null])) as IDataObject;
	return items.map(({ json, ...item }) => ({ ...item, json: { ...deepCopy(fields), ...json } }));
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
	found: FoundRows,
	deadline: number,
): Promise<{ items: INodeExecutionData[]; warnings: string[]; filesLeftOut: number }> {
	const { result, read } = found;
	const pairedItem = { item: request.itemIndex };
	if (isUsedAsTool(context)) return { items: [{ json: toolResult(found), pairedItem }], warnings: [], filesLeftOut: 0 };
	const items: INodeExecutionData[] = read.rows.map((row) => ({ json: { ...row } as IDataObject, pairedItem }));
	const hasDetails = request.rows!.includeRunDetails && items.length > 0;
	if (!hasDetails) return { items, warnings: [], filesLeftOut: result.files.length };
	const { files, binary, warnings } = await attachFiles(context, result.files, request, deadline);
	const complete = { ...result, files, warnings: [...result.warnings, ...warnings] };
	const run = shownOf(withProblems(complete, read.problems), 'details');
	for (const { json } of items) json.run = deepCopy(run);
	Object.assign(items[0], withBinary(binary));
	return { items, warnings, filesLeftOut: 0 };
}

/** The first of several problems, and how many more there are. */
export const firstOf = ([first, ...more]: string[]): string =>
	more.length ? `${first} (and ${more.length} more)` : first;

/** What to ask for in the same thread, which keeps the work of the run. */
const ASK: Record<string, string> = { date: 'dates in ISO 8601', number: 'plain numbers' };

const ASK_AGAIN = "set the option 'If Rows Do Not Fit' to 'Ask Again in the Same Thread'";
const RAISE_FOLLOW_UPS = "raise 'If Rows Do Not Fit: Maximum Follow-Ups'";

/** What can help if the rows of a run that completed do not fit: first what costs no further run. */
function misfitAdvice({ cause }: ReadRows, { thread_id }: RunResult, { onMisfit }: RowsRequest): string {
	if (cause === 'digits') return "Set the type of this column to 'Text', which keeps every digit";
	const isRequired = cause === 'required';
	const hasThread = thread_id !== null;
	const ways = [
		isRequired && "turn off 'Required' for this column if the page may lack the value",
		!isRequired && hasThread && `run again with this 'Thread ID' and ask for ${ASK[cause ?? ''] ?? 'rows that fit'}`,
		hasThread && (onMisfit === 'askAgain' ? RAISE_FOLLOW_UPS : ASK_AGAIN),
		'say in the task what each column should contain',
	];
	const advice = ways.filter(Boolean).join(', or ');
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
