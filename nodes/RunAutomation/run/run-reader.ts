// Turns a stream's bytes into chunks, a message and an ending, and counts what is lost.

import { isSenderError } from '../../shared/failure/response/reason';
import { plain, readJson } from '../../shared/values/json';
import { shorten, type Excerpt } from '../../shared/values/text';
import { isChunk, parsePayload, wellFormed, withoutDepth, type Chunk } from './message/chunk';
import { DataLineReader } from './data-lines';
import { approvalsOf, CONNECTION_CLOSED, endingOf, finishWord, NO_REASON, type Approval, type Ending } from './ending';
import { MessageFold, type Message } from './message/message';
import { wordsIn } from './outside';

export interface Run extends Ending {
	message: Message;
	approvals: Approval[];
	/** The last data part of each kind that is not transient. */
	data: Record<string, unknown>;
	finishReason?: string;
	/** Sentences on what is missing or damaged. */
	warnings: string[];
	/** Sentences on lines that were skipped without a loss. */
	notes: string[];
}

const MAX_WARNINGS = 100;

/** The first sentences, with a count of the others. */
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

/** A line without any of these is a keep-alive or a note, not a damaged chunk (sse-starlette#51). */
const PART_OF_JSON = /[{}"\uFFFD]|[^\P{Cc}\t]/u;

/** The line may have a chunk inside other JSON. */
const HOLDS_CHUNK = /"type\\*"\s*:\s*\\*"/;

const alsoReported = (reason: string) => `The run also reported: ${reason}`;

/** A text in joined lines may contain a line end. */
function payloadOf(line: string, isSpecial: boolean): unknown {
	const payload = parsePayload(line, isSpecial);
	if (payload !== undefined || !line.includes('\n')) return payload;
	const { json } = readJson(line);
	return json === undefined ? undefined : plain(json);
}

const MAX_RUN_REASON_CHARACTERS = 10_000;
const MAX_SKIPPED_CHARACTERS = 200;

/** Reads in one pass, in memory that grows with the message. No bytes make it throw. */
export class RunReader {
	isDone = false;
	private readonly lines = new DataLineReader((line, event) => this.readLine(line, event));
	private fold = new MessageFold();
	private warnings = new Sentences();
	private readonly notes = new Sentences();
	private lostLines = 0;
	private hasDamagedText = false;
	/** The first error or abort. */
	private reported: (Ending & { reason: string }) | undefined;
	private hasTextAfterError = false;
	private finishRead = false;

	constructor(
		private readonly onChunk?: (chunk: Chunk) => void,
		private readonly excerpt: Excerpt = shorten,
	) {}

	/** `[DONE]` may be missing. */
	get hasEnded(): boolean {
		return this.finishRead || this.reported?.status === 'aborted';
	}

	get outside(): readonly string[] {
		return this.lines.outside;
	}

	write(bytes: Uint8Array): void {
		this.lines.write(bytes);
	}

	end(): void {
		this.lines.end();
	}

	finish(cause = CONNECTION_CLOSED): Run {
		const { finishReason } = this.fold;
		const read = { message: this.fold.message(), data: this.fold.data };
		const { message, data } = this.lines.hasEscapes ? wellFormed(read) : read;
		const { parts } = message;
		const { reported, lostLines } = this;
		const approvals = approvalsOf(parts);
		const isFinished = this.finishRead || this.isDone;
		const end = { reported, isFinished, finishReason, lostLines, parts, approvals };
		const { warnings = [], ...ending } = endingOf(end, cause, this.excerpt);
		return {
			...ending,
			approvals,
			message,
			data,
			...(finishReason !== undefined && { finishReason }),
			warnings: [...this.warnings.all, ...(this.hasDamagedText ? [DAMAGED] : []), ...warnings],
			notes: this.notes.all,
		};
	}

	private readLine(line: string, event: string | undefined): void {
		if (this.isDone) return;
		const payload = payloadOf(line, this.lines.isSpecial);
		if (event === undefined && isChunk(payload)) this.readChunk(payload, line);
		else if (!Array.isArray(payload)) this.readPayload(payload, line, event);
		else for (const entry of payload) this.readPayload(entry, JSON.stringify(entry), event);
	}

	private readPayload(payload: unknown, line: string, event: string | undefined): void {
		const chunk = isChunk(payload) ? payload : undefined;
		if (event === 'error' && chunk?.type !== 'error') this.fail(payload ?? line);
		else if (chunk) this.readChunk(chunk, line);
		else if (isSenderError(payload)) this.fail(payload);
		else this.readOther(line, payload);
	}

	private readOther(line: string, payload: unknown): void {
		const text = (typeof payload === 'string' ? payload : line).trim();
		const isLoss = payload === undefined ? PART_OF_JSON.test(text) : HOLDS_CHUNK.test(line);
		if (text === '[DONE]') this.isDone = true;
		else this.skip(`Skipped a data line that is not a chunk: ${JSON.stringify(this.excerpt(line))}`, isLoss);
	}

	private readChunk(parsed: Chunk, line: string): void {
		const chunk = withoutDepth(parsed, line);
		if (chunk !== parsed) {
			this.warnings.add(`Dropped deeply nested values from a chunk of type ${this.excerpt(chunk.type)}`);
		}
		const fold = this.fold.forChunk(chunk);
		if (fold !== this.fold) this.forgetLosses();
		this.fold = fold;
		const skipped = fold.apply(chunk);
		if (skipped) this.skip(this.excerpt(skipped.text, MAX_SKIPPED_CHARACTERS), skipped.isLoss);
		this.follow(chunk);
		this.onChunk?.(chunk);
	}

	private follow(chunk: Chunk): void {
		if (chunk.type === 'text-delta') {
			this.hasTextAfterError = true;
			const { delta } = chunk;
			this.hasDamagedText ||= this.lines.isDamaged && typeof delta === 'string' && delta.includes('\uFFFD');
		} else if (chunk.type === 'start') this.finishRead = false;
		else if (chunk.type === 'finish') this.readFinish(chunk);
		else if (chunk.type === 'error') this.fail(chunk, chunk.errorText);
		else if (chunk.type === 'abort') this.endWith('aborted', chunk, chunk.reason);
	}

	/** A run may continue after an error. After a fatal one, no text follows, or the finish reason is `error`. */
	private readFinish({ finishReason }: Chunk): void {
		this.finishRead = true;
		const { reported } = this;
		const isOver = typeof finishReason !== 'string' || finishWord(finishReason) === 'error';
		if (reported?.status !== 'failed' || !this.hasTextAfterError || isOver) return;
		this.reported = undefined;
		this.warnings.add(alsoReported(reported.reason));
	}

	/** Nothing of the result follows `finish`, so no loss counts after it. */
	private skip(text: string, isLoss: boolean): void {
		if (!isLoss || this.finishRead) return this.notes.add(text);
		this.lostLines++;
		this.warnings.add(text);
	}

	/** An earlier message's losses do not matter. */
	private forgetLosses(): void {
		for (const text of this.warnings.all) this.notes.add(text);
		this.warnings = new Sentences();
		this.lostLines = 0;
		this.hasDamagedText = false;
	}

	private fail(payload: unknown, text?: unknown): void {
		this.hasTextAfterError = false;
		this.endWith('failed', payload, text);
	}

	private endWith(status: 'failed' | 'aborted', payload: unknown, text: unknown): void {
		const isGiven = typeof text === 'string' && text.trim() !== '';
		const given = isGiven ? text : (wordsIn(text) ?? wordsIn(payload));
		const reason = given === undefined ? NO_REASON[status] : this.excerpt(given, MAX_RUN_REASON_CHARACTERS);
		if (!this.reported) this.reported = { status, reason };
		else if (status === 'failed' && reason !== this.reported.reason) this.warnings.add(alsoReported(reason));
	}
}
