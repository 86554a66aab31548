// Splits a run's stream into the data of its lines, with or without blank lines between (contract 6).

import { mayDiffer } from '../../shared/values/json';

const MAX_OUTSIDE_CHARACTERS = 64 * 1024;

const LF = 10;
const CR = 13;

/** Other fields of events say nothing about a run. */
const IS_FIELD = /^(?::|(?:id|retry):)/;

export class DataLineReader {
	/** True if `JSON.parse` may read a line in another way than `parseJson`. */
	isSpecial = false;
	/** Lines that are not fields of events: another format, or a proxy's page. */
	readonly outside: string[] = [];
	private outsideLength = 0;
	/** The pieces of an unfinished line. */
	private begun: Uint8Array[] = [];
	private event: string | undefined;
	private readonly decoder = new TextDecoder();

	/** @param onPayload gets the name of an event with its first payload */
	constructor(private readonly onPayload: (text: string, event: string | undefined) => void) {}

	write(bytes: Uint8Array): void {
		// No character has one of these bytes inside, so that none is cut.
		const end = Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
		if (end > 0) {
			const lines = bytes.subarray(0, end);
			this.read(this.begun.length > 0 ? Buffer.concat([...this.begun.splice(0), lines]) : lines);
		}
		if (end < bytes.length) this.begun.push(bytes.subarray(end));
	}

	/** A last line without an end still counts. */
	end(): void {
		this.read(Buffer.concat(this.begun.splice(0)));
	}

	private read(bytes: Uint8Array): void {
		const text = this.decoder.decode(bytes);
		this.isSpecial ||= mayDiffer(text);
		for (const line of text.includes('\r') ? text.split(/\r\n?|\n/) : text.split('\n')) this.readLine(line);
	}

	private readLine(line: string): void {
		if (line.startsWith('data:')) {
			const { event } = this;
			this.event = undefined;
			this.onPayload(line.slice(line[5] === ' ' ? 6 : 5), event);
		} else if (line === '') this.event = undefined;
		else if (line.startsWith('event:')) this.event = line.slice('event:'.length).trim();
		else if (!IS_FIELD.test(line) && this.outsideLength < MAX_OUTSIDE_CHARACTERS) {
			this.outsideLength += line.length;
			this.outside.push(line.slice(0, MAX_OUTSIDE_CHARACTERS));
		}
	}
}
