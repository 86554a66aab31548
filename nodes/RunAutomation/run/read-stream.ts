import { brokenReason } from '../../shared/no-response';
import { readReason } from '../../shared/reason';
import type { Watchdog } from '../../shared/watchdog';
import { isObject } from '../../shared/nested';
import { parseJson } from '../../shared/json';
import { quoted, type Excerpt } from '../../shared/text';
import type { RunRequest } from '../form/run-request';
import type { Chunk } from './chunk';
import { CONNECTION_CLOSED, type StopCause } from './ending';
import { RunReader, type Run } from './run-reader';
import type { OpenStream } from '../send';

/** A run that was read until it, or its connection, ended. */
export interface ReadRun {
	threadId: string | undefined;
	run: Run;
	/** Chunks as received, up to the chunk limit; empty unless they are returned. */
	chunks: Chunk[];
	chunksLeftOut: number;
}

/** Characters of the reason of a lost connection, or of a response without a stream. */
const MAX_CAUSE = 200;

/** Bytes before the first chunk in which a service may report an error as JSON. */
const MAX_HEAD = 64 * 1024;

/** Milliseconds for which a run that has ended may keep its connection open without `[DONE]` and without a further chunk. */
const AFTER_END = 10_000;

/**
 * Reads the stream of a run to its end, however it ends. Never throws: everything received before is kept.
 *
 * @param show called with each chunk; must not throw
 * @param excerpt shortens text of the service, and masks secrets in it
 */
export async function readStream(
	{ threadId, stream }: OpenStream,
	{ chunkLimit, maxBytes, operation, rawOutput }: RunRequest,
	watchdog: Watchdog,
	show: (chunk: Chunk) => void,
	excerpt: Excerpt,
): Promise<ReadRun> {
	const keepsChunks = operation === 'raw' && rawOutput === 'chunks';
	const chunks: Chunk[] = [];
	let chunksLeftOut = 0;
	let lastChunk: number | undefined;
	let head = '';
	const decoder = new TextDecoder();
	const reader = new RunReader((chunk) => {
		lastChunk = performance.now();
		show(chunk);
		if (!keepsChunks) return;
		if (chunks.length < chunkLimit) chunks.push(chunk);
		else chunksLeftOut++;
	}, excerpt);
	let isLeftOpen = false;
	watchdog.tick = () => {
		// Bytes that are not a chunk do not count.
		isLeftOpen ||= reader.hasEnded && performance.now() - (lastChunk ?? 0) >= AFTER_END;
		if (isLeftOpen) watchdog.close();
	};
	let received = 0;
	const isTooLarge = () => received > maxBytes && !reader.isDone;
	const receive = async () => {
		for await (const bytes of stream) {
			watchdog.touch();
			reader.write(bytes);
			if (lastChunk === undefined && received < MAX_HEAD) head += decoder.decode(bytes, { stream: true });
			received += bytes.length;
			if (!reader.isDone && !isTooLarge() && !isLeftOpen) continue;
			watchdog.close();
			break;
		}
	};
	const error = await receive()
		// A last line without an end counts, however the connection ended.
		.finally(() => reader.end())
		.then(
			() => undefined,
			(thrown: ReadingError) => thrown,
		);
	const tooLarge =
		isTooLarge() && limited('interrupted', `The response exceeds ${maxBytes / 1e6} MB (${RESPONSE_SIZE})`);
	const text = lastChunk === undefined ? head : '';
	const cause = (isLeftOpen && LEFT_OPEN) || tooLarge || causeOf(error, watchdog, text, excerpt);
	return { threadId, run: reader.finish(cause), chunks, chunksLeftOut };
}

type ReadingError = Error & { code?: unknown };

const interrupted = (reason: string): StopCause => ({ status: 'interrupted', reason });

const LEFT_OPEN: StopCause = {
	...CONNECTION_CLOSED,
	warning:
		'The run ended, but the service kept the connection open. It was closed after 10 seconds. The run may still be in progress; later output is missing',
};

/** The limit that closed the connection, also of a run that had ended: a further `start` reopens its message. */
const limited = (status: StopCause['status'], reason: string): StopCause => ({
	status,
	reason,
	warning: `${reason}. The run had ended, but may still be in progress; later output is missing`,
});

const RESPONSE_SIZE = quoted('Max Response Size (MB)', 'Limits');

/**
 * Decides why the reading stopped. If the watchdog closed the connection, the error that follows is meaningless.
 *
 * @param head the text of a response without any chunk: some services send errors in this way
 */
function causeOf(error: ReadingError | undefined, watchdog: Watchdog, head: string, excerpt: Excerpt): StopCause {
	const { expired, expiredReason, isStopped } = watchdog;
	if (error && expiredReason) return { ...limited('timed_out', expiredReason), expired };
	if (error && isStopped) return interrupted('The execution was stopped during the run');
	if (error) return interrupted(excerpt(brokenReason(error), MAX_CAUSE));
	const errorBody = parseJson(head);
	const { reason } = isObject(errorBody) ? readReason(errorBody) : {};
	return reason ? interrupted(excerpt(reason, MAX_CAUSE)) : CONNECTION_CLOSED;
}
