import { brief } from './brief';
import type { Chunk } from './chunk';
import { createChunkReader } from './chunk-reader';
import { MessageFold, toolNameOf, type Message, type Part } from './message';
import { parseJson } from './parse-json';

export { parseJson, toolNameOf };
export type { Chunk, Message, Part };

/** How a run ended; see {@link RunReader.finish}. */
export type RunStatus = 'completed' | 'failed' | 'aborted' | 'interrupted' | 'timed_out';

/** Everything a stream told about its run. */
export interface Run {
	status: RunStatus;
	/** Why the run is not complete, in the server's own words where it gave any. Undefined for `completed`. */
	reason?: string;
	message: Message;
	/** Last `data` of each `data-*` kind that is not transient, by the kind's name. */
	data: Record<string, unknown>;
	finishReason?: string;
	/** What on the stream could not be read, in order; at most {@link MAX_WARNINGS} and a last one that counts the rest. */
	warnings: string[];
}

/** Why the reading stopped: the body ended, the connection broke, or no more was waited for. */
export type StopCause = { kind: 'ended' } | { kind: 'broken'; reason: string } | { kind: 'timed_out'; reason: string };

export const MAX_WARNINGS = 100;

/** Characters of the server's reason that are kept. */
const MAX_REASON = 10_000;

const reasonOf = (given: unknown, fallback: string): string =>
	typeof given === 'string' && given.trim() !== '' ? brief(given, MAX_REASON) : fallback;

/**
 * Reads the stream of one run (UI message stream, version 1) from its bytes, in one pass and in memory that grows with
 * the message, not with the number of chunks. Nothing on the stream makes it throw.
 */
export class RunReader {
	private readonly fold = new MessageFold();

	private readonly warnings: string[] = [];

	private unlistedWarnings = 0;

	private errorText: string | undefined;

	private abortText: string | undefined;

	private hasFinished = false;

	private hasDone = false;

	private readonly chunks = createChunkReader({
		onChunk: (chunk) => this.take(chunk),
		onWarning: (text) => this.warn(text),
		onDone: () => {
			this.hasDone = true;
		},
	});

	/** @param onChunk called with every chunk as received, after the message has taken it in */
	constructor(private readonly onChunk?: (chunk: Chunk) => void) {}

	/** Whether `[DONE]` has been read: nothing after it belongs to the run. */
	get isDone(): boolean {
		return this.hasDone;
	}

	/** Takes the next bytes of the body, cut anywhere. */
	write(bytes: Uint8Array): void {
		this.chunks.write(bytes);
	}

	/**
	 * Ends the reading and tells how the run ended. What the stream itself said wins over how the connection ended: an
	 * `error` or `abort` chunk (whichever came first), then `finish` or `[DONE]`, then the cause given here.
	 */
	finish(cause: StopCause): Run {
		this.chunks.end();
		const { status, reason } = this.outcome(cause);
		const { data, finishReason } = this.fold;
		return {
			status,
			...(reason === undefined ? {} : { reason }),
			message: this.fold.message(),
			data,
			...(finishReason === undefined ? {} : { finishReason }),
			warnings: this.unlistedWarnings
				? [...this.warnings, `${this.unlistedWarnings} more warnings are not listed`]
				: this.warnings,
		};
	}

	private outcome(cause: StopCause): Pick<Run, 'status' | 'reason'> {
		if (this.errorText !== undefined) return { status: 'failed', reason: this.errorText };
		if (this.abortText !== undefined) return { status: 'aborted', reason: this.abortText };
		if (this.hasFinished || this.hasDone) return { status: 'completed' };
		if (cause.kind === 'timed_out') return { status: 'timed_out', reason: cause.reason };
		return {
			status: 'interrupted',
			reason:
				cause.kind === 'broken' ? cause.reason : 'The stream ended before the service said that the run is finished',
		};
	}

	private take(chunk: Chunk): void {
		const warning = this.fold.apply(chunk);
		if (warning) this.warn(warning);
		if (chunk.type === 'finish') this.hasFinished = true;
		else if (chunk.type === 'error') this.endWith('error', chunk.errorText, 'The run failed and gave no reason');
		else if (chunk.type === 'abort') this.endWith('abort', chunk.reason, 'The run was aborted and gave no reason');
		this.onChunk?.(chunk);
	}

	/** Only the first error or abort tells how the run ended. */
	private endWith(type: 'error' | 'abort', given: unknown, fallback: string): void {
		if (this.errorText !== undefined || this.abortText !== undefined) {
			if (type === 'error') this.warn(`A further error of the run: ${reasonOf(given, fallback)}`);
			return;
		}
		const text = reasonOf(given, fallback);
		if (type === 'error') this.errorText = text;
		else this.abortText = text;
	}

	private warn(text: string): void {
		if (this.warnings.length < MAX_WARNINGS) this.warnings.push(text);
		else this.unlistedWarnings++;
	}
}
