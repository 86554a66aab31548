// Follows the brackets of JSON that arrives in pieces. Each character is read once.

const MARK_OF_JSON = /["{}[\]]/g;

export class Brackets {
	private depth = 0;
	private isInText = false;

	get isOpen(): boolean {
		return this.depth > 0 || this.isInText;
	}

	/** @param line must not end within an escape */
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
