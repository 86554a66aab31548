// Reads JSON with numbers as written, and says where it is invalid.

/** JavaScript would lose digits of long numbers, and the zeros of 12.50. */
export class Numeral {
	constructor(readonly text: string) {}
}

export type Json = null | boolean | string | Numeral | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** n8n and later nodes fail at some thousands of levels. */
export const MAX_JSON_DEPTH = 100;

/** `end` is the place behind the value, or of what is wrong. */
type JsonStart =
	| { json: Json; problem?: undefined; end: number }
	| { json?: undefined; problem: JsonProblem; end: number };

/** Quotes nothing of the text, which may be a secret. */
export class JsonProblem {
	constructor(
		readonly what: string,
		/** The name or position in each open object and list. */
		readonly path: ReadonlyArray<string | number>,
		/** The open objects and lists, with their complete values. */
		readonly open: ReadonlyArray<JsonObject | Json[]> = [],
		/** True if the text ends before the value does. */
		readonly isCut = false,
		/** The beginning of an unfinished text. */
		readonly begun?: string,
	) {}
}

const jsonValueOf = (json: Json): unknown =>
	json instanceof Numeral && isKept(json.text) ? Number(json.text) : JSON.stringify(json);

function isSame(one: Json, other: Json): boolean {
	if (one instanceof Numeral || other instanceof Numeral) return jsonValueOf(one) === jsonValueOf(other);
	if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
	if (Array.isArray(one) !== Array.isArray(other)) return false;
	const [entries, others] = [Object.entries(one), other as JsonObject];
	if (entries.length !== Object.keys(others).length) return false;
	return entries.every(([name, value]) => Object.hasOwn(others, name) && isSame(value, others[name]!));
}

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
	private readonly path: Array<string | number> = [];
	private readonly open: Array<Json[] | Map<string, Json>> = [];

	/** @param isStrict true if two values of one name are invalid; else the last counts, as in JavaScript */
	constructor(
		private readonly text: string,
		private readonly maxDepth: number,
		private readonly isStrict: boolean,
	) {}

	read(isAlone: boolean): JsonStart {
		try {
			const json = this.value('a value', this.maxDepth);
			const end = this.at;
			if (isAlone && this.next() !== '') this.fail('nothing after the JSON');
			return { json, end };
		} catch (error) {
			const problem = error instanceof JsonProblem ? error : new JsonProblem((error as Error).message, this.path);
			return { problem, end: this.at };
		}
	}

	private place(): string {
		const before = this.text.slice(0, this.at).split('\n');
		return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
	}

	private problem(what: string, begun?: string): JsonProblem {
		// The text may end within a word, a number or an escape.
		const isCut = /^[\w.+\\-]{0,40}\s*$/.test(this.text.slice(this.at));
		const open = this.open.map((one) => (Array.isArray(one) ? one : Object.fromEntries(one)));
		return new JsonProblem(what, this.path, open, isCut, begun);
	}

	private fail(expected: string, begun?: string): never {
		const isCut = this.at === this.text.length;
		throw this.problem(isCut ? 'it ends before it is complete' : `expected ${expected} in ${this.place()}`, begun);
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
		if (first === '"') return this.string(true);
		if (first === '{' || first === '[') {
			if (depth === 0) throw this.problem(`it is nested more than ${this.maxDepth} levels deep`);
			this.at++;
			this.path.push(first === '[' ? 0 : '');
			const value = first === '{' ? this.object(depth - 1) : this.list(depth - 1);
			this.path.pop();
			this.open.pop();
			return value;
		}
		LITERAL.lastIndex = this.at;
		const [literal] = LITERAL.exec(this.text) ?? this.fail(expected);
		this.at += literal.length;
		const word = WORDS[literal];
		if (word !== undefined) return word;
		// The last digits may be missing.
		if (this.open.length > 0 && this.at === this.text.length) this.fail(expected);
		return new Numeral(literal);
	}

	private string(isValue = false): string {
		const start = this.at++;
		for (let end = ''; end !== '"'; ) {
			STRETCH.lastIndex = this.at;
			end = STRETCH.exec(this.text)?.[1] ?? '';
			this.at = STRETCH.lastIndex;
			if (end === '') {
				const begun = isValue ? valueOfText(`${this.text.slice(start, this.at)}"`) : undefined;
				this.fail('another character after the backslash', begun);
			}
		}
		return valueOfText(this.text.slice(start, this.at));
	}

	private list(depth: number): Json[] {
		const list: Json[] = [];
		this.open.push(list);
		if (this.take(']')) return list;
		do {
			this.path.splice(-1, 1, list.length);
			list.push(this.value(list.length ? 'a value after the comma' : 'a value or "]"', depth));
		} while (this.take(','));
		return this.take(']') ? list : this.fail('"," or "]"');
	}

	private object(depth: number): JsonObject {
		const entries = new Map<string, Json>();
		this.open.push(entries);
		if (this.take('}')) return {};
		do {
			if (this.next() !== '"') this.fail(`a name in double quotes ${entries.size ? 'after the comma' : 'or "}"'}`);
			const start = this.at;
			const name = this.string();
			if (!this.take(':')) this.fail('":" after the name');
			this.path.splice(-1, 1, name);
			const value = this.value('a value', depth);
			if (this.isStrict && entries.has(name) && !isSame(entries.get(name)!, value)) this.failTwice(start);
			entries.set(name, value);
		} while (this.take(','));
		return this.take('}') ? Object.fromEntries(entries) : this.fail('"," or "}"');
	}

	private failTwice(start: number): never {
		this.at = start;
		throw this.problem(`it has a name twice, with different values, in ${this.place()}`);
	}
}

/** A name with two values in one object is invalid. */
export const readJsonStart = (text: string, maxDepth: number): JsonStart =>
	new JsonReader(text, maxDepth, true).read(false);

/** The fence becomes blanks, so that problems name the right lines and columns. */
function fenceContent(text: string): string {
	const [opening, marks = ''] = /^\s*(`{3,}|~{3,})(?:[a-z]\w*)?/i.exec(text) ?? [''];
	const content = text.trimEnd();
	const isFenced = marks !== '' && content.endsWith(marks) && content.length >= opening.length + marks.length;
	return isFenced ? opening.replace(/\S/g, ' ') + content.slice(opening.length, -marks.length) : text;
}

/** The text must be JSON alone, but may be in a code fence. */
export function readJson(text: string): { json: Json; problem?: undefined } | { json?: undefined; problem: string } {
	const { json, problem } = new JsonReader(fenceContent(text), MAX_JSON_DEPTH, false).read(true);
	return problem ? { problem: problem.what } : { json };
}

/** Undefined if the text has anything beside JSON and its code fence. */
export const jsonInText = (text: string): Json | undefined =>
	new JsonReader(fenceContent(text), MAX_JSON_DEPTH, true).read(true).json;

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

/** True if `JSON.parse` may read another value than `parseJson`. JavaScript holds every integer with fewer digits. */
export const mayDiffer = (text: string): boolean => /\\u0000|__proto__|\d{16}/.test(text);

/** Every Node.js since 21 hands over the source of a number. */
function reviver(key: string, value: unknown, { source = '' }: { source?: string }): unknown {
	// A later assignment of this key would set a prototype.
	if (key === '__proto__') return undefined;
	return typeof value === 'number' && hasTooManyDigits(source) ? source : value;
}

/**
 * Leaves out any key `__proto__`, and U+0000, which databases reject. Numbers of which JavaScript would lose digits become text
 * (voiden#431, adk-llm-bridge#67). Undefined if the text is not JSON.
 *
 * @param isSpecial what `mayDiffer` returns: a caller with many short texts finds it out once for all
 */
export function parseJson(text: string, isSpecial = mayDiffer(text)): unknown {
	try {
		if (!isSpecial) return JSON.parse(text);
		const json = text.replace(/\\u0000|\\[^]/g, (escape) => (escape === '\\u0000' ? '' : escape));
		return JSON.parse(json, reviver as Parameters<typeof JSON.parse>[1]);
	} catch {
		return undefined;
	}
}
