// Shapes a result as an item's JSON: simplified, as details beside rows, or for an AI agent.

import type { IDataObject } from 'n8n-workflow';

import { withoutFileContents } from '../../shared/values/data-url';
import { changeTexts } from '../../shared/values/nested';
import { shorten, shortenList } from '../../shared/values/text';
import { withoutUndefined, type RunResult } from '../result/result';

/** Characters for an AI agent, whose context is limited. */
const MAX_TOOL_TEXT = 20_000;

/** Characters of the {@link SHARED_FIELDS} together. */
const MAX_TOOL_REST = 10_000;

/** Characters of a reason, and of each text in a list. */
const MAX_TOOL_ENTRY = 2000;

const MAX_TOOL_INPUT = 500;

const MAX_TOOL_ENTRIES = 20;

const MAX_TOOL_WARNINGS = 5;

function textForTool(text: string): string {
	const shown = shorten(text, MAX_TOOL_TEXT);
	return shown === text ? text : `${shown} (${text.length} characters in all)`;
}

function approvalForTool({ input, ...approval }: IDataObject): IDataObject {
	const text = JSON.stringify(input ?? null);
	return { ...approval, input: text.length > MAX_TOOL_INPUT ? shorten(text, MAX_TOOL_INPUT) : input };
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

const listForTool = (list: IDataObject[]) =>
	ifAny(changeTexts(list.slice(0, MAX_TOOL_ENTRIES), (text) => shorten(text, MAX_TOOL_ENTRY)));

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
	withinToolSize({
		...content,
		status: result.status,
		thread_id: result.thread_id,
		reason: result.reason && shorten(result.reason, MAX_TOOL_ENTRY),
		blocked_by: result.blocked_by,
		warnings: ifAny(shortenList(result.warnings, MAX_TOOL_WARNINGS).map((text) => shorten(text, MAX_TOOL_ENTRY))),
		approvals: listForTool(result.approvals.map(approvalForTool)),
		sources: listForTool(briefly(result.sources)),
		files: listForTool(withoutFileContents(result.files)),
	});

/** These are cut in this order to fit `MAX_TOOL_REST`. All others decide the next step. */
const SHARED_FIELDS = ['reason', 'warnings', 'files', 'sources'];

function withinToolSize(shown: object): IDataObject {
	const shortened = { ...shown } as IDataObject;
	let left = MAX_TOOL_REST;
	for (const name of SHARED_FIELDS) {
		const value = shortened[name];
		if (Array.isArray(value)) shortened[name] = ifAny(entriesWithin(value as unknown[], left)) as IDataObject[];
		left -= JSON.stringify(shortened[name] ?? '').length;
	}
	return withoutUndefined(shortened);
}
