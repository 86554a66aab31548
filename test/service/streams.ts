import {
	createUIMessageStream,
	JsonToSseTransformStream,
	simulateReadableStream,
	stepCountIs,
	streamText,
	tool,
	type UIMessageChunk,
	type UIMessageStreamWriter,
} from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';

/** The smallest PNG there is: one transparent pixel. */
export const PIXEL_PNG =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

type Execute = (writer: UIMessageStreamWriter) => void | Promise<void>;

/** A stream of `ai` itself (createUIMessageStream); an error thrown inside becomes an `error` chunk. */
export function uiStream(execute: Execute): ReadableStream<UIMessageChunk> {
	return createUIMessageStream({
		execute: async ({ writer }) => await execute(writer),
		onError: (error) => (error instanceof Error ? error.message : String(error)),
	});
}

/** The server-sent events of a stream, one string each, written by `ai` (`start_automation_run` in openapi.json); [DONE] comes last. */
export async function* events(stream: ReadableStream<UIMessageChunk>): AsyncGenerator<string> {
	yield* stream.pipeThrough(new JsonToSseTransformStream()) as unknown as AsyncIterable<string>;
}

/** Writes one complete text part. */
export function say(writer: UIMessageStreamWriter, text: string, id = 'text-1') {
	writer.write({ type: 'text-start', id });
	for (const delta of text.match(/\S+\s*/g) ?? []) writer.write({ type: 'text-delta', id, delta });
	writer.write({ type: 'text-end', id });
}

/** A complete run of one step with one text. */
export function textRun(text: string, ending?: Execute): ReadableStream<UIMessageChunk> {
	return uiStream(async (writer) => {
		writer.write({ type: 'start', messageId: 'msg-1' });
		writer.write({ type: 'start-step' });
		say(writer, text);
		if (ending) return await ending(writer);
		writer.write({ type: 'finish-step' });
		writer.write({ type: 'finish', finishReason: 'stop' });
	});
}

/** N text deltas, made only as fast as they are read. */
export function hugeRun(deltas: number): ReadableStream<UIMessageChunk> {
	function* chunks(): Generator<UIMessageChunk> {
		const id = 'text-1';
		yield { type: 'start', messageId: 'msg-1' };
		yield { type: 'text-start', id };
		for (let index = 0; index < deltas; index++) yield { type: 'text-delta', id, delta: `word-${index} ` };
		yield { type: 'text-end', id };
		yield { type: 'finish', finishReason: 'stop' };
	}
	return ReadableStream.from(chunks()) as ReadableStream<UIMessageChunk>;
}

type ModelStream = Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'];
type ModelPart = ModelStream extends ReadableStream<infer Part> ? Part : never;

const USAGE = {
	inputTokens: { total: 12, noCache: 12, cacheRead: 0, cacheWrite: 0 },
	outputTokens: { total: 34, text: 30, reasoning: 4 },
};

function words(kind: 'text' | 'reasoning', id: string, text: string): ModelPart[] {
	return [
		{ type: `${kind}-start`, id },
		...(text.match(/(\S+\s*){1,3}/g) ?? []).map((delta): ModelPart => ({ type: `${kind}-delta`, id, delta })),
		{ type: `${kind}-end`, id },
	];
}

function call(id: string, toolName: string, input: object): ModelPart[] {
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

function step(parts: ModelPart[], reason: 'stop' | 'tool-calls'): ModelPart[] {
	const finishReason = { unified: reason, raw: reason };
	return [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage: USAGE }];
}

/**
 * The run of a real agent loop: `streamText` with a mock model, two tools (the second one fails),
 * reasoning, sources and a file, with data parts of our own between them.
 */
export function agentRun(
	task: string,
	answer: string,
	signal: AbortSignal,
	delay = 40,
): ReadableStream<UIMessageChunk> {
	const page = 'https://shop.example/products?page=1';
	const opening = 'I should open the page first and look at what it shows.';
	const list = { mediaType: 'application/pdf', title: 'Price list', filename: 'prices.pdf' };
	const steps = [
		step([...words('reasoning', 'r1', opening), ...call('call-open', 'openPage', { url: page })], 'tool-calls'),
		step(
			[
				...words('text', 't1', 'The page is open, now the next one.'),
				...call('call-click', 'clickElement', { element: 'Next page' }),
			],
			'tool-calls',
		),
		step(
			[
				{ type: 'source', sourceType: 'url', id: 'src-1', url: page, title: 'Products' },
				{ type: 'source', sourceType: 'document', id: 'src-2', ...list },
				{ type: 'file', mediaType: 'image/png', data: PIXEL_PNG },
				...words('text', 't2', answer),
			],
			'stop',
		),
	];
	return uiStream((writer) => {
		const progress = (done: number) =>
			writer.write({ type: 'data-progress', id: 'progress', data: { done, of: steps.length } });
		let next = 0;
		const result = streamText({
			model: new MockLanguageModelV3({
				doStream: async () => {
					if (next === 0) progress(0);
					const chunks = steps[next++];
					return { stream: simulateReadableStream({ chunks, initialDelayInMs: delay, chunkDelayInMs: delay }) };
				},
			}),
			prompt: task,
			abortSignal: signal,
			onError: () => undefined,
			stopWhen: stepCountIs(steps.length),
			tools: {
				openPage: tool({
					description: 'Opens a page',
					inputSchema: z.object({ url: z.string() }),
					execute: async ({ url }) => {
						writer.write({ type: 'data-status', data: { message: 'Waiting for the page' }, transient: true });
						return { url, status: 200, title: 'Products' };
					},
				}),
				clickElement: tool({
					description: 'Clicks an element',
					inputSchema: z.object({ element: z.string() }),
					execute: async ({ element }): Promise<string> => {
						throw new Error(`No element "${element}" on the page`);
					},
				}),
			},
			onStepFinish: () => progress(next),
		});
		writer.merge(
			result.toUIMessageStream({
				sendSources: true,
				generateMessageId: () => 'msg-1',
				messageMetadata: ({ part }) => (part.type === 'start' ? { task } : undefined),
				onError: (error) => (error instanceof Error ? error.message : String(error)),
			}),
		);
	});
}
