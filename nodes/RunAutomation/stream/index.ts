import { shorten } from '../../values';
import { createChunkParser, type Chunk } from './chunk';
import { createDataLineReader } from './data-lines';
import { withoutDepth } from './partial-json';
import { MessageFold, type Message } from './message';
import { ENDED, NO_REASON, endingOf, type Approval, type RunStatus, type StopCause } from './ending';
import type { Part } from './part';
import { isToolPart, toolNameOf } from './tool-calls';

export { ENDED, isToolPart, toolNameOf };
export type { Approval, Chunk, Message, Part, RunStatus, StopCause };

/** Everything a stream told about its run. */
export interface Run {
	status: RunStatus;
	/** Why the run is not complete, in the server's own words if it gave any. Undefined for `completed`. */
	reason?: string;
	/** What to do next, if the way the reading ended tells more about it than the status. */
	advice?: string;
	message: Message;
	/** Tool calls that wait for a person to allow them, whatever the status. */
	approvals: Approval[];
	/** Last `data` of each `data-*` kind that is not transient, by the kind's name. */
	data: Record<string, unknown>;
	finishReason?: string;
	/** What could not be read, in order, at most {@link MAX_WARNINGS} and how many more; then what is odd about the end. */
	warnings: string[];
}

export const MAX_WARNINGS = 100;

const MAX_REASON = 10_000;

const reasonOf = (given: unknown, fallback: string): string =>
	typeof given === 'string' && given.trim() !== '' ? shorten(given, MAX_REASON) : fallback;

/**
 * Reads the stream of one run (UI message stream, version 1) from its bytes, in one pass and in memory that grows with
 * the message, not with the number of chunks. Nothing on the stream makes it throw.
 */
export class RunReader {
	private readonly lines = createDataLineReader((line) => this.readLine(line));

	private readonly parse = createChunkParser();

	private readonly fold = new MessageFold();

	private readonly warnings: string[] = [];

	private unlistedWarnings = 0;

	private error: string | undefined;

	private abort: string | undefined;

	private finishRead = false;

	private doneRead = false;

	/** @param onChunk called with every chunk as received, after the message has taken it in */
	constructor(private readonly onChunk?: (chunk: Chunk) => void) {}

	/** Whether `[DONE]` has been read: nothing after it belongs to the run. */
	get isDone(): boolean {
		return this.doneRead;
	}

	/** Whether `finish` has been read, and no `start` after it, which opens the message again: `[DONE]` may be missing. */
	get hasFinished(): boolean {
		return this.finishRead;
	}

	/** Takes the next bytes of the body, cut anywhere. Every chunk whose line has ended is read before it returns. */
	write(bytes: Uint8Array): void {
		this.lines.write(bytes);
	}

	/** Ends the reading and tells how the run ended; what the stream itself said wins over the cause given here. */
	finish(cause = ENDED): Run {
		this.lines.end();
		const { error, abort, fold } = this;
		const { data, finishReason } = fold;
		const message = fold.message();
		const isFinished = this.finishRead || this.doneRead;
		const { warnings, ...ending } = endingOf({ error, abort, isFinished, finishReason, parts: message.parts }, cause);
		const unlisted = this.unlistedWarnings ? [`${this.unlistedWarnings} more warnings are not listed`] : [];
		return {
			...ending,
			message,
			data,
			...(finishReason === undefined ? {} : { finishReason }),
			warnings: [...this.warnings, ...unlisted, ...warnings],
		};
	}

	private readLine(line: string): void {
		if (this.doneRead) return;
		const parsed = this.parse(line);
		if (parsed) {
			const chunk = withoutDepth(parsed, line);
			if (chunk !== parsed) this.warn(`Left out what is nested too deeply in a chunk of type ${shorten(chunk.type)}`);
			this.take(chunk);
			return;
		}
		const text = line.trim();
		if (text === '[DONE]') this.doneRead = true;
		else if (text === '') this.warn('Skipped an empty data line');
		else this.warn(`Skipped a data line that is not a chunk: ${JSON.stringify(shorten(line))}`);
	}

	private take(chunk: Chunk): void {
		const warning = this.fold.apply(chunk);
		if (warning) this.warn(warning);
		if (chunk.type === 'start') this.finishRead = false;
		else if (chunk.type === 'finish') this.finishRead = true;
		else if (chunk.type === 'error') this.endWith('error', reasonOf(chunk.errorText, NO_REASON));
		else if (chunk.type === 'abort') {
			this.endWith('abort', reasonOf(chunk.reason, 'The run was aborted and gave no reason'));
		}
		this.onChunk?.(chunk);
	}

	/** Only the first error or abort tells how the run ended. */
	private endWith(type: 'error' | 'abort', text: string): void {
		if (this.error === undefined && this.abort === undefined) this[type] = text;
		else if (type === 'error') this.warn(`The run also reported: ${text}`);
	}

	private warn(text: string): void {
		if (this.warnings.length < MAX_WARNINGS) this.warnings.push(text);
		else this.unlistedWarnings++;
	}
}
