// Reads one run's stream to its end: bytes, lines, chunks, the message, how the run ended, and what the agent replied.

import { brokenReason } from '../../shared/failure/response/no-response';
import { hasError, readReason } from '../../shared/failure/response/reason';
import type { Body, Watchdog } from '../../shared/http/watchdog';
import { chunksWithoutTokens, withoutTokens } from '../../shared/mask/file-tokens';
import type { Secrets } from '../../shared/mask/secrets';
import { parseJson } from '../../shared/values/json';
import { changeTexts } from '../../shared/values/nested';
import { counted, filledText } from '../../shared/values/text';
import { readReply, type RequestedReply } from '../reply/reply';
import { DataLineReader, type DataLine } from './data-lines';
import { isChunk, wellFormed, withoutDepth, type Chunk } from './chunk';
import { atLimit, CONNECTION_CLOSED, endingAfter, NO_REASON } from './ending';
import { MessageFold, stepTextsOf } from './message';
import { approvalsIn, filesIn, sourcesIn, toolsIn, withoutUndefined, type Run } from './run';

/** What of a run is read, and in which thread. */
export interface Reading extends RequestedReply {
	/** The thread that the response names, or else the requested one. */
	threadId: string | undefined;
	/** True if the agent may have received file links, in this run or an earlier one of the thread. */
	knowsLinks: boolean;
	/** Milliseconds of silence. */
	limits: { idle: number };
	/** Bytes of the decompressed stream. */
	maxBytes: number;
	keepsChunks: boolean;
}

/** After a finish or an abort, a service may leave the connection open. After an error, the model may go on (vercel/ai#7500). */
const SILENCE_AFTER_END_MS = 10_000;

/** A line without any of these is a keep-alive or a comment, not a damaged chunk (sse-starlette#51). */
const PART_OF_JSON = /[{}"\uFFFD]|[^\P{Cc}\t]/u;

const MAX_SENTENCES = 100;
const MAX_CAUSE_CHARACTERS = 200;
const MAX_RUN_REASON_CHARACTERS = 10_000;
const MAX_SKIPPED_CHARACTERS = 200;

/** The first sentences, with a count of the others. */
class Sentences {
	private readonly first: string[] = [];
	private more = 0;

	/** Masking a text takes longer than reading it, so only the listed sentences are made. */
	add(sentence: () => string): void {
		if (this.first.length < MAX_SENTENCES) this.first.push(sentence());
		else this.more++;
	}

	get all(): string[] {
		return [...this.first, ...(this.more ? [`Warnings not listed: ${this.more}`] : [])];
	}
}

/** The service's words: the reason of an error, or the kind of a page. */
function saidIn(payload: unknown): string | undefined {
	const { reason, page } = readReason(payload);
	return filledText(reason) ?? (page && `The service returned ${page}`);
}

const alsoReported = (reason: string) => `The run also reported: ${reason}`;

/** Reads in one pass, in memory that grows with the message. No bytes make it throw. */
export class RunReader {
	private readonly lines = new DataLineReader();
	private fold = new MessageFold();
	private readonly chunks: Chunk[] = [];
	private readonly warnings = new Sentences();
	private readonly furtherWarnings = new Sentences();
	private lostLines = 0;
	/** The first error or abort. */
	private reported: { status: 'aborted' | 'failed'; reason: string } | undefined;
	private hasTextAfterError = false;
	private isFinished = false;
	/** True after a finish or an abort, unless another `start` follows. */
	private hasEnded = false;
	/** True after `[DONE]`. */
	private isDone = false;
	private streamEnd = CONNECTION_CLOSED;

	constructor(
		private readonly reading: Reading,
		private readonly secrets: Secrets,
	) {}

	/** Yields chunks when they are received. Never throws: whatever was received is kept. */
	async *read(stream: Body, watchdog: Watchdog): AsyncGenerator<Chunk[]> {
		const { limits, maxBytes } = this.reading;
		const silenceAfterEnd = Math.min(limits.idle, SILENCE_AFTER_END_MS);
		let bytes = 0;
		let error: (Error & { code?: unknown }) | undefined;
		try {
			for await (const piece of stream) {
				bytes += piece.length;
				const isOver = this.hasEnded || (this.reported?.status === 'failed' && !this.hasTextAfterError);
				const chunks = this.write(piece);
				// Keep-alives after the end or an error do not count.
				if (chunks.length > 0 || !isOver) watchdog.touch();
				watchdog.limitSilence(this.hasEnded ? silenceAfterEnd : limits.idle);
				yield chunks;
				if (!this.isDone && bytes <= maxBytes) continue;
				watchdog.close();
				break;
			}
		} catch (thrown) {
			error = thrown as Error;
		}
		try {
			yield this.end();
		} catch (thrown) {
			error ??= thrown as Error;
		}
		// Some services send errors, pages, or another format without `data:`.
		const said = saidIn(this.lines.outside.join('\n'));
		const sent = said === undefined ? '' : `. The service sent: ${this.secrets.quote(said, MAX_CAUSE_CHARACTERS)}`;
		const { expired, expiredReason, isStopped } = watchdog;
		if (bytes > maxBytes && !this.isDone) {
			this.streamEnd = atLimit('interrupted', `The response exceeds ${maxBytes / 1e6} MB`);
		} else if (error && this.hasEnded && expired === 'idle') {
			const seconds = counted(silenceAfterEnd / 1000, 'second');
			const warning = `The run ended, but the service kept the connection open. It was closed after ${seconds}. The run may still be in progress; later output is missing`;
			this.streamEnd = { ...CONNECTION_CLOSED, warning };
		} else if (error && expiredReason) {
			// An error that the watchdog causes means nothing.
			this.streamEnd = atLimit('timed_out', expiredReason);
		} else if (error) {
			const broken = isStopped ? 'The execution was stopped during the run' : brokenReason(error);
			const reason = this.secrets.quote(broken, MAX_CAUSE_CHARACTERS) + sent;
			this.streamEnd = { status: 'interrupted', reason, mayBeRunning: true };
		} else this.streamEnd = { ...CONNECTION_CLOSED, reason: CONNECTION_CLOSED.reason + sent };
	}

	/** Returns the chunks of the lines that have ended. */
	write(bytes: Uint8Array): Chunk[] {
		return this.chunksOf(this.lines.write(bytes));
	}

	/** A last line without an end counts, however the connection ended. */
	end(): Chunk[] {
		return this.chunksOf(this.lines.end());
	}

	private chunksOf(lines: DataLine[]): Chunk[] {
		const found: Chunk[] = [];
		for (const line of lines) {
			const chunk = this.readLine(line);
			if (chunk) found.push(chunk);
			if (chunk && this.reading.keepsChunks) this.chunks.push(chunk);
		}
		return found;
	}

	private readLine({ data: text, event }: DataLine): Chunk | undefined {
		if (this.isDone) return undefined;
		const payload = parseJson(text, this.lines.isSpecial);
		// A chunk is one in any event. Other types in an event of this name are kinds of errors.
		if (isChunk(payload) && (event !== 'error' || MessageFold.knows(payload.type))) {
			const chunk = withoutDepth(payload, text);
			if (chunk !== payload)
				this.warnings.add(() => `Dropped deeply nested values from a chunk of type ${this.secrets.quote(chunk.type)}`);
			const fold = this.fold.forChunk(chunk);
			// An earlier message's losses do not matter.
			if (fold !== this.fold) this.lostLines = 0;
			this.fold = fold;
			const problem = fold.apply(chunk);
			if (problem) this.skip(() => this.secrets.quote(problem.text, MAX_SKIPPED_CHARACTERS), problem.isLoss);
			this.follow(chunk);
			return chunk;
		}
		if (text.trim() === '[DONE]') this.isDone = true;
		else if (event === 'error' || hasError(payload)) this.fail(payload ?? text);
		else {
			const sentence = () =>
				`Skipped a data line that is not a chunk: ${JSON.stringify(this.secrets.quote(text.trim()))}`;
			this.skip(sentence, payload === undefined && PART_OF_JSON.test(text));
		}
		return undefined;
	}

	private follow(chunk: Chunk): void {
		const { type } = chunk;
		if (type === 'finish' || type === 'abort') this.hasEnded = true;
		if (type === 'text-delta') this.hasTextAfterError = true;
		else if (type === 'start') this.isFinished = this.hasEnded = false;
		else if (type === 'error') this.fail(chunk, chunk.errorText);
		else if (type === 'abort') this.endWith('aborted', chunk, chunk.reason);
		else if (type === 'finish') {
			this.isFinished = true;
			// A run may continue after an error. After a fatal one, no text follows, or the finish reason is `error`.
			const isOver = typeof chunk.finishReason !== 'string' || chunk.finishReason === 'error';
			const { reported } = this;
			if (reported?.status !== 'failed' || !this.hasTextAfterError || isOver) return;
			this.warnings.add(() => alsoReported(reported.reason));
			this.reported = undefined;
		}
	}

	/** Nothing of the result follows `finish`, so no loss counts after it. */
	private skip(sentence: () => string, isLoss: boolean): void {
		if (!isLoss || this.isFinished) return this.furtherWarnings.add(sentence);
		this.lostLines++;
		this.warnings.add(sentence);
	}

	private fail(payload: unknown, text?: unknown): void {
		this.hasTextAfterError = false;
		this.endWith('failed', payload, text);
	}

	private endWith(status: 'failed' | 'aborted', payload: unknown, text: unknown): void {
		const given = typeof text === 'string' ? filledText(text.trim()) : (saidIn(text) ?? saidIn(payload));
		const reason = given === undefined ? NO_REASON[status] : this.secrets.quote(given, MAX_RUN_REASON_CHARACTERS);
		if (!this.reported) this.reported = { status, reason };
		else if (status === 'failed' && reason !== this.reported.reason) this.warnings.add(() => alsoReported(reason));
	}

	finish(): Run {
		const { reading, secrets, fold } = this;
		const read = { message: fold.message(), data: fold.data };
		// Only an escape can write half a character.
		const { message, data } = this.lines.isSpecial ? wellFormed(read) : read;
		const approvals = approvalsIn(message.parts);
		const { finishReason = null } = fold;
		const report = {
			error: this.reported,
			isFinished: this.isFinished || this.isDone,
			finishReason: finishReason ?? '',
			approvals,
			lostLines: this.lostLines,
		};
		const ending = endingAfter(this.streamEnd, report, secrets);
		const [warnings, furtherWarnings] = [this.warnings.all, this.furtherWarnings.all];
		const all = { ending, message, data, approvals, finishReason, warnings, furtherWarnings };
		// The agent may repeat the tokens of its file links.
		const withoutLinks = reading.knowsLinks ? changeTexts(all, withoutTokens) : all;
		const { parts, metadata = {} } = withoutLinks.message;
		const isCompleted = withoutLinks.ending.status === 'completed';
		const asked = { ...reading, checksDone: reading.checksDone && isCompleted };
		const reply = readReply(stepTextsOf(parts), asked, secrets);
		return withoutUndefined<Run>({
			...withoutLinks.ending,
			...(isCompleted && reply.shortfall),
			thread_id: reading.threadId ?? null,
			text: reply.text,
			rows: reply.rows,
			warnings: [...withoutLinks.warnings, ...withoutLinks.ending.warnings, ...reply.leftOut],
			furtherWarnings: withoutLinks.furtherWarnings,
			approvals: withoutLinks.approvals,
			sources: sourcesIn(parts),
			files: filesIn(parts),
			data: withoutLinks.data,
			tools: toolsIn(parts),
			metadata: metadata as Run['metadata'],
			finish_reason: withoutLinks.finishReason,
			message: withoutLinks.message,
			chunks: reading.knowsLinks ? chunksWithoutTokens(this.chunks) : this.chunks,
		});
	}
}
