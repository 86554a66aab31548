// Splits a run's stream into the data of its lines, with or without blank lines between (contract 6).

import { createParser } from 'eventsource-parser';

import { mayDiffer } from '../../shared/values/json';
import { EventLines } from './event-lines';

const MAX_OUTSIDE_CHARACTERS = 64 * 1024;

const NAME = /(?<![^\n])event:/;

/** The first byte of a character says how many bytes it has. */
function byteCountOf(first: number): number {
	if (first >= 0xf0) return 4;
	if (first >= 0xe0) return 3;
	return first >= 0xc0 ? 2 : 1;
}

/** The end of the last complete character. */
function endOfCharacters(bytes: Uint8Array): number {
	const last = bytes.subarray(-3);
	const first = last.findLastIndex((byte) => byte >= 0xc0);
	const isCut = first >= 0 && byteCountOf(last[first]!) > last.length - first;
	return isCut ? bytes.length - last.length + first : bytes.length;
}

export class DataLineReader {
	/** True if bytes became U+FFFD. */
	isDamaged = false;
	/** True if a line has an escape. Without one, all texts are well-formed. */
	hasEscapes = false;
	/** True if `JSON.parse` may read a line in another way than `parseJson`. */
	isSpecial = false;
	private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
	private readonly lenientDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
	/** The first bytes of a character that is cut between two pieces. */
	private begunBytes: Uint8Array = new Uint8Array();
	private isStart = true;
	private endsWithReturn = false;
	/** The pieces of an unfinished line. */
	private begun: string[] = [];
	private isNamed = false;
	/** Lines that are not fields of events: another format, or a proxy's page. */
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

	/** A decoder that remembers a cut character is six times slower. */
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
		// The parser hands on data at blank lines only. A line would else wait for the next one.
		this.isForced = true;
		if (!this.isNamed) this.parser.feed('\n');
		this.isForced = false;
	}

	/** The beginning may have a page's title, the last line why nothing more comes. */
	private keepOutside(line: string): void {
		if (line.trim() === '') return;
		if (this.outsideLength >= MAX_OUTSIDE_CHARACTERS) this.outside.pop();
		this.outsideLength += line.length;
		this.outside.push(line.slice(0, MAX_OUTSIDE_CHARACTERS));
	}
}
