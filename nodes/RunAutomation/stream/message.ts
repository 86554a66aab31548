import { brief } from './brief';
import type { Chunk } from './chunk';
import { isUnsafeKey, mergeMetadata } from './metadata';
import { parsePartialJson } from './partial-json';
import { TextBuffer } from './text-buffer';

/** One part of the message; which fields it has depends on `type` (UI message stream, version 1). */
export interface Part {
	type: string;
	[field: string]: unknown;
}

/** The message that a stream is folded into; absent fields are not there, never undefined. */
export interface Message {
	id: string;
	role: 'assistant';
	metadata?: unknown;
	parts: Part[];
}

interface ToolPart extends Part {
	toolCallId: string;
	state: string;
	approval?: Part;
}

/** The input of a tool call while it arrives. Parsed when somebody asks for it: parsing at each delta is quadratic. */
interface ToolInput {
	text: TextBuffer;
	toolName: string;
	isDynamic: boolean;
	inputEncoding: unknown;
	title: unknown;
	toolMetadata: unknown;
	/** The part that shows this input, as long as nothing else has set its state. */
	part?: ToolPart;
	/** The AI SDK shows no raw input where a first delta has made the part of a dynamic call, until the next delta. */
	hidesRawInput?: boolean;
}

/** What a chunk sets on a tool part. Fields that are absent are removed from the part, but for those that stick. */
interface ToolUpdate {
	state: string;
	toolName: string;
	toolCallId: string;
	input?: unknown;
	rawInput?: unknown;
	inputEncoding?: unknown;
	output?: unknown;
	errorText?: unknown;
	preliminary?: unknown;
	providerExecuted?: unknown;
	providerMetadata?: unknown;
	title?: unknown;
	toolMetadata?: unknown;
}

type Fields = Record<string, unknown>;

/** The named fields of a chunk that are there, null counted as absent. */
function pick(chunk: Chunk, ...names: string[]): Fields {
	const fields: Fields = {};
	for (const name of names) if (chunk[name] !== undefined && chunk[name] !== null) fields[name] = chunk[name];
	return fields;
}

function assignOrRemove(part: Part, name: string, value: unknown): void {
	if (value === undefined) delete part[name];
	else part[name] = value;
}

const isToolPart = (part: Part): part is ToolPart => part.type === 'dynamic-tool' || part.type.startsWith('tool-');

/** The name of the tool that a part is about. */
export const toolNameOf = (part: Part): string =>
	part.type === 'dynamic-tool' ? String(part.toolName) : part.type.slice('tool-'.length);

/** Thrown inside the fold for a chunk that cannot be applied; never leaves it. */
class ChunkNotApplied extends Error {}

function asText(value: unknown, field: string): string {
	if (typeof value !== 'string') throw new ChunkNotApplied(`it has no text in "${field}"`);
	return value;
}

const notStarted = (what: string, id: string) =>
	new ChunkNotApplied(`no ${what} with the id "${brief(id)}" was started`);

/**
 * Folds the chunks of one run into its message, in one pass: each chunk costs the same however long the message is.
 * Gives the message that the AI SDK's own reader gives for every sequence that reader accepts, and goes on where that
 * one throws.
 */
export class MessageFold {
	/** Last `data` of each `data-*` kind that is not transient, by the kind's name. */
	readonly data: Record<string, unknown> = {};

	finishReason: string | undefined;

	private id = '';

	private metadata: unknown;

	private parts: Part[] = [];

	private texts = new Map<string, { part: Part; text: TextBuffer }>();

	private reasonings = new Map<string, { part: Part; text: TextBuffer }>();

	private inputs = new Map<string, ToolInput>();

	private inputOf = new Map<ToolPart, ToolInput>();

	/** Index of the first part of the current step. */
	private stepStart = 0;

	private stepTools = new Map<string, ToolPart[]>();

	private tools = new Map<string, ToolPart[]>();

	private approvals: ToolPart[] = [];

	/** By their type, then by their id; those without an id are never replaced. */
	private dataParts = new Map<string, Map<unknown, Part>>();

	/** @param earlier the message that the stream continues; it is not changed, but for its parts */
	constructor(earlier?: Message) {
		if (!earlier) return;
		this.id = earlier.id;
		this.metadata = earlier.metadata;
		for (const part of earlier.parts) {
			if (part.type === 'step-start') this.startStep();
			else this.addPart(part);
		}
	}

	/** How each chunk type changes the message. Types that end or steer a run change nothing in it. */
	private readonly handlers = new Map<string, (chunk: Chunk) => void>(
		Object.entries({
			start: (chunk) => this.start(chunk),
			'text-start': (chunk) => this.startText(this.texts, chunk, { type: 'text' }),
			'text-delta': (chunk) => this.appendText(this.texts, chunk),
			'text-end': (chunk) => Object.assign(this.endText(this.texts, chunk), pick(chunk, 'citations')),
			'reasoning-start': (chunk) => this.startText(this.reasonings, chunk, { type: 'reasoning', id: chunk.id }),
			'reasoning-delta': (chunk) => this.appendText(this.reasonings, chunk),
			'reasoning-end': (chunk) => void this.endText(this.reasonings, chunk),
			'source-url': (chunk) => this.push(chunk, 'sourceId', 'url', 'title', 'providerMetadata'),
			'source-document': (chunk) => this.push(chunk, 'sourceId', 'mediaType', 'title', 'filename', 'providerMetadata'),
			file: (chunk) => this.push(chunk, 'mediaType', 'url', 'providerMetadata'),
			'reasoning-file': (chunk) => this.push(chunk, 'mediaType', 'url', 'providerMetadata'),
			custom: (chunk) => this.push(chunk, 'kind', 'providerMetadata'),
			'steering-message': (chunk) => this.push(chunk, 'id', 'parts'),
			'tool-input-start': (chunk) => this.startToolInput(chunk),
			'tool-input-delta': (chunk) => this.appendToolInput(chunk),
			'tool-input-available': (chunk) => this.setToolInput(chunk),
			'tool-input-error': (chunk) => this.setToolInputError(chunk),
			'tool-output-available': (chunk) => this.setToolOutput(chunk),
			'tool-output-error': (chunk) => this.setToolOutputError(chunk),
			'tool-output-denied': (chunk) => void (this.findTool(chunk).state = 'output-denied'),
			'tool-approval-request': (chunk) => this.requestApproval(chunk),
			'tool-approval-response': (chunk) => this.respondToApproval(chunk),
			'start-step': () => this.startStep(),
			'finish-step': () => {},
			'reset-step': () => this.resetStep(),
			'message-metadata': (chunk) => this.patchMetadata(chunk),
			finish: (chunk) => this.finish(chunk),
			abort: () => {},
			error: () => {},
		} satisfies Record<string, (chunk: Chunk) => void>),
	);

	/**
	 * Applies one chunk.
	 *
	 * @returns why it could not be applied, or undefined where it was
	 */
	apply(chunk: Chunk): string | undefined {
		const handler = this.handlers.get(chunk.type);
		try {
			if (handler) handler(chunk);
			else if (chunk.type.startsWith('data-')) this.setData(chunk);
			else return `Skipped a chunk of the unknown type "${brief(chunk.type)}"`;
		} catch (error) {
			if (error instanceof ChunkNotApplied) return `Skipped a chunk of type "${chunk.type}": ${error.message}`;
			/* A bug of ours must not cost the run that is being read. */
			return `Skipped a chunk of type "${chunk.type}" that could not be read`;
		}
		return undefined;
	}

	/** The message so far. It is not a copy: parts change when further chunks are applied. */
	message(): Message {
		for (const { part, text } of [...this.texts.values(), ...this.reasonings.values()]) part.text = text.toString();
		for (const [part, input] of this.inputOf) showInput(part, input);
		return {
			id: this.id,
			role: 'assistant',
			...(this.metadata === undefined ? {} : { metadata: this.metadata }),
			parts: this.parts,
		};
	}

	private push(chunk: Chunk, ...fields: string[]): void {
		this.parts.push({ type: chunk.type, ...pick(chunk, ...fields) });
	}

	/** Adds a part and what later chunks look it up by. */
	private addPart(part: Part): void {
		this.parts.push(part);
		if (isToolPart(part)) {
			for (const index of [this.stepTools, this.tools]) {
				const parts = index.get(part.toolCallId);
				if (parts) parts.push(part);
				else index.set(part.toolCallId, [part]);
			}
			if (part.approval) this.approvals.push(part);
		} else if (part.type.startsWith('data-')) {
			if (part.id === undefined || part.id === null) return;
			const parts = this.dataParts.get(part.type);
			if (parts) parts.set(part.id, part);
			else this.dataParts.set(part.type, new Map([[part.id, part]]));
		}
	}

	private start(chunk: Chunk): void {
		const { messageId } = chunk;
		if (typeof messageId === 'string' && messageId !== this.id) {
			this.id = messageId;
			this.metadata = undefined;
			this.finishReason = undefined;
			this.parts = [];
			this.tools = new Map();
			this.approvals = [];
			this.dataParts = new Map();
			this.stepStart = 0;
			this.closeStep();
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

	private startText(open: MessageFold['texts'], chunk: Chunk, head: Part): void {
		const part = { ...head, text: '', state: 'streaming', ...pick(chunk, 'providerMetadata') };
		const id = asText(chunk.id, 'id');
		const earlier = open.get(id);
		if (earlier) earlier.part.text = earlier.text.toString();
		open.set(id, { part, text: new TextBuffer() });
		this.parts.push(part);
	}

	private openText(open: MessageFold['texts'], chunk: Chunk) {
		const id = asText(chunk.id, 'id');
		const entry = open.get(id);
		if (!entry) throw notStarted('part', id);
		return entry;
	}

	private appendText(open: MessageFold['texts'], chunk: Chunk): void {
		const entry = this.openText(open, chunk);
		entry.text.append(asText(chunk.delta, 'delta'));
		if (chunk.providerMetadata) entry.part.providerMetadata = chunk.providerMetadata;
	}

	private endText(open: MessageFold['texts'], chunk: Chunk): Part {
		const { part, text } = this.openText(open, chunk);
		open.delete(asText(chunk.id, 'id'));
		return Object.assign(part, { text: text.toString(), state: 'done' }, pick(chunk, 'providerMetadata'));
	}

	// Steps

	private startStep(): void {
		this.parts.push({ type: 'step-start' });
		this.stepStart = this.parts.length;
		this.stepTools = new Map();
	}

	private closeStep(): void {
		this.texts = new Map();
		this.reasonings = new Map();
		this.inputs = new Map();
		this.inputOf = new Map();
		this.stepTools = new Map();
	}

	private resetStep(): void {
		const stepParts = new Set(this.parts.splice(this.stepStart));
		// Text of earlier steps stays in the message, but takes no further deltas.
		this.message();
		this.closeStep();
		for (const part of stepParts) {
			if (isToolPart(part)) this.tools.get(part.toolCallId)?.pop();
		}
		for (const parts of this.dataParts.values()) {
			for (const [id, part] of parts) if (stepParts.has(part)) parts.delete(id);
		}
		this.approvals = this.approvals.filter((part) => !stepParts.has(part));
	}

	// Data

	private setData(chunk: Chunk): void {
		if (chunk.transient === true) return;
		const kind = chunk.type.slice('data-'.length);
		const existing = this.dataParts.get(chunk.type)?.get(chunk.id);
		if (existing) existing.data = chunk.data;
		else this.addPart({ ...chunk });
		if (!isUnsafeKey(kind)) this.data[kind] = chunk.data;
	}

	// Tools

	private startToolInput(chunk: Chunk): void {
		const { inputEncoding, title, toolMetadata } = chunk;
		const toolCallId = asText(chunk.toolCallId, 'toolCallId');
		const toolName = asText(chunk.toolName, 'toolName');
		const isDynamic = Boolean(chunk.dynamic);
		const earlier = this.inputs.get(toolCallId)?.part;
		if (earlier) this.settleInput(earlier);
		this.inputs.set(toolCallId, { text: new TextBuffer(), toolName, isDynamic, inputEncoding, title, toolMetadata });
		this.updateTool(this.findInStep(toolCallId, isDynamic), isDynamic, {
			...sharedToolFields(chunk),
			state: 'input-streaming',
			toolName,
			toolCallId,
			inputEncoding,
			title,
		});
	}

	private appendToolInput(chunk: Chunk): void {
		const toolCallId = asText(chunk.toolCallId, 'toolCallId');
		const delta = asText(chunk.inputTextDelta, 'inputTextDelta');
		const input = this.inputs.get(toolCallId);
		if (!input) throw notStarted('tool call', toolCallId);
		const { toolName, isDynamic, inputEncoding, title, toolMetadata } = input;
		const current = this.findInStep(toolCallId, isDynamic);
		if (!current || this.inputOf.get(current) !== input) {
			if (input.part) this.settleInput(input.part);
			const update = { state: 'input-streaming', toolName, toolCallId, inputEncoding, title, toolMetadata };
			input.part = this.updateTool(current, isDynamic, update);
			this.inputOf.set(input.part, input);
		}
		input.hidesRawInput = isDynamic && !current;
		input.text.append(delta);
	}

	private setToolInput(chunk: Chunk): void {
		const toolCallId = asText(chunk.toolCallId, 'toolCallId');
		const isDynamic = Boolean(chunk.dynamic);
		this.updateTool(this.findInStep(toolCallId, isDynamic), isDynamic, {
			...sharedToolFields(chunk),
			state: 'input-available',
			toolName: asText(chunk.toolName, 'toolName'),
			toolCallId,
			input: chunk.input,
			title: chunk.title,
		});
	}

	private setToolInputError(chunk: Chunk): void {
		const toolCallId = asText(chunk.toolCallId, 'toolCallId');
		const existing = this.stepTools.get(toolCallId)?.[0];
		const isDynamic = existing ? existing.type === 'dynamic-tool' : Boolean(chunk.dynamic);
		this.updateTool(this.findInStep(toolCallId, isDynamic), isDynamic, {
			...sharedToolFields(chunk),
			state: 'output-error',
			toolName: asText(chunk.toolName, 'toolName'),
			toolCallId,
			input: chunk.input,
			errorText: chunk.errorText,
		});
	}

	private setToolOutput(chunk: Chunk): void {
		const part = this.findTool(chunk);
		this.updateTool(part, part.type === 'dynamic-tool', {
			...sharedToolFields(chunk),
			state: 'output-available',
			toolName: toolNameOf(part),
			toolCallId: part.toolCallId,
			input: part.input,
			output: chunk.output,
			preliminary: chunk.preliminary,
		});
	}

	private setToolOutputError(chunk: Chunk): void {
		const part = this.findTool(chunk);
		const isDynamic = part.type === 'dynamic-tool';
		this.updateTool(part, isDynamic, {
			...sharedToolFields(chunk),
			state: 'output-error',
			toolName: toolNameOf(part),
			toolCallId: part.toolCallId,
			input: part.input,
			...(isDynamic ? {} : { rawInput: part.rawInput }),
			errorText: chunk.errorText,
		});
	}

	private requestApproval(chunk: Chunk): void {
		const part = this.findTool(chunk);
		part.state = 'approval-requested';
		part.approval = {
			...pick(chunk, 'signature'),
			id: chunk.approvalId,
			...(chunk.approvalDescriptor == null ? {} : { descriptor: chunk.approvalDescriptor }),
			...('inputSchemaInput' in chunk ? { inputSchemaInput: chunk.inputSchemaInput } : {}),
			...(chunk.reason == null ? {} : { requestReason: chunk.reason }),
			...(chunk.isAutomatic === true ? { isAutomatic: true } : {}),
		} as unknown as Part;
		if (!this.approvals.includes(part)) this.approvals.push(part);
	}

	private respondToApproval(chunk: Chunk): void {
		const asked = this.approvals.filter(({ approval }) => approval?.id === chunk.approvalId);
		// Where several calls asked under one ID, the first of the message is meant, whichever asked first.
		const part =
			asked.length > 1 ? this.parts.find((one): one is ToolPart => asked.includes(one as ToolPart)) : asked[0];
		if (!part) throw new ChunkNotApplied('no tool call asked for this approval');
		part.state = 'approval-responded';
		part.approval = { ...part.approval!, approved: chunk.approved, ...pick(chunk, 'reason') };
		Object.assign(part, pick(chunk, 'providerExecuted'));
		if (chunk.providerMetadata) part.callProviderMetadata = chunk.providerMetadata;
	}

	/** The part of a call in the current step; static and dynamic calls are looked up apart from each other. */
	private findInStep(toolCallId: string, isDynamic: boolean): ToolPart | undefined {
		return this.stepTools.get(toolCallId)?.find((part) => (part.type === 'dynamic-tool') === isDynamic);
	}

	/** The part that an output belongs to: of the current step, else the last one of the whole message. */
	private findTool(chunk: Chunk): ToolPart {
		const toolCallId = asText(chunk.toolCallId, 'toolCallId');
		const part = this.stepTools.get(toolCallId)?.[0] ?? this.tools.get(toolCallId)?.at(-1);
		if (!part) throw notStarted('tool call', toolCallId);
		this.settleInput(part);
		return part;
	}

	private updateTool(existing: ToolPart | undefined, isDynamic: boolean, update: ToolUpdate): ToolPart {
		const { state, toolName, toolCallId, providerMetadata } = update;
		const part = existing ?? this.pushTool(toolCallId, isDynamic, toolName);
		// The input that has arrived is replaced below: it need not be parsed, but its deltas must not stay in memory.
		this.inputOf.get(part)?.text.join();
		this.inputOf.delete(part);
		part.state = state;
		if (isDynamic) part.toolName = toolName;
		else part.type = `tool-${toolName}`;
		for (const name of ['input', 'output', 'errorText', 'rawInput', 'preliminary'] as const) {
			assignOrRemove(part, name, update[name]);
		}
		assignOrRemove(part, 'inputEncoding', update.inputEncoding ?? undefined);
		if (update.title !== undefined) part.title = update.title;
		if (update.toolMetadata !== undefined) part.toolMetadata = update.toolMetadata;
		if (update.providerExecuted != null) part.providerExecuted = update.providerExecuted;
		if (providerMetadata != null) {
			const isResult = state === 'output-available' || state === 'output-error';
			part[isResult ? 'resultProviderMetadata' : 'callProviderMetadata'] = providerMetadata;
		}
		return part;
	}

	private pushTool(toolCallId: string, isDynamic: boolean, toolName: string): ToolPart {
		const part: ToolPart = { type: isDynamic ? 'dynamic-tool' : `tool-${toolName}`, toolCallId, state: '' };
		this.addPart(part);
		return part;
	}

	/** Puts the input that has arrived into its part, before something else is done with that part. */
	private settleInput(part: ToolPart): void {
		const input = this.inputOf.get(part);
		if (!input) return;
		showInput(part, input);
		this.inputOf.delete(part);
	}
}

function sharedToolFields({ providerExecuted, providerMetadata, toolMetadata }: Chunk) {
	return { providerExecuted, providerMetadata, toolMetadata: toolMetadata ?? undefined };
}

function showInput(part: ToolPart, { text: buffer, inputEncoding, hidesRawInput }: ToolInput): void {
	const text = buffer.toString();
	assignOrRemove(part, 'rawInput', hidesRawInput ? undefined : text);
	assignOrRemove(part, 'input', inputEncoding === 'text' ? text : parsePartialJson(text));
}
