// Reads one run's stream until it ends for any reason, within limits of bytes and time.

import { brokenReason } from '../../shared/failure/response/no-response';
import type { Body, Watchdog } from '../../shared/http/watchdog';
import { QUOTED_LIMITS } from '../../shared/failure/limits';
import type { Excerpt } from '../../shared/values/text';
import type { Chunk } from './message/chunk';
import { CONNECTION_CLOSED, type StopCause } from './ending';
import { RunReader, type Run } from './run-reader';

export interface OpenStream {
	threadId: string | undefined;
	stream: Body;
}

export interface ReceivedRun {
	threadId: string | undefined;
	run: Run;
	/** The list is empty unless chunks are returned. */
	chunks: Chunk[];
}

interface ReadingRequest {
	limits: { idle: number };
	maxBytes: number;
	operation: string;
	rawOutput: string;
}

const MAX_CAUSE_CHARACTERS = 200;

/** A run may continue after these chunks, or the service may leave the connection open. */
const ENDS = ['finish', 'error', 'abort'];
const SILENCE_AFTER_END_MS = 10_000;

type ReadingError = Error & { code?: unknown };

const interrupted = (reason: string): StopCause => ({ status: 'interrupted', reason });

/** A run that had ended may have begun again before the limit. */
const limited = (status: StopCause['status'], reason: string): StopCause => ({
	status,
	reason,
	warning: `${reason}. The run had ended, but may still be in progress; later output is missing`,
});

const LEFT_OPEN: StopCause = {
	...CONNECTION_CLOSED,
	warning:
		'The run ended, but the service kept the connection open. It was closed after 10 seconds. The run may still be in progress; later output is missing',
};

export class StreamReading {
	private readonly chunks: Chunk[] = [];
	private readonly reader: RunReader;
	private bytes = 0;
	private hasEnded = false;

	constructor(
		private readonly request: ReadingRequest,
		private readonly watchdog: Watchdog,
		/** Must not throw. */
		private readonly show: (chunk: Chunk) => void,
		private readonly excerpt: Excerpt,
	) {
		this.reader = new RunReader((chunk) => this.takeChunk(chunk), excerpt);
	}

	/** Never throws: whatever was received is kept. */
	async read({ threadId, stream }: OpenStream): Promise<ReceivedRun> {
		const error = await this.receive(stream).catch((thrown: ReadingError) => thrown);
		const run = this.reader.finish(this.causeOf(error));
		return { threadId, run, chunks: this.chunks };
	}

	private async receive(stream: Body): Promise<undefined> {
		try {
			for await (const bytes of stream) {
				this.take(bytes);
				if (!this.reader.isDone && !this.isTooLarge) continue;
				this.watchdog.close();
				break;
			}
		} finally {
			// A last line without an end counts, however the connection ended.
			this.reader.end();
		}
	}

	private take(bytes: Uint8Array): void {
		this.reader.write(bytes);
		// Keep-alives after the end do not count.
		if (!this.hasEnded) this.watchdog.touch();
		this.bytes += bytes.length;
	}

	private takeChunk(chunk: Chunk): void {
		const { idle } = this.request.limits;
		this.hasEnded = ENDS.includes(chunk.type);
		this.watchdog.limitSilence(this.hasEnded ? Math.min(idle, SILENCE_AFTER_END_MS) : idle);
		if (this.hasEnded) this.watchdog.touch();
		this.show(chunk);
		const { operation, rawOutput } = this.request;
		if (operation === 'raw' && rawOutput === 'chunks') this.chunks.push(chunk);
	}

	private get isTooLarge(): boolean {
		return this.bytes > this.request.maxBytes && !this.reader.isDone;
	}

	/** An error that the watchdog causes means nothing. */
	private causeOf(error: ReadingError | undefined): StopCause {
		const { expired, expiredReason, isStopped } = this.watchdog;
		if (this.isTooLarge) {
			return limited('interrupted', `The response exceeds ${this.request.maxBytes / 1e6} MB (${QUOTED_LIMITS.size})`);
		}
		if (error && this.hasEnded && expired === 'idle') return LEFT_OPEN;
		if (error && expiredReason) return { ...limited('timed_out', expiredReason), expired };
		const broken = isStopped ? 'The execution was stopped during the run' : error && brokenReason(error);
		if (error && broken) return { ...this.withWords(broken), mayBeRunning: true };
		return this.reader.wordsOutside === undefined ? CONNECTION_CLOSED : this.withWords(CONNECTION_CLOSED.reason);
	}

	/** Some services send errors, pages, or another format without `data:`. */
	private withWords(reason: string): StopCause {
		const words = this.reader.wordsOutside;
		const sent = words === undefined ? '' : `. The service sent: ${this.excerpt(words, MAX_CAUSE_CHARACTERS)}`;
		return interrupted(this.excerpt(reason, MAX_CAUSE_CHARACTERS) + sent);
	}
}
