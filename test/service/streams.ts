import { createUIMessageStream, JsonToSseTransformStream, type UIMessageChunk, type UIMessageStreamWriter } from 'ai';

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
