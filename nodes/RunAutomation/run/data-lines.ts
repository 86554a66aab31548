// Splits a run's stream into the data of its lines, with or without blank lines between (contract 6).

import { createParser } from 'eventsource-parser';

import { mayDiffer, parseJson } from '../../shared/values/json';

const MAX_OUTSIDE_CHARACTERS = 64 * 1024;

/** The longest text that `mayDiffer` looks for. */
const OVERLAP = 16;

export class DataLineReader {
	/** True if `JSON.parse` may read a line in another way than `parseJson`. */
	isSpecial = false;
	/** Lines that are not fields of events: another format, or a proxy's page. */
	readonly outside: string[] = [];
	private outsideLength = 0;
	private lastCharacters = '';
	private readonly decoder = new TextDecoder();
	private readonly parser = createParser({
		onEvent: ({ data, event }) => this.readEvent(data, event),
		onError: ({ line = '' }) => this.keepOutside(line),
	});

	constructor(private readonly onPayload: (text: string, event: string | undefined) => void) {}

	write(bytes: Uint8Array): void {
		this.feed(this.decoder.decode(bytes, { stream: true }));
	}

	/** A last line without an end still counts. */
	end(): void {
		this.feed(`${this.decoder.decode()}\n\n`);
	}

	private feed(text: string): void {
		this.isSpecial ||= mayDiffer(this.lastCharacters + text);
		this.lastCharacters = text.slice(-OVERLAP);
		this.parser.feed(text);
	}

	/** Lines that are not JSON together are payloads of their own. */
	private readEvent(data: string, event: string | undefined): void {
		if (!data.includes('\n') || parseJson(data) !== undefined) return this.onPayload(data, event);
		const lines = data.split('\n');
		const last = lines.pop()!;
		for (const line of lines) this.onPayload(line, undefined);
		this.onPayload(last, event);
	}

	private keepOutside(line: string): void {
		if (this.outsideLength >= MAX_OUTSIDE_CHARACTERS) return;
		this.outsideLength += line.length;
		this.outside.push(line.slice(0, MAX_OUTSIDE_CHARACTERS));
	}
}
