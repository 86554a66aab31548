// Finds what is escaped for URLs, HTML, JSON or JavaScript, and replaces it in the original text.

/** A text in which some levels of escapes are undone. */
export interface Layer {
	text: string;
	/** The place of each character, and of the end, in the original text. Undefined for that text itself. */
	places?: Uint32Array;
}

/** A stretch of the original text. */
export type Range = [start: number, end: number];

/** Percent-encoded UTF-8, numbers of HTML, the names that escaping functions write, and escapes of JSON and JavaScript. */
const ESCAPE =
	/(%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3})|&#(\d{1,9});?|(?:&#x|\\u\{)([\da-f]{1,6})[;}]?|&(amp|apos|gt|lt|nbsp|quot);|\\(?:u(?=[\da-f]{4})|x(?=[\da-f]{2}))((?<=u).{4}|.{2})|\\([^])/gi;

const ENTITY_NAMES: Record<string, string> = { amp: '&', apos: "'", gt: '>', lt: '<', nbsp: ' ', quot: '"' };

function characterOf([written, bytes, decimal, hex, name, code, letter]: RegExpExecArray): string {
	if (bytes) return Buffer.from(bytes.replaceAll('%', ''), 'hex').toString();
	if (name) return ENTITY_NAMES[name.toLowerCase()]!;
	if (letter) return /[nrt]/.test(letter) ? ' ' : letter;
	const number = decimal ? Number(decimal) : parseInt(hex ?? code!, 16);
	return number <= 0x10ffff ? String.fromCodePoint(number) : written;
}

/** No character is longer than its escape, so the places need no more room than before. */
function unescaped(source: Layer): Layer | undefined {
	const { text } = source;
	const places = source.places ?? Uint32Array.from({ length: text.length + 1 }, (_, index) => index);
	const starts = new Uint32Array(places.length);
	let result = '';
	let done = 0;
	const copy = (end: number) => {
		starts.set(places.subarray(done, end), result.length);
		result += text.slice(done, end);
	};
	for (const match of text.matchAll(ESCAPE)) {
		const character = characterOf(match);
		copy(match.index);
		starts.fill(places[match.index]!, result.length, result.length + character.length);
		result += character;
		done = match.index + match[0].length;
	}
	if (done === 0) return undefined;
	copy(text.length);
	starts[result.length] = places[text.length]!;
	return { text: result, places: starts };
}

/** Servers escape a text a few times. Each further pass reads the text again. */
const MAX_LEVELS = 5;

/** The text itself, then a layer for each level of escapes that is undone. */
export function* layersOf(text: string): Generator<Layer> {
	let layer: Layer | undefined = { text };
	for (let level = 0; layer && level <= MAX_LEVELS; level++) {
		yield layer;
		layer = /[%&\\]/.test(layer.text) ? unescaped(layer) : undefined;
	}
}

export const rangeOf = ({ places }: Layer, start: number, end: number): Range =>
	places ? [places[start]!, places[end]!] : [start, end];

/** Stretches may overlap. */
export function masked(text: string, ranges: Range[], mark = '***'): string {
	let result = '';
	let done = 0;
	for (const [start, end] of ranges.sort((a, b) => a[0] - b[0])) {
		if (start >= done) result += text.slice(done, start) + mark;
		done = Math.max(done, end);
	}
	return result + text.slice(done);
}
