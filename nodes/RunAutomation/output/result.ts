import type { IDataObject } from 'n8n-workflow';

import { withoutFileContents } from '../../shared/data-url';
import { changeTexts, isObject } from '../../shared/nested';
import { shorten, shortenList, snakeCase } from '../../shared/text';
import type { ReportedRun } from '../reply/reply';
import { isToolPart, textsOf, toolNameOf, type Part } from '../run';

const withoutUndefined = (fields: Record<string, unknown>) =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as IDataObject;

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

/** The sources of a run, then what its texts cite. An agent that opens a page twice reports it twice, under another ID. */
function sourcesOf(parts: Part[]): IDataObject[] {
	const sources = new Map<string, IDataObject>();
	const byUrl = new Map<unknown, IDataObject>();
	const named = parts.filter(({ type }) => type.startsWith('source-'));
	for (const part of [...named, ...parts.flatMap(citedBy)]) {
		const key = JSON.stringify([part.url ?? part.sourceId, part.title, part.filename]);
		const isCited = 'citedText' in part;
		const known = sources.get(key) ?? (isCited && part.url ? byUrl.get(part.url) : undefined);
		const source = known ?? inSnakeCase(part, SOURCE_FIELDS);
		if (!known) sources.set(key, source);
		if (!byUrl.has(part.url)) byUrl.set(part.url, source);
		if (isCited && typeof part.citedText === 'string') {
			source.cited_texts = [...((source.cited_texts as string[] | undefined) ?? []), part.citedText];
		}
	}
	return [...sources.values()];
}

const filesOf = (parts: Part[]): IDataObject[] =>
	parts.filter(({ type }) => type === 'file').map((part) => inSnakeCase(part, ['mediaType', 'url']));

const toolOf = (part: Part): IDataObject =>
	withoutUndefined({
		name: toolNameOf(part),
		...inSnakeCase(part, ['toolCallId', 'state', 'input', 'rawInput', 'output']),
		error: part.errorText,
		approval_id: (part.approval as { id?: unknown } | undefined)?.id,
	});

/** Characters of text for an AI agent, whose context is limited. */
const MAX_TOOL_TEXT = 20_000;

/** Characters of the {@link SHARED_FIELDS} together. */
const MAX_TOOL_REST = 10_000;

const MAX_TOOL_LIST = 20;

const MAX_TOOL_WARNINGS = 5;

/** Characters of a reason, and of each text in a list, such as the URL of a source. */
const MAX_TOOL_ENTRY = 2000;

/** Characters of the input of a call that waits for an approval. */
const MAX_TOOL_INPUT = 500;

function textForTool(text: string): string {
	const shown = shorten(text, MAX_TOOL_TEXT);
	return shown === text ? text : `${shown} (${text.length} characters in all)`;
}

function approvalForTool({ input, ...approval }: IDataObject): IDataObject {
	const text = JSON.stringify(input ?? null);
	return { ...approval, input: text.length > MAX_TOOL_INPUT ? shorten(text, MAX_TOOL_INPUT) : input };
}

/** The first entries of a list, up to a maximum number of characters of JSON. */
export function entriesWithin<T>(entries: T[], limit: number): T[] {
	// Each entry has a bracket or a comma before it, and the last entry a bracket after it.
	let left = limit - 1;
	const end = entries.findIndex((entry) => (left -= JSON.stringify(entry).length + 1) < 0);
	return end === -1 ? entries : entries.slice(0, end);
}

/** The title and URL of a source. */
const briefly = (sources: IDataObject[]) =>
	sources.map(({ title, url, filename }) => ({ title: title ?? filename ?? null, url: url ?? null }));

const unchanged = <T>(value: T) => value;
const ifAny = <T>(list: T[]) => (list.length ? list : undefined);
const listForTool = (list: IDataObject[]) =>
	ifAny(changeTexts(list.slice(0, MAX_TOOL_LIST), (text) => shorten(text, MAX_TOOL_ENTRY)));
const both = <T>(earlier: T[], later: T[]) => [...earlier, ...later];
const latest = <T>(_earlier: T, later: T) => later;
const everywhere = { simple: unchanged, tool: unchanged, details: unchanged };

/** How a field is merged, and how parts of a result show it. Fields without a function, and undefined values, are left out. */
interface Handling<T> {
	/** Merges the values of a run and of the run that followed it in its thread. */
	followed(earlier: T, later: T): T;
	/** With *Simplify*. */
	simple?(value: T): unknown;
	/** For an AI agent, which gets no binary data: of a bounded size. */
	tool?(value: T): unknown;
	/** In the field `run` of *Include Run Details*. */
	details?(value: T): unknown;
}

const field = <T>(of: (run: ReportedRun, threadId?: string) => T, handling: Handling<NoInfer<T>>) => ({
	of,
	handling,
});

/** The fields of the operation *Run and Get Result*, in their order. */
export const RESULT_FIELDS = {
	text: field(({ message }) => textsOf(message.parts).at(-1) ?? '', {
		...everywhere,
		followed: (earlier, later) => [earlier, later].filter(Boolean).join('\n\n'),
		tool: textForTool,
	}),
	status: field(({ status }) => status, { ...everywhere, followed: latest }),
	thread_id: field((_run, threadId) => threadId ?? null, { ...everywhere, followed: latest }),
	reason: field(({ reason }) => reason, {
		...everywhere,
		followed: latest,
		tool: (reason) => reason && shorten(reason, MAX_TOOL_ENTRY),
	}),
	/** The obstacle that stopped the agent, if it used a word of the list. */
	blocked_by: field(({ blockedBy }) => blockedBy, { ...everywhere, followed: latest }),
	/** Missing parts first, then skipped ones. */
	warnings: field(({ warnings, notes }) => [...warnings, ...notes], {
		followed: both,
		simple: ifAny,
		tool: (warnings) => ifAny(shortenList(warnings, MAX_TOOL_WARNINGS).map((text) => shorten(text, MAX_TOOL_ENTRY))),
		details: unchanged,
	}),
	/** The calls that the run waits for. */
	approvals: field(({ approvals }) => approvals as unknown as IDataObject[], {
		followed: latest,
		simple: ifAny,
		tool: (approvals) => listForTool(approvals.map(approvalForTool)),
	}),
	sources: field(({ message }) => sourcesOf(message.parts), {
		followed: (earlier, later) => {
			const known = new Set(earlier.map(({ url, source_id: id }) => url ?? id));
			return [...earlier, ...later.filter(({ url, source_id: id }) => !known.has(url ?? id))];
		},
		simple: briefly,
		tool: (sources) => listForTool(briefly(sources)),
		details: briefly,
	}),
	files: field(({ message }) => filesOf(message.parts), {
		...everywhere,
		followed: both,
		tool: (files) => listForTool(withoutFileContents(files)),
	}),
	data: field(({ data }) => data as IDataObject, {
		followed: (earlier, later) => ({ ...earlier, ...later }),
		simple: unchanged,
		details: unchanged,
	}),
	tools: field(({ message }) => message.parts.filter(isToolPart).map(toolOf), { followed: both }),
	/** The service's data about the run, such as usage and cost. */
	metadata: field(({ message }) => (message.metadata ?? {}) as IDataObject, {
		followed: (earlier, later) => ({ ...(isObject(later) ? later : { later }), earlier }),
		details: unchanged,
	}),
	finish_reason: field(({ finishReason }) => finishReason ?? null, { followed: latest }),
};

type Name = keyof typeof RESULT_FIELDS;

export type RunResult = { [name in Name]: ReturnType<(typeof RESULT_FIELDS)[name]['of']> };

const RESULT_NAMES = Object.keys(RESULT_FIELDS) as Name[];

/** The fields for an AI agent that share a size, the most useful first. All others decide its next step. */
const SHARED_FIELDS: Name[] = ['reason', 'warnings', 'files', 'sources'];

function withinToolSize(shown: IDataObject): IDataObject {
	const shortened = { ...shown };
	let left = MAX_TOOL_REST;
	for (const name of SHARED_FIELDS) {
		const value = shown[name];
		if (Array.isArray(value)) shortened[name] = ifAny(entriesWithin(value, left));
		left -= JSON.stringify(shortened[name] ?? '').length;
	}
	return withoutUndefined(shortened);
}

const withEach = (valueOf: (name: Name, handling: Handling<unknown>) => unknown) =>
	withoutUndefined(Object.fromEntries(RESULT_NAMES.map((name) => [name, valueOf(name, RESULT_FIELDS[name].handling)])));

/** Makes the result of a run. */
export const resultOf = (threadId: string | undefined, run: ReportedRun) =>
	withEach((name) => RESULT_FIELDS[name].of(run, threadId)) as RunResult;

/** The result of a run and of the run that followed it in its thread: the end of the later run, and the output of both. */
export const followedBy = (earlier: RunResult, later: RunResult) =>
	withEach((name, { followed }) => followed(earlier[name], later[name])) as RunResult;

/** The part of a result that *Simplify*, an AI agent or the run details show. */
export function shownOf(result: Partial<RunResult>, to: 'simple' | 'tool' | 'details'): IDataObject {
	const shown = withEach((name, handling) => (result[name] === undefined ? undefined : handling[to]?.(result[name])));
	return to === 'tool' ? withinToolSize(shown) : shown;
}

const MAX_LISTED_PROBLEMS = 100;

/** The result with the problems of its rows among its warnings. */
export const withProblems = (result: RunResult, problems: string[]): RunResult => ({
	...result,
	warnings: [...result.warnings, ...shortenList(problems, MAX_LISTED_PROBLEMS)],
});
