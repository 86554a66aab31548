import type { IDataObject } from 'n8n-workflow';

import { isObject, snakeCase } from '../../values';
import { isToolPart, toolNameOf, type Part, type Run } from '../stream';

/** The text of each step that has any. The texts of one step are paragraphs. */
export function textsOf(parts: Part[]): string[] {
	const steps: string[][] = [[]];
	for (const part of parts) {
		if (part.type === 'step-start') steps.push([]);
		else if (part.type === 'text' && String(part.text).trim() !== '') steps.at(-1)!.push(String(part.text));
	}
	const joined = (texts: string[]) => (texts.length === 1 ? texts[0] : texts.map((text) => text.trim()).join('\n\n'));
	return steps.filter(({ length }) => length > 0).map(joined);
}

/** The named fields of a part, in snake case, without those that are absent. */
const inSnakeCase = (part: Part, names: string[]): IDataObject =>
	Object.fromEntries(
		names.filter((name) => part[name] !== undefined).map((name) => [snakeCase(name), part[name]]),
	) as IDataObject;

/** What a text cites, as sources: with version 7 of the AI SDK, a server sends no others unless it is told to. */
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
	const byAddress = new Map<unknown, IDataObject>();
	const named = parts.filter(({ type }) => type.startsWith('source-'));
	for (const part of [...named, ...parts.flatMap(citedBy)]) {
		const key = JSON.stringify([part.url ?? part.sourceId, part.title, part.filename]);
		const isCited = 'citedText' in part;
		const known = sources.get(key) ?? (isCited && part.url ? byAddress.get(part.url) : undefined);
		const source = known ?? inSnakeCase(part, SOURCE_FIELDS);
		if (!known) sources.set(key, source);
		if (!byAddress.has(part.url)) byAddress.set(part.url, source);
		if (isCited && typeof part.citedText === 'string') {
			source.cited_texts = [...((source.cited_texts as string[] | undefined) ?? []), part.citedText];
		}
	}
	return [...sources.values()];
}

function toolOf(part: Part): IDataObject {
	const { errorText: error } = part;
	const approvalId = (part.approval as { id?: unknown } | undefined)?.id;
	return {
		name: toolNameOf(part),
		...inSnakeCase(part, ['toolCallId', 'state', 'input', 'output']),
		...(error === undefined ? {} : { error: error as string }),
		...(approvalId === undefined ? {} : { approval_id: approvalId as string }),
	};
}

/** Makes the result of a run, in the fields of the operation *Run and Get Result*. */
export function resultOf(threadId: string | undefined, run: Run) {
	const { status, reason, message, data, approvals, finishReason, warnings, notes } = run;
	const { parts, metadata } = message;
	return {
		/** The text of the last step that has any. */
		text: textsOf(parts).at(-1) ?? '',
		status,
		thread_id: threadId ?? null,
		...(reason === undefined ? {} : { reason }),
		sources: sourcesOf(parts),
		files: parts.filter(({ type }) => type === 'file').map((part) => inSnakeCase(part, ['mediaType', 'url'])),
		data: data as IDataObject,
		tools: parts.filter(isToolPart).map(toolOf),
		/** What the run waits for. */
		approvals: approvals as unknown as IDataObject[],
		/** What the service says about the run, such as usage and cost. */
		metadata: (metadata ?? {}) as IDataObject,
		finish_reason: finishReason ?? null,
		/** What is missing first, then what was skipped. */
		warnings: [...warnings, ...notes],
	};
}

export type RunResult = ReturnType<typeof resultOf>;

/** The result of a run and of the one that followed it in its thread: how the later one ended, and what both returned. */
export function followedBy(earlier: RunResult, later: RunResult): RunResult {
	const known = new Set(earlier.sources.map(({ url, source_id: id }) => url ?? id));
	return {
		...later,
		text: [earlier.text, later.text].filter(Boolean).join('\n\n'),
		sources: [...earlier.sources, ...later.sources.filter(({ url, source_id: id }) => !known.has(url ?? id))],
		files: [...earlier.files, ...later.files],
		data: { ...earlier.data, ...later.data },
		tools: [...earlier.tools, ...later.tools],
		metadata: { ...(isObject(later.metadata) ? later.metadata : { later: later.metadata }), earlier: earlier.metadata },
		warnings: [...earlier.warnings, ...later.warnings],
	};
}

/** What everything that is told about a run begins with: its thread, how it ended, and why if it is not complete. */
export const headOf = (run: Pick<RunResult, 'thread_id' | 'status' | 'reason'>): IDataObject => ({
	thread_id: run.thread_id,
	status: run.status,
	...(run.reason === undefined ? {} : { reason: run.reason }),
});

/** A source by its title and address. */
export const briefly = ({ title, url, filename }: IDataObject): IDataObject => ({
	title: title ?? filename ?? null,
	url: url ?? null,
});

/**
 * The few fields that most workflows need, always the same ones and the long ones last.
 *
 * @param missing what is missing in the result, one sentence each
 */
export function simplify(result: RunResult, missing: string[]): IDataObject {
	const { text, status, thread_id, reason, sources, files, data, approvals } = result;
	return {
		text,
		status,
		thread_id,
		...(reason === undefined ? {} : { reason }),
		...(missing.length ? { warnings: missing } : {}),
		...(approvals.length ? { approvals } : {}),
		sources: sources.map(briefly),
		files,
		data,
	};
}
