// A message's tool calls: their states, inputs and approvals.

import { parseJson } from '../../shared/values/json';
import { isDeeper, MAX_DEPTH } from '../../shared/values/nested';
import { ChunkNotAppliedError, notStarted, pick, requireText, type Chunk, type Part } from './chunk';

interface ToolPart extends Part {
	toolCallId: string;
	state: string;
	approval?: Record<string, unknown>;
}

/** An update sets or removes each of these. */
const REPLACED = ['input', 'output', 'errorText', 'rawInput', 'preliminary', 'inputEncoding'];

export const isToolPart = (part: Part): part is ToolPart =>
	part.type === 'dynamic-tool' || part.type.startsWith('tool-');

export const toolNameOf = (part: Part): string =>
	part.type === 'dynamic-tool' ? String(part.toolName) : part.type.slice('tool-'.length);

export class ToolCalls {
	/** The last part of each call, and of each approval that is asked for. */
	private readonly byId = new Map<string, ToolPart>();
	private readonly byApproval = new Map<unknown, ToolPart>();
	/** Calls of earlier steps accept outputs, but no inputs. */
	private inStep = new Map<string, ToolPart>();

	constructor(private readonly parts: Part[]) {}

	startStep(): void {
		this.inStep = new Map();
	}

	resetStep(removed: Part[]): void {
		this.startStep();
		for (const { toolCallId } of removed.filter(isToolPart)) this.byId.delete(toolCallId);
	}

	appendInput(chunk: Chunk): void {
		const part = this.inStep.get(requireText(chunk, 'toolCallId'));
		if (!part) throw notStarted('tool call', String(chunk.toolCallId));
		part.rawInput = ((part.rawInput as string | undefined) ?? '') + requireText(chunk, 'inputTextDelta');
	}

	/** @param fields that the part gets from the chunk */
	setInput(chunk: Chunk, state: string, ...fields: string[]): void {
		this.update(this.partForInput(chunk), state, pick(chunk, ...fields), chunk);
	}

	setOutput(chunk: Chunk, state: 'output-available' | 'output-error'): void {
		const part = this.find(chunk);
		const { input, rawInput, inputEncoding } = part;
		const { output, preliminary, errorText } = chunk;
		this.update(part, state, { input, rawInput, inputEncoding, output, preliminary, errorText }, chunk);
	}

	denyOutput(chunk: Chunk): void {
		this.find(chunk).state = 'output-denied';
	}

	requestApproval(chunk: Chunk): void {
		const part = this.find(chunk);
		this.byApproval.set(chunk.approvalId, part);
		part.state = 'approval-requested';
		part.approval = {
			id: chunk.approvalId,
			...pick(chunk, 'signature', 'inputSchemaInput'),
			...pick({ descriptor: chunk.approvalDescriptor, requestReason: chunk.reason }, 'descriptor', 'requestReason'),
			...(chunk.isAutomatic === true && { isAutomatic: true }),
		};
	}

	respondToApproval(chunk: Chunk): void {
		const part = this.byApproval.get(chunk.approvalId);
		if (!part) throw new ChunkNotAppliedError('no tool call asked for this approval');
		part.state = 'approval-responded';
		part.approval = { ...part.approval, approved: chunk.approved, ...pick(chunk, 'reason') };
		Object.assign(part, pick(chunk, 'providerExecuted'));
		if (chunk.providerMetadata) part.callProviderMetadata = chunk.providerMetadata;
	}

	/** Some adapters send no `tool-input-available`. Call this once, after the last chunk. */
	completeInputs(): void {
		for (const part of this.parts.filter(isToolPart)) {
			if (typeof part.rawInput !== 'string' || part.inputEncoding === 'text') continue;
			const input = parseJson(part.rawInput);
			if (input === undefined || isDeeper(input, MAX_DEPTH)) continue;
			part.input = input;
			delete part.rawInput;
		}
	}

	private partForInput(chunk: Chunk): ToolPart {
		const toolCallId = requireText(chunk, 'toolCallId');
		const toolName = requireText(chunk, 'toolName');
		const type = chunk.dynamic ? 'dynamic-tool' : `tool-${toolName}`;
		const part = this.inStep.get(toolCallId) ?? this.add({ type, toolCallId, state: '' });
		part.type = type;
		if (chunk.dynamic) part.toolName = toolName;
		return part;
	}

	/** The call in the current step, or else its last part in the message. */
	private find(chunk: Chunk): ToolPart {
		const toolCallId = requireText(chunk, 'toolCallId');
		const part = this.inStep.get(toolCallId) ?? this.byId.get(toolCallId);
		if (!part) throw notStarted('tool call', toolCallId);
		return part;
	}

	private update(part: ToolPart, state: string, fields: Record<string, unknown>, chunk: Chunk): void {
		part.state = state;
		for (const name of REPLACED) {
			if (fields[name] === undefined) delete part[name];
			else part[name] = fields[name];
		}
		Object.assign(part, pick(chunk, 'title', 'toolMetadata', 'providerExecuted'));
		if (chunk.providerMetadata != null) {
			const isResult = state === 'output-available' || state === 'output-error';
			part[isResult ? 'resultProviderMetadata' : 'callProviderMetadata'] = chunk.providerMetadata;
		}
	}

	private add(part: ToolPart): ToolPart {
		this.parts.push(part);
		this.byId.set(part.toolCallId, part);
		this.inStep.set(part.toolCallId, part);
		return part;
	}
}
