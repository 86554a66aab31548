// Masks secrets in texts that people or agents read, also where they are escaped for URLs, HTML, JSON or JavaScript.

import { boundText, shorten } from '../values/text';
import { withoutTokens } from './file-tokens';

/** A text in which some levels of escapes are undone. */
interface Layer {
	text: string;
	/** The place of each character, and of the end, in the original text. Undefined for that text itself. */
	places?: Uint32Array;
}

/** A stretch of the original text. */
type Range = [start: number, end: number];

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
function* layersOf(text: string): Generator<Layer> {
	let layer: Layer | undefined = { text };
	for (let level = 0; layer && level <= MAX_LEVELS; level++) {
		yield layer;
		layer = /[%&\\]/.test(layer.text) ? unescaped(layer) : undefined;
	}
}

const rangeOf = ({ places }: Layer, start: number, end: number): Range =>
	places ? [places[start]!, places[end]!] : [start, end];

/** Stretches may overlap. */
function masked(text: string, ranges: Range[], mark = '***'): string {
	let result = '';
	let done = 0;
	for (const [start, end] of ranges.sort((a, b) => a[0] - b[0])) {
		if (start >= done) result += text.slice(done, start) + mark;
		done = Math.max(done, end);
	}
	return result + text.slice(done);
}

/** Shorter texts are not secrets, and would match everywhere. */
const MIN_SECRET = 4;

/** Returns the base64 characters that do not depend on surrounding bytes. */
function insideBase64(secret: string): string[] {
	const bytes = Buffer.from(secret);
	return [0, 1, 2].map((before) => {
		const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
		return encoded.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 8) / 6));
	});
}

/** A reason has single blanks, and a browser's forms write `+` for them. */
function spellingsOf(secret: string): string[] {
	const base64 = insideBase64(secret);
	const ofUrls = base64.map((digits) => digits.replace(/\+/g, '-').replace(/\//g, '_'));
	return [secret, secret.replace(/\s+/g, ' '), secret.replaceAll(' ', '+'), ...base64, ...ofUrls];
}

function placesOf(layer: Layer, spelling: string): Range[] {
	const ranges: Range[] = [];
	for (let at = layer.text.indexOf(spelling); at >= 0; at = layer.text.indexOf(spelling, at + spelling.length))
		ranges.push(rangeOf(layer, at, at + spelling.length));
	return ranges;
}

/** The function also masks the tokens of file links. */
export function maskOf(secrets: unknown[]): (text: string) => string {
	const sent = secrets.filter((secret) => typeof secret === 'string').map((secret) => secret.trim());
	const spellings = new Set(sent.filter(({ length }) => length >= MIN_SECRET).flatMap(spellingsOf));
	const long = [...spellings].filter(({ length }) => length >= MIN_SECRET);
	const rangesIn = (layer: Layer) => long.flatMap((spelling) => placesOf(layer, spelling));
	return (text) => withoutTokens(masked(text, [...layersOf(text)].flatMap(rangesIn)));
}

/** What no text may contain: an item's key and tokens. */
export class Secrets {
	readonly mask: (text: string) => string;

	constructor(readonly values: unknown[]) {
		this.mask = maskOf(values);
	}

	/** Masks what is shown of a text, and then shortens it: masking megabytes stops n8n's only thread. */
	quote(text: string, limit?: number): string {
		return shorten(this.mask(boundText(text)), limit);
	}
}
