import { parseJson } from '../../shared/json';
import { shorten, type Excerpt } from '../../shared/text';
import { parseChunk, withoutDepth, type Chunk, type Part } from './chunk';
import { createDataLineReader } from './data-lines';
import { MessageFold, textsOf, type Message } from './message';
import { approvalsOf, CONNECTION_CLOSED, endingOf, NO_REASON, type Ending, type StopCause } from './ending';
import { isToolPart, toolNameOf } from './tool-calls';

export { CONNECTION_CLOSED, isToolPart, textsOf, toolNameOf };
export type { Chunk, Part, StopCause };
export type { RunStatus } from './ending';

/** The content of a run's stream. */
export interface Run extends Ending {
	message: Message;
	/** Tool calls that wait for a person to allow them, whatever the status. */
	approvals: ReturnType<typeof approvalsOf>;
	/** Last `data` of each `data-*` kind that is not transient, by the kind's name. */
	data: Record<string, unknown>;
	finishReason?: string;
	/** Missing or damaged parts, in order, at most {@link MAX_WARNINGS} and the number of the others; then anomalies at the end. */
	warnings: string[];
	/** Skipped lines that are not missing in the result; the same maximum. */
	notes: string[];
}

const MAX_WARNINGS = 100;

/** Keeps the first sentences, and counts the others. */
class Sentences {
	private readonly first: string[] = [];

	private more = 0;

	add(text: string): void {
		if (this.first.length < MAX_WARNINGS) this.first.push(text);
		else this.more++;
	}

	get all(): string[] {
		return [...this.first, ...(this.more ? [`Warnings not listed: ${this.more}`] : [])];
	}
}

const DAMAGED = 'Some characters were corrupted in transit and appear as \uFFFD';

/** Whether a gateway may have sent a line to keep the connection open: any JSON, or a word. All else was a chunk, or its end. */
const isHarmless = (line: string) => /^\w[\w-]*$/.test(line) || parseJson(line) !== undefined;

/** Characters of why a run failed, and of why a chunk is skipped. */
const MAX_RUN_REASON = 10_000;
const MAX_SKIPPED = 200;

/**
 * Reads the stream of one run (UI message stream, version 1) from its bytes, in one pass and in memory that grows with
 * the message, not with the number of chunks. Nothing in the stream makes it throw; after a defect in this code, everything
 * read before is kept.
 */
export class RunReader {
	private readonly lines = createDataLineReader((line) => this.readLine(line));

	private fold = new MessageFold();

	private warnings = new Sentences();

	private readonly notes = new Sentences();

	/** Lines of the message that were lost before its finish. */
	private lostLines = 0;

	private hasDamagedText = false;

	/** The first error or abort. */
	private reported: Ending | undefined;

	private finishRead = false;

	/** Whether `[DONE]` has been read: nothing after it belongs to the run. */
	isDone = false;

	/**
	 * @param onChunk called with every chunk as received, after it was applied to the message
	 * @param excerpt shortens text of the service for a sentence, and masks secrets in it
	 */
	constructor(
		private readonly onChunk?: (chunk: Chunk) => void,
		private readonly excerpt: Excerpt = shorten,
	) {}

	/**
	 * Whether the stream has reported how the run ended, although `[DONE]` may be missing: by an error, an abort, or a `finish`
	 * without a later `start`, which opens the message again.
	 */
	get hasEnded(): boolean {
		return this.finishRead || this.reported !== undefined;
	}

	/** Takes the next bytes of the body, cut anywhere. Every chunk whose line has ended is read before it returns. */
	readonly write = this.lines.write;

	/** Reports the end of the body: a last line without an end is read, too. */
	readonly end = this.lines.end;

	/** Returns everything read, and how the run ended; the stream's own report comes before the cause given here. */
	finish(cause = CONNECTION_CLOSED): Run {
		const { reported, lostLines } = this;
		const { data, finishReason } = this.fold;
		const message = this.fold.message();
		const { parts } = message;
		const approvals = approvalsOf(parts);
		const isFinished = this.finishRead || this.isDone;
		const end = { reported, isFinished, finishReason, lostLines, parts, approvals };
		const { warnings = [], ...ending } = endingOf(end, cause, this.excerpt);
		return {
			...ending,
			approvals,
			message,
			data,
			...(finishReason === undefined ? {} : { finishReason }),
			warnings: [...this.warnings.all, ...(this.hasDamagedText ? [DAMAGED] : []), ...warnings],
			notes: this.notes.all,
		};
	}

	private readLine(line: string): void {
		if (this.isDone) return;
		const parsed = parseChunk(line);
		if (parsed) {
			const chunk = withoutDepth(parsed, line);
			if (chunk !== parsed) {
				this.warnings.add(`Dropped deeply nested values from a chunk of type ${this.excerpt(chunk.type)}`);
			}
			this.take(chunk);
			return;
		}
		const text = line.trim();
		if (text === '[DONE]') this.isDone = true;
		else if (text === '') this.skip('Skipped an empty data line', false);
		else this.skip(`Skipped a data line that is not a chunk: ${JSON.stringify(this.excerpt(line))}`, !isHarmless(text));
	}

	private take(chunk: Chunk): void {
		const fold = this.fold.forChunk(chunk);
		if (fold !== this.fold) this.forgetLosses();
		this.fold = fold;
		const skipped = fold.apply(chunk);
		if (skipped) this.skip(this.excerpt(skipped.text, MAX_SKIPPED), skipped.isLoss);
		if (chunk.type === 'start') this.finishRead = false;
		else if (chunk.type === 'finish') this.finishRead = true;
		else if (chunk.type === 'error') this.endWith('failed', chunk.errorText);
		else if (chunk.type === 'abort') this.endWith('aborted', chunk.reason);
		else if (chunk.type === 'text-delta' && this.lines.isDamaged) {
			this.hasDamagedText ||= typeof chunk.delta === 'string' && chunk.delta.includes('\uFFFD');
		}
		this.onChunk?.(chunk);
	}

	/** After `finish`, no part of the result follows. */
	private skip(text: string, isLoss: boolean): void {
		if (!isLoss || this.finishRead) return this.notes.add(text);
		this.lostLines++;
		this.warnings.add(text);
	}

	/** Another message has begun: losses of the earlier message no longer matter. */
	private forgetLosses(): void {
		for (const text of this.warnings.all) this.notes.add(text);
		this.warnings = new Sentences();
		this.lostLines = 0;
		this.hasDamagedText = false;
	}

	private endWith(status: 'failed' | 'aborted', given: unknown): void {
		const isGiven = typeof given === 'string' && given.trim() !== '';
		const reason = isGiven ? this.excerpt(given, MAX_RUN_REASON) : NO_REASON[status];
		if (!this.reported) this.reported = { status, reason };
		else if (status === 'failed' && reason !== this.reported.reason)
			this.warnings.add(`The run also reported: ${reason}`);
	}
}
