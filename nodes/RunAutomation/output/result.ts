import type { IDataObject } from 'n8n-workflow';

import { withoutFileContents } from '../../shared/data-url';
import { changeTexts, isObject } from '../../shared/nested';
import { shorten, shortenList, snakeCase } from '../../shared/text';
import type { BlockedBy } from '../reply/not-done';
import type { ReportedRun } from '../reply/reply';
import type { Part } from '../run/chunk';
import type { RunStatus } from '../run/ending';
import { textsOf } from '../run/message';
import { isToolPart, toolNameOf } from '../run/tool-calls';

const withoutUndefined = <T extends object>(fields: T): T & IDataObject =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T & IDataObject;

const inSnakeCase = (part: Part, names: string[]): IDataObject =>
	withoutUndefined(Object.fromEntries(names.map((name) => [snakeCase(name), part[name]])));

/** The citations of a text, as sources: with version 7 of the AI SDK, a server sends no others by default. */
function citedBy({ citations }: Part): Part[] {
	return (Array.isArray(citations) ? citations : []).flatMap((citation) => {
		const { source, citedText } = Object(citation) as Record<string, unknown>;
		const cited = Object(source) as Record<string, unknown>;
		const isUrl = cited.sourceType === 'url' && typeof cited.url === 'string';
		if (!isUrl && cited.sourceType !== 'document') return [];
		return [{ ...cited, type: `source-${cited.sourceType}`, sourceId: cited.id, citedText }];
	});
}

const SOURCE_FIELDS = ['type', 'sourceId', 'url', 'mediaType', 'title', 'filename'];

/** Each URL once: an agent that opens a page twice reports it under two IDs. */
function sourcesOf(parts: Part[]): IDataObject[] {
	const sources = new Map<unknown, IDataObject>();
	const named = parts.filter(({ type }) => type.startsWith('source-'));
	for (const part of [...named, ...parts.flatMap(citedBy)]) {
		const { url, sourceId, title, filename, citedText } = part;
		const key = url ?? JSON.stringify([sourceId, title, filename]);
		const source = sources.get(key) ?? inSnakeCase(part, SOURCE_FIELDS);
		sources.set(key, source);
		if (typeof citedText === 'string') source.cited_texts = [...((source.cited_texts ?? []) as string[]), citedText];
	}
	return [...sources.values()];
}

const filesOf = (parts: Part[]): IDataObject[] =>
	parts.filter(({ type }) => type === 'file').map((part) => inSnakeCase(part, ['mediaType', 'url', 'filename']));

const toolOf = (part: Part): IDataObject =>
	withoutUndefined({
		name: toolNameOf(part),
		...inSnakeCase(part, ['toolCallId', 'state', 'input', 'rawInput', 'output']),
		error: part.errorText,
		approval_id: (part.approval as { id?: unknown } | undefined)?.id,
	});

/** Characters. The context of an AI agent is limited. */
const MAX_TOOL_TEXT = 20_000;

/** Of the {@link SHARED_FIELDS} together. */
const MAX_TOOL_REST = 10_000;
/** Of a reason, and of each text in a list. */
const MAX_TOOL_ENTRY = 2000;
const MAX_TOOL_INPUT = 500;

/** Entries. */
const MAX_TOOL_LIST = 20;
const MAX_TOOL_WARNINGS = 5;

function textForTool(text: string): string {
	const shown = shorten(text, MAX_TOOL_TEXT);
	return shown === text ? text : `${shown} (${text.length} characters in all)`;
}

function approvalForTool({ input, ...approval }: IDataObject): IDataObject {
	const text = JSON.stringify(input ?? null);
	return { ...approval, input: text.length > MAX_TOOL_INPUT ? shorten(text, MAX_TOOL_INPUT) : input };
}

/** The first entries whose JSON has at most `limit` characters. */
export function entriesWithin<T>(entries: T[], limit: number): T[] {
	// With a bracket or a comma before each entry, and a bracket at the end.
	let left = limit - 1;
	const end = entries.findIndex((entry) => (left -= JSON.stringify(entry).length + 1) < 0);
	return end === -1 ? entries : entries.slice(0, end);
}

const briefly = (sources: IDataObject[]) =>
	sources.map(({ title, url, filename }) => ({ title: title ?? filename ?? null, url: url ?? null }));

const ifAny = <T>(list: T[]): T[] | undefined => (list.length ? list : undefined);

const listForTool = (list: IDataObject[]) =>
	ifAny(changeTexts(list.slice(0, MAX_TOOL_LIST), (text) => shorten(text, MAX_TOOL_ENTRY)));

/** The output of *Run and Get Result*, in its order. */
export interface RunResult {
	/** Of the last step that has text; Markdown. */
	text: string;
	status: RunStatus;
	thread_id: string | null;
	reason?: string;
	/** The obstacle that stopped the agent. */
	blocked_by?: BlockedBy;
	/** Missing parts first, then skipped ones. */
	warnings: string[];
	approvals: IDataObject[];
	sources: IDataObject[];
	files: IDataObject[];
	/** The last value of each kind of data part. */
	data: IDataObject;
	tools: IDataObject[];
	/** Such as usage and cost. */
	metadata: IDataObject;
	finish_reason: string | null;
}

export function resultOf(threadId: string | undefined, run: ReportedRun): RunResult {
	const { parts, metadata = {} } = run.message;
	return withoutUndefined({
		text: textsOf(parts).at(-1) ?? '',
		status: run.status,
		thread_id: threadId ?? null,
		reason: run.reason,
		blocked_by: run.blockedBy,
		warnings: [...run.warnings, ...run.notes],
		approvals: run.approvals as unknown as IDataObject[],
		sources: sourcesOf(parts),
		files: filesOf(parts),
		data: run.data as IDataObject,
		tools: parts.filter(isToolPart).map(toolOf),
		metadata: metadata as IDataObject,
		finish_reason: run.finishReason ?? null,
	});
}

/** Of a run and the next one in its thread: the end of the later, and the output of both. */
export function followedBy(earlier: RunResult, later: RunResult): RunResult {
	const { metadata } = later;
	const known = new Set(earlier.sources.map(({ url, source_id: id }) => url ?? id));
	return {
		...later,
		text: [earlier.text, later.text].filter(Boolean).join('\n\n'),
		warnings: [...earlier.warnings, ...later.warnings],
		sources: [...earlier.sources, ...later.sources.filter(({ url, source_id: id }) => !known.has(url ?? id))],
		files: [...earlier.files, ...later.files],
		data: { ...earlier.data, ...later.data },
		tools: [...earlier.tools, ...later.tools],
		metadata: { ...(isObject(metadata) ? metadata : { later: metadata }), earlier: earlier.metadata },
	};
}

/** With *Simplify*. */
export const simplified = (result: RunResult): IDataObject =>
	withoutUndefined({
		text: result.text,
		status: result.status,
		thread_id: result.thread_id,
		reason: result.reason,
		blocked_by: result.blocked_by,
		warnings: ifAny(result.warnings),
		approvals: ifAny(result.approvals),
		sources: briefly(result.sources),
		files: result.files,
		data: result.data,
	});

/** With *Include Run Details*. */
export const runDetails = (result: RunResult): IDataObject =>
	withoutUndefined({
		text: result.text,
		status: result.status,
		thread_id: result.thread_id,
		reason: result.reason,
		blocked_by: result.blocked_by,
		warnings: result.warnings,
		sources: briefly(result.sources),
		files: result.files,
		data: result.data,
		metadata: result.metadata,
	});

/** Of a bounded size; `content` has its own bound. An AI agent gets no binary data. */
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

/** They share a size, the most useful first. All others decide the next step. */
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

const MAX_LISTED_PROBLEMS = 100;

export const withProblems = (result: RunResult, problems: string[]): RunResult => ({
	...result,
	warnings: [...result.warnings, ...shortenList(problems, MAX_LISTED_PROBLEMS)],
});
