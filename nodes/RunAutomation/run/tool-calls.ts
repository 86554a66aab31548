import { parseJson } from '../../shared/values/json';
import { isDeeper, MAX_DEPTH } from '../../shared/values/nested';
import { ChunkNotAppliedError, notStarted, pick, requireText, type Chunk, type Part } from './chunk';

interface ToolPart extends Part {
	toolCallId: string;
	state: string;
	approval?: Record<string, unknown>;
}

/** Each update sets or removes these. */
const REPLACED = ['input', 'output', 'errorText', 'rawInput', 'preliminary', 'inputEncoding'];

const isDynamicPart = (part: Part) => part.type === 'dynamic-tool';

export const isToolPart = (part: Part): part is ToolPart => isDynamicPart(part) || part.type.startsWith('tool-');

export const toolNameOf = (part: Part): string =>
	isDynamicPart(part) ? String(part.toolName) : part.type.slice('tool-'.length);

const callOf = (chunk: Chunk) => ({
	toolCallId: requireText(chunk, 'toolCallId'),
	toolName: requireText(chunk, 'toolName'),
	isDynamic: Boolean(chunk.dynamic),
});

type ToolCall = ReturnType<typeof callOf>;

const inputFields = ({ inputEncoding, title }: Chunk) => ({ inputEncoding: inputEncoding ?? undefined, title });

/** Some adapters send no `tool-input-available`. */
function completeInput(part: ToolPart): void {
	const { state, rawInput, inputEncoding } = part;
	if (state !== 'input-streaming' || typeof rawInput !== 'string' || inputEncoding === 'text') return;
	const input = parseJson(rawInput);
	if (input === undefined || isDeeper(input, MAX_DEPTH)) return;
	part.input = input;
	delete part.rawInput;
}

export class ToolCalls {
	private readonly byId = new Map<string, ToolPart[]>();
	private inStep = new Set<ToolPart>();
	private inputs = new Map<string, { call: ToolCall; begun: Chunk; text: string }>();

	constructor(private readonly parts: Part[]) {}

	/** Calls of earlier steps still accept outputs, but no inputs. */
	startStep(): void {
		this.inStep = new Set();
	}

	/** Inputs of earlier steps accept no further deltas. */
	resetStep(removed: Part[]): void {
		this.inputs = new Map();
		this.startStep();
		for (const { toolCallId } of removed.filter(isToolPart)) this.byId.get(toolCallId)?.pop();
	}

	startInput(chunk: Chunk): void {
		const call = callOf(chunk);
		this.inputs.set(call.toolCallId, { call, begun: chunk, text: '' });
		this.update(this.partForInput(call), 'input-streaming', inputFields(chunk), chunk);
	}

	appendInput(chunk: Chunk): void {
		const toolCallId = requireText(chunk, 'toolCallId');
		const delta = requireText(chunk, 'inputTextDelta');
		const input = this.inputs.get(toolCallId);
		if (!input) throw notStarted('tool call', toolCallId);
		input.text += delta;
		const { call, begun, text: rawInput } = input;
		const current = this.findInStep(call);
		if (current?.state === 'input-streaming') current.rawInput = rawInput;
		else {
			const from = pick(begun, 'toolMetadata');
			this.update(this.partForInput(call), 'input-streaming', { ...inputFields(begun), rawInput }, from);
		}
	}

	setInput(chunk: Chunk): void {
		const { input, title } = chunk;
		this.update(this.partForInput(callOf(chunk)), 'input-available', { input, title }, chunk);
	}

	setInputError(chunk: Chunk): void {
		const call = callOf(chunk);
		const existing = this.callsOf(call.toolCallId).find((part) => this.inStep.has(part));
		const part = this.partForInput(existing ? { ...call, isDynamic: isDynamicPart(existing) } : call);
		this.update(part, 'output-error', { input: chunk.input, errorText: chunk.errorText }, chunk);
	}

	setOutput(chunk: Chunk, state: 'output-available' | 'output-error'): void {
		const part = this.find(chunk);
		const { input, rawInput } = part;
		const { output, preliminary, errorText } = chunk;
		this.update(part, state, { input, rawInput, output, preliminary, errorText }, chunk);
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
			...pick({ descriptor: chunk.approvalDescriptor, requestReason: chunk.reason }, 'descriptor', 'requestReason'),
			...('inputSchemaInput' in chunk && { inputSchemaInput: chunk.inputSchemaInput }),
			...(chunk.isAutomatic === true && { isAutomatic: true }),
		};
	}

	respondToApproval(chunk: Chunk): void {
		const part = this.parts.filter(isToolPart).find(({ approval }) => approval && approval.id === chunk.approvalId);
		if (!part) throw new ChunkNotAppliedError('no tool call asked for this approval');
		part.state = 'approval-responded';
		part.approval = { ...part.approval, approved: chunk.approved, ...pick(chunk, 'reason') };
		Object.assign(part, pick(chunk, 'providerExecuted'));
		if (chunk.providerMetadata) part.callProviderMetadata = chunk.providerMetadata;
	}

	/** Static and dynamic calls are looked up separately. */
	private findInStep({ toolCallId, isDynamic }: ToolCall): ToolPart | undefined {
		return this.callsOf(toolCallId).find((part) => this.inStep.has(part) && isDynamicPart(part) === isDynamic);
	}

	private partForInput(call: ToolCall): ToolPart {
		const type = call.isDynamic ? 'dynamic-tool' : `tool-${call.toolName}`;
		const part = this.findInStep(call) ?? this.add({ type, toolCallId: call.toolCallId, state: '' });
		part.type = type;
		if (call.isDynamic) part.toolName = call.toolName;
		return part;
	}

	/** In the current step, or else the last part of that call in the message. */
	private find(chunk: Chunk): ToolPart {
		const toolCallId = requireText(chunk, 'toolCallId');
		const calls = this.callsOf(toolCallId);
		const part = calls.find((call) => this.inStep.has(call)) ?? calls.at(-1);
		if (!part) throw notStarted('tool call', toolCallId);
		completeInput(part);
		return part;
	}

	/** Called once, after the last chunk. */
	completeInputs(): void {
		this.parts.filter(isToolPart).forEach(completeInput);
	}

	/** @param from source of the fields that stay on the part */
	private update(part: ToolPart, state: string, fields: Record<string, unknown>, from: Partial<Chunk>): void {
		part.state = state;
		for (const name of REPLACED) {
			if (fields[name] === undefined) delete part[name];
			else part[name] = fields[name];
		}
		Object.assign(part, pick(fields, 'title'), pick(from, 'toolMetadata', 'providerExecuted'));
		if (from.providerMetadata != null) {
			const isResult = state === 'output-available' || state === 'output-error';
			part[isResult ? 'resultProviderMetadata' : 'callProviderMetadata'] = from.providerMetadata;
		}
	}

	private callsOf(toolCallId: string): ToolPart[] {
		return this.byId.get(toolCallId) ?? [];
	}

	private add(part: ToolPart): ToolPart {
		this.parts.push(part);
		this.inStep.add(part);
		this.byId.set(part.toolCallId, [...this.callsOf(part.toolCallId), part]);
		return part;
	}
}
