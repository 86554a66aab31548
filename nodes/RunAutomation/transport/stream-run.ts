import type { IExecuteFunctions } from 'n8n-workflow';

import { brokenReason } from '../../errors/no-response';
import { expiredReason, type Watchdog } from '../../execution/watchdog';
import { shorten } from '../../values';
import { threadIdIn } from '../../starts/response';
import type { RunRequest } from '../parameters/run-request';
import { ENDED, RunReader, type Chunk, type StopCause } from '../stream';
import { readBody, unexpectedResponse, withStart, type Destination, type StartResponse } from './send-start';

interface RunObserver {
	onStart(threadId: string | undefined): void;
	onChunk(chunk: Chunk): void;
	/** Called about once a second, whether anything was received or not. */
	onTick(): void;
}

/** Milliseconds for which a finished run may keep its connection open without `[DONE]` and without a further chunk. */
const AFTER_FINISH = 10_000;

const STREAM_FORMAT_HEADER = /^x-.+-ai-ui-message-stream$/;
const NO_STREAM_TYPE = /^(application\/(.+\+)?json|text\/html|application\/(.+\+)?xml|text\/xml)\b/i;

/** Whether the response is a stream. The service promises no content type: only types that cannot be one are refused. */
function isStream({ statusCode, headers }: StartResponse): boolean {
	if (statusCode !== 200) return false;
	if (Object.keys(headers).some((name) => STREAM_FORMAT_HEADER.test(name.toLowerCase()))) return true;
	return !NO_STREAM_TYPE.test(String(headers['content-type'] ?? ''));
}

/**
 * Starts a run, which is billed, and reads its stream to the end. Throws Failed if the response is not a stream. The observer
 * must not throw.
 */
export async function startAndStream(
	context: IExecuteFunctions,
	request: RunRequest,
	to: Destination,
	observer: RunObserver,
) {
	let lastChunk = Date.now();
	const reader = new RunReader((chunk) => {
		lastChunk = Date.now();
		observer.onChunk(chunk);
	});
	let cause: StopCause | undefined;
	const read = async (response: StartResponse, watchdog: Watchdog) => {
		if (!isStream(response)) {
			throw unexpectedResponse(request, response, await readBody(response, watchdog), 'the output of a run');
		}
		// Known before anything of the body is.
		const threadId = threadIdIn(response.headers);
		observer.onStart(threadId);
		let received = 0;
		try {
			for await (const bytes of response.body) {
				watchdog.touch();
				cause ??= write(reader, bytes);
				received += bytes.length;
				if (received > request.maxBytes && !reader.isDone) cause ??= tooLarge(request);
				if (!reader.isDone && !cause) continue;
				watchdog.close();
				break;
			}
		} catch (error) {
			cause ??= causeOf(error as { code?: unknown; message: string }, watchdog, request);
		}
		return { threadId, run: reader.finish(cause) };
	};
	const onTick = (watchdog: Watchdog) => {
		observer.onTick();
		// Bytes that are not a chunk do not count.
		if (!reader.hasFinished || Date.now() - lastChunk < AFTER_FINISH) return;
		cause ??= LEFT_OPEN;
		watchdog.close();
	};
	return await withStart(context, request, to, read, onTick);
}

const interrupted = (reason: string): StopCause => ({ status: 'interrupted', reason });

const LEFT_OPEN: StopCause = {
	...ENDED,
	warning: 'The run finished, but the service did not end the stream. The connection was closed',
};

const tooLarge = ({ maxBytes }: RunRequest): StopCause => ({
	...interrupted(`The response exceeds ${maxBytes / 1e6} MB ('Limit: Response Size')`),
	advice:
		"The run may still be in progress. Open the thread in the web console before you start another run. To receive more, raise 'Limit: Response Size (MB)'",
});

/** Hands bytes to the reader. An exception there is a bug in this code, and must not look like a broken connection. */
function write(reader: RunReader, bytes: Uint8Array): StopCause | undefined {
	try {
		reader.write(bytes);
		return undefined;
	} catch (error) {
		const what = shorten((error as Error).message);
		const reason = `This node stopped reading the stream because its own code threw (${what})`;
		return { ...interrupted(reason), warning: reason };
	}
}

function causeOf(
	error: { code?: unknown; message: string },
	{ expired, isStopped }: Watchdog,
	{ limits }: RunRequest,
): StopCause {
	if (expired) return { status: 'timed_out', reason: expiredReason(expired, limits) };
	return interrupted(isStopped ? 'The execution was stopped during the run' : brokenReason(error));
}
