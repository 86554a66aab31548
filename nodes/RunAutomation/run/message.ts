// Folds a run's chunks into its message, as the AI SDK does. Each chunk changes its part in place.

import { isObject } from '../../shared/values/nested';
import { ChunkNotAppliedError, notStarted, pick, requireText, type Chunk, type Part } from './chunk';
import { ToolCalls } from './tool-calls';

export interface Message {
	id: string;
	role: 'assistant';
	metadata?: unknown;
	parts: Part[];
}

/** The texts of each step. */
export function stepTextsOf(parts: Part[]): string[][] {
	const steps: string[][] = [[]];
	for (const part of parts) {
		if (part.type === 'step-start') steps.push([]);
		else if (part.type === 'text') steps.at(-1)!.push(String(part.text));
	}
	return steps;
}

type OpenText = Part & { text: string };

/** The texts that still accept deltas, by the ID in their chunks. */
type OpenTexts = Map<string, OpenText>;

/**
 * A run that lost one of these is incomplete. Tool calls are not listed: after an approval, they may be in an earlier
 * message.
 */
const RESULT_TYPES = ['text-delta', 'source-url', 'source-document', 'file', 'tool-approval-request'];

/** The AI SDK drops the name (vercel/ai#10735). */
const FILE_FIELDS = ['mediaType', 'url', 'filename', 'providerMetadata'];

/** Any other error is a defect. */
function whyNotApplied(error: Error): string {
	if (error instanceof ChunkNotAppliedError) return error.message;
	throw error;
}

const isUnsafeKey = (key: string): boolean => key === '__proto__' || key === 'constructor' || key === 'prototype';

/** Lists are replaced. What is kept is a copy, because chunks may be returned, too. */
function patched(before: unknown, patch: unknown): unknown {
	if (!isObject(patch)) return patch;
	const merged = isObject(before) ? before : {};
	for (const [key, value] of Object.entries(patch)) {
		if (!isUnsafeKey(key)) merged[key] = patched(merged[key], value);
	}
	return merged;
}

const dataKey = ({ type, id }: Part): string => JSON.stringify([type, id]);

/** Continues where the AI SDK throws. What precedes the first ID is kept, and incomplete input as text (`rawInput`). */
export class MessageFold {
	private static readonly handlers = new Map(
		Object.entries<(fold: MessageFold, chunk: Chunk) => unknown>({
			start: (fold, chunk) => fold.begin(chunk),
			'text-start': (fold, chunk) => fold.startText(fold.texts, chunk, 'text'),
			'text-delta': (fold, chunk) => fold.appendText(fold.texts, chunk, 'text'),
			'text-end': (fold, chunk) => fold.endText(fold.texts, chunk, ['citations']),
			'reasoning-start': (fold, chunk) => fold.startText(fold.reasonings, chunk, 'reasoning'),
			'reasoning-delta': (fold, chunk) => fold.appendText(fold.reasonings, chunk, 'reasoning'),
			'reasoning-end': (fold, chunk) => fold.endText(fold.reasonings, chunk),
			'source-url': (fold, chunk) => fold.push(chunk, ['sourceId', 'url', 'title', 'providerMetadata'], 'url'),
			'source-document': (fold, chunk) => {
				const fields = ['sourceId', 'mediaType', 'title', 'filename', 'providerMetadata'];
				fold.push(chunk, fields, chunk.filename == null ? 'title' : 'filename');
			},
			file: (fold, chunk) => fold.push(chunk, FILE_FIELDS, 'url'),
			'reasoning-file': (fold, chunk) => fold.push(chunk, FILE_FIELDS),
			custom: (fold, chunk) => fold.push(chunk, ['kind', 'providerMetadata']),
			'steering-message': (fold, chunk) => fold.push(chunk, ['id', 'parts']),
			'tool-input-start': (fold, chunk) => fold.tools.setInput(chunk, 'input-streaming', 'inputEncoding'),
			'tool-input-delta': (fold, chunk) => fold.tools.appendInput(chunk),
			'tool-input-available': (fold, chunk) => fold.tools.setInput(chunk, 'input-available', 'input'),
			'tool-input-error': (fold, chunk) => fold.tools.setInput(chunk, 'output-error', 'input', 'errorText'),
			'tool-output-available': (fold, chunk) => fold.tools.setOutput(chunk, 'output-available'),
			'tool-output-error': (fold, chunk) => fold.tools.setOutput(chunk, 'output-error'),
			'tool-output-denied': (fold, chunk) => fold.tools.denyOutput(chunk),
			'tool-approval-request': (fold, chunk) => fold.tools.requestApproval(chunk),
			'tool-approval-response': (fold, chunk) => fold.tools.respondToApproval(chunk),
			'start-step': (fold) => fold.startStep(),
			'reset-step': (fold) => fold.resetStep(),
			'message-metadata': (fold, chunk) => fold.patchMetadata(chunk),
			finish: (fold, chunk) => fold.finish(chunk),
		}),
	);

	/** These change nothing in the message. */
	private static readonly others = ['finish-step', 'abort', 'error'];

	static knows(type: string): boolean {
		return MessageFold.handlers.has(type) || MessageFold.others.includes(type) || type.startsWith('data-');
	}

	finishReason: string | undefined = undefined;
	private id: string | undefined = undefined;
	private metadata: unknown = undefined;
	private readonly parts: Part[] = [];
	private texts: OpenTexts = new Map();
	private reasonings: OpenTexts = new Map();
	private readonly tools = new ToolCalls(this.parts);
	private readonly dataParts = new Map<string, Part>();

	/** @param data of earlier messages */
	constructor(readonly data: Record<string, unknown> = {}) {}

	forChunk(chunk: Chunk): MessageFold {
		if (chunk.type !== 'start') return this;
		const { messageId } = chunk;
		const isOther = this.id !== undefined && typeof messageId === 'string' && messageId !== this.id;
		return isOther ? new MessageFold(this.data) : this;
	}

	/** Returns why a chunk cannot be applied, and whether the result lacks something then. */
	apply(chunk: Chunk): { text: string; isLoss: boolean } | undefined {
		const { type } = chunk;
		const handler = MessageFold.handlers.get(type);
		try {
			if (handler) handler(this, chunk);
			else if (type.startsWith('data-')) this.setData(chunk);
			else if (!MessageFold.others.includes(type))
				return { text: `Skipped a chunk of the unknown type "${type}"`, isLoss: false };
		} catch (error) {
			const why = whyNotApplied(error as Error);
			return { text: `Skipped a chunk of type "${type}": ${why}`, isLoss: RESULT_TYPES.includes(type) };
		}
		return undefined;
	}

	message(): Message {
		this.tools.completeInputs();
		return {
			id: this.id ?? '',
			role: 'assistant',
			...(this.metadata !== undefined && { metadata: this.metadata }),
			parts: this.parts,
		};
	}

	private patchMetadata({ messageMetadata: patch }: Chunk): void {
		if (patch != null) this.metadata = patched(this.metadata, patch);
	}

	private push(chunk: Chunk, fields: string[], required?: string): void {
		if (required) requireText(chunk, required);
		this.parts.push({ type: chunk.type, ...pick(chunk, ...fields) });
	}

	private begin(chunk: Chunk): void {
		if (typeof chunk.messageId === 'string') this.id = chunk.messageId;
		this.patchMetadata(chunk);
	}

	private finish(chunk: Chunk): void {
		if (typeof chunk.finishReason === 'string') this.finishReason = chunk.finishReason;
		this.patchMetadata(chunk);
	}

	private startText(open: OpenTexts, chunk: Chunk, type: 'reasoning' | 'text'): OpenText {
		const head = type === 'reasoning' ? { type, id: chunk.id } : { type };
		const part = { ...head, text: '', state: 'streaming', ...pick(chunk, 'providerMetadata') };
		open.set(requireText(chunk, 'id'), part);
		this.parts.push(part);
		return part;
	}

	/** The text of a delta without a start is kept. */
	private appendText(open: OpenTexts, chunk: Chunk, type: 'reasoning' | 'text'): void {
		const delta = requireText(chunk, 'delta');
		const part = open.get(requireText(chunk, 'id')) ?? this.startText(open, chunk, type);
		part.text += delta;
		if (chunk.providerMetadata) part.providerMetadata = chunk.providerMetadata;
	}

	private endText(open: OpenTexts, chunk: Chunk, fields: string[] = []): void {
		const id = requireText(chunk, 'id');
		const part = open.get(id);
		if (!part) throw notStarted('part', id);
		Object.assign(part, { state: 'done' }, pick(chunk, 'providerMetadata', ...fields));
		open.delete(id);
	}

	private startStep(): void {
		this.parts.push({ type: 'step-start' });
		this.tools.startStep();
	}

	private resetStep(): void {
		const removed = this.parts.splice(this.parts.findLastIndex(({ type }) => type === 'step-start') + 1);
		this.texts = new Map();
		this.reasonings = new Map();
		this.tools.resetStep(removed);
		for (const part of removed) this.dataParts.delete(dataKey(part));
	}

	private setData(chunk: Chunk): void {
		if (chunk.transient === true) return;
		const { type, id, data } = chunk;
		const existing = this.dataParts.get(dataKey(chunk));
		if (existing) existing.data = data;
		else {
			const part = { ...chunk };
			this.parts.push(part);
			if (id != null) this.dataParts.set(dataKey(chunk), part);
		}
		const kind = type.slice('data-'.length);
		if (!isUnsafeKey(kind)) this.data[kind] = data;
	}
}
