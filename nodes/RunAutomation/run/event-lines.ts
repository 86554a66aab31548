// Joins the `data:` lines of an event that are one JSON together: each line is else a payload of its own (contract 6).

import { Brackets } from '../../shared/values/brackets';
import { isChunk, parsePayload } from './message/chunk';

const isBegun = (line: string): boolean => /^\s*[{[](?!DONE\])/.test(line);
const isAlone = (line: string): boolean => /[}\]]\s*$/.test(line);

/** Hands on each line alone, or several as one (toolhive#6102). What is complete alone is never held back. */
export class EventLines {
	private lines: string[] = [];
	private brackets = new Brackets();
	/** The name of an event, for its first payload. */
	private event: string | undefined;

	constructor(private readonly onPayload: (text: string, event: string | undefined) => void) {}

	/** @param isOpen whether further lines may follow in the same event */
	add(lines: string[], event: string | undefined, isOpen: boolean): void {
		this.event = event;
		for (const [index, line] of lines.entries()) {
			const isFollowed = index + 1 === lines.length ? isOpen : !isBegun(lines[index + 1]!);
			this.addLine(line, isFollowed);
		}
	}

	addOne(line: string, event: string | undefined, isOpen: boolean): void {
		if (!isOpen && this.lines.length === 0) return this.onPayload(line, event);
		this.event = event;
		this.addLine(line, isOpen);
	}

	/** Ends the event: what is still open is no JSON. */
	end(): void {
		const { lines } = this;
		if (lines.length === 0) return;
		this.reset();
		for (const line of lines) this.emit(line);
	}

	/** @param isFollowed whether the next line may belong to the same JSON */
	private addLine(line: string, isFollowed: boolean): void {
		if (this.lines.length > 0 && isBegun(line) && isAlone(line) && isChunk(parsePayload(line))) this.end();
		const isOpening = isBegun(line) && (isFollowed || !isAlone(line));
		if (this.lines.length === 0 && !isOpening) return this.emit(line);
		this.lines.push(line);
		this.brackets.read(line);
		if (this.brackets.isOpen) return;
		const text = this.lines.join('\n');
		this.reset();
		this.emit(text);
	}

	private reset(): void {
		this.lines = [];
		this.brackets = new Brackets();
	}

	private emit(text: string): void {
		const { event } = this;
		this.event = undefined;
		this.onPayload(text, event);
	}
}
