import { parseJson } from '../stream';

/** A number as it was written: JavaScript's own would lose digits of long ones, and the zeros of 12.50. */
export class Numeral {
	constructor(readonly text: string) {}
}

/** A value of JSON whose numbers are kept as written. Objects have no prototype, so that any name can be a key. */
export type Json = null | boolean | string | Numeral | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** A text that is JSON, or the index at which it stops being any. */
type ReadJson = { json: Json; end?: undefined } | { json?: undefined; end: number };

/** Levels of lists and objects that are read. n8n and what comes after it fail at some thousands. */
export const MAX_DEPTH = 100;

const [QUOTE, BACKSLASH] = [...'"\\'].map((sign) => sign.charCodeAt(0));
const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERALS: Array<[string, null | boolean]> = [
	['null', null],
	['true', true],
	['false', false],
];

class Parser {
	index = 0;

	constructor(private readonly text: string) {}

	/** The next value, or undefined if there is none at {@link index}. */
	value(depth: number): Json | undefined {
		this.skipSpace();
		const { text, index } = this;
		const first = text.charAt(index);
		if (first === '"') return this.string();
		if (first === '{' || first === '[') {
			if (depth === MAX_DEPTH) return undefined;
			this.index++;
			return first === '{' ? this.object(depth + 1) : this.list(depth + 1);
		}
		for (const [word, value] of LITERALS) {
			if (!text.startsWith(word, index)) continue;
			this.index += word.length;
			return value;
		}
		NUMBER.lastIndex = index;
		const [number] = NUMBER.exec(text) ?? [];
		if (number === undefined) return undefined;
		this.index += number.length;
		return new Numeral(number);
	}

	skipSpace(): void {
		while (isSpace(this.text.charCodeAt(this.index))) this.index++;
	}

	/** Whether the next sign is this one, which is then taken. */
	private takes(sign: string): boolean {
		this.skipSpace();
		if (this.text.charAt(this.index) !== sign) return false;
		this.index++;
		return true;
	}

	private string(): string | undefined {
		const { text, index: start } = this;
		let end = start + 1;
		for (let code = text.charCodeAt(end); code !== QUOTE; code = text.charCodeAt(++end)) {
			if (Number.isNaN(code)) return undefined;
			if (code === BACKSLASH) end++;
		}
		const value = parseJson(text.slice(start, end + 1));
		if (value !== undefined) this.index = end + 1;
		return value as string | undefined;
	}

	private list(depth: number): Json[] | undefined {
		const list: Json[] = [];
		if (this.takes(']')) return list;
		do {
			const entry = this.value(depth);
			if (entry === undefined) return undefined;
			list.push(entry);
		} while (this.takes(','));
		return this.takes(']') ? list : undefined;
	}

	private object(depth: number): JsonObject | undefined {
		const object = Object.create(null) as JsonObject;
		if (this.takes('}')) return object;
		do {
			this.skipSpace();
			const key = this.text.charAt(this.index) === '"' ? this.string() : undefined;
			if (key === undefined || !this.takes(':')) return undefined;
			const value = this.value(depth);
			if (value === undefined) return undefined;
			object[key] = value;
		} while (this.takes(','));
		return this.takes('}') ? object : undefined;
	}
}

/** Reads a text that is JSON and nothing else. */
export function readJson(text: string): ReadJson {
	const parser = new Parser(text);
	const json = parser.value(0);
	if (json !== undefined) parser.skipSpace();
	return json !== undefined && parser.index === text.length ? { json } : { end: parser.index };
}

export const isJsonObject = (json: Json): json is JsonObject =>
	typeof json === 'object' && json !== null && !Array.isArray(json) && !(json instanceof Numeral);

/** Whether a number is an integer of more digits than JavaScript keeps. */
export const hasTooManyDigits = (number: string): boolean =>
	Math.abs(Number(number)) > Number.MAX_SAFE_INTEGER && !/e/i.test(number);

/** JSON as plain values. An integer that would lose digits becomes text, and a key `__proto__` is left out. */
export function plain(json: Json): unknown {
	if (json instanceof Numeral) {
		const number = Number(json.text);
		return Number.isFinite(number) && !hasTooManyDigits(json.text) ? number : json.text;
	}
	if (Array.isArray(json)) return json.map(plain);
	if (!isJsonObject(json)) return json;
	const entries = Object.entries(json).filter(([key]) => key !== '__proto__');
	return Object.fromEntries(entries.map(([key, value]) => [key, plain(value)]));
}
