// Reads JSON with numbers as written. Node 22 hands on the source of each number.

/** JavaScript would lose digits of long numbers, and the zeros of 12.50. */
export class Numeral {
	constructor(readonly text: string) {}
}

export type Json = null | boolean | string | Numeral | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** n8n and later nodes fail at some thousands of levels. */
export const MAX_JSON_DEPTH = 100;

type Reviver = (key: string, value: unknown, context: { source: string }) => unknown;

const parseWith = (text: string, reviver: Reviver): unknown =>
	JSON.parse(text, reviver as (key: string, value: unknown) => unknown);

/** A text, perhaps unfinished, or what else needs a change: blanks of web pages. */
const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*"?|[^\S \t\r\n]/g;

/** Agents write line ends and tabs into texts. Databases reject U+0000. */
const inText = (quoted: string): string =>
	quoted.replace(/\\u0000|\\[^]|\p{Cc}/gu, (part) => {
		if (part === '\\u0000' || part === '\0') return '';
		return part.startsWith('\\') ? part : JSON.stringify(part).slice(1, -1);
	});

const wellWritten = (json: string): string =>
	json.replace(TOKEN, (token) =>
		!token.startsWith('"') ? ' ' : /\p{Cc}|\\u0000/u.test(token) ? inText(token) : token,
	);

/** V8's messages may quote the text, which may be a secret, but the place is none. */
function problemIn(text: string, { message }: Error): string {
	if (/nested/.test(message)) return message;
	if (/end of JSON|unterminated/i.test(message)) return 'it ends before it is complete';
	const at = Number(/at position (\d+)/.exec(message)?.[1] ?? NaN);
	if (Number.isNaN(at)) return 'it is not JSON';
	const before = text.slice(0, at).split('\n');
	return `it is wrong in line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

type Read = { json: Json; problem?: undefined } | { json?: undefined; problem: string };

function isDeeperThan(json: Json, depth: number): boolean {
	if (typeof json !== 'object' || json === null || json instanceof Numeral) return false;
	return depth === 0 || Object.values(json).some((inner) => isDeeperThan(inner, depth - 1));
}

function readText(text: string, maxDepth = MAX_JSON_DEPTH): Read {
	try {
		const json = parseWith(wellWritten(text), (key, value, { source }) => {
			if (key === '__proto__') return undefined;
			if (typeof value === 'string') return value.toWellFormed();
			return typeof value === 'number' ? new Numeral(source) : value;
		}) as Json;
		if (isDeeperThan(json, maxDepth)) throw new Error(`it is nested more than ${maxDepth} levels deep`);
		return { json };
	} catch (error) {
		return { problem: problemIn(text, error as Error) };
	}
}

/** The text must be JSON alone, but may be in a code fence. */
export const readJson = (text: string): Read => readText(/^\s*(`{3,}|~{3,})\w*\s([^]*)\1\s*$/.exec(text)?.[2] ?? text);

const MARK = /"[^"\\]*(?:\\[^][^"\\]*)*"|[{}[\]]/g;

/** Reads the object or list at the beginning of a text. */
export function readJsonStart(text: string, maxDepth: number): Read & { end: number } {
	let depth = 0;
	MARK.lastIndex = 0;
	for (let mark = MARK.exec(text); mark; mark = MARK.exec(text)) {
		if (mark[0] === '{' || mark[0] === '[') depth++;
		else if (mark[0] === '}' || mark[0] === ']') depth--;
		if (depth > 0) continue;
		const end = MARK.lastIndex;
		return { ...readText(text.slice(0, end), maxDepth), end };
	}
	return { problem: 'it ends before it is complete', end: text.length };
}

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

/** Numbers that `isNumber` rejects become text. */
export function plain(json: Json, isNumber = isKept): unknown {
	if (json instanceof Numeral) return isNumber(json.text) ? Number(json.text) : json.text;
	if (Array.isArray(json)) return json.map((value) => plain(value, isNumber));
	if (!isJsonObject(json)) return json;
	return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, plain(value, isNumber)]));
}

/** True if `JSON.parse` may read another value than `parseJson`. */
export const mayDiffer = (text: string): boolean => /\\u00|__proto__|\d{16}/.test(text);

/**
 * Leaves out any key `__proto__`, and U+0000. Makes text of each number of which JavaScript would lose digits (voiden#431,
 * adk-llm-bridge#67). Undefined if the text is not JSON.
 *
 * @param isSpecial what `mayDiffer` returns: a caller with many short texts finds it out once for all
 */
export function parseJson(text: string, isSpecial = mayDiffer(text)): unknown {
	try {
		if (!isSpecial) return JSON.parse(text);
		return parseWith(text.replace(/\\u0000|\\[^]/g, inText), (key, value, { source }) => {
			if (key === '__proto__') return undefined;
			return typeof value === 'number' && hasTooManyDigits(source) ? source : value;
		});
	} catch {
		return undefined;
	}
}
