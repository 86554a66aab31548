import { JsonToSseTransformStream, type UIMessageChunk } from 'ai';

/** The server-sent events of a stream, one string each, written by `ai` (`start_automation_run` in openapi.json); [DONE] comes last. */
export async function* events(chunks: Iterable<UIMessageChunk> | AsyncIterable<UIMessageChunk>) {
	const sent = ReadableStream.from(chunks).pipeThrough(new JsonToSseTransformStream() as TransformStream);
	yield* sent as AsyncIterable<string>;
}

const FINISHED: UIMessageChunk[] = [{ type: 'finish-step' }, { type: 'finish', finishReason: 'stop' }];

/** A run of one step with one text, word by word, made only as fast as it is read. */
export function* textRun(text: string, ending = FINISHED): Generator<UIMessageChunk> {
	const id = 'text-1';
	yield* [{ type: 'start', messageId: 'msg-1' }, { type: 'start-step' }, { type: 'text-start', id }] as const;
	for (const delta of text.match(/^\s+|\S+\s*/g) ?? []) yield { type: 'text-delta', id, delta };
	yield { type: 'text-end', id };
	yield* ending;
}
