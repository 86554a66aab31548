import { ChunkNotApplied, notStarted, pick, requireText, TextBuffer, type Chunk, type Part } from './chunk';
import { parsePartialJson } from './partial-json';

interface ToolPart extends Part {
	toolCallId: string;
	state: string;
	approval?: Record<string, unknown>;
}

/** The input of a tool call while its deltas are received. Parsed on demand: parsing at each delta is quadratic. */
interface StreamedInput {
	call: ToolCall;
	text: TextBuffer;
	/** What is set on each part that comes to show this input. */
	fields: { inputEncoding: unknown; title: unknown };
	toolMetadata: unknown;
	/** The part that shows this input, until another chunk sets the state of that part. */
	part?: ToolPart;
	/** The AI SDK shows no raw input if the first delta has made the part of a dynamic call, until the next delta. */
	hidesRawInput?: boolean;
}

/** Fields that every update sets anew: those that it does not name are removed. */
const REPLACED = ['input', 'output', 'errorText', 'rawInput', 'preliminary', 'inputEncoding'];

const isDynamicPart = (part: Part) => part.type === 'dynamic-tool';

export const isToolPart = (part: Part): part is ToolPart => isDynamicPart(part) || part.type.startsWith('tool-');

/** The name of the tool that a part is about. */
export const toolNameOf = (part: Part): string =>
	isDynamicPart(part) ? String(part.toolName) : part.type.slice('tool-'.length);

const callOf = (chunk: Chunk) => ({
	toolCallId: requireText(chunk, 'toolCallId'),
	toolName: requireText(chunk, 'toolName'),
	isDynamic: Boolean(chunk.dynamic),
});

type ToolCall = ReturnType<typeof callOf>;

function assignOrRemove(part: Part, name: string, value: unknown): void {
	if (value === undefined) delete part[name];
	else part[name] = value;
}

/** Puts an input into the part that shows it, as far as it has been received. */
function showInput({ part, text: buffer, fields, hidesRawInput }: StreamedInput): void {
	if (!part) return;
	const text = buffer.toString();
	assignOrRemove(part, 'rawInput', hidesRawInput ? undefined : text);
	assignOrRemove(part, 'input', fields.inputEncoding === 'text' ? text : parsePartialJson(text));
}

function addTo(index: Map<string, ToolPart[]>, part: ToolPart): void {
	const parts = index.get(part.toolCallId);
	if (parts) parts.push(part);
	else index.set(part.toolCallId, [part]);
}

/** Folds the chunks about tool calls into their parts: one part for each call, in the order in which the calls began. */
export class ToolCalls {
	private readonly byId = new Map<string, ToolPart[]>();

	private byIdInStep = new Map<string, ToolPart[]>();

	private inputs = new Map<string, StreamedInput>();

	/** @param parts those of the message, to which each new one is added */
	constructor(private readonly parts: Part[]) {}

	/** Calls of earlier steps are left as they are, except for their outputs. */
	startStep(): void {
		this.byIdInStep = new Map();
	}

	/** Forgets the parts of a step that is done again. Inputs of earlier steps take no further deltas. */
	resetStep(removed: Part[]): void {
		this.showInputs();
		this.inputs = new Map();
		this.byIdInStep = new Map();
		for (const part of removed) if (isToolPart(part)) this.byId.get(part.toolCallId)?.pop();
	}

	/** Puts every input into its part, as far as it has been received. */
	showInputs(): void {
		for (const input of this.inputs.values()) showInput(input);
	}

	startInput(chunk: Chunk): void {
		const call = callOf(chunk);
		const fields = { inputEncoding: chunk.inputEncoding ?? undefined, title: chunk.title };
		const earlier = this.inputs.get(call.toolCallId);
		if (earlier) showInput(earlier);
		this.inputs.set(call.toolCallId, { call, text: new TextBuffer(), fields, toolMetadata: chunk.toolMetadata });
		this.update(this.partInStep(call), 'input-streaming', fields, chunk);
	}

	appendInput(chunk: Chunk): void {
		const toolCallId = requireText(chunk, 'toolCallId');
		const delta = requireText(chunk, 'inputTextDelta');
		const input = this.inputs.get(toolCallId);
		if (!input) throw notStarted('tool call', toolCallId);
		const { call, fields, toolMetadata } = input;
		const current = this.findInStep(call);
		if (!current || input.part !== current) {
			showInput(input);
			input.part = this.update(this.partInStep(call), 'input-streaming', fields, { toolMetadata });
		}
		input.hidesRawInput = call.isDynamic && !current;
		input.text.append(delta);
	}

	setInput(chunk: Chunk): void {
		const { input, title } = chunk;
		this.update(this.partInStep(callOf(chunk)), 'input-available', { input, title }, chunk);
	}

	setInputError(chunk: Chunk): void {
		const call = callOf(chunk);
		const existing = this.byIdInStep.get(call.toolCallId)?.[0];
		const part = this.partInStep(existing ? { ...call, isDynamic: isDynamicPart(existing) } : call);
		this.update(part, 'output-error', { input: chunk.input, errorText: chunk.errorText }, chunk);
	}

	setOutput(chunk: Chunk): void {
		const part = this.find(chunk);
		const { output, preliminary } = chunk;
		this.update(part, 'output-available', { input: part.input, output, preliminary }, chunk);
	}

	setOutputError(chunk: Chunk): void {
		const part = this.find(chunk);
		const rawInput = isDynamicPart(part) ? undefined : part.rawInput;
		this.update(part, 'output-error', { input: part.input, rawInput, errorText: chunk.errorText }, chunk);
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
		const part = this.parts.filter(isToolPart).find(({ approval }) => approval && approval.id === chunk.approvalId);
		if (!part) throw new ChunkNotApplied('no tool call asked for this approval');
		this.endInput(part);
		part.state = 'approval-responded';
		part.approval = { ...part.approval, approved: chunk.approved, ...pick(chunk, 'reason') };
		Object.assign(part, pick(chunk, 'providerExecuted'));
		if (chunk.providerMetadata) part.callProviderMetadata = chunk.providerMetadata;
	}

	/** The part of a call in the current step; static and dynamic calls are looked up separately. */
	private findInStep({ toolCallId, isDynamic }: ToolCall): ToolPart | undefined {
		return this.byIdInStep.get(toolCallId)?.find((part) => isDynamicPart(part) === isDynamic);
	}

	/** The same, made if there is none yet, and with the name that the call has now. */
	private partInStep(call: ToolCall): ToolPart {
		const type = call.isDynamic ? 'dynamic-tool' : `tool-${call.toolName}`;
		const part = this.findInStep(call) ?? this.add({ type, toolCallId: call.toolCallId, state: '' });
		part.type = type;
		if (call.isDynamic) part.toolName = call.toolName;
		return part;
	}

	/** The part that an output belongs to: of the current step, else the last one of the message. Its input is complete. */
	private find(chunk: Chunk): ToolPart {
		const toolCallId = requireText(chunk, 'toolCallId');
		const part = this.byIdInStep.get(toolCallId)?.[0] ?? this.byId.get(toolCallId)?.at(-1);
		if (!part) throw notStarted('tool call', toolCallId);
		this.endInput(part);
		return part;
	}

	/** Shows the input of a part whose state is about to be set by another chunk. */
	private endInput(part: ToolPart): void {
		const input = this.inputs.get(part.toolCallId);
		if (input?.part !== part) return;
		showInput(input);
		input.part = undefined;
	}

	/**
	 * Sets the state of a part.
	 *
	 * @param fields what is new; of {@link REPLACED}, what is absent is removed
	 * @param from where the fields that stick to the part come from
	 */
	private update(part: ToolPart, state: string, fields: Record<string, unknown>, from: Partial<Chunk>): ToolPart {
		this.letGoOfInput(part);
		part.state = state;
		for (const name of REPLACED) assignOrRemove(part, name, fields[name]);
		Object.assign(part, pick(fields, 'title'), pick(from, 'toolMetadata', 'providerExecuted'));
		if (from.providerMetadata != null) {
			const isResult = state === 'output-available' || state === 'output-error';
			part[isResult ? 'resultProviderMetadata' : 'callProviderMetadata'] = from.providerMetadata;
		}
		return part;
	}

	private add(part: ToolPart): ToolPart {
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
