// Undoes escapes in a text, and knows where each character came from: a secret is found however often it was escaped.

/** A text whose characters come from `[from, to)` of another one; without these, the characters are at the same place. */
export interface Layer {
	text: string;
	from?: number[];
	to?: number[];
}

/** A stretch of the original text. */
export type Range = [start: number, end: number];

/** HTML entities of the ASCII characters that are neither letters nor digits. */
const NAMED_ENTITIES = new Map(
	(
		'Tab\t NewLine\n excl! quot" num# dollar$ percnt% amp& apos\' lpar( rpar) ast* midast* plus+ comma, period. sol/ colon: semi; lt< ' +
		'equals= gt> quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] Hat^ lowbar_ UnderBar_ grave` DiacriticalGrave` lcub{ lbrace{ ' +
		'verbar| vert| VerticalLine| rcub} rbrace} QUOT" AMP& LT< GT>'
	)
		.split(' ')
		.map((entry): [string, string] => [entry.slice(0, -1), entry.slice(-1)])
		.concat([['nbsp', '\u00a0']]),
);

const CONTROLS = new Map([...'nrtbfv0'].map((letter, index) => [letter, '\n\r\t\b\f\v\0'[index]!]));

const ESCAPE =
	/(?:%[\da-f]{2})+|&#x0{0,9}([\da-f]{1,6});?|&#0{0,9}(\d{1,7});?|&([a-z]{2,16});|\\u\{0{0,9}([\da-f]{1,6})\}|\\u([\da-f]{4})|\\x([\da-f]{2})|\\([^ux])/gi;

type Unit = [text: string, from: number, to: number];

const LENGTHS = [0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, 2, 2, 3, 4];

/** UTF-8, or Latin-1 where the bytes are none: each character with the place of its escapes. */
function unitsOfBytes(escapes: string, start: number): Unit[] {
	const bytes = Buffer.from(escapes.replaceAll('%', ''), 'hex');
	const units: Unit[] = [];
	for (let index = 0; index < bytes.length; ) {
		const length = Math.max(LENGTHS[bytes[index]! >> 4]!, 1);
		const read = bytes.toString('utf8', index, index + length);
		const isValid = !read.includes('\uFFFD') && index + length <= bytes.length;
		const count = isValid ? length : 1;
		const text = isValid ? read : String.fromCharCode(bytes[index]!);
		units.push([text, start + index * 3, start + (index + count) * 3]);
		index += count;
	}
	return units;
}

const characterOf = (code: number): string | undefined => (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);

function unescaped([, hex, decimal, name, long, short, byte, letter]: RegExpExecArray): string | undefined {
	const digits = hex ?? long ?? short ?? byte;
	if (digits !== undefined) return characterOf(parseInt(digits, 16));
	if (decimal !== undefined) return characterOf(Number(decimal));
	return name === undefined ? (CONTROLS.get(letter!) ?? letter) : NAMED_ENTITIES.get(name);
}

/** A layer from pieces of another one: characters between them stay as they are. */
class LayerBuilder {
	private readonly pieces: string[] = [];
	private readonly from: number[] = [];
	private readonly to: number[] = [];

	constructor(private readonly source: Layer) {}

	/** @param start of its characters in the source; `end` is that of all of them */
	add(text: string, start: number, end: number): void {
		const { from, to } = this.source;
		this.pieces.push(text);
		for (let index = 0; index < text.length; index++) {
			this.from.push(from ? from[start]! : start);
			this.to.push(to ? to[end - 1]! : end);
		}
	}

	copy(start: number, end: number): void {
		const { text, from, to } = this.source;
		this.pieces.push(text.slice(start, end));
		for (let index = start; index < end; index++) {
			this.from.push(from ? from[index]! : index);
			this.to.push(to ? to[index]! : index + 1);
		}
	}

	end(): Layer {
		return { text: this.pieces.join(''), from: this.from, to: this.to };
	}
}

/** Every match of a pattern is replaced by what `read` returns; undefined leaves it as it is. */
function replaced(source: Layer, pattern: RegExp, read: (match: RegExpExecArray) => Unit[] | undefined): Layer {
	const { text } = source;
	const builder = new LayerBuilder(source);
	let done = 0;
	for (const match of text.matchAll(pattern)) {
		const units = read(match);
		if (!units) continue;
		builder.copy(done, match.index);
		for (const unit of units) builder.add(...unit);
		done = match.index + match[0].length;
	}
	if (done === 0) return source;
	builder.copy(done, text.length);
	return builder.end();
}

const decoded = (source: Layer): Layer =>
	/[%&\\]/.test(source.text)
		? replaced(source, ESCAPE, (match) => {
				const [written] = match;
				const { index } = match;
				if (written.startsWith('%')) return unitsOfBytes(written, index);
				const character = unescaped(match);
				return character === undefined ? undefined : [[character, index, index + written.length]];
			})
		: source;

const MAX_LAYERS = 5;

/** A text as it is, and with its escapes undone once, twice, and so on, until there are none. */
export function layersOf(text: string): Layer[] {
	const layers: Layer[] = [{ text }];
	for (let last = layers[0]!; layers.length < MAX_LAYERS; layers.push(last)) {
		const next = decoded(last);
		if (next === last) break;
		last = next;
	}
	return layers;
}

const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]+/gu;
const BLANK_RUNS = /\s+/gu;

export const withoutInvisible = (layer: Layer): Layer => replaced(layer, UNSEEN, () => []);

export const withoutBlanks = (layer: Layer): Layer => replaced(layer, BLANK_RUNS, () => []);

/** Reasons are one line: any blanks are one. */
export const withSingleBlanks = (layer: Layer): Layer =>
	/[^\S ]|\s{2}/.test(layer.text)
		? replaced(layer, BLANK_RUNS, ({ 0: { length }, index }) => [[' ', index, index + length]])
		: layer;

export const rangeOf = ({ from, to }: Layer, start: number, end: number): Range => [
	from ? from[start]! : start,
	to ? to[end - 1]! : end,
];

/** Ranges that overlap are one. */
export function united(ranges: Range[]): Range[] {
	const all: Range[] = [];
	for (const [start, end] of ranges.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
		const last = all.at(-1);
		if (last && start < last[1]) last[1] = Math.max(last[1], end);
		else all.push([start, end]);
	}
	return all;
}

export const MASK = '***';

/** Everything else stays byte for byte. */
export function masked(text: string, ranges: Range[]): string {
	let result = '';
	let done = 0;
	for (const [start, end] of united(ranges)) {
		result += text.slice(done, start) + MASK;
		done = end;
	}
	return ranges.length ? result + text.slice(done) : text;
}
