// Finds the JSON in an agent's texts, and which of it holds the rows.

import { CUT, MAX_JSON_DEPTH, readJsonStart, type Json, type JsonObject } from '../../shared/values/json';
import { reasonIn, type NotDone } from './not-done';

interface FoundRows {
	/** Undefined if `problem` says why there are no rows. */
	list?: Json[];
	problem?: string;
	notDone?: NotDone;
	/** True if the reply has another list of rows, or JSON that is incomplete. */
	hasOthers: boolean;
}

/** JSON in a text, from its first bracket to its last. */
interface Structure {
	/** `rows` is the requested shape. A `row` is an object with a column's name, or several in succession. */
	kind: 'rows' | 'list' | 'row' | 'other' | 'invalid' | 'cut';
	/** The number of the text among the texts of the reply. */
	textIndex: number;
	list: Json[];
	problem?: string;
	notDone?: NotDone;
}

/** Brackets in prose do not match. The group matches if the JSON begins with `rows` or `not_done`. */
const START = /\[\s*(?:$|\{|\]\s*(?:`{3}|$))|\{\s*(?:$|"((?:rows|not_done)"\s*:)?)/g;

/** What follows a row or a list that is a piece of JSON whose other brackets are missing. */
const REST_OF_JSON = /\s*(?:,\s*(?:$|")|[\]}])/y;

/** A row may add a value, a list and an object. */
const MAX_REPLY_DEPTH = MAX_JSON_DEPTH + 3;

/** How often a text may be read again from within damaged JSON, so that the work stays linear. */
const MAX_READ_AGAIN = 5;

const NO_JSON = 'The reply contains no JSON with rows';
const NO_LIST = 'The JSON in the reply has no rows in a list named "rows"';
const INVALID = 'The JSON in the reply is incomplete or invalid: ';

function structureOf(json: Json, textIndex: number, columns: string[]): Structure {
	if (Array.isArray(json)) return { kind: 'list', textIndex, list: json };
	const { not_done: why, ...object } = json as JsonObject;
	const notDone = why === undefined ? undefined : reasonIn(why);
	if (Array.isArray(object.rows)) return { kind: 'rows', textIndex, list: object.rows, notDone };
	if (columns.some((name) => Object.hasOwn(object, name))) return { kind: 'row', textIndex, list: [object], notDone };
	return { kind: why === undefined ? 'other' : 'rows', textIndex, list: [], notDone };
}

/** Inside of damaged JSON, only a requested shape is read: anything else is a piece of it. */
function structuresIn(text: string, textIndex: number, columns: string[]): Structure[] {
	const found: Structure[] = [];
	let end = 0;
	let damagedUntil = 0;
	let damaged = 0;
	for (const { 1: requested, index } of text.matchAll(START)) {
		const isPiece = index < damagedUntil && (requested === undefined || columns.includes('rows'));
		if (index < end || isPiece) continue;
		const { json, problem, end: after } = readJsonStart(text, index, MAX_REPLY_DEPTH);
		if (json === undefined) {
			found.push({ kind: problem === CUT ? 'cut' : 'invalid', textIndex, list: [], problem });
			damagedUntil = Math.max(damagedUntil, after);
			damaged += after - index;
			if (damaged > MAX_READ_AGAIN * text.length) break;
			continue;
		}
		const structure = structureOf(json, textIndex, columns);
		const before = found.at(-1);
		REST_OF_JSON.lastIndex = after;
		if (structure.kind !== 'rows' && REST_OF_JSON.test(text))
			found.push({ kind: 'invalid', textIndex, list: [], problem: 'a part of it is missing' });
		else if (structure.kind === 'row' && before?.kind === 'row' && /^[\s,]*$/.test(text.slice(end, index)))
			before.list.push(...structure.list);
		else found.push(structure);
		end = after;
	}
	return found;
}

/**
 * The last list in the requested shape counts, unless another one has rows and it has none. After JSON that is cut off, only
 * a complete list with rows counts.
 *
 * @param columns an object with one of these is a row, if no other JSON follows in its text
 */
export function findRows(texts: string[], columns: string[]): FoundRows {
	const all = texts.flatMap((text, textIndex) => structuresIn(text, textIndex, columns));
	const cut = all.findLastIndex(({ kind }) => kind === 'cut');
	const usable = all.filter(({ kind, list, textIndex }, index) => {
		if (kind === 'row') return cut === -1 && all[index + 1]?.textIndex !== textIndex;
		return (kind === 'rows' || kind === 'list') && (cut === -1 || (index > cut && list.length > 0));
	});
	const filled = usable.filter(({ list }) => list.length > 0);
	const chosen =
		filled.findLast(({ kind }) => kind === 'rows') ??
		filled.findLast(({ kind }) => kind === 'list') ??
		usable.findLast(({ kind }) => kind === 'rows') ??
		usable.at(-1);
	const textIndex = (chosen ?? all.at(-1))?.textIndex ?? 0;
	// The first reason counts, because a later one may quote a stranger.
	const notDone = all.find((one) => one.textIndex >= textIndex && one.notDone)?.notDone;
	if (!chosen) {
		const damaged = all[cut] ?? all.findLast(({ problem }) => problem !== undefined);
		const problem = damaged ? INVALID + damaged.problem : all.length > 0 ? NO_LIST : NO_JSON;
		return { problem, notDone, hasOthers: false };
	}
	const { list } = chosen;
	const hasOthers = all.some(
		(one) =>
			one.problem !== undefined ||
			(one !== chosen && one.list.length > 0 && JSON.stringify(one.list) !== JSON.stringify(list)),
	);
	return { list, notDone, hasOthers };
}
