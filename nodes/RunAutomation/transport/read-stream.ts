import { brokenReason } from '../../errors/no-response';
import { readReason } from '../../errors/service-reason';
import type { Watchdog } from '../../execution/watchdog';
import { isObject, parseJson, type Excerpt } from '../../values';
import type { RunRequest } from '../parameters/run-request';
import { ENDED, RunReader, type Chunk, type Run, type StopCause } from '../stream';
import type { OpenStream } from './send-start';
import { quoted } from '../../values';

/** A run that was read until it, or its connection, ended. */
export interface ReadRun {
	threadId: string | undefined;
	run: Run;
	/** As received, up to the chunk limit; empty unless they are returned. */
	chunks: Chunk[];
	chunksLeftOut: number;
}

/** Characters of why a connection broke, or why there is no stream. */
const MAX_CAUSE = 200;

/** Bytes in which the words of a service are looked for that sends no stream. */
const MAX_HEAD = 64 * 1024;

/** Milliseconds for which a run that has ended may keep its connection open without `[DONE]` and without a further chunk. */
const AFTER_END = 10_000;

/**
 * Reads the stream of a run to its end, however it ends. Never throws: what was received before is kept.
 *
 * @param show called with each chunk; must not throw
 * @param quote cuts what the service wrote, without secrets
 */
export async function readStream(
	{ threadId, stream }: OpenStream,
	{ chunkLimit, maxBytes, operation, rawOutput }: RunRequest,
	watchdog: Watchdog,
	show: (chunk: Chunk) => void,
	quote: Excerpt,
): Promise<ReadRun> {
	const keepsChunks = operation === 'raw' && rawOutput === 'chunks';
	const chunks: Chunk[] = [];
	let chunksLeftOut = 0;
	let lastChunk: number | undefined;
	/** What is received before a chunk: some services send an error as text. */
	let head = '';
	const decoder = new TextDecoder();
	const reader = new RunReader((chunk) => {
		lastChunk = performance.now();
		show(chunk);
		if (!keepsChunks) return;
		if (chunks.length < chunkLimit) chunks.push(chunk);
		else chunksLeftOut++;
	}, quote);
	let cause: StopCause | undefined;
	watchdog.everySecond(() => {
		// Bytes that are not a chunk do not count.
		if (!reader.hasEnded || performance.now() - (lastChunk ?? 0) < AFTER_END) return;
		cause ??= LEFT_OPEN;
		watchdog.close();
	});
	let received = 0;
	const receive = async () => {
		for await (const bytes of stream) {
			watchdog.touch();
			reader.write(bytes);
			if (lastChunk === undefined && received < MAX_HEAD) head += decoder.decode(bytes, { stream: true });
			received += bytes.length;
			if (received > maxBytes && !reader.isDone) cause ??= tooLarge(maxBytes);
			if (!reader.isDone && !cause) continue;
			watchdog.close();
			break;
		}
	};
	try {
		// A last line without an end counts, however the connection ended.
		await receive().finally(() => reader.end());
	} catch (error) {
		cause ??= causeOf(error as { code?: unknown; message: string }, watchdog, quote);
	}
	const refusal = lastChunk === undefined ? parseJson(head) : undefined;
	const { reason } = isObject(refusal) ? readReason(refusal) : {};
	if (reason) cause ??= interrupted(quote(reason, MAX_CAUSE));
	return { threadId, run: reader.finish(cause), chunks, chunksLeftOut };
}

const interrupted = (reason: string): StopCause => ({ status: 'interrupted', reason });

const LEFT_OPEN: StopCause = {
	...ENDED,
	warning:
		'The run ended, but the service kept the connection open. It was closed after 10 seconds. The run may still be in progress; later output is missing',
};

/** A limit that has closed the connection, also of a run that had ended: it can open its message again. */
const limited = (status: StopCause['status'], reason: string): StopCause => ({
	status,
	reason,
	warning: `${reason}. The run had ended, but may still be in progress; later output is missing`,
});

const RESPONSE_SIZE = quoted('Max Response Size (MB)', 'Limits');

const tooLarge = (maxBytes: number): StopCause =>
	limited('interrupted', `The response exceeds ${maxBytes / 1e6} MB (${RESPONSE_SIZE})`);

function causeOf(
	error: { code?: unknown; message: string },
	{ expired, expiredReason, isStopped }: Watchdog,
	quote: Excerpt,
): StopCause {
	if (expiredReason) return { ...limited('timed_out', expiredReason), isLost: expired === 'idle' };
	if (isStopped) return interrupted('The execution was stopped during the run');
	return { ...interrupted(quote(brokenReason(error), MAX_CAUSE)), isLost: true };
}
