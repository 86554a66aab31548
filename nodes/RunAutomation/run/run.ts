// One run, as all later steps read it. `read-run.ts` makes it once, and nothing changes it.

import { urlOfFile } from '../../shared/values/data-url';
import { snakeCase } from '../../shared/values/text';
import type { BlockedBy } from '../reply/not-done';
import type { RowsInReply } from '../reply/read-rows';
import type { Chunk, Part } from './chunk';
import type { Message } from './message';
import { isToolPart, toolNameOf } from './tool-calls';

/** `not_done` comes from the agent's text. */
export type RunStatus =
	| 'completed'
	| 'needs_approval'
	| 'incomplete'
	| 'not_done'
	| 'failed'
	| 'aborted'
	| 'interrupted'
	| 'timed_out';

/** JSON of the service, as output items have it. */
export type Fields = Record<string, unknown>;

export interface Run {
	status: RunStatus;
	thread_id: string | null;
	/** Why it is not completed. */
	reason?: string;
	blocked_by?: BlockedBy;
	/** The agent's reply, in Markdown. For rows, the texts of all steps, else of the last step that has any. */
	text: string;
	/** Only the operation `rows` has them. */
	rows?: RowsInReply;
	/** Sentences on what is missing. */
	warnings: string[];
	/** Sentences that only the complete output has, after `warnings`, such as on lines that were skipped without a loss. */
	furtherWarnings: string[];
	approvals: Approval[];
	sources: Fields[];
	files: Fields[];
	/** The last value of each kind of data part that is not transient. */
	data: Fields;
	tools: Fields[];
	/** It may contain usage and cost. */
	metadata: Fields;
	finish_reason: string | null;
	/** As the service sent it. */
	message: Message;
	/** The list is empty unless chunks are returned. */
	chunks: Chunk[];
	/** Set if it depends on more than the status. */
	advice?: string;
	/** True if the run may go on, whatever its status says: the connection broke, or later output is missing. */
	mayBeRunning?: boolean;
}

export interface Approval {
	approval_id: unknown;
	tool: string;
	tool_call_id: string;
	/** Text, if it never became complete. */
	input: unknown;
	reason: string | null;
}

/** The service itself decides on an automatic approval. */
export const approvalsIn = (parts: Part[]): Approval[] =>
	parts
		.filter(isToolPart)
		.filter(({ state, approval }) => state === 'approval-requested' && approval?.isAutomatic !== true)
		.map((part) => ({
			approval_id: part.approval!.id,
			tool: toolNameOf(part),
			tool_call_id: part.toolCallId,
			input: 'input' in part ? part.input : part.rawInput,
			reason: typeof part.approval!.requestReason === 'string' ? part.approval!.requestReason : null,
		}));

export const withoutUndefined = <T extends object>(fields: T): T =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

const inSnakeCase = (part: Part, names: string[]): Fields =>
	withoutUndefined(Object.fromEntries(names.map((name) => [snakeCase(name), part[name]])));

/** Browsers scroll to this text. It is no part of a page's URL. */
const TEXT_FRAGMENT = /#?:~:text=[^]*$/;

/** Lists each URL once: an agent that opens a page twice reports two IDs. */
export function sourcesIn(parts: Part[]): Fields[] {
	const found = parts.filter(({ type }) => type.startsWith('source-'));
	// Servers with version 7 of the AI SDK send sources only as citations by default.
	for (const citation of parts.flatMap(({ citations }) => (Array.isArray(citations) ? (citations as unknown[]) : []))) {
		const { source, citedText } = Object(citation) as Record<string, unknown>;
		const cited = Object(source) as Record<string, unknown>;
		const isUrl = cited.sourceType === 'url' && typeof cited.url === 'string';
		if (isUrl || cited.sourceType === 'document')
			found.push({ ...cited, type: `source-${cited.sourceType as string}`, sourceId: cited.id, citedText });
	}
	const sources = new Map<unknown, Fields>();
	for (const part of found) {
		const { url, sourceId, title, filename, citedText } = part;
		const key = typeof url === 'string' ? url.replace(TEXT_FRAGMENT, '') : JSON.stringify([sourceId, title, filename]);
		const known = sources.get(key);
		const source = known ?? inSnakeCase(part, ['type', 'sourceId', 'url', 'mediaType', 'title', 'filename']);
		sources.set(key, source);
		if (typeof citedText === 'string') ((source.cited_texts ??= []) as string[]).push(citedText);
	}
	return [...sources.values()];
}

export const filesIn = (parts: Part[]): Fields[] =>
	parts
		.filter(({ type }) => type === 'file')
		.map(({ url, ...part }) => {
			const file = typeof url === 'string' ? { ...part, url: urlOfFile(url) } : part;
			return inSnakeCase(file, ['mediaType', 'url', 'filename']);
		});

export const toolsIn = (parts: Part[]): Fields[] =>
	parts.filter(isToolPart).map((part) =>
		withoutUndefined({
			name: toolNameOf(part),
			...inSnakeCase(part, ['toolCallId', 'state', 'input', 'rawInput', 'output']),
			error: part.errorText,
			approval_id: part.approval?.id,
		}),
	);
