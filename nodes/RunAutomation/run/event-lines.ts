// Joins `data:` lines of an event that are JSON only together. Any other line is a payload of its own (contract 6).

import { Brackets } from '../../shared/values/brackets';
import { isChunk, parsePayload } from './message/chunk';

const isBegun = (line: string): boolean => /^\s*[{[](?!DONE\])/.test(line);
const isAlone = (line: string): boolean => /[}\]]\s*$/.test(line);

/** A line that is complete alone is never held back (toolhive#6102). */
export class EventLines {
	private lines: string[] = [];
	private brackets = new Brackets();
	/** The event's name, for its first payload. */
	private event: string | undefined;

	constructor(private readonly onPayload: (text: string, event: string | undefined) => void) {}

	/** @param isOpen true if further lines may follow in the event */
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

	/** What is still open at the end of an event is not JSON. */
	end(): void {
		const { lines } = this;
		if (lines.length === 0) return;
		this.reset();
		for (const line of lines) this.emit(line);
	}

	/** @param isFollowed true if the next line may belong to the same JSON */
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
