// Splits a run's stream into the data of its lines, with or without blank lines between (contract 6).

import { createParser, type EventSourceMessage } from 'eventsource-parser';

import { mayDiffer, parseJson } from '../../shared/values/json';

/** The data of a line, with the name of its event. */
export type DataLine = Pick<EventSourceMessage, 'data' | 'event'>;

const MAX_OUTSIDE_CHARACTERS = 64 * 1024;

/** The longest text that `mayDiffer` looks for. */
const OVERLAP = 16;

export class DataLineReader {
	/** True if a line may have escaped characters, or if `JSON.parse` may read it in another way than `parseJson`. */
	isSpecial = false;
	/** Lines that are not fields of events: another format, or a proxy's page. */
	readonly outside: string[] = [];
	private outsideLength = 0;
	private lastCharacters = '';
	private found: DataLine[] = [];
	private readonly decoder = new TextDecoder();
	private readonly parser = createParser({
		onEvent: (message) => this.readEvent(message),
		onError: ({ line = '' }) => this.keepOutside(line),
	});

	/** Returns the lines of the events that have ended. */
	write(bytes: Uint8Array): DataLine[] {
		return this.feed(this.decoder.decode(bytes, { stream: true }));
	}

	/** A last line without an end still counts. */
	end(): DataLine[] {
		return this.feed(`${this.decoder.decode()}\n\n`);
	}

	private feed(text: string): DataLine[] {
		const cut = this.lastCharacters + text.slice(0, OVERLAP);
		this.isSpecial ||= [text, cut].some((piece) => piece.includes('\\u') || mayDiffer(piece));
		this.lastCharacters = (this.lastCharacters + text.slice(-OVERLAP)).slice(-OVERLAP);
		this.found = [];
		this.parser.feed(text);
		return this.found;
	}

	/** If the event's lines do not form one JSON value together, each line is its own payload. */
	private readEvent(message: EventSourceMessage): void {
		const { data, event } = message;
		if (!data.includes('\n') || parseJson(data) !== undefined) this.found.push(message);
		else for (const line of data.split('\n')) this.found.push({ data: line, event });
	}

	private keepOutside(line: string): void {
		if (this.outsideLength >= MAX_OUTSIDE_CHARACTERS) return;
		this.outsideLength += line.length;
		this.outside.push(line.slice(0, MAX_OUTSIDE_CHARACTERS));
	}
}
