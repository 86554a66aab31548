// Splits a run's stream into the data of its lines, with or without blank lines between (contract 6).

import { mayDiffer } from '../../shared/values/json';

export interface DataLine {
	text: string;
	/** The name of an event, with its first line of data. */
	event: string | undefined;
}

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

	/** Returns the lines that have ended. */
	write(bytes: Uint8Array): DataLine[] {
		// No character has one of these bytes inside, so that none is cut.
		const end = Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
		const ended = bytes.subarray(0, end);
		const isWhole = this.begun.length === 0;
		const lines = end ? this.split(isWhole ? ended : Buffer.concat([...this.begun.splice(0), ended])) : [];
		if (end < bytes.length) this.begun.push(bytes.subarray(end));
		return lines;
	}

	/** A last line without an end still counts. */
	end(): DataLine[] {
		return this.split(Buffer.concat(this.begun.splice(0)));
	}

	private split(bytes: Uint8Array): DataLine[] {
		const text = this.decoder.decode(bytes);
		this.isSpecial ||= mayDiffer(text);
		const found: DataLine[] = [];
		for (const line of text.includes('\r') ? text.split(/\r\n?|\n/) : text.split('\n')) {
			if (line.startsWith('data:')) {
				found.push({ text: line.slice(line[5] === ' ' ? 6 : 5), event: this.event });
				this.event = undefined;
			} else if (line === '') this.event = undefined;
			else if (line.startsWith('event:')) this.event = line.slice('event:'.length).trim();
			else if (!IS_FIELD.test(line) && this.outsideLength < MAX_OUTSIDE_CHARACTERS) {
				this.outsideLength += line.length;
				this.outside.push(line.slice(0, MAX_OUTSIDE_CHARACTERS));
			}
		}
		return found;
	}
}
