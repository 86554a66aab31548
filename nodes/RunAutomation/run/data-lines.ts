// Splits the bytes of a stream into the data of its lines, in both framings of the service.

import { createParser } from 'eventsource-parser';

import { mayDiffer } from '../../shared/values/json';
import { EventLines } from './event-lines';

/** Characters. */
const MAX_OUTSIDE = 64 * 1024;

const NAME = /(?<![^\n])event:/;

/** The first byte of a character says how many bytes it has. */
function byteCountOf(first: number): number {
	if (first >= 0xf0) return 4;
	if (first >= 0xe0) return 3;
	return first >= 0xc0 ? 2 : 1;
}

/** Returns where a last character begins that lacks bytes, else the end. */
function endOfCharacters(bytes: Uint8Array): number {
	const last = bytes.subarray(-3);
	const first = last.findLastIndex((byte) => byte >= 0xc0);
	const isCut = first >= 0 && byteCountOf(last[first]!) > last.length - first;
	return isCut ? bytes.length - last.length + first : bytes.length;
}

/** Reads events, and `data:` lines without blank lines between (contract 6): each gets its own. */
export class DataLineReader {
	/** Whether bytes became U+FFFD. */
	isDamaged = false;
	/** Whether a line has an escape. Without any, all texts are well-formed. */
	hasEscapes = false;
	/** Whether `JSON.parse` may read a line in another way than `parseJson`. */
	isSpecial = false;
	private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
	/** It reads bytes that are no UTF-8. */
	private readonly lenientDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
	/** A character may be cut off between two pieces: these are its first bytes. */
	private begunBytes: Uint8Array = new Uint8Array();
	private isStart = true;
	private endsWithReturn = false;
	/** The pieces of a line whose end is still to come. */
	private begun: string[] = [];
	private isNamed = false;
	/** Lines that are no fields of events: another format, or a page of a proxy. */
	readonly outside: string[] = [];
	private outsideLength = 0;
	private isForced = false;
	private readonly lines: EventLines;
	private readonly parser = createParser({
		onEvent: ({ data, event }) => {
			if (data.includes('\n')) this.lines.add(data.split('\n'), event, this.isForced);
			else this.lines.addOne(data, event, this.isForced);
			if (!this.isForced) this.lines.end();
		},
		onError: ({ line = '' }) => this.keepOutside(line),
	});

	/** @param onPayload gets the name of an event with its first payload */
	constructor(onPayload: (text: string, event: string | undefined) => void) {
		this.lines = new EventLines(onPayload);
	}

	write(bytes: Uint8Array): void {
		const all = this.begunBytes.length > 0 ? Buffer.concat([this.begunBytes, bytes]) : bytes;
		const end = endOfCharacters(all);
		this.begunBytes = all.subarray(end);
		this.read(this.decode(all.subarray(0, end)));
	}

	end(): void {
		this.read(this.decode(this.begunBytes));
		this.feed('\n\n');
		this.lines.end();
	}

	/** A decoder that remembers a cut character is six times slower, so each piece is decoded alone. */
	private decode(bytes: Uint8Array): string {
		try {
			return this.decoder.decode(bytes);
		} catch {
			this.isDamaged = true;
			return this.lenientDecoder.decode(bytes);
		}
	}

	private read(text: string): void {
		if (text === '') return;
		const withoutMark = this.isStart && text.startsWith('\uFEFF') ? text.slice(1) : text;
		this.isStart = false;
		this.feed(this.withLineFeeds(withoutMark));
	}

	/** A CRLF may be cut between two pieces. */
	private withLineFeeds(text: string): string {
		const rest = this.endsWithReturn && text.startsWith('\n') ? text.slice(1) : text;
		this.endsWithReturn = text.endsWith('\r');
		return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
	}

	private feed(text: string): void {
		const end = text.lastIndexOf('\n') + 1;
		if (end > 0) this.feedLines(this.begun.splice(0).join('') + text.slice(0, end));
		this.begun.push(text.slice(end));
	}

	private feedLines(lines: string): void {
		this.hasEscapes ||= lines.includes('\\u');
		this.isSpecial ||= mayDiffer(lines);
		const blank = lines.lastIndexOf('\n\n');
		const open = blank < 0 ? lines : lines.slice(blank + 2);
		const isBegun = blank < 0 && !lines.startsWith('\n');
		this.isNamed = (isBegun && this.isNamed) || NAME.test(open);
		if (lines.startsWith('\n')) this.lines.end();
		this.parser.feed(lines);
		// The parser hands on data at the end of an event only. A line without a blank line after it would wait for the next one.
		this.isForced = true;
		if (!this.isNamed) this.parser.feed('\n');
		this.isForced = false;
	}

	/** Keeps the beginning, which has the title of a page, and the last line, which may say why nothing more comes. */
	private keepOutside(line: string): void {
		if (line.trim() === '') return;
		if (this.outsideLength >= MAX_OUTSIDE) this.outside.pop();
		this.outsideLength += line.length;
		this.outside.push(line.slice(0, MAX_OUTSIDE));
	}
}
