import type { Chunk } from './chunk';
import { parsePartialJson } from './json';
import { ChunkNotApplied, notStarted, pick, textOf, type Part } from './part';
import { TextBuffer } from './text-buffer';

/** The part of one tool call. */
export interface ToolPart extends Part {
	toolCallId: string;
	state: string;
	approval?: Record<string, unknown>;
}

/** The input of a tool call while its deltas are received. Parsed on demand: parsing at each delta is quadratic. */
interface StreamedInput {
	text: TextBuffer;
	toolName: string;
	isDynamic: boolean;
	inputEncoding: unknown;
	title: unknown;
	toolMetadata: unknown;
	/** The part that shows this input, until another chunk sets the state of that part. */
	part?: ToolPart;
	/** The AI SDK shows no raw input if the first delta has made the part of a dynamic call, until the next delta. */
	hidesRawInput?: boolean;
}

/** What a chunk sets on a tool part. Fields that are absent are removed from the part, except for those that stick. */
interface ToolUpdate {
	state: string;
	toolName: string;
	toolCallId: string;
	[field: string]: unknown;
}

/** Fields that every update sets anew. */
const REPLACED = ['input', 'output', 'errorText', 'rawInput', 'preliminary', 'inputEncoding'];

const isDynamicPart = (part: Part) => part.type === 'dynamic-tool';

export const isToolPart = (part: Part): part is ToolPart => isDynamicPart(part) || part.type.startsWith('tool-');

/** The name of the tool that a part is about. */
export const toolNameOf = (part: Part): string =>
	isDynamicPart(part) ? String(part.toolName) : part.type.slice('tool-'.length);

/** The fields of a chunk that any update of its part takes over. */
const sharedFields = ({ providerExecuted, providerMetadata, toolMetadata }: Chunk) => ({
	providerExecuted,
	providerMetadata,
	toolMetadata: toolMetadata ?? undefined,
});

function assignOrRemove(part: Part, name: string, value: unknown): void {
	if (value === undefined) delete part[name];
	else part[name] = value;
}

/** Puts an input into the part that shows it, as far as it has been received. */
function showInput({ part, text: buffer, inputEncoding, hidesRawInput }: StreamedInput): void {
	if (!part) return;
	const text = buffer.toString();
	assignOrRemove(part, 'rawInput', hidesRawInput ? undefined : text);
	assignOrRemove(part, 'input', inputEncoding === 'text' ? text : parsePartialJson(text));
}

function addTo(index: Map<string, ToolPart[]>, part: ToolPart): void {
	const parts = index.get(part.toolCallId);
	if (parts) parts.push(part);
	else index.set(part.toolCallId, [part]);
}

/** Folds the chunks about tool calls into their parts: one part for each call, in the order in which the calls began. */
export class ToolCalls {
	private parts: ToolPart[] = [];

	private byId = new Map<string, ToolPart[]>();

	private byIdInStep = new Map<string, ToolPart[]>();

	private inputs = new Map<string, StreamedInput>();

	/** @param onPart called with each new part */
	constructor(private readonly onPart: (part: Part) => void) {}

	/** Calls of earlier steps are left as they are, except for their outputs. */
	startStep(): void {
		this.byIdInStep = new Map();
	}

	/** Removes the parts of a step that is done again. Inputs of earlier steps take no further deltas. */
	resetStep(removed: Set<Part>): void {
		this.showInputs();
		this.inputs = new Map();
		this.byIdInStep = new Map();
		this.parts = this.parts.filter((part) => !removed.has(part));
		for (const part of removed) if (isToolPart(part)) this.byId.get(part.toolCallId)?.pop();
	}

	/** Puts every input into its part, as far as it has been received. */
	showInputs(): void {
		for (const input of this.inputs.values()) showInput(input);
	}

	startInput(chunk: Chunk): void {
		const { inputEncoding, title, toolMetadata } = chunk;
		const toolCallId = textOf(chunk, 'toolCallId');
		const toolName = textOf(chunk, 'toolName');
		const isDynamic = Boolean(chunk.dynamic);
		const earlier = this.inputs.get(toolCallId);
		if (earlier) showInput(earlier);
		this.inputs.set(toolCallId, { text: new TextBuffer(), toolName, isDynamic, inputEncoding, title, toolMetadata });
		this.update(this.findInStep(toolCallId, isDynamic), isDynamic, {
			...sharedFields(chunk),
			state: 'input-streaming',
			toolName,
			toolCallId,
			inputEncoding,
			title,
		});
	}

	appendInput(chunk: Chunk): void {
		const toolCallId = textOf(chunk, 'toolCallId');
		const delta = textOf(chunk, 'inputTextDelta');
		const input = this.inputs.get(toolCallId);
		if (!input) throw notStarted('tool call', toolCallId);
		const { toolName, isDynamic, inputEncoding, title, toolMetadata } = input;
		const current = this.findInStep(toolCallId, isDynamic);
		if (!current || input.part !== current) {
			showInput(input);
			const update = { state: 'input-streaming', toolName, toolCallId, inputEncoding, title, toolMetadata };
			input.part = this.update(current, isDynamic, update);
		}
		input.hidesRawInput = isDynamic && !current;
		input.text.append(delta);
	}

	setInput(chunk: Chunk): void {
		const toolCallId = textOf(chunk, 'toolCallId');
		const isDynamic = Boolean(chunk.dynamic);
		this.update(this.findInStep(toolCallId, isDynamic), isDynamic, {
			...sharedFields(chunk),
			state: 'input-available',
			toolName: textOf(chunk, 'toolName'),
			toolCallId,
			input: chunk.input,
			title: chunk.title,
		});
	}

	setInputError(chunk: Chunk): void {
		const toolCallId = textOf(chunk, 'toolCallId');
		const existing = this.byIdInStep.get(toolCallId)?.[0];
		const isDynamic = existing ? isDynamicPart(existing) : Boolean(chunk.dynamic);
		this.update(this.findInStep(toolCallId, isDynamic), isDynamic, {
			...sharedFields(chunk),
			state: 'output-error',
			toolName: textOf(chunk, 'toolName'),
			toolCallId,
			input: chunk.input,
			errorText: chunk.errorText,
		});
	}

	setOutput(chunk: Chunk): void {
		const part = this.find(chunk);
		this.update(part, isDynamicPart(part), {
			...sharedFields(chunk),
			state: 'output-available',
			toolName: toolNameOf(part),
			toolCallId: part.toolCallId,
			input: part.input,
			output: chunk.output,
			preliminary: chunk.preliminary,
		});
	}

	setOutputError(chunk: Chunk): void {
		const part = this.find(chunk);
		const isDynamic = isDynamicPart(part);
		this.update(part, isDynamic, {
			...sharedFields(chunk),
			state: 'output-error',
			toolName: toolNameOf(part),
			toolCallId: part.toolCallId,
			input: part.input,
			...(isDynamic ? {} : { rawInput: part.rawInput }),
			errorText: chunk.errorText,
		});
	}

	denyOutput(chunk: Chunk): void {
		this.find(chunk).state = 'output-denied';
	}

	requestApproval(chunk: Chunk): void {
		const part = this.find(chunk);
		part.state = 'approval-requested';
		part.approval = {
			...pick(chunk, 'signature'),
			id: chunk.approvalId,
			...(chunk.approvalDescriptor == null ? {} : { descriptor: chunk.approvalDescriptor }),
			...('inputSchemaInput' in chunk ? { inputSchemaInput: chunk.inputSchemaInput } : {}),
			...(chunk.reason == null ? {} : { requestReason: chunk.reason }),
			...(chunk.isAutomatic === true ? { isAutomatic: true } : {}),
		};
	}

	respondToApproval(chunk: Chunk): void {
		const part = this.parts.find(({ approval }) => approval && approval.id === chunk.approvalId);
		if (!part) throw new ChunkNotApplied('no tool call asked for this approval');
		part.state = 'approval-responded';
		part.approval = { ...part.approval, approved: chunk.approved, ...pick(chunk, 'reason') };
		Object.assign(part, pick(chunk, 'providerExecuted'));
		if (chunk.providerMetadata) part.callProviderMetadata = chunk.providerMetadata;
	}

	/** The part of a call in the current step; static and dynamic calls are looked up separately. */
	private findInStep(toolCallId: string, isDynamic: boolean): ToolPart | undefined {
		return this.byIdInStep.get(toolCallId)?.find((part) => isDynamicPart(part) === isDynamic);
	}

	/** The part that an output belongs to: of the current step, else the last one of the message. Its input is complete. */
	private find(chunk: Chunk): ToolPart {
		const toolCallId = textOf(chunk, 'toolCallId');
		const part = this.byIdInStep.get(toolCallId)?.[0] ?? this.byId.get(toolCallId)?.at(-1);
		if (!part) throw notStarted('tool call', toolCallId);
		const input = this.inputs.get(toolCallId);
		if (input?.part === part) {
			showInput(input);
			input.part = undefined;
		}
		return part;
	}

	private update(existing: ToolPart | undefined, isDynamic: boolean, update: ToolUpdate): ToolPart {
		const { state, toolName, toolCallId, providerMetadata } = update;
		const part = existing ?? this.add(toolCallId, isDynamic, toolName);
		this.letGoOfInput(part);
		part.state = state;
		if (isDynamic) part.toolName = toolName;
		else part.type = `tool-${toolName}`;
		for (const name of REPLACED) assignOrRemove(part, name, update[name]);
		for (const name of ['title', 'toolMetadata']) if (update[name] !== undefined) part[name] = update[name];
		if (update.providerExecuted != null) part.providerExecuted = update.providerExecuted;
		if (providerMetadata != null) {
			const isResult = state === 'output-available' || state === 'output-error';
			part[isResult ? 'resultProviderMetadata' : 'callProviderMetadata'] = providerMetadata;
		}
		return part;
	}

	private add(toolCallId: string, isDynamic: boolean, toolName: string): ToolPart {
		const part: ToolPart = { type: isDynamic ? 'dynamic-tool' : `tool-${toolName}`, toolCallId, state: '' };
		this.onPart(part);
		this.parts.push(part);
		addTo(this.byId, part);
		addTo(this.byIdInStep, part);
		return part;
	}

	/** The input of a part is about to be replaced: it need not be parsed, but its deltas must not stay in memory. */
	private letGoOfInput(part: ToolPart): void {
		const input = this.inputs.get(part.toolCallId);
		if (input?.part !== part) return;
		input.text.join();
		input.part = undefined;
	}
}
