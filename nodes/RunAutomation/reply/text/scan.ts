// Finds the JSON structures in a text, in linear time.

import {
	MAX_JSON_DEPTH,
	readJsonStart,
	type Json,
	type JsonObject,
	type JsonProblem,
} from '../../../shared/values/json';

/** A stretch that begins like JSON. */
export interface Structure {
	start: number;
	end: number;
	part: number;
	/** Undefined if invalid, or a piece of another structure. */
	json?: JsonObject | Json[];
	problem?: string;
	/** True if `...` or `<…>` stands where a value belongs. */
	isPlaceholder?: boolean;
	/** What is left if the text ends, or another structure begins, too early. */
	cut?: Cut;
}

/** What is left of JSON that was cut off. If `isCut`, nothing follows, so that the last values can be trusted. */
export type Cut = Pick<JsonProblem, 'begun' | 'isCut' | 'open' | 'path'>;

export interface Scanned {
	text: string;
	/** Markdown's footnotes, check boxes and links are no structures. */
	structures: Structure[];
	/** True if there are too many, so that none is returned. */
	hasMore: boolean;
}

/** More take seconds, in which n8n stands still. */
export const MAX_STRUCTURES = 200_000;

/** A row may add a value, a list and an object. */
const MAX_REPLY_DEPTH = MAX_JSON_DEPTH + 3;

export const FENCE = /(?<=^|\n)[ \t\r>]*(?:`{3}|~{3})/g;

/** Begins an object, a list of objects, or an empty list in its own line. Names may lack quotes. */
const OPENER =
	/\{(?=\s*(?:["'}]|\w+\s*:))|\[(?=\s*\{\s*(?:["'}]|\w+\s*:))|\[(?<=(?:^|\n)[ \t\r\uFEFF]*\[)(?=\s*\][ \t\r]*(?:\n|$))/g;

const MARKS = /\\.|["{}[\]]|\n(?=([ \t\r]*(?:\[\s*)?\{\s*"\w)?)/g;

/** The end is the last bracket, or where another structure begins. */
function endOfInvalid(text: string, from: number, depth: number): { end: number; isOther?: boolean } {
	let open = depth;
	let isInText = text.charAt(from) === '\\';
	for (const { 0: mark, 1: other, index } of text.matchAll(MARKS)) {
		// Within JSON, a bracket, a comma or a colon would precede it.
		if (other !== undefined && !/[[{,:]/.test(text.slice(0, index).trimEnd().slice(-1)))
			return { end: index, isOther: true };
		if (index < from) continue;
		if (mark === '\n') isInText = false;
		else if (mark === '"') isInText = !isInText;
		else if (isInText || mark.startsWith('\\')) continue;
		else if (mark === '{' || mark === '[') open++;
		else if (--open <= 0) return { end: index + 1 };
	}
	return { end: text.length };
}

function describe({ what, path: [first, second] }: JsonProblem): string {
	const row = first === 'rows' ? second : first;
	return typeof row === 'number' ? `${what} (row ${row + 1})` : what;
}

const BEFORE_VALUE = /(?:"\s*:|(?:["}\]]|(?:^|[[,:])\s*(?:-?\d[\d.eE+-]*|true|false|null))\s*,|\[)\s*$/;

const BEFORE_REST = /^\s*(?:[\w.+-]*\s*[,:]\s*)?$/;

/** The ends of `BEFORE_VALUE`, a pattern that is slow for many structures. */
const ENDS_BEFORE_VALUE = [':', ',', '['];

function isPiece(before: string, after: string): boolean {
	const mayBeValue = ENDS_BEFORE_VALUE.includes(before.trimEnd().slice(-1));
	return (
		(mayBeValue && BEFORE_VALUE.test(before)) ||
		(BEFORE_REST.test(before) && /^\s*(?:[\]}]|,\s*(?:["{[]|$))/.test(after))
	);
}

/** Fences part a text into pieces. */
interface TextPlace {
	part: number;
	/** Characters before it. */
	from: number;
}

function invalid(text: string, start: number, end: number, problem: JsonProblem, { part, from }: TextPlace): Structure {
	const { end: length, isOther = false } = endOfInvalid(text, end, problem.path.length);
	const isPlaceholder = /^(?:\.\.\.|…|<)/.test(text.slice(end, end + 3));
	const { path, open, begun, isCut } = problem;
	return {
		start: from + start,
		end: from + start + length,
		part,
		problem: describe(problem),
		isPlaceholder,
		...((isCut || isOther) && { cut: { path, open, begun, isCut } }),
	};
}

/** Makes each structure once, with its place in the whole text: copying takes longer than reading. */
function structuresIn(text: string, place: TextPlace, limit: number): Structure[] {
	const { part, from } = place;
	const structures: Structure[] = [];
	for (let at = 0; structures.length < limit; at = structures.at(-1)!.end - from) {
		OPENER.lastIndex = at;
		const start = OPENER.exec(text)?.index;
		if (start === undefined) return structures;
		const rest = text.slice(start);
		const { json, problem, end: length } = readJsonStart(rest, MAX_REPLY_DEPTH);
		const end = start + length;
		if (problem) structures.push(invalid(rest, start, length, problem, place));
		else if (isPiece(text.slice(0, start).slice(-50), text.slice(end, end + 50))) {
			structures.push({ start: from + start, end: from + end, part, problem: 'its beginning or its end is missing' });
		} else structures.push({ start: from + start, end: from + end, part, json: json as JsonObject | Json[] });
	}
	return structures;
}

export function scan(text: string): Scanned {
	const fences = [...text.matchAll(FENCE)].map(({ index }) => index);
	const structures: Structure[] = [];
	for (const [part, from] of [0, ...fences].entries()) {
		const limit = MAX_STRUCTURES + 1 - structures.length;
		for (const one of structuresIn(text.slice(from, fences[part]), { part, from }, limit)) structures.push(one);
	}
	const hasMore = structures.length > MAX_STRUCTURES;
	return { text, structures: hasMore ? [] : structures, hasMore };
}
