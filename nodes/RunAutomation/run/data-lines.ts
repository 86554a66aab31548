import { createParser } from 'eventsource-parser';

const NAME = /(?<![^\n])event:/;

/**
 * Reads both framings (service-api.md, section 6): events, and `data:` lines without a blank line between them. The parser emits an
 * event at its blank line: one without a name gets a blank line as soon as a line of it has ended.
 */
export class DataLineReader {
	/** Bytes that are not UTF-8 became U+FFFD, which a server may send, too. */
	isDamaged = false;
	private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	private readonly strictDecoder = new TextDecoder('utf-8', { fatal: true });
	private isStart = true;
	private endsWithReturn = false;
	/** The pieces of a line that has no end yet. */
	private begun: string[] = [];
	private isNamed = false;
	private readonly parser;

	/** `event` is the name of the event that a payload begins, if any. */
	constructor(onPayload: (text: string, event: string | undefined) => void) {
		this.parser = createParser({
			onEvent: ({ data, event }) => {
				const [first = '', ...others] = data.includes('\n') ? data.split('\n') : [data];
				onPayload(first, event);
				for (const other of others) onPayload(other, undefined);
			},
		});
		// The parser takes the letters "ï»¿" at the beginning for a byte-order mark.
		this.parser.feed('\n');
	}

	write(bytes: Uint8Array): void {
		// Decoding is six times faster if no character can be cut at the end.
		this.decode(bytes, (bytes.at(-1) ?? 0x80) >= 0x80);
	}

	/** A last line without an end still counts. */
	end(): void {
		this.decode(new Uint8Array(), false);
		this.feed('\n\n');
	}

	private decode(bytes: Uint8Array, isCut: boolean): void {
		try {
			if (!this.isDamaged) this.strictDecoder.decode(bytes, { stream: isCut });
		} catch {
			this.isDamaged = true;
		}
		const text = this.decoder.decode(bytes, { stream: isCut });
		if (text === '') return;
		const withoutMark = this.isStart && text.startsWith('\uFEFF') ? text.slice(1) : text;
		this.isStart = false;
		this.feed(this.withLineFeeds(withoutMark));
	}

	/** Text with LF for CR and CRLF, which may be cut. */
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
		const blank = lines.lastIndexOf('\n\n');
		const open = blank < 0 ? lines : lines.slice(blank + 2);
		const isBegun = blank < 0 && !lines.startsWith('\n');
		this.isNamed = (isBegun && this.isNamed) || NAME.test(open);
		this.parser.feed(lines);
		if (!this.isNamed) this.parser.feed('\n');
	}
}
