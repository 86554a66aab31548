// A message's tool calls: their states, inputs and approvals.

import { parseJson } from '../../../shared/values/json';
import { isDeeper, MAX_DEPTH } from '../../../shared/values/nested';
import { ApprovalIndex } from './approval-index';
import { ChunkNotAppliedError, notStarted, pick, requireText, type Chunk, type Part } from './chunk';

interface ToolPart extends Part {
	toolCallId: string;
	state: string;
	approval?: Record<string, unknown>;
}

/** An update sets or removes each of these. */
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

const MAX_BEGUN_CHARACTERS = 1000;

interface Input {
	call: ToolCall;
	begun: Chunk;
	text: string;
	/** The part that has `text`. In a further step, another gets all of it, as in the AI SDK. */
	part?: ToolPart;
}

/** The work for a chunk grows neither with the calls nor with their inputs. */
export class ToolCalls {
	private readonly byId = new Map<string, ToolPart[]>();
	/** Calls of the current step by ID, which a static and a dynamic call may share. */
	private inStep = new Map<string, ToolPart[]>();
	private inputs = new Map<string, Input>();
	private readonly approvals = new ApprovalIndex<ToolPart>();
	/** Parts with `rawInput` that may be JSON: some adapters send no `tool-input-available`. */
	private readonly unparsed = new Set<ToolPart>();

	constructor(private readonly parts: Part[]) {}

	/** Calls of earlier steps accept outputs, but no inputs. */
	startStep(): void {
		this.inStep = new Map();
	}

	/** Inputs of earlier steps accept no further deltas. */
	resetStep(removed: Part[]): void {
		this.inputs = new Map();
		this.startStep();
		for (const part of removed.filter(isToolPart)) {
			this.byId.get(part.toolCallId)?.pop();
			this.approvals.remove(part);
			this.unparsed.delete(part);
		}
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
		let part = this.findInStep(call);
		if (part?.state === 'input-streaming') part.rawInput = rawInput;
		else {
			part = this.partForInput(call);
			const from = pick(begun, 'toolMetadata');
			this.update(part, 'input-streaming', { ...inputFields(begun), rawInput }, from);
		}
		if (input.part !== part) this.moveInput(input, part, rawInput.length - delta.length);
	}

	/** A long beginning is not repeated in each step of a call. */
	private moveInput(input: Input, part: ToolPart, begun: number): void {
		if (begun > MAX_BEGUN_CHARACTERS) delete input.part?.rawInput;
		input.part = part;
		if (input.begun.inputEncoding === 'text') this.unparsed.delete(part);
		else this.unparsed.add(part);
	}

	setInput(chunk: Chunk): void {
		const { input, title } = chunk;
		this.update(this.partForInput(callOf(chunk)), 'input-available', { input, title }, chunk);
	}

	setInputError(chunk: Chunk): void {
		const call = callOf(chunk);
		const existing = this.inStep.get(call.toolCallId)?.[0];
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
		this.approvals.ask(chunk.approvalId, part);
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
		const part = this.approvals.first(chunk.approvalId);
		if (!part) throw new ChunkNotAppliedError('no tool call asked for this approval');
		part.state = 'approval-responded';
		part.approval = { ...part.approval, approved: chunk.approved, ...pick(chunk, 'reason') };
		Object.assign(part, pick(chunk, 'providerExecuted'));
		if (chunk.providerMetadata) part.callProviderMetadata = chunk.providerMetadata;
	}

	private findInStep({ toolCallId, isDynamic }: ToolCall): ToolPart | undefined {
		return this.inStep.get(toolCallId)?.find((part) => isDynamicPart(part) === isDynamic);
	}

	private partForInput(call: ToolCall): ToolPart {
		const type = call.isDynamic ? 'dynamic-tool' : `tool-${call.toolName}`;
		const part = this.findInStep(call) ?? this.add({ type, toolCallId: call.toolCallId, state: '' });
		part.type = type;
		if (call.isDynamic) part.toolName = call.toolName;
		return part;
	}

	/** The call in the current step, or else its last part in the message. */
	private find(chunk: Chunk): ToolPart {
		const toolCallId = requireText(chunk, 'toolCallId');
		const part = this.inStep.get(toolCallId)?.[0] ?? this.byId.get(toolCallId)?.at(-1);
		if (!part) throw notStarted('tool call', toolCallId);
		return part;
	}

	/** Call this once, after the last chunk. */
	completeInputs(): void {
		for (const part of this.unparsed) {
			const input = typeof part.rawInput === 'string' ? parseJson(part.rawInput) : undefined;
			if (input === undefined || isDeeper(input, MAX_DEPTH)) continue;
			part.input = input;
			delete part.rawInput;
		}
	}

	/** @param from has the fields that stay on the part */
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

	private add(part: ToolPart): ToolPart {
		this.parts.push(part);
		this.approvals.place(part);
		for (const index of [this.byId, this.inStep]) {
			const calls = index.get(part.toolCallId);
			if (calls) calls.push(part);
			else index.set(part.toolCallId, [part]);
		}
		return part;
	}
}
