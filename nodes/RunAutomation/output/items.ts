// Makes output items of a run: its result, simplified or complete, its rows, its raw output, or what an AI agent gets.

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { KnownRun } from '../../shared/failure/failure';
import { withBinary } from '../../shared/items/outcome';
import type { NodeInExecution } from '../../shared/n8n/execution';
import { withoutFileContents } from '../../shared/values/data-url';
import { changeTexts } from '../../shared/values/nested';
import { shorten, shortenList } from '../../shared/values/text';
import type { RunRequest } from '../form/run-request';
import { withoutUndefined, type Fields, type Run } from '../run/run';
import { attachFiles } from './files';

/** Characters for an AI agent, whose context is limited: of the text or the rows, of all lists beside them, and of any text there. */
const MAX_TOOL_CONTENT = 20_000;
const MAX_TOOL_LISTS = 9_000;
const MAX_TOOL_ENTRY = 500;

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
		warnings: [...run.warnings, ...run.skipped],
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

/** The output has a limited size, and no binary data. `content` has its own limit. */
export function forAgent(run: Run, content?: IDataObject): IDataObject {
	const brief = <T>(value: T): T => changeTexts(value, (text) => shorten(text, MAX_TOOL_ENTRY));
	let left = MAX_TOOL_LISTS;
	const within = <T>(entries: T[]) =>
		ifAny(brief(entries.slice(0, MAX_TOOL_ENTRIES)).filter((entry) => (left -= JSON.stringify(entry).length + 1) >= 0));
	// The most useful lists come first, because later ones get what is left.
	const approvals = within(
		run.approvals.map((approval) => {
			const input = JSON.stringify(approval.input ?? null);
			return input.length > MAX_TOOL_ENTRY ? { ...approval, input } : approval;
		}),
	);
	const warnings = within(run.warnings);
	const files = within(withoutFileContents(run.files));
	const sources = within(briefly(run.sources));
	const shown = shorten(run.text, MAX_TOOL_CONTENT);
	const text = shown === run.text ? shown : `${shown} (${run.text.length} characters in all)`;
	return withoutUndefined({
		...(content ?? { text }),
		status: run.status,
		thread_id: run.thread_id,
		reason: brief(run.reason),
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
	skipped: [...run.skipped, ...shortenList(run.rows?.problems ?? [], MAX_LISTED_PROBLEMS)],
});

export interface EndedItem extends NodeInExecution {
	readonly request: RunRequest;
}

/**
 * @param deadline milliseconds of `performance.now` at which downloads end
 * @returns items, and sentences on files that they lack
 */
export async function itemsOf(
	item: EndedItem,
	run: Run,
	deadline: number,
): Promise<{ items: INodeExecutionData[]; missingFiles: string[] }> {
	const { execution, request } = item;
	if (run.rows) return await rowItems(item, run, run.rows, deadline);
	if (request.operation === 'raw' && !execution.isTool) {
		const { status, thread_id, reason, message, warnings, skipped } = run;
		const head = { status, thread_id, ...(reason !== undefined && { reason }) };
		// An empty run still has a thread.
		const chunks = run.chunks.length > 0 ? run.chunks.map((chunk) => ({ chunk })) : [{}];
		const parts = request.keepsChunks ? chunks : [{ message, warnings: [...warnings, ...skipped] }];
		return { items: parts.map((fields) => ({ json: { ...head, ...fields } as IDataObject })), missingFiles: [] };
	}
	const { files, binary, warnings: missingFiles } = await attachFiles(item, run.files, deadline);
	const complete: Run = { ...run, files, skipped: [...run.skipped, ...missingFiles] };
	const brief: Run = { ...run, files, warnings: [...run.warnings, ...missingFiles] };
	const shown = request.simplify ? simplified(brief) : completeOutput(complete);
	return { items: [{ json: execution.isTool ? forAgent(brief) : shown, ...withBinary(binary) }], missingFiles };
}

/** The first row gets the files. An AI agent gets all rows in one item. */
async function rowItems(
	item: EndedItem,
	run: Run,
	{ rows, problems, leftOut }: NonNullable<Run['rows']>,
	deadline: number,
): Promise<{ items: INodeExecutionData[]; missingFiles: string[] }> {
	if (item.execution.isTool) {
		// A bracket or comma precedes each entry. A bracket follows the last.
		let left = MAX_TOOL_CONTENT - 1;
		const end = rows.findIndex((row) => (left -= JSON.stringify(row).length + 1) < 0);
		const shown = end === -1 ? rows : rows.slice(0, end);
		const tooMany = end === -1 ? undefined : `Rows left out of this response: ${rows.length - end}`;
		// Warnings of missing rows come first, those of invalid rows last.
		const aboutRows = [tooMany, leftOut].filter((warning) => warning !== undefined);
		const about: Run = { ...run, warnings: [...aboutRows, ...run.warnings, ...problems] };
		return { items: [{ json: forAgent(about, { rows: shown as IDataObject[] }) }], missingFiles: [] };
	}
	const items: INodeExecutionData[] = rows.map((row) => ({ json: row as IDataObject }));
	const [first] = items;
	if (!first || !item.request.rows?.includeRunDetails) return { items, missingFiles: [] };
	const { files, binary, warnings: missingFiles } = await attachFiles(item, run.files, deadline);
	// n8n could not save thousands of copies (n8n#21746).
	for (const { json } of items) json.run = { thread_id: run.thread_id, status: run.status };
	const complete: Run = { ...run, files, skipped: [...run.skipped, ...missingFiles] };
	first.json.run = runDetails(withProblems(complete));
	Object.assign(first, withBinary(binary));
	return { items, missingFiles };
}
