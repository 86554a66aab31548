// Joins the `data:` lines of an event that are one JSON together: each line is else a payload of its own (contract 6).

import { isChunk, parsePayload } from './chunk';

const MARK_OF_JSON = /["{}[\]]/g;

/** Follows the brackets of JSON over several lines. Each character is read once. */
class Brackets {
	private depth = 0;
	private isInText = false;

	get isOpen(): boolean {
		return this.depth > 0 || this.isInText;
	}

	read(line: string): void {
		MARK_OF_JSON.lastIndex = 0;
		if (this.isInText) this.endText(line, 0);
		while (!this.isInText) {
			const token = MARK_OF_JSON.exec(line)?.[0];
			if (token === undefined) return;
			if (token === '"') this.endText(line, MARK_OF_JSON.lastIndex);
			else this.depth += token === '{' || token === '[' ? 1 : -1;
		}
	}

	private endText(line: string, from: number): void {
		let end = line.indexOf('"', from);
		while (end >= 0 && isEscaped(line, end, from)) end = line.indexOf('"', end + 1);
		this.isInText = end < 0;
		MARK_OF_JSON.lastIndex = end + 1;
	}
}

function isEscaped(line: string, at: number, from: number): boolean {
	let start = at;
	while (start > from && line[start - 1] === '\\') start--;
	return (at - start) % 2 === 1;
}

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
