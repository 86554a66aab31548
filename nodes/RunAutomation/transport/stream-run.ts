import type { IExecuteFunctions } from 'n8n-workflow';

import { brokenReason } from '../../errors/no-response';
import { expiredReason, type Watchdog } from '../../execution/watchdog';
import { shorten } from '../../values';
import type { StreamedRun } from '../outcome';
import type { RunRequest } from '../parameters/run-request';
import { ENDED, RunReader, type Chunk, type Run, type StopCause } from '../stream';
import { readBody, unexpectedResponse, withStart, type Destination, type StartResponse } from './start';

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
 * Starts a run, which is billed, and reads its stream to the end.
 *
 * @param observer must not throw
 * @throws Failed if the response is not a stream
 */
export async function startAndStream(
	context: IExecuteFunctions,
	request: RunRequest,
	to: Destination,
	observer: RunObserver,
): Promise<StreamedRun> {
	let reading: StreamReading | undefined;
	const read = async (response: StartResponse): Promise<StreamedRun> => {
		if (!isStream(response)) {
			throw unexpectedResponse(request, response, await readBody(response), 'the output of a run');
		}
		observer.onStart(response.threadId);
		reading = new StreamReading(response.watchdog, observer);
		const run = await reading.read(response.body, request);
		return { threadId: response.threadId, run, ...(reading.isTooLarge && run.status !== 'completed' && RAISE_SIZE) };
	};
	const onTick = () => {
		observer.onTick();
		reading?.closeIfFinished();
	};
	return await withStart(context, request, to, read, onTick);
}

const RAISE_SIZE = {
	advice:
		"The run may still be in progress. Open the thread in the web console before you start another run. To receive more, raise 'Limit: Response Size (MB)'",
};

/** The reading of one stream, which ends with it, or some time after its run has finished. */
class StreamReading {
	private readonly reader = new RunReader((chunk) => {
		this.lastChunk = Date.now();
		this.observer.onChunk(chunk);
	});

	private lastChunk = Date.now();

	private isLeftOpen = false;

	isTooLarge = false;

	constructor(
		private readonly watchdog: Watchdog,
		private readonly observer: RunObserver,
	) {}

	/** Closes the connection if the run has finished and the service leaves it open. Bytes that are not a chunk do not count. */
	closeIfFinished(): void {
		if (!this.reader.hasFinished || Date.now() - this.lastChunk < AFTER_FINISH) return;
		this.isLeftOpen = true;
		this.watchdog.close();
	}

	async read(body: AsyncIterable<Uint8Array>, { maxBytes, limits }: RunRequest): Promise<Run> {
		const { reader, watchdog } = this;
		let received = 0;
		let cause: StopCause | undefined;
		try {
			for await (const bytes of body) {
				watchdog.touch();
				cause = this.take(bytes);
				received += bytes.length;
				if (!cause && received > maxBytes && !reader.isDone) {
					cause = interrupted(`The response exceeds ${maxBytes / 1e6} MB ('Limit: Response Size')`);
					this.isTooLarge = true;
				}
				if (reader.isDone || cause) {
					watchdog.close();
					break;
				}
			}
		} catch (error) {
			cause = this.causeOf(error as { code?: unknown; message: string }, limits);
		}
		return reader.finish(cause);
	}

	/** Hands bytes to the reader. An exception there is a bug in this code, and must not look like a broken connection. */
	private take(bytes: Uint8Array): StopCause | undefined {
		try {
			this.reader.write(bytes);
			return undefined;
		} catch (error) {
			const what = shorten((error as Error).message);
			const reason = `This node stopped reading the stream because its own code threw (${what})`;
			return { ...interrupted(reason), warning: reason };
		}
	}

	private causeOf(error: { code?: unknown; message: string }, limits: RunRequest['limits']): StopCause {
		const { expired, isStopped } = this.watchdog;
		if (this.isLeftOpen) return LEFT_OPEN;
		if (expired) return { status: 'timed_out', reason: expiredReason(expired, limits) };
		return interrupted(isStopped ? 'The execution was stopped during the run' : brokenReason(error));
	}
}

const interrupted = (reason: string): StopCause => ({ status: 'interrupted', reason });

const LEFT_OPEN: StopCause = {
	...ENDED,
	warning: 'The run finished, but the service did not end the stream. The connection was closed',
};
