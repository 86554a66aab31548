// Finds the rows in an agent's text: the last JSON in the requested form counts.

import { CUT, isJsonObject, MAX_JSON_DEPTH, readJsonStart, type Json, type JsonObject } from '../../shared/values/json';

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

/** What agents may write instead: lists of rows, or rows. */
const OTHER = /\[\s*(?:\{|\]\s*$)|\{\s*"/g;

/** A row may add a value, a list and an object. */
const MAX_REPLY_DEPTH = MAX_JSON_DEPTH + 3;

function listIn(json: Json, isRow: (json: JsonObject) => boolean): Json[] | undefined {
	if (Array.isArray(json)) return json;
	if (!isJsonObject(json)) return undefined;
	if (Array.isArray(json.rows)) return json.rows;
	if (isRow(json)) return [json];
	return json.not_done === undefined ? undefined : [];
}

const startsOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(({ index }) => index);

interface Value {
	json?: Json;
	problem?: string;
	end: number;
}

/** The last place where a value is valid, or else the problem of the last one. One that is cut off replaces those before it. */
function lastValid(text: string, starts: number[]): Value {
	const read = starts.slice(-MAX_ATTEMPTS).map((start): Value => {
		const { end, ...value } = readJsonStart(text.slice(start), MAX_REPLY_DEPTH);
		return { ...value, end: start + end };
	});
	const last = read.at(-1);
	if (last?.problem === CUT) return last;
	return read.findLast(({ json }) => json !== undefined) ?? last ?? { end: 0 };
}

const INVALID = 'The JSON in the reply is incomplete or invalid: ';
const NO_LIST = 'The JSON in the reply has no rows in a list named "rows"';

/** Rows may be JSON lines. Of other lists, the last one counts. */
function findOthers(text: string, isRow: (json: JsonObject) => boolean): FoundRows {
	let found: FoundRows = { hasOtherLists: false };
	let end = 0;
	OTHER.lastIndex = 0;
	for (let match = OTHER.exec(text); match; match = OTHER.exec(text)) {
		const between = text.slice(end, match.index).trim();
		const { json, problem, end: length } = readJsonStart(text.slice(match.index), MAX_REPLY_DEPTH);
		if (json === undefined) return { problem: INVALID + problem, hasOtherLists: false };
		OTHER.lastIndex = end = match.index + length;
		const list = listIn(json, isRow);
		if (!list) found = { problem: NO_LIST, ...found };
		else if (!found.list || !/^,?$/.test(between)) found = { list: [...list], hasOtherLists: found.list !== undefined };
		else if (between || Array.isArray(json)) return { problem: NO_LIST, hasOtherLists: false };
		else found.list.push(...list);
	}
	return found;
}

/** @param isRow whether an object alone is a row */
export function findRows(text: string, isRow: (json: JsonObject) => boolean): FoundRows {
	const requested = startsOf(text, REQUESTED);
	const reasons = startsOf(text, REASON);
	const starts = requested.length > 0 ? requested : reasons;
	if (starts.length === 0) return findOthers(text, isRow);
	const { json, problem, end } = lastValid(text, starts);
	const behind = findOthers(text.slice(end), isRow).list ?? [];
	const hasOtherLists = requested.length > 1 || behind.length > 0;
	if (json === undefined) return { problem: INVALID + problem, hasOtherLists };
	const list = listIn(json, isRow);
	if (!list) return { problem: NO_LIST, hasOtherLists };
	const { json: alone } = starts === requested ? lastValid(text, reasons) : {};
	const holder = [json, alone].findLast((one) => one !== undefined && isJsonObject(one) && one.not_done != null);
	return { list, ...(holder && { holder: holder as JsonObject }), hasOtherLists };
}
