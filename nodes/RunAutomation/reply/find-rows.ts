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

const REQUESTED = /\{\s*"(?:rows|not_done)"\s*:/g;

/** What agents may write instead: a list of rows, or one row. */
const OTHERS = [/\[\s*(?:\{|\]\s*$)/, /\{\s*["}]/];

/** A row may add a value, a list and an object. */
const MAX_REPLY_DEPTH = MAX_JSON_DEPTH + 3;

function listIn(json: Json, isRow: (json: JsonObject) => boolean): Json[] | undefined {
	if (Array.isArray(json)) return json;
	if (!isJsonObject(json)) return undefined;
	if (Array.isArray(json.rows)) return json.rows;
	if (isRow(json)) return [json];
	return json.not_done === undefined ? undefined : [];
}

/** @param isRow whether an object alone is a row */
export function findRows(text: string, isRow: (json: JsonObject) => boolean): FoundRows {
	const requested = [...text.matchAll(REQUESTED)].map(({ index }) => index);
	const others = OTHERS.map((pattern) => text.search(pattern)).filter((index) => index >= 0);
	const start = requested.at(-1) ?? others.sort((one, other) => one - other)[0];
	if (start === undefined) return { hasOtherLists: false };
	const hasOtherLists = requested.length > 1;
	const { json, problem } = readJsonStart(text.slice(start), MAX_REPLY_DEPTH);
	if (json === undefined)
		return { problem: `The JSON in the reply is incomplete or invalid: ${problem}`, hasOtherLists };
	const list = listIn(json, isRow);
	if (!list) return { problem: 'The JSON in the reply has no rows in a list named "rows"', hasOtherLists };
	return { list, ...(isJsonObject(json) && { holder: json }), hasOtherLists };
}
