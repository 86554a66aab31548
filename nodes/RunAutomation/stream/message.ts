import { isObject, shorten } from '../../values';
import type { Chunk } from './chunk';
import { ChunkNotApplied, notStarted, pick, requireText, type Part } from './part';
import { TextBuffer } from './text-buffer';
import { ToolCalls } from './tool-calls';

/** The message that a stream is folded into; absent fields are not there, never undefined. */
export interface Message {
	id: string;
	role: 'assistant';
	metadata?: unknown;
	parts: Part[];
}

/** Parts of text that still take deltas, by the ID that their chunks name. */
type OpenTexts = Map<string, { part: Part; text: TextBuffer }>;

/** Why a chunk could not be applied, and whether something of the result is missing because of that. */
interface Skipped {
	text: string;
	isLoss: boolean;
}

/** The types without which a run is not complete. After an approval, a server goes on with calls of an earlier message. */
const RESULT_TYPES = ['text-delta', 'source-url', 'source-document', 'file', 'tool-approval-request'];

/** Keys that would reach a prototype instead of the object. */
const isUnsafeKey = (key: string): boolean => key === '__proto__' || key === 'constructor' || key === 'prototype';

/**
 * Merges a patch of message metadata into what is there: objects deeply, everything else replaced, arrays included.
 * A patch of null or undefined changes nothing.
 */
function mergeMetadata(base: unknown, patch: unknown): unknown {
	if (patch == null) return base;
	if (!isObject(base) || !isObject(patch)) return patch;
	const merged: Record<string, unknown> = { ...base };
	for (const [key, value] of Object.entries(patch)) {
		if (isUnsafeKey(key)) continue;
		merged[key] = isObject(value) && isObject(merged[key]) ? mergeMetadata(merged[key], value) : value;
	}
	return merged;
}

/**
 * Folds the chunks of one run into its message, in one pass: each chunk costs the same however long the message is.
 * Makes the same message as the AI SDK's own reader for every sequence that reader accepts, and continues where that
 * one throws.
 */
export class MessageFold {
	/** Last `data` of each `data-*` kind that is not transient, by the kind's name. */
	readonly data: Record<string, unknown> = {};

	finishReason: string | undefined;

	/** A `start` with another one begins the message anew. */
	id = '';

	private metadata: unknown;

	private parts: Part[] = [];

	/** Index of the first part of the current step. */
	private stepStart = 0;

	private texts: OpenTexts = new Map();

	private reasonings: OpenTexts = new Map();

	private tools = this.newTools();

	/** By their type, then by their id; those without an id are never replaced. */
	private dataParts = new Map<string, Map<unknown, Part>>();

	/** How each chunk type changes the message. Types that end or steer a run change nothing in it. */
	private readonly handlers = new Map<string, (chunk: Chunk) => void>(
		Object.entries({
			start: (chunk) => this.start(chunk),
			'text-start': (chunk) => this.startText(this.texts, chunk, { type: 'text' }),
			'text-delta': (chunk) => this.appendLooseText(chunk),
			'text-end': (chunk) => Object.assign(this.endText(this.texts, chunk), pick(chunk, 'citations')),
			'reasoning-start': (chunk) => this.startText(this.reasonings, chunk, { type: 'reasoning', id: chunk.id }),
			'reasoning-delta': (chunk) => this.appendText(this.reasonings, chunk),
			'reasoning-end': (chunk) => void this.endText(this.reasonings, chunk),
			'source-url': (chunk) => {
				requireText(chunk, 'url');
				this.push(chunk, 'sourceId', 'url', 'title', 'providerMetadata');
			},
			'source-document': (chunk) => {
				requireText(chunk, chunk.filename == null ? 'title' : 'filename');
				this.push(chunk, 'sourceId', 'mediaType', 'title', 'filename', 'providerMetadata');
			},
			file: (chunk) => {
				requireText(chunk, 'url');
				this.push(chunk, 'mediaType', 'url', 'providerMetadata');
			},
			'reasoning-file': (chunk) => this.push(chunk, 'mediaType', 'url', 'providerMetadata'),
			custom: (chunk) => this.push(chunk, 'kind', 'providerMetadata'),
			'steering-message': (chunk) => this.push(chunk, 'id', 'parts'),
			'tool-input-start': (chunk) => this.tools.startInput(chunk),
			'tool-input-delta': (chunk) => this.tools.appendInput(chunk),
			'tool-input-available': (chunk) => this.tools.setInput(chunk),
			'tool-input-error': (chunk) => this.tools.setInputError(chunk),
			'tool-output-available': (chunk) => this.tools.setOutput(chunk),
			'tool-output-error': (chunk) => this.tools.setOutputError(chunk),
			'tool-output-denied': (chunk) => this.tools.denyOutput(chunk),
			'tool-approval-request': (chunk) => this.tools.requestApproval(chunk),
			'tool-approval-response': (chunk) => this.tools.respondToApproval(chunk),
			'start-step': () => this.startStep(),
			'finish-step': () => {},
			'reset-step': () => this.resetStep(),
			'message-metadata': (chunk) => this.patchMetadata(chunk),
			finish: (chunk) => this.finish(chunk),
			abort: () => {},
			error: () => {},
		} satisfies Record<string, (chunk: Chunk) => void>),
	);

	/** Applies one chunk, and returns why it could not be applied, if so. */
	apply(chunk: Chunk): Skipped | undefined {
		const { type } = chunk;
		const handler = this.handlers.get(type);
		try {
			if (handler) handler(chunk);
			else if (type.startsWith('data-')) this.setData(chunk);
			else return { text: `Skipped a chunk of the unknown type "${shorten(type)}"`, isLoss: false };
		} catch (error) {
			if (!(error instanceof ChunkNotApplied)) throw error;
			return { text: `Skipped a chunk of type "${type}": ${error.message}`, isLoss: RESULT_TYPES.includes(type) };
		}
		return undefined;
	}

	/** The message so far. It is not a copy: parts change when further chunks are applied. */
	message(): Message {
		this.showTexts();
		this.tools.showInputs();
		return {
			id: this.id,
			role: 'assistant',
			...(this.metadata === undefined ? {} : { metadata: this.metadata }),
			parts: this.parts,
		};
	}

	private newTools(): ToolCalls {
		return new ToolCalls((part) => this.parts.push(part));
	}

	private push(chunk: Chunk, ...fields: string[]): void {
		this.parts.push({ type: chunk.type, ...pick(chunk, ...fields) });
	}

	private start(chunk: Chunk): void {
		const { messageId } = chunk;
		if (typeof messageId === 'string' && messageId !== this.id) {
			this.id = messageId;
			this.metadata = undefined;
			this.finishReason = undefined;
			this.parts = [];
			this.stepStart = 0;
			this.texts = new Map();
			this.reasonings = new Map();
			this.tools = this.newTools();
			this.dataParts = new Map();
		}
		this.patchMetadata(chunk);
	}

	private finish(chunk: Chunk): void {
		if (typeof chunk.finishReason === 'string') this.finishReason = chunk.finishReason;
		this.patchMetadata(chunk);
	}

	private patchMetadata(chunk: Chunk): void {
		this.metadata = mergeMetadata(this.metadata, chunk.messageMetadata);
	}

	// Text and reasoning

	private startText(open: OpenTexts, chunk: Chunk, head: Part): void {
		const part = { ...head, text: '', state: 'streaming', ...pick(chunk, 'providerMetadata') };
		const id = requireText(chunk, 'id');
		const earlier = open.get(id);
		if (earlier) earlier.part.text = earlier.text.toString();
		open.set(id, { part, text: new TextBuffer() });
		this.parts.push(part);
	}

	private openText(open: OpenTexts, chunk: Chunk) {
		const id = requireText(chunk, 'id');
		const entry = open.get(id);
		if (!entry) throw notStarted('part', id);
		return entry;
	}

	/** A text whose start is missing is a part of its own: the AI SDK would throw. */
	private appendLooseText(chunk: Chunk): void {
		const isText = typeof chunk.id === 'string' && typeof chunk.delta === 'string';
		if (isText && !this.texts.has(chunk.id as string)) this.startText(this.texts, chunk, { type: 'text' });
		this.appendText(this.texts, chunk);
	}

	private appendText(open: OpenTexts, chunk: Chunk): void {
		const entry = this.openText(open, chunk);
		entry.text.append(requireText(chunk, 'delta'));
		if (chunk.providerMetadata) entry.part.providerMetadata = chunk.providerMetadata;
	}

	private endText(open: OpenTexts, chunk: Chunk): Part {
		const { part, text } = this.openText(open, chunk);
		open.delete(requireText(chunk, 'id'));
		return Object.assign(part, { text: text.toString(), state: 'done' }, pick(chunk, 'providerMetadata'));
	}

	/** Puts every text that still takes deltas into its part, as far as it has been received. */
	private showTexts(): void {
		for (const { part, text } of [...this.texts.values(), ...this.reasonings.values()]) part.text = text.toString();
	}

	// Steps

	private startStep(): void {
		this.parts.push({ type: 'step-start' });
		this.stepStart = this.parts.length;
		this.tools.startStep();
	}

	private resetStep(): void {
		const removed = new Set(this.parts.splice(this.stepStart));
		// Text of earlier steps stays in the message, but takes no further deltas.
		this.showTexts();
		this.texts = new Map();
		this.reasonings = new Map();
		this.tools.resetStep(removed);
		for (const parts of this.dataParts.values()) {
			for (const [id, part] of parts) if (removed.has(part)) parts.delete(id);
		}
	}

	// Data

	private setData(chunk: Chunk): void {
		if (chunk.transient === true) return;
		const existing = this.dataParts.get(chunk.type)?.get(chunk.id);
		if (existing) existing.data = chunk.data;
		else this.addData({ ...chunk });
		const kind = chunk.type.slice('data-'.length);
		if (!isUnsafeKey(kind)) this.data[kind] = chunk.data;
	}

	private addData(part: Part): void {
		this.parts.push(part);
		if (part.id == null) return;
		const parts = this.dataParts.get(part.type);
		if (parts) parts.set(part.id, part);
		else this.dataParts.set(part.type, new Map([[part.id, part]]));
	}
}
