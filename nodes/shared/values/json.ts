// Reads JSON with numbers as written, and says where it is invalid.

/** JavaScript would lose digits of long numbers, and the zeros of 12.50. */
export class Numeral {
	constructor(readonly text: string) {}
}

export type Json = null | boolean | string | Numeral | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** n8n and later nodes fail at some thousands of levels. */
export const MAX_JSON_DEPTH = 100;

/** `end` is the place behind the value, or of what is wrong. A problem quotes nothing of the text, which may be a secret. */
type JsonStart = { json: Json; problem?: undefined; end: number } | { json?: undefined; problem: string; end: number };

// Web pages indent by no-break spaces, which `\s` includes.
const BLANKS = /\s*/y;
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;
const WORDS: Record<string, boolean | null> = { true: true, false: false, null: null };
const STRETCH = /[^"\\]*("|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|)/y;

/** A line end in a string is accepted as text. Databases reject U+0000 and lone surrogates. */
function valueOfText(quoted: string): string {
	const json = quoted.replace(/\\.|\p{Cc}/gu, (token) =>
		token.startsWith('\\') ? token : JSON.stringify(token).slice(1, -1),
	);
	return (JSON.parse(json) as string).replaceAll('\0', '').toWellFormed();
}

class JsonReader {
	private at = 0;

	constructor(
		private readonly text: string,
		private readonly maxDepth: number,
	) {}

	read(isAlone: boolean): JsonStart {
		try {
			const json = this.value('a value', this.maxDepth);
			const end = this.at;
			if (isAlone && this.next() !== '') this.fail('nothing after the JSON');
			return { json, end };
		} catch (error) {
			return { problem: (error as Error).message, end: this.at };
		}
	}

	private place(): string {
		const before = this.text.slice(0, this.at).split('\n');
		return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
	}

	private fail(expected: string): never {
		const isCut = this.at === this.text.length;
		throw new Error(isCut ? 'it ends before it is complete' : `expected ${expected} in ${this.place()}`);
	}

	private next(): string {
		BLANKS.lastIndex = this.at;
		BLANKS.test(this.text);
		this.at = BLANKS.lastIndex;
		return this.text.charAt(this.at);
	}

	private take(mark: string): boolean {
		const isNext = this.next() === mark;
		if (isNext) this.at++;
		return isNext;
	}

	private value(expected: string, depth: number): Json {
		const first = this.next();
		if (first === '"') return this.string();
		if (first === '{' || first === '[') {
			if (depth === 0) throw new Error(`it is nested more than ${this.maxDepth} levels deep`);
			this.at++;
			return first === '{' ? this.object(depth - 1) : this.list(depth - 1);
		}
		LITERAL.lastIndex = this.at;
		const [literal] = LITERAL.exec(this.text) ?? this.fail(expected);
		this.at += literal.length;
		const word = WORDS[literal];
		if (word !== undefined) return word;
		return new Numeral(literal);
	}

	private string(): string {
		const start = this.at++;
		for (let end = ''; end !== '"'; ) {
			STRETCH.lastIndex = this.at;
			end = STRETCH.exec(this.text)?.[1] ?? '';
			this.at = STRETCH.lastIndex;
			if (end === '') this.fail('another character after the backslash');
		}
		return valueOfText(this.text.slice(start, this.at));
	}

	private list(depth: number): Json[] {
		const list: Json[] = [];
		if (this.take(']')) return list;
		do {
			list.push(this.value(list.length ? 'a value after the comma' : 'a value or "]"', depth));
		} while (this.take(','));
		return this.take(']') ? list : this.fail('"," or "]"');
	}

	private object(depth: number): JsonObject {
		const entries = new Map<string, Json>();
		if (this.take('}')) return {};
		do {
			if (this.next() !== '"') this.fail(`a name in double quotes ${entries.size ? 'after the comma' : 'or "}"'}`);
			const name = this.string();
			if (!this.take(':')) this.fail('":" after the name');
			entries.set(name, this.value('a value', depth));
		} while (this.take(','));
		return this.take('}') ? Object.fromEntries(entries) : this.fail('"," or "}"');
	}
}

export const readJsonStart = (text: string, maxDepth: number): JsonStart => new JsonReader(text, maxDepth).read(false);

/** The fence becomes blanks, so that problems name the right lines and columns. */
function fenceContent(text: string): string {
	const [opening, marks = ''] = /^\s*(`{3,}|~{3,})(?:[a-z]\w*)?/i.exec(text) ?? [''];
	const content = text.trimEnd();
	const isFenced = marks !== '' && content.endsWith(marks) && content.length >= opening.length + marks.length;
	return isFenced ? opening.replace(/\S/g, ' ') + content.slice(opening.length, -marks.length) : text;
}

/** The text must be JSON alone, but may be in a code fence. */
export const readJson = (text: string): JsonStart => new JsonReader(fenceContent(text), MAX_JSON_DEPTH).read(true);

export const isJsonObject = (json: Json): json is JsonObject =>
	typeof json === 'object' && json !== null && !Array.isArray(json) && !(json instanceof Numeral);

const digitsOf = (number: string) => number.replace(/e.*|\D/gi, '').replace(/^0+|(?<!0)0+$/g, '');

/** True if JavaScript would lose digits of an integer. */
export const hasTooManyDigits = (number: string): boolean =>
	Math.abs(Number(number)) > Number.MAX_SAFE_INTEGER &&
	!/e/i.test(number) &&
	digitsOf(number) !== digitsOf(Number(number).toExponential());

export const isKept = (number: string): boolean => Number.isFinite(Number(number)) && !hasTooManyDigits(number);

export function hasUnsafeNumber(json: Json): boolean {
	if (json instanceof Numeral) return !isKept(json.text);
	return typeof json === 'object' && json !== null && Object.values(json).some(hasUnsafeNumber);
}

/** Plain values have no key `__proto__`. Numbers that `isNumber` rejects become text. */
export function plain(json: Json, isNumber = isKept): unknown {
	if (json instanceof Numeral) return isNumber(json.text) ? Number(json.text) : json.text;
	if (Array.isArray(json)) return json.map((value) => plain(value, isNumber));
	if (!isJsonObject(json)) return json;
	const entries = Object.entries(json).filter(([key]) => key !== '__proto__');
	return Object.fromEntries(entries.map(([key, value]) => [key, plain(value, isNumber)]));
}

/** JavaScript holds every integer with fewer digits. */
const LONG_DIGITS = 16;

const isDigit = (text: string, at: number): boolean => {
	const code = text.charCodeAt(at);
	return code >= 48 && code <= 57;
};

/** Looks at one character in sixteen: a pattern would read every text once more. */
function hasLongNumber(text: string): boolean {
	for (let at = LONG_DIGITS - 1; at < text.length; at += LONG_DIGITS) {
		if (!isDigit(text, at)) continue;
		let [start, end] = [at, at + 1];
		while (isDigit(text, start - 1)) start--;
		while (isDigit(text, end)) end++;
		if (end - start >= LONG_DIGITS) return true;
	}
	return false;
}

const NUMBER_OR_TEXT = /"|-?\d[\d.eE+-]{15,}/g;

function endOfText(json: string, start: number): number {
	for (let end = json.indexOf('"', start); ; end = json.indexOf('"', end + 1)) {
		let before = end;
		while (json[before - 1] === '\\') before--;
		if ((end - before) % 2 === 0) return end;
	}
}

/** Makes text of each number of which JavaScript would lose digits (voiden#431, adk-llm-bridge#67). */
function quoteLongNumbers(json: string): string {
	const pieces: string[] = [];
	let from = 0;
	NUMBER_OR_TEXT.lastIndex = 0;
	for (let match = NUMBER_OR_TEXT.exec(json); match; match = NUMBER_OR_TEXT.exec(json)) {
		const [token] = match;
		if (token === '"') NUMBER_OR_TEXT.lastIndex = endOfText(json, match.index + 1) + 1;
		else if (hasTooManyDigits(token)) {
			pieces.push(json.slice(from, match.index), `"${token}"`);
			from = NUMBER_OR_TEXT.lastIndex;
		}
	}
	return pieces.length === 0 ? json : [...pieces, json.slice(from)].join('');
}

/** True if `JSON.parse` may read another value than `parseJson`. */
export const mayDiffer = (text: string): boolean =>
	text.includes('\\u00') || text.includes('__proto__') || hasLongNumber(text);

/**
 * Leaves out any key `__proto__`, and U+0000, which databases reject. Undefined if the text is not JSON.
 *
 * @param isSpecial what `mayDiffer` returns: a caller with many short texts finds it out once for all
 */
export function parseJson(text: string, isSpecial = mayDiffer(text)): unknown {
	try {
		return isSpecial ? parseSpecial(text) : JSON.parse(text);
	} catch {
		return undefined;
	}
}

function parseSpecial(text: string): unknown {
	const value = parseNumbers(text);
	const quoted = hasLongNumber(text) ? quoteLongNumbers(text) : text;
	return quoted === text ? value : parseNumbers(quoted);
}

function parseNumbers(text: string): unknown {
	if (!text.includes('\\u00') && !text.includes('__proto__')) return JSON.parse(text);
	const json = text.replace(/\\u0000|\\[^]/g, (escape) => (escape === '\\u0000' ? '' : escape));
	// A later assignment of this key would set a prototype.
	return JSON.parse(json, (key, inner: unknown) => (key === '__proto__' ? undefined : inner));
}
