import { isDeeper } from './nested';

/** A number as it was written: a JavaScript number would lose digits of long numbers, and the zeros of 12.50. */
export class Numeral {
	constructor(readonly text: string) {}
}

/** A value of JSON whose numbers are kept as written. */
export type Json = null | boolean | string | Numeral | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** Levels of lists and objects that are read. n8n and later nodes fail at some thousands. */
export const MAX_JSON_DEPTH = 100;

/** Marks a number while JavaScript reads it as text. The author of the text cannot guess it. */
const newMark = () => `\uFFFF${Math.random().toString(36).slice(2, 8)}:`;

/**
 * Reads a text that contains only JSON.
 *
 * @returns the value, or what is invalid in the text and where
 */
export function readJson(
	text: string,
	maxDepth = MAX_JSON_DEPTH,
): { json: Json; problem?: undefined } | { json?: undefined; problem: string } {
	try {
		if (isDeeper(JSON.parse(text), maxDepth)) return { problem: `it is nested more than ${maxDepth} levels deep` };
	} catch (error) {
		return { problem: (error as Error).message };
	}
	const mark = newMark();
	let isInString = false;
	const marked = text.replace(/\\.|"|-?\d[\d.eE+-]*/g, (token) => {
		if (token === '"') isInString = !isInString;
		return isInString || token === '"' ? token : `"${mark}${token}"`;
	});
	const json = JSON.parse(marked, (_key, value: Json) =>
		typeof value === 'string' && value.startsWith(mark) ? new Numeral(value.slice(mark.length)) : value,
	) as Json;
	return { json };
}

export const isJsonObject = (json: Json): json is JsonObject =>
	typeof json === 'object' && json !== null && !Array.isArray(json) && !(json instanceof Numeral);

/** Whether a number is an integer of more digits than JavaScript keeps. */
export const hasTooManyDigits = (number: string): boolean =>
	Math.abs(Number(number)) > Number.MAX_SAFE_INTEGER && !/e/i.test(number);

/** Whether a number is the same in JavaScript. */
export const isKept = (number: string): boolean => Number.isFinite(Number(number)) && !hasTooManyDigits(number);

/** Whether a number in it, at any depth, would not be the same in JavaScript. */
export function hasUnsafeNumber(json: Json): boolean {
	if (json instanceof Numeral) return !isKept(json.text);
	return typeof json === 'object' && json !== null && Object.values(json).some(hasUnsafeNumber);
}

/**
 * JSON as plain values. A key `__proto__` is left out.
 *
 * @param isNumber selects the numbers that stay numbers; by default, those that keep their digits. All others become text
 */
export function plain(json: Json, isNumber = isKept): unknown {
	if (json instanceof Numeral) return isNumber(json.text) ? Number(json.text) : json.text;
	if (Array.isArray(json)) return json.map((value) => plain(value, isNumber));
	if (!isJsonObject(json)) return json;
	const entries = Object.entries(json).filter(([key]) => key !== '__proto__');
	return Object.fromEntries(entries.map(([key, value]) => [key, plain(value, isNumber)]));
}

/** Parses a JSON text that a stranger wrote: without any key `__proto__`, and undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
	try {
		// An own `__proto__` would become a prototype as soon as anything copies the object by assignment.
		const mayHoldPrototype = text.includes('__proto__') || text.includes('\\u00');
		return mayHoldPrototype
			? JSON.parse(text, (key, inner: unknown) => (key === '__proto__' ? undefined : inner))
			: JSON.parse(text);
	} catch {
		return undefined;
	}
}
