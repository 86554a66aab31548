// Finds the rows in an agent's text: the last JSON in the requested form counts.

import { isJsonObject, MAX_JSON_DEPTH, readJsonStart, type Json, type JsonObject } from '../../shared/values/json';

export interface FoundRows {
	list?: Json[];
	/** The object around the list, which may report why the task is not done. */
	holder?: JsonObject;
	/** Why there is no list; undefined if the text has nothing like rows. */
	problem?: string;
	/** True if the text has earlier lists. */
	hasOtherLists: boolean;
}

const REQUESTED = /\{\s*"rows"\s*:/g;
const REASON = /\{\s*"not_done"\s*:/g;

/** What is read back from the end of a text: each attempt may read all of it. */
const MAX_ATTEMPTS = 5;

/** What agents may write instead: a list of rows, or one row. */
const OTHERS = [/\[\s*(?:\{|\]\s*$)/, /\{\s*["}]/];

/** A row may add a value, a list and an object. */
const MAX_REPLY_DEPTH = MAX_JSON_DEPTH + 3;

function listIn(json: Json, columns: string[]): Json[] | undefined {
	if (Array.isArray(json)) return json;
	if (!isJsonObject(json)) return undefined;
	if (Array.isArray(json.rows)) return json.rows;
	if (columns.some((name) => Object.hasOwn(json, name))) return [json];
	return json.not_done === undefined ? undefined : [];
}

const startsOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(({ index }) => index);

/** The last place where a value is valid, or else the problem of the last one. */
function lastValid(text: string, starts: number[]): { json?: Json; problem?: string } {
	const read = starts.slice(-MAX_ATTEMPTS).map((start) => readJsonStart(text.slice(start), MAX_REPLY_DEPTH));
	return read.findLast(({ json }) => json !== undefined) ?? read.at(-1) ?? {};
}

/** @param columns an object with one of these is a row, even alone */
export function findRows(text: string, columns: string[]): FoundRows {
	const requested = startsOf(text, REQUESTED);
	const reasons = startsOf(text, REASON);
	const hasOtherLists = requested.length > 1;
	const others = OTHERS.map((pattern) => text.search(pattern)).filter((index) => index >= 0);
	const starts = [requested, reasons, others.sort((one, other) => one - other).slice(0, 1)].find(
		({ length }) => length,
	);
	if (!starts) return { hasOtherLists };
	const { json, problem } = lastValid(text, starts);
	if (json === undefined)
		return { problem: `The JSON in the reply is incomplete or invalid: ${problem}`, hasOtherLists };
	const list = listIn(json, columns);
	if (!list) return { problem: 'The JSON in the reply has no rows in a list named "rows"', hasOtherLists };
	const { json: alone } = starts === requested ? lastValid(text, reasons) : {};
	const holder = [json, alone].findLast((one) => one !== undefined && isJsonObject(one) && one.not_done != null);
	return { list, ...(holder && { holder: holder as JsonObject }), hasOtherLists };
}
