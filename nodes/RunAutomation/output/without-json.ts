/** How JSON begins, or might begin with what follows: a code fence, an object, or a list of objects. */
const BEGINNING = /`{3,}|\{\s*["}]|\[\s*\{/;
const MIGHT_BEGIN = /(?:`{1,2}|\{\s*|\[\s*)$/;

/**
 * Leaves the JSON out of a text that is received in pieces, so that a chat shows what an agent says and not what it
 * returns. A beginning that may become JSON is held back until it is clear.
 */
export class WithoutJson {
	private held = '';

	private isInFence = false;

	private depth = 0;

	private isInString = false;

	private isEscaped = false;

	/** Takes the next piece of a text, and returns what may be shown of all that was held back and of this piece. */
	push(piece: string): string {
		let rest = this.held + piece;
		let shown = '';
		this.held = '';
		while (rest) {
			if (this.isInFence) rest = this.skipFence(rest);
			else if (this.depth) rest = this.skipJson(rest);
			else {
				const begin = BEGINNING.exec(rest);
				const end = begin ? begin.index : (MIGHT_BEGIN.exec(rest)?.index ?? rest.length);
				shown += rest.slice(0, end);
				rest = rest.slice(end);
				if (begin) rest = this.enter(rest, begin[0]);
				else {
					this.held = rest;
					return shown;
				}
			}
		}
		return shown;
	}

	/** Ends the text, and returns what was held back and did not become JSON. */
	end(): string {
		const rest = this.isInFence ? '' : this.held;
		Object.assign(this, new WithoutJson());
		return rest;
	}

	private enter(rest: string, begin: string): string {
		if (begin[0] !== '`') return this.skipJson(rest);
		this.isInFence = true;
		return rest.slice(begin.length);
	}

	/** The text after a fence, or nothing if it is still open. Backticks at the end may be half of its closing mark. */
	private skipFence(text: string): string {
		const end = text.indexOf('```');
		if (end === -1) {
			this.held = /`{0,2}$/.exec(text)![0];
			return '';
		}
		this.isInFence = false;
		return text.slice(end + '```'.length);
	}

	/** The text after an object or list, or nothing if it is still open. */
	private skipJson(text: string): string {
		for (let i = 0; i < text.length; i++) {
			const char = text[i];
			if (this.isInString) {
				if (this.isEscaped) this.isEscaped = false;
				else if (char === '\\') this.isEscaped = true;
				else if (char === '"') this.isInString = false;
			} else if (char === '"') this.isInString = true;
			else if (char === '{' || char === '[') this.depth++;
			else if ((char === '}' || char === ']') && --this.depth === 0) return text.slice(i + 1);
		}
		return '';
	}
}
