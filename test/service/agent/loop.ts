import { createUIMessageStream, simulateReadableStream, stepCountIs, streamText, tool } from 'ai';
import type { ToolSet, UIMessageChunk, UIMessageStreamWriter } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';

type ModelStream = Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'];
/** What a model streams. */
export type ModelPart = ModelStream extends ReadableStream<infer Part> ? Part : never;

const USAGE = {
	inputTokens: { total: 12, noCache: 12, cacheRead: 0, cacheWrite: 0 },
	outputTokens: { total: 34, text: 30, reasoning: 4 },
};

/** A text or a reasoning, three words at a time. */
export function words(kind: 'text' | 'reasoning', id: string, text: string): ModelPart[] {
	const deltas = text.match(/(\S+\s*){1,3}/g) ?? [];
	const parts = deltas.map((delta): ModelPart => ({ type: `${kind}-delta`, id, delta }));
	return [{ type: `${kind}-start`, id }, ...parts, { type: `${kind}-end`, id }];
}

/** A call of a tool, its input in two pieces. */
export function call(id: string, toolName: string, input: object): ModelPart[] {
	const json = JSON.stringify(input);
	return [
		{ type: 'tool-input-start', id, toolName },
		{ type: 'tool-input-delta', id, delta: json.slice(0, 5) },
		{ type: 'tool-input-delta', id, delta: json.slice(5) },
		{ type: 'tool-input-end', id },
		{ type: 'tool-call', toolCallId: id, toolName, input: json },
	];
}

/** One step of a model: its parts, and whether it waits for its tools. */
export function step(parts: ModelPart[], reason: 'stop' | 'tool-calls'): ModelPart[] {
	const finishReason = { unified: reason, raw: reason };
	return [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage: USAGE }];
}

/** A tool that opens a page: it tells what it does, and returns the page. */
export const openPage = (tell: () => void, page: object) =>
	tool({
		inputSchema: z.object({ url: z.string() }),
		execute: async ({ url }) => (tell(), await Promise.resolve({ url, ...page })),
	});

const onError = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The run of a real agent loop: `streamText` with a mock model, which tells its progress beside each step. */
export function agentLoop(
	task: string,
	signal: AbortSignal,
	delay: number,
	steps: ModelPart[][],
	makeTools: (status: (message: string) => void) => ToolSet,
): ReadableStream<UIMessageChunk> {
	const execute = ({ writer }: { writer: UIMessageStreamWriter }) => {
		let done = 0;
		const tellProgress = () =>
			writer.write({ type: 'data-progress', id: 'progress', data: { done, of: steps.length } });
		const delays = { initialDelayInMs: delay, chunkDelayInMs: delay };
		const doStream = async () => {
			if (done === 0) tellProgress();
			return { stream: simulateReadableStream({ chunks: steps[done++], ...delays }) };
		};
		const result = streamText({
			model: new MockLanguageModelV3({ doStream }),
			prompt: task,
			abortSignal: signal,
			onError: () => undefined,
			stopWhen: stepCountIs(steps.length),
			tools: makeTools((message) => writer.write({ type: 'data-status', data: { message }, transient: true })),
			onStepFinish: tellProgress,
		});
		const messageMetadata = ({ part }: { part: { type: string } }) => (part.type === 'start' ? { task } : undefined);
		const ids = { generateMessageId: () => 'msg-1', messageMetadata };
		writer.merge(result.toUIMessageStream({ sendSources: true, onError, ...ids }));
	};
	return createUIMessageStream({ execute, onError });
}
