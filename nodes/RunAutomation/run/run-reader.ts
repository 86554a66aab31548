// Turns a stream's bytes into chunks, a message and an ending, and counts what is lost.

import { isSenderError, readReason } from '../../shared/failure/response/reason';
import { parseJson } from '../../shared/values/json';
import { filledText, shorten, type Excerpt } from '../../shared/values/text';
import { isChunk, wellFormed, withoutDepth, type Chunk } from './message/chunk';
import { DataLineReader } from './data-lines';
import { approvalsOf, CONNECTION_CLOSED, endingOf, NO_REASON, type Approval, type Ending } from './ending';
import { MessageFold, type Message } from './message/message';

export interface Run extends Ending {
	message: Message;
	approvals: Approval[];
	/** The last data part of each kind that is not transient. */
	data: Record<string, unknown>;
	finishReason?: string;
	/** Sentences on what is missing. */
	warnings: string[];
	/** Sentences on lines that were skipped without a loss. */
	notes: string[];
}

const MAX_WARNINGS = 100;

/** The first sentences, with a count of the others. */
class Sentences {
	private readonly first: string[] = [];
	private more = 0;

	/** Masking a text takes longer than reading it. */
	add(text: () => string): void {
		if (this.first.length < MAX_WARNINGS) this.first.push(text());
		else this.more++;
	}

	get all(): string[] {
		return [...this.first, ...(this.more ? [`Warnings not listed: ${this.more}`] : [])];
	}
}

/** A line without any of these is a keep-alive or a note, not a damaged chunk (sse-starlette#51). */
const PART_OF_JSON = /[{}"\uFFFD]|[^\P{Cc}\t]/u;

const alsoReported = (reason: string) => `The run also reported: ${reason}`;

const MAX_RUN_REASON_CHARACTERS = 10_000;
const MAX_SKIPPED_CHARACTERS = 200;

/** The service's words: the reason of an error, or the kind of a page. */
export function wordsIn(payload: unknown): string | undefined {
	const { reason, page } = readReason(payload);
	return filledText(reason) ?? (page && `The service returned ${page}`);
}

/** Reads in one pass, in memory that grows with the message. No bytes make it throw. */
export class RunReader {
	isDone = false;
	private readonly lines = new DataLineReader((line, event) => this.readLine(line, event));
	private fold = new MessageFold();
	private readonly warnings = new Sentences();
	private readonly notes = new Sentences();
	private lostLines = 0;
	/** The first error or abort. */
	private reported: (Ending & { reason: string }) | undefined;
	private hasTextAfterError = false;
	private isFinished = false;

	constructor(
		private readonly onChunk?: (chunk: Chunk) => void,
		private readonly excerpt: Excerpt = shorten,
	) {}

	/** What the service sent outside of events. */
	get wordsOutside(): string | undefined {
		return wordsIn(this.lines.outside.join('\n'));
	}

	write(bytes: Uint8Array): void {
		this.lines.write(bytes);
	}

	end(): void {
		this.lines.end();
	}

	finish(cause = CONNECTION_CLOSED): Run {
		const { finishReason } = this.fold;
		const { message, data } = wellFormed({ message: this.fold.message(), data: this.fold.data });
		const { reported, lostLines } = this;
		const approvals = approvalsOf(message.parts);
		const end = { reported, isFinished: this.isFinished || this.isDone, finishReason, lostLines, approvals };
		const { warnings = [], ...ending } = endingOf(end, cause, this.excerpt);
		return {
			...ending,
			approvals,
			message,
			data,
			...(finishReason !== undefined && { finishReason }),
			warnings: [...this.warnings.all, ...warnings],
			notes: this.notes.all,
		};
	}

	private readLine(line: string, event: string | undefined): void {
		if (this.isDone) return;
		const payload = parseJson(line, this.lines.isSpecial);
		if (isChunk(payload) && (event !== 'error' || payload.type === 'error')) this.readChunk(payload, line);
		else if (event === 'error' || isSenderError(payload)) this.fail(payload ?? line);
		else if (line.trim() === '[DONE]') this.isDone = true;
		else
			this.skip(
				() => `Skipped a data line that is not a chunk: ${JSON.stringify(this.excerpt(line.trim()))}`,
				payload === undefined && PART_OF_JSON.test(line),
			);
	}

	private readChunk(parsed: Chunk, line: string): void {
		const chunk = withoutDepth(parsed, line);
		if (chunk !== parsed) {
			this.warnings.add(() => `Dropped deeply nested values from a chunk of type ${this.excerpt(chunk.type)}`);
		}
		const fold = this.fold.forChunk(chunk);
		// An earlier message's losses do not matter.
		if (fold !== this.fold) this.lostLines = 0;
		this.fold = fold;
		const skipped = fold.apply(chunk);
		if (skipped) this.skip(() => this.excerpt(skipped.text, MAX_SKIPPED_CHARACTERS), skipped.isLoss);
		this.follow(chunk);
		this.onChunk?.(chunk);
	}

	private follow(chunk: Chunk): void {
		if (chunk.type === 'text-delta') this.hasTextAfterError = true;
		else if (chunk.type === 'start') this.isFinished = false;
		else if (chunk.type === 'finish') this.readFinish(chunk);
		else if (chunk.type === 'error') this.fail(chunk, chunk.errorText);
		else if (chunk.type === 'abort') this.endWith('aborted', chunk, chunk.reason);
	}

	/** A run may continue after an error. After a fatal one, no text follows, or the finish reason is `error`. */
	private readFinish({ finishReason }: Chunk): void {
		this.isFinished = true;
		const { reported } = this;
		const isOver = typeof finishReason !== 'string' || finishReason === 'error';
		if (reported?.status !== 'failed' || !this.hasTextAfterError || isOver) return;
		this.reported = undefined;
		this.warnings.add(() => alsoReported(reported.reason));
	}

	/** Nothing of the result follows `finish`, so no loss counts after it. */
	private skip(text: () => string, isLoss: boolean): void {
		if (!isLoss || this.isFinished) return this.notes.add(text);
		this.lostLines++;
		this.warnings.add(text);
	}

	private fail(payload: unknown, text?: unknown): void {
		this.hasTextAfterError = false;
		this.endWith('failed', payload, text);
	}

	private endWith(status: 'failed' | 'aborted', payload: unknown, text: unknown): void {
		const given = typeof text === 'string' ? filledText(text.trim()) : (wordsIn(text) ?? wordsIn(payload));
		const reason = given === undefined ? NO_REASON[status] : this.excerpt(given, MAX_RUN_REASON_CHARACTERS);
		if (!this.reported) this.reported = { status, reason };
		else if (status === 'failed' && reason !== this.reported.reason) this.warnings.add(() => alsoReported(reason));
	}
}
