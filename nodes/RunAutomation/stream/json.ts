import { changeTexts, isDeeper, MAX_DEPTH, parseJson } from '../../values';

/**
 * A value without what is nested too deeply in it; the value itself if nothing is.
 *
 * @param text its JSON: a short one cannot be nested deeply
 */
export const withoutDepth = <T>(value: T, text: string): T =>
	text.length > 2 * MAX_DEPTH && isDeeper(value, MAX_DEPTH) ? changeTexts(value, (unchanged) => unchanged) : value;

type Container = {
	closer: '}' | ']';
	/** Whether the next string is a key. */
	expectsKey: boolean;
};

const LITERALS = ['true', 'false', 'null'];

/** Where the string that begins at `start` ends: at its quotation mark, at half an escape, or with the text. */
function endOfString(text: string, start: number): number {
	let i = start;
	while (text[i] !== '"') {
		let length = 1;
		if (text[i] === '\\') length = text[i + 1] === 'u' ? '\\u0000'.length : '\\n'.length;
		if (i + length > text.length) break;
		i += length;
	}
	return i;
}

/**
 * Completes the beginning of a JSON text so that it can be parsed: closes what is open, completes a literal, and drops
 * what is not yet a value (a key without value, a lone sign, half an escape).
 */
function completeJson(text: string): string {
	const open: Container[] = [];
	/** Length of the longest beginning that ends with a complete value or an opening bracket. */
	let usable = 0;
	let i = 0;

	const mark = () => (usable = i);
	const closers = () =>
		open
			.map(({ closer }) => closer)
			.reverse()
			.join('');

	while (i < text.length) {
		const char = text[i];
		const container = open.at(-1);
		if (char === '"') {
			i = endOfString(text, i + 1);
			if (text[i] !== '"') {
				if (container?.expectsKey) break;
				return `${text.slice(0, i)}"${closers()}`;
			}
			i++;
			if (container?.expectsKey) container.expectsKey = false;
			else mark();
		} else if (char === '{' || char === '[') {
			i++;
			open.push(char === '{' ? { closer: '}', expectsKey: true } : { closer: ']', expectsKey: false });
			mark();
		} else if (char === '}' || char === ']') {
			i++;
			open.pop();
			mark();
		} else if (char === ',') {
			i++;
			if (container) container.expectsKey = container.closer === '}';
		} else if (char === ':' || /\s/.test(char)) {
			i++;
		} else {
			const start = i;
			while (i < text.length && !/[\s,:\]}]/.test(text[i])) i++;
			if (i < text.length) {
				mark();
				continue;
			}
			const word = text.slice(start);
			const literal = LITERALS.find((candidate) => candidate.startsWith(word));
			const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?/.exec(word)?.[0];
			const value = literal ?? number;
			if (value !== undefined) return `${text.slice(0, start)}${value}${closers()}`;
		}
	}
	return `${text.slice(0, usable)}${closers()}`;
}

/**
 * Parses the beginning of a JSON text, such as the input of a tool call whose deltas are still being received.
 *
 * @returns the value as far as it is known, or undefined if nothing can be read
 */
export function parsePartialJson(text: string): unknown {
	return withoutDepth(parseJson(text) ?? parseJson(completeJson(text)), text);
}
