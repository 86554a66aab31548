// Makes output items of a run: its result, simplified or complete, its rows, its raw output, or what an AI agent gets.

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { KnownRun } from '../../shared/failure/failure';
import { withBinary } from '../../shared/items/outcome';
import { withoutFileContents } from '../../shared/values/data-url';
import { changeTexts } from '../../shared/values/nested';
import { shorten, shortenList } from '../../shared/values/text';
import type { RequestedItem } from '../form/run-request';
import { withoutUndefined, type Approval, type Fields, type Run } from '../run/run';
import { attachFiles } from './files';

/** Characters for an AI agent, whose context is limited: of the text or the rows. */
const MAX_TOOL_CONTENT = 20_000;

/** Characters of all lists beside them, and of the reason. The short fields have the rest of 10,000. */
const MAX_TOOL_REST = 9_500;

/** Characters of the reason, and of each text in a list. */
const MAX_TOOL_ENTRY = 2000;

/** Characters of an approval's input. */
const MAX_TOOL_INPUT = 500;

/** Entries of each list. */
const MAX_TOOL_ENTRIES = 20;

const MAX_LISTED_PROBLEMS = 100;

const ifAny = <T>(list: T[]): T[] | undefined => (list.length ? list : undefined);

const briefly = (sources: Fields[]) =>
	sources.map(({ title, url, filename }) => ({ title: title ?? filename ?? null, url: url ?? null }));

/** All fields, in their order, as items and errors have them. */
export const completeOutput = (run: Run): IDataObject & KnownRun =>
	withoutUndefined({
		text: run.text,
		status: run.status,
		thread_id: run.thread_id,
		reason: run.reason,
		blocked_by: run.blocked_by,
		warnings: [...run.warnings, ...run.furtherWarnings],
		approvals: run.approvals,
		sources: run.sources,
		files: run.files,
		data: run.data,
		tools: run.tools,
		metadata: run.metadata,
		finish_reason: run.finish_reason,
	}) as unknown as IDataObject & KnownRun;

export const simplified = (run: Run): IDataObject =>
	withoutUndefined({
		...completeOutput(run),
		warnings: ifAny(run.warnings),
		approvals: ifAny(run.approvals),
		sources: briefly(run.sources),
		tools: undefined,
		metadata: undefined,
		finish_reason: undefined,
	}) as unknown as IDataObject;

/** *Include Run Details* adds these beside rows. */
export const runDetails = (run: Run): IDataObject =>
	withoutUndefined({
		...completeOutput(run),
		sources: briefly(run.sources),
		approvals: undefined,
		tools: undefined,
		finish_reason: undefined,
	}) as unknown as IDataObject;

/** The first entries, as many as have together at most `limit` characters of JSON. */
function entriesWithin<T>(entries: T[], limit: number): T[] {
	// A bracket or comma precedes each entry. A bracket follows the last.
	let left = limit - 1;
	const end = entries.findIndex((entry) => (left -= JSON.stringify(entry).length + 1) < 0);
	return end === -1 ? entries : entries.slice(0, end);
}

function briefApproval({ input, ...approval }: Approval) {
	const json = JSON.stringify(input ?? null);
	return { ...approval, input: json.length > MAX_TOOL_INPUT ? shorten(json, MAX_TOOL_INPUT) : input };
}

/** The output has a limited size, and no binary data. `content` has its own limit. */
export function forAgent(run: Run, content?: IDataObject): IDataObject {
	const limited = shorten(run.text, MAX_TOOL_CONTENT);
	const text = limited === run.text ? limited : `${limited} (${run.text.length} characters in all)`;
	const reason = run.reason === undefined ? undefined : shorten(run.reason, MAX_TOOL_ENTRY);
	let left = MAX_TOOL_REST - JSON.stringify(reason ?? '').length;
	const list = <T>(entries: T[]): T[] | undefined => {
		const first = changeTexts(entries.slice(0, MAX_TOOL_ENTRIES), (text) => shorten(text, MAX_TOOL_ENTRY));
		const kept = entriesWithin(first, left);
		left -= JSON.stringify(kept).length;
		return ifAny(kept);
	};
	// What an agent needs for its next step comes first, because later lists get what is left.
	const approvals = list(run.approvals.map(briefApproval));
	const warnings = list(run.warnings);
	const files = list(withoutFileContents(run.files));
	const sources = list(briefly(run.sources));
	return withoutUndefined({
		...(content ?? { text }),
		status: run.status,
		thread_id: run.thread_id,
		reason,
		blocked_by: run.blocked_by,
		warnings,
		approvals,
		sources,
		files,
	}) as unknown as IDataObject;
}

/** The problems of rows follow all other sentences. */
export const withProblems = (run: Run): Run => ({
	...run,
	furtherWarnings: [...run.furtherWarnings, ...shortenList(run.rows?.problems ?? [], MAX_LISTED_PROBLEMS)],
});

const countMissing = (files: Fields[]): number => files.filter(({ reason }) => reason !== undefined).length;

/**
 * @param deadline milliseconds of `performance.now` at which downloads end
 * @returns items, and the number of files that they lack
 */
export async function itemsOf(
	item: RequestedItem,
	run: Run,
	deadline: number,
): Promise<{ items: INodeExecutionData[]; missingFiles: number }> {
	const { execution, request } = item;
	if (run.rows) return await rowItems(item, run, run.rows, deadline);
	if (request.operation === 'raw' && !execution.isTool) {
		const { status, thread_id, reason, message, warnings, furtherWarnings } = run;
		const head = { status, thread_id, ...(reason !== undefined && { reason }) };
		// An empty run still has a thread.
		const chunks = run.chunks.length > 0 ? run.chunks.map((chunk) => ({ chunk })) : [{}];
		const parts = request.keepsChunks ? chunks : [{ message, warnings: [...warnings, ...furtherWarnings] }];
		return { items: parts.map((fields) => ({ json: { ...head, ...fields } as IDataObject })), missingFiles: 0 };
	}
	const { files, binary, warnings } = await attachFiles(item, run.files, deadline);
	const complete: Run = { ...run, files, furtherWarnings: [...run.furtherWarnings, ...warnings] };
	const brief: Run = { ...run, files, warnings: [...run.warnings, ...warnings] };
	const forPerson = request.simplify ? simplified(brief) : completeOutput(complete);
	const json = execution.isTool ? forAgent(brief) : forPerson;
	return { items: [{ json, ...withBinary(binary) }], missingFiles: countMissing(files) };
}

/** The first row gets the files. An AI agent gets all rows in one item. */
async function rowItems(
	item: RequestedItem,
	run: Run,
	{ rows, problems, leftOut }: NonNullable<Run['rows']>,
	deadline: number,
): Promise<{ items: INodeExecutionData[]; missingFiles: number }> {
	if (item.execution.isTool) {
		const limitedRows = entriesWithin(rows, MAX_TOOL_CONTENT);
		const missing = rows.length - limitedRows.length;
		const tooMany = missing > 0 ? `Rows left out of this response: ${missing}` : undefined;
		// Warnings of missing rows come first, those of invalid rows last.
		const aboutRows = [tooMany, leftOut].filter((warning) => warning !== undefined);
		const about: Run = { ...run, warnings: [...aboutRows, ...run.warnings, ...problems] };
		return { items: [{ json: forAgent(about, { rows: limitedRows as IDataObject[] }) }], missingFiles: 0 };
	}
	const items: INodeExecutionData[] = rows.map((row) => ({ json: row as IDataObject }));
	const [first] = items;
	if (!first || !item.request.rows?.includeRunDetails) return { items, missingFiles: 0 };
	const { files, binary, warnings } = await attachFiles(item, run.files, deadline);
	// n8n could not save thousands of copies (n8n#21746).
	for (const { json } of items) json.run = { thread_id: run.thread_id, status: run.status };
	const complete: Run = { ...run, files, furtherWarnings: [...run.furtherWarnings, ...warnings] };
	first.json.run = runDetails(withProblems(complete));
	Object.assign(first, withBinary(binary));
	return { items, missingFiles: countMissing(files) };
}
