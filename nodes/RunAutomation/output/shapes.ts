// Shapes a result as an item's JSON: simplified, as details beside rows, or for an AI agent.

import type { IDataObject } from 'n8n-workflow';

import { withoutFileContents } from '../../shared/values/data-url';
import { changeTexts } from '../../shared/values/nested';
import { shorten } from '../../shared/values/text';
import { withoutUndefined, type RunResult } from '../result/result';

/** Characters for an AI agent, whose context is limited: of the text, and of any text beside it. */
const MAX_TOOL_TEXT = 20_000;
const MAX_TOOL_ENTRY = 500;

/** Entries of each list. */
const MAX_TOOL_ENTRIES = 20;

function textForTool(text: string): string {
	const shown = shorten(text, MAX_TOOL_TEXT);
	return shown === text ? text : `${shown} (${text.length} characters in all)`;
}

/** `limit` counts characters of JSON. */
export function entriesWithin<T>(entries: T[], limit: number): T[] {
	// A bracket or comma precedes each entry. A bracket follows the last.
	let left = limit - 1;
	const end = entries.findIndex((entry) => (left -= JSON.stringify(entry).length + 1) < 0);
	return end === -1 ? entries : entries.slice(0, end);
}

const briefly = (sources: IDataObject[]) =>
	sources.map(({ title, url, filename }) => ({ title: title ?? filename ?? null, url: url ?? null }));

const ifAny = <T>(list: T[]): T[] | undefined => (list.length ? list : undefined);

const forTool = <T>(value: T): T => changeTexts(value, (text) => shorten(text, MAX_TOOL_ENTRY));

const listForTool = <T>(list: T[]) => ifAny(forTool(list.slice(0, MAX_TOOL_ENTRIES)));

export const simplified = (result: RunResult): IDataObject =>
	withoutUndefined({
		...result,
		warnings: ifAny(result.warnings),
		approvals: ifAny(result.approvals),
		sources: briefly(result.sources),
		tools: undefined,
		metadata: undefined,
		finish_reason: undefined,
	});

/** *Include Run Details* adds these beside rows. */
export const runDetails = (result: RunResult): IDataObject =>
	withoutUndefined({
		...result,
		sources: briefly(result.sources),
		approvals: undefined,
		tools: undefined,
		finish_reason: undefined,
	});

/** The output has a limited size, and no binary data. `content` has its own limit. */
export const forAgent = (result: RunResult, content: IDataObject = { text: textForTool(result.text) }): IDataObject =>
	withoutUndefined({
		...content,
		status: result.status,
		thread_id: result.thread_id,
		reason: forTool(result.reason),
		blocked_by: result.blocked_by,
		warnings: listForTool(result.warnings),
		approvals: listForTool(result.approvals),
		sources: listForTool(briefly(result.sources)),
		files: listForTool(withoutFileContents(result.files)),
	});
