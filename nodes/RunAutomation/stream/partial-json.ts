import { changeTexts, isDeeper, MAX_DEPTH, parseJson } from '../../values';

/** A value without what is nested too deeply in it; the value itself if nothing is, as in any with a short text. */
export const withoutDepth = <T>(value: T, text: string): T =>
	text.length > 2 * MAX_DEPTH && isDeeper(value, MAX_DEPTH) ? changeTexts(value, (unchanged) => unchanged) : value;

const LITERALS = ['true', 'false', 'null'];

/** What the beginning of a JSON text may be completed to. In the last one, what is not yet a value is left out. */
function completionsOf(text: string): string[] {
	const open: string[] = [];
	/** Where the element begins that may not be complete. */
	let element = 0;
	/** Without half an escape. */
	let end = text.length;
	let isInString = false;
	for (let i = 0; i < end; i++) {
		const char = text[i];
		if (isInString && char === '\\') {
			const length = text[i + 1] === 'u' ? '\\u0000'.length : '\\n'.length;
			if (i + length > text.length) end = i;
			i += length - 1;
		} else if (char === '"') isInString = !isInString;
		else if (isInString) continue;
		else if (char === '{' || char === '[') {
			open.push(char === '{' ? '}' : ']');
			element = i + 1;
		} else if (char === '}' || char === ']') {
			open.pop();
			element = i + 1;
		} else if (char === ',' && open.length) element = i;
	}
	const closers = open.reverse().join('');
	const known = text.slice(0, end);
	const [word] = /[a-z]*$/.exec(known.slice(-4))!;
	const rest = (word && LITERALS.find((literal) => literal.startsWith(word))?.slice(word.length)) ?? '';
	const withoutSign = known.slice(0, -2) + known.slice(-2).replace(/[-+.eE]+$/, '');
	const beginnings = isInString ? [`${known}"`] : [known + rest, withoutSign];
	return [...beginnings, text.slice(0, element)].map((beginning) => beginning + closers);
}

/**
 * Parses the beginning of a JSON text, such as the input of a tool call whose deltas are still being received.
 *
 * @returns the value as far as it is known, or undefined if nothing can be read
 */
export function parsePartialJson(text: string): unknown {
	for (const completed of [text, ...completionsOf(text)]) {
		const value = parseJson(completed);
		if (value !== undefined) return withoutDepth(value, text);
	}
	return undefined;
}
