// Finds the rows in an agent's text: the last JSON in the requested form counts.

import { isJsonObject, MAX_JSON_DEPTH, readJsonStart, type Json, type JsonObject } from '../../shared/values/json';

/** Undefined `list` means invalid JSON, or JSON without rows. */
interface Structure {
	json?: Json;
	problem?: string;
	list?: Json[];
}

export interface FoundRows {
	list?: Json[];
	/** The object around the list, which may report why the task is not done. */
	holder?: JsonObject;
	/** Why there is no list; undefined if the text has nothing like rows. */
	problem?: string;
	/** True if an earlier list has other rows. */
	hasOtherLists: boolean;
}

/** An object, a list of objects, or an empty list. */
const OPENER = /\{(?=\s*["}])|\[(?=\s*[{\]])/g;

/** A row may add a value, a list and an object. */
const MAX_REPLY_DEPTH = MAX_JSON_DEPTH + 3;

const INVALID = 'The JSON in the reply is incomplete or invalid';

/** An object that only reports why the task is not done has no rows. */
function listIn(json: Json): Json[] | undefined {
	if (Array.isArray(json)) return json.every(isJsonObject) ? json : undefined;
	if (!isJsonObject(json)) return undefined;
	if (Array.isArray(json.rows)) return json.rows;
	return Object.keys(json).join() === 'not_done' ? [] : undefined;
}

/** Each character is read once: the search continues where a structure ends or becomes invalid. */
function structuresIn(text: string): Structure[] {
	const structures: Structure[] = [];
	OPENER.lastIndex = 0;
	for (let match = OPENER.exec(text); match; match = OPENER.exec(text)) {
		const { json, problem, end } = readJsonStart(text.slice(match.index), MAX_REPLY_DEPTH);
		OPENER.lastIndex = match.index + Math.max(end, 1);
		if (json !== undefined) structures.push({ json, list: listIn(json) });
		else structures.push({ problem: `${INVALID}: ${problem}` });
	}
	return structures;
}

const isHolder = ({ json }: Structure) => json !== undefined && isJsonObject(json);

/** @param isRow whether an object alone is a row */
export function findRows(text: string, isRow: (json: JsonObject) => boolean): FoundRows {
	const structures = structuresIn(text);
	const [only, second] = structures;
	if (!second && only?.json !== undefined && !only.list && isJsonObject(only.json) && isRow(only.json))
		return { list: [only.json], holder: only.json, hasOtherLists: false };
	const lists = structures.filter(({ list }) => list);
	const last = lists.findLast(isHolder) ?? lists.at(-1);
	const invalid = structures.findLast(({ problem }) => problem);
	// What follows invalid JSON may be a piece of it, unless it is complete.
	const isReplaced = last && isHolder(last) && structures.indexOf(last) > structures.indexOf(invalid!);
	if (invalid && !isReplaced) return { problem: invalid.problem, hasOtherLists: false };
	if (!last) {
		const problem = structures.length ? 'The JSON in the reply has no rows in a list named "rows"' : undefined;
		return { problem, hasOtherLists: false };
	}
	const written = JSON.stringify(last.list);
	const hasOtherLists = invalid !== undefined || lists.some(({ list }) => JSON.stringify(list) !== written);
	return { list: last.list, ...(isHolder(last) && { holder: last.json as JsonObject }), hasOtherLists };
}
