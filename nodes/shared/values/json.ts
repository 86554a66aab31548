// Reads JSON with numbers as written, and numbers in texts.

import { isDeeper } from './nested';

/** JavaScript would lose digits of long numbers, and the zeros of 12.50. */
export class Numeral {
	constructor(readonly text: string) {}
}

export type Json = null | boolean | string | Numeral | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** n8n and later nodes fail at some thousands of levels. */
export const MAX_JSON_DEPTH = 100;

/** A quote or an escape, of a whole or half a character. A pattern for whole texts would exhaust its stack in a long one. */
const SIGN = /"|\\u0000|\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|\\ud[89a-f][\da-f]{2}|\\[^]/gi;

/** Changes each escape, and each piece between two signs, by whether it is in a text. */
function changeJson(json: string, inText: (piece: string) => string, outside: (piece: string) => string): string {
	let isInText = false;
	let end = 0;
	const pieces: string[] = [];
	const change = (piece: string) => pieces.push(isInText ? inText(piece) : outside(piece));
	for (const { 0: sign, index } of json.matchAll(SIGN)) {
		if (index > end) change(json.slice(end, index));
		end = index + sign.length;
		if (sign !== '"') change(sign);
		else {
			isInText = !isInText;
			pieces.push(sign);
		}
	}
	if (end < json.length) change(json.slice(end));
	return pieces.join('');
}

const isEscape = (piece: string): boolean => piece.startsWith('\\');

/** Databases reject U+0000. */
const withoutNull = (piece: string): string => (piece === '\\u0000' ? '' : piece);

const HALF = /^\\ud[89a-f]..$/i;

/** Agents write line ends and tabs into texts, and databases reject half a character. */
function readableText(piece: string): string {
	if (isEscape(piece)) return HALF.test(piece) ? '\\ufffd' : withoutNull(piece);
	return piece.replace(/\p{Cc}/gu, (control) => (control === '\0' ? '' : JSON.stringify(control).slice(1, -1)));
}

/** Web pages indent by no-break spaces. */
const withBlanks = (piece: string): string => piece.replace(/[^\S \t\r\n]/g, ' ');

const NUMBER = /(?<![\w.+-])-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/g;

export const CUT = 'it ends before it is complete';
const TOO_DEEP = 'it is nested too deeply';

/** V8's messages may quote the text, which may be a secret, but the place is none. */
function problemIn(json: string): string {
	try {
		JSON.parse(json);
		return TOO_DEEP;
	} catch (error) {
		const { message } = error as Error;
		const at = Number(/at position (\d+)/.exec(message)?.[1] ?? NaN);
		if (at >= json.length || /end of JSON|unterminated/i.test(message)) return CUT;
		if (Number.isNaN(at)) return 'it is not JSON';
		const before = json.slice(0, at).split('\n');
		return `it is wrong in line ${before.length}, column ${before.at(-1)!.length + 1}`;
	}
}

type Read = { json: Json; problem?: undefined } | { json?: undefined; problem: string };

function readJsonText(text: string, maxDepth = MAX_JSON_DEPTH): Read {
	const given = text.toWellFormed();
	let colons = 0;
	// Each number becomes a text, marked by a character that no other text has.
	const json = changeJson(given, readableText, (piece) => {
		for (let at = piece.indexOf(':'); at >= 0; at = piece.indexOf(':', at + 1)) colons++;
		return withBlanks(piece).replace(NUMBER, '"\\u0000$&"');
	});
	let keys = 0;
	try {
		const value = JSON.parse(json, function (this: unknown, key, inner: unknown) {
			if (!Array.isArray(this)) keys++;
			if (key === '__proto__') return undefined;
			return typeof inner === 'string' && inner.startsWith('\0') ? new Numeral(inner.slice(1)) : inner;
		}) as Json;
		// The reviver also visits the root, so keys exceed colons by one unless a key is repeated.
		if (keys <= colons) return { problem: 'an object in it has a key twice' };
		return isDeeper(value, maxDepth) ? { problem: TOO_DEEP } : { json: value };
	} catch {
		return { problem: problemIn(changeJson(given, readableText, withBlanks)) };
	}
}

/** The text must be JSON alone, but may be in a code fence. */
export const readJson = (text: string): Read =>
	readJsonText(/^\s*(`{3,9}|~{3,9})\w*\s([^]*)\1\s*$/.exec(text)?.[2] ?? text);

const MARK = /\\[^]|["{}[\]]/g;

/** Reads the object or list that begins at a place of a text, and returns where it ends. */
export function readJsonStart(text: string, start: number, maxDepth: number): Read & { end: number } {
	let depth = 0;
	let isInText = false;
	MARK.lastIndex = start;
	for (let mark = MARK.exec(text)?.[0]; mark; mark = MARK.exec(text)?.[0]) {
		if (mark === '"') isInText = !isInText;
		if (isInText || mark === '"' || isEscape(mark)) continue;
		depth += mark === '{' || mark === '[' ? 1 : -1;
		if (depth > 0) continue;
		const end = MARK.lastIndex;
		return { ...readJsonText(text.slice(start, end), maxDepth), end };
	}
	return { problem: CUT, end: text.length };
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

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const AMBIGUOUS = /^-?[1-9]\d{0,2}\.\d{3}$/;

/** Banks write U+2212 for a minus. */
const written = (text: string): string => text.trim().replace(/^\u2212/, '-');

/** In 1.234, the point may separate decimals or thousands. */
export const isAmbiguous = (text: string): boolean => AMBIGUOUS.test(written(text));

export function decimalOf(text: string): string | undefined {
	const decimal = written(text);
	return DECIMAL.test(decimal) && !AMBIGUOUS.test(decimal) ? decimal : undefined;
}

/** A pattern alone would look at each character: a run of sixteen digits has one at each sixteenth place. */
function hasSixteenDigits(text: string): boolean {
	for (let at = 15; at < text.length; at += 16) {
		const code = text.charCodeAt(at);
		if (code >= 48 && code <= 57 && /\d{16}/.test(text.slice(at - 15, at + 16))) return true;
	}
	return false;
}

/** True if `JSON.parse` may read another value than `parseJson`. */
export const mayDiffer = (text: string): boolean =>
	text.includes('\\u00') || text.includes('__proto__') || hasSixteenDigits(text);

const quoteLongNumbers = (piece: string): string =>
	piece.replace(/-?\d[\d.eE+-]{15,}/g, (number) => (hasTooManyDigits(number) ? `"${number}"` : number));

/**
 * Leaves out any key `__proto__`, and U+0000. Makes text of each number of which JavaScript would lose digits (voiden#431,
 * adk-llm-bridge#67). Undefined if the text is not JSON.
 *
 * @param isSpecial what `mayDiffer` returns: a caller with many short texts finds it out once for all
 */
export function parseJson(text: string, isSpecial = true): unknown {
	try {
		if (!isSpecial || !mayDiffer(text)) return JSON.parse(text);
		const json = changeJson(text, withoutNull, quoteLongNumbers);
		return JSON.parse(json, (key, inner: unknown) => (key === '__proto__' ? undefined : inner));
	} catch {
		return undefined;
	}
}
