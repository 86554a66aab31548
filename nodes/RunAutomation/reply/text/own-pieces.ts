// Removes thoughts and citation marks from live output while it arrives.

import { closesThoughts, OPENS_THOUGHTS, withoutCitations } from './own-text';

/** The beginning of a tag of thoughts. */
const MAY_OPEN = /^(?:[<[◁](?:\w{1,20}:?){0,2}(?:\s[^<>\]]{0,100})?)?$/;

/** A closing tag that is cut in two must fit into this many characters. */
const MAX_TAG = 64;

/** A longer mark is shown, because each piece searches it again. */
const MAX_MARK_CHARACTERS = 500;

class Thoughts {
	/** Blanks and thoughts that are not shown yet. */
	private held: string[] = [];
	private tail = '';
	/** The end of the current thoughts. */
	private closing: RegExp | undefined;
	private isBehind = false;
	private isOver = false;

	push(piece: string): string {
		if (this.isOver) return piece;
		return this.closing === undefined ? this.begin(piece) : this.think(piece);
	}

	end(): string {
		const rest = this.held.join('') + this.tail;
		[this.held, this.tail, this.closing, this.isBehind, this.isOver] = [[], '', undefined, false, false];
		return rest;
	}

	private begin(piece: string): string {
		const text = this.tail + piece;
		const start = text.search(/\S|$/);
		if (!this.isBehind) this.held.push(text.slice(0, start));
		this.tail = text.slice(start);
		OPENS_THOUGHTS.lastIndex = 0;
		const [tag = '', name] = OPENS_THOUGHTS.exec(this.tail) ?? [];
		if (name === undefined) {
			if (MAY_OPEN.test(this.tail)) return '';
			const shown = this.end();
			this.isOver = true;
			return shown;
		}
		this.closing = closesThoughts(name);
		this.held.push(tag);
		const rest = this.tail.slice(tag.length);
		this.tail = '';
		return this.think(rest);
	}

	private think(piece: string): string {
		const text = this.tail + piece;
		const closing = this.closing!;
		closing.lastIndex = 0;
		if (closing.test(text)) {
			[this.held, this.tail, this.closing, this.isBehind] = [[], '', undefined, true];
			return this.push(text.slice(closing.lastIndex));
		}
		this.held.push(text.slice(0, -MAX_TAG));
		this.tail = text.slice(-MAX_TAG);
		return '';
	}
}

/** Thoughts that never end are shown at the text's end. */
export class OwnPieces {
	private readonly thoughts = new Thoughts();
	private held = '';

	push(piece: string): string {
		return this.withoutMarks(this.thoughts.push(piece));
	}

	end(): string {
		const rest = this.withoutMarks(this.thoughts.end()) + this.held;
		this.held = '';
		return rest;
	}

	private withoutMarks(piece: string): string {
		const text = withoutCitations(this.held + piece);
		const start = text.indexOf('\uE200');
		const isMark = start >= 0 && text.length - start <= MAX_MARK_CHARACTERS;
		this.held = isMark ? text.slice(start) : '';
		return isMark ? text.slice(0, start) : text;
	}
}
