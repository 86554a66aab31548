// Makes the output's fields from a run.

import type { IDataObject } from 'n8n-workflow';

import { urlOfFile } from '../../shared/values/data-url';
import { shortenList, snakeCase } from '../../shared/values/text';
import type { BlockedBy } from '../reply/not-done';
import type { Reply } from '../reply/reply';
import type { Part } from '../run/message/chunk';
import type { RunStatus } from '../run/ending';
import { textsOf } from '../run/message/message';
import { isToolPart, toolNameOf } from '../run/message/tool-calls';

export const withoutUndefined = <T extends object>(fields: T): T & IDataObject =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T & IDataObject;

const inSnakeCase = (part: Part, names: string[]): IDataObject =>
	withoutUndefined(Object.fromEntries(names.map((name) => [snakeCase(name), part[name]])));

/** Servers with version 7 of the AI SDK send sources only as citations by default. */
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

/** Lists each URL once: an agent that opens a page twice reports two IDs. */
function sourcesOf(parts: Part[]): IDataObject[] {
	const sources = new Map<unknown, IDataObject>();
	const named = parts.filter(({ type }) => type.startsWith('source-'));
	for (const part of [...named, ...parts.flatMap(citedBy)]) {
		const { url, sourceId, title, filename, citedText } = part;
		const key = url ?? JSON.stringify([sourceId, title, filename]);
		const source = sources.get(key) ?? inSnakeCase(part, SOURCE_FIELDS);
		sources.set(key, source);
		if (typeof citedText === 'string') ((source.cited_texts ??= []) as string[]).push(citedText);
	}
	return [...sources.values()];
}

const filesOf = (parts: Part[]): IDataObject[] =>
	parts
		.filter(({ type }) => type === 'file')
		.map(({ url, ...part }) => {
			const file = typeof url === 'string' ? { ...part, url: urlOfFile(url) } : part;
			return inSnakeCase(file, ['mediaType', 'url', 'filename']);
		});

const toolOf = (part: Part): IDataObject =>
	withoutUndefined({
		name: toolNameOf(part),
		...inSnakeCase(part, ['toolCallId', 'state', 'input', 'rawInput', 'output']),
		error: part.errorText,
		approval_id: (part.approval as { id?: unknown } | undefined)?.id,
	});

/** The output of *Run and Get Result*, in its order. */
export interface RunResult {
	/** The text of the last step that has any, in Markdown. */
	text: string;
	status: RunStatus;
	thread_id: string | null;
	reason?: string;
	blocked_by?: BlockedBy;
	/** Missing parts come first, then skipped ones. */
	warnings: string[];
	approvals: IDataObject[];
	sources: IDataObject[];
	files: IDataObject[];
	/** The last value of each kind of data part. */
	data: IDataObject;
	tools: IDataObject[];
	/** It may contain usage and cost. */
	metadata: IDataObject;
	finish_reason: string | null;
}

/** Rows may be in any step's text. */
export function resultOf({ threadId, run, rows }: Reply): RunResult {
	const { parts, metadata = {} } = run.message;
	const texts = textsOf(parts);
	return withoutUndefined({
		text: rows ? texts.join('\n\n') : (texts.at(-1) ?? ''),
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

const MAX_LISTED_PROBLEMS = 100;

export const withProblems = (result: RunResult, problems: string[]): RunResult => ({
	...result,
	warnings: [...result.warnings, ...shortenList(problems, MAX_LISTED_PROBLEMS)],
});
