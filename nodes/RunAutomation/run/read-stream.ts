// Reads one run's stream until it ends for any reason, within limits of bytes and time.

import { brokenReason } from '../../shared/failure/response/no-response';
import type { Body, Watchdog } from '../../shared/http/watchdog';
import { QUOTED_LIMITS } from '../../shared/failure/limits';
import type { Excerpt } from '../../shared/values/text';
import type { Chunk } from './message/chunk';
import { CONNECTION_CLOSED, type StopCause } from './ending';
import { textOutside, wordsOutside } from './outside';
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
	chunksLeftOut: number;
}

interface ReadingRequest {
	maxBytes: number;
	chunkLimit: number;
	operation: string;
	rawOutput: string;
}

const MAX_CAUSE_CHARACTERS = 200;

/** A connection may stay open this long without a chunk after the run's end. */
const AFTER_END_MS = 10_000;

type ReadingError = Error & { code?: unknown };

const interrupted = (reason: string): StopCause => ({ status: 'interrupted', reason });

const LEFT_OPEN: StopCause = {
	...CONNECTION_CLOSED,
	warning:
		'The run ended, but the service kept the connection open. It was closed after 10 seconds. The run may still be in progress; later output is missing',
};

/** A run that had ended may have begun again before the limit. */
const limited = (status: StopCause['status'], reason: string): StopCause => ({
	status,
	reason,
	warning: `${reason}. The run had ended, but may still be in progress; later output is missing`,
});

export class StreamReading {
	private readonly chunks: Chunk[] = [];
	private chunksLeftOut = 0;
	private readonly reader: RunReader;
	/** Milliseconds of the watchdog's clock. */
	private lastChunk: number | undefined;
	private bytes = 0;
	private isLeftOpen = false;

	constructor(
		private readonly request: ReadingRequest,
		private readonly watchdog: Watchdog,
		/** Must not throw. */
		private readonly show: (chunk: Chunk) => void,
		private readonly excerpt: Excerpt,
	) {
		this.reader = new RunReader((chunk) => this.takeChunk(chunk), excerpt);
		watchdog.tick = () => this.closeLeftOpen();
	}

	/** Never throws: whatever was received is kept. */
	async read({ threadId, stream }: OpenStream): Promise<ReceivedRun> {
		const error = await this.receive(stream).catch((thrown: ReadingError) => thrown);
		const run = this.reader.finish(this.causeOf(error));
		return { threadId, run, chunks: this.chunks, chunksLeftOut: this.chunksLeftOut };
	}

	private async receive(stream: Body): Promise<undefined> {
		try {
			for await (const bytes of stream) {
				this.take(bytes);
				if (!this.reader.isDone && !this.isTooLarge && !this.isLeftOpen) continue;
				this.watchdog.close();
				break;
			}
		} finally {
			// A last line without an end counts, however the connection ended.
			this.reader.end();
		}
	}

	private take(bytes: Uint8Array): void {
		this.watchdog.touch();
		this.reader.write(bytes);
		this.bytes += bytes.length;
	}

	private takeChunk(chunk: Chunk): void {
		this.lastChunk = performance.now();
		this.show(chunk);
		const { operation, rawOutput, chunkLimit } = this.request;
		if (operation !== 'raw' || rawOutput !== 'chunks') return;
		if (this.chunks.length < chunkLimit) this.chunks.push(chunk);
		else this.chunksLeftOut++;
	}

	/** Keep-alives do not count. */
	private closeLeftOpen(): void {
		this.isLeftOpen ||= this.reader.hasEnded && performance.now() - (this.lastChunk ?? 0) >= AFTER_END_MS;
		if (this.isLeftOpen) this.watchdog.close();
	}

	private get isTooLarge(): boolean {
		return this.bytes > this.request.maxBytes && !this.reader.isDone;
	}

	/** An error that the watchdog causes means nothing. */
	private causeOf(error: ReadingError | undefined): StopCause {
		const { expired, expiredReason, isStopped } = this.watchdog;
		if (this.isLeftOpen) return LEFT_OPEN;
		if (this.isTooLarge) {
			return limited('interrupted', `The response exceeds ${this.request.maxBytes / 1e6} MB (${QUOTED_LIMITS.size})`);
		}
		if (error && expiredReason) return { ...limited('timed_out', expiredReason), expired };
		const broken = isStopped ? 'The execution was stopped during the run' : error && brokenReason(error);
		if (error && broken) return { ...interrupted(this.withWords(broken)), mayBeRunning: true };
		return this.closedReason();
	}

	/** A lost connection may follow an error outside `data:`. */
	private withWords(broken: string): string {
		const words = wordsOutside(this.reader.outside);
		const reason = this.excerpt(broken, MAX_CAUSE_CHARACTERS);
		return words === undefined ? reason : `${reason}. The service sent: ${this.excerpt(words, MAX_CAUSE_CHARACTERS)}`;
	}

	/** Some services send errors, or another format, without `data:`. */
	private closedReason(): StopCause {
		const { outside } = this.reader;
		const words = wordsOutside(outside);
		if (words) return interrupted(this.excerpt(words, MAX_CAUSE_CHARACTERS));
		const text = textOutside(outside);
		if (text === undefined) return CONNECTION_CLOSED;
		return interrupted(
			`${CONNECTION_CLOSED.reason}. Outside the run, the service sent: ${this.excerpt(text, MAX_CAUSE_CHARACTERS)}`,
		);
	}
}
