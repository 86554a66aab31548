import {
	simulateReadableStream,
	stepCountIs,
	streamText,
	type ToolSet,
	type UIMessageChunk,
	type UIMessageStreamWriter,
} from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { uiStream } from '../streams';

type ModelStream = Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'];
/** What a model streams. */
export type ModelPart = ModelStream extends ReadableStream<infer Part> ? Part : never;

const USAGE = {
	inputTokens: { total: 12, noCache: 12, cacheRead: 0, cacheWrite: 0 },
	outputTokens: { total: 34, text: 30, reasoning: 4 },
};

/** A text or a reasoning, three words at a time. */
export function words(kind: 'text' | 'reasoning', id: string, text: string): ModelPart[] {
	return [
		{ type: `${kind}-start`, id },
		...(text.match(/(\S+\s*){1,3}/g) ?? []).map((delta): ModelPart => ({ type: `${kind}-delta`, id, delta })),
		{ type: `${kind}-end`, id },
	];
}

/** A call of a tool, its input in two pieces. */
export function call(id: string, toolName: string, input: object): ModelPart[] {
	const json = JSON.stringify(input);
	const middle = Math.ceil(json.length / 2);
	return [
		{ type: 'tool-input-start', id, toolName },
		{ type: 'tool-input-delta', id, delta: json.slice(0, middle) },
		{ type: 'tool-input-delta', id, delta: json.slice(middle) },
		{ type: 'tool-input-end', id },
		{ type: 'tool-call', toolCallId: id, toolName, input: json },
	];
}

/** One step of a model: its parts, and whether it waits for its tools. */
export function step(parts: ModelPart[], reason: 'stop' | 'tool-calls'): ModelPart[] {
	const finishReason = { unified: reason, raw: reason };
	return [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage: USAGE }];
}

/** An agent: its tools, what its model streams in the next step, and what happens after each step. */
export interface Agent {
	tools: ToolSet;
	think: () => ModelPart[] | Promise<ModelPart[]>;
	afterStep: () => void;
}

/** An agent whose pages do not open tries them again, but not for ever. */
const MOST_STEPS = 10;
const wordingOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The run of a real agent loop: `streamText` with a mock model; the agent may write parts of its own between. */
export function agentLoop(
	task: string,
	signal: AbortSignal,
	delay: number,
	makeAgent: (writer: UIMessageStreamWriter) => Agent,
): ReadableStream<UIMessageChunk> {
	return uiStream((writer) => {
		const { tools, think, afterStep } = makeAgent(writer);
		const result = streamText({
			model: new MockLanguageModelV3({
				doStream: async () => {
					const chunks = await think();
					return { stream: simulateReadableStream({ chunks, initialDelayInMs: delay, chunkDelayInMs: delay }) };
				},
			}),
			prompt: task,
			abortSignal: signal,
			onError: () => undefined,
			stopWhen: stepCountIs(MOST_STEPS),
			tools,
			onStepFinish: afterStep,
		});
		writer.merge(
			result.toUIMessageStream({
				sendSources: true,
				generateMessageId: () => 'msg-1',
				messageMetadata: ({ part }) => (part.type === 'start' ? { task } : undefined),
				onError: wordingOf,
			}),
		);
	});
}
