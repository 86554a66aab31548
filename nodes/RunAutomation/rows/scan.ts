import { isJsonObject, MAX_JSON_DEPTH, readJson, type Json, type JsonObject } from '../../form/read-json';
import { reasonIn } from './not-done';

interface Stretch {
	start: number;
	end: number;
}

/** An object or a list of objects, as its first characters show. */
interface Structure extends Stretch {
	/** Whether it stands inside other brackets, such as those of a list of numbers and objects. */
	isNested: boolean;
	isFenced: boolean;
}

/** What is, or begins like, JSON in a text. */
export interface Scanned {
	text: string;
	/** The outermost objects and lists of objects, also those in fences. A footnote, a check box and a link of Markdown are none. */
	structures: Structure[];
	/** The content of each code fence, the language before it included. */
	fences: Stretch[];
	/** Most brackets that are open at a time. */
	deepest: number;
	/** Whether a bracket has no counterpart: the text may be a piece of a larger one. */
	isBroken: boolean;
}

const MIN_MARKS = 3;

/**
 * What a text is scanned by: marks of a fence, at the beginning of a line or elsewhere; a bracket that begins a structure; another
 * bracket, a quotation mark, and an escape of one.
 */
const SCAN_TOKENS =
	/(?=[`~])(?<=(?:^|\n)[ \t\r]*)(`+|~+)|`+|~+|(\{(?=[ \t\r\n]*["}])|\[(?=[ \t\r\n]*\{))|[{}[\]"]|\\["\\]/g;

/**
 * Finds what is, or begins like, JSON in a text, in one pass. A fence ends at as many marks as it began with: at the beginning of a
 * line, where no JSON has any, or after the JSON in it.
 */
export function scan(text: string): Scanned {
	const structures: Structure[] = [];
	const fences: Stretch[] = [];
	let deepest = 0;
	let isBroken = false;
	let fence: { mark: string; length: number; start: number } | undefined;
	let start = 0;
	/** Brackets of the structure that are open; 0 without one. */
	let depth = 0;
	let isInString = false;
	/** Brackets of words that are open. */
	let loose = 0;

	const close = (end: number) => {
		structures.push({ start, end, isNested: loose > 0, isFenced: fence !== undefined });
		depth = 0;
		isInString = false;
	};
	/** Ends whatever is open where a fence begins or ends, and at the end of the text. */
	const cut = (at: number) => {
		if (depth > 0) {
			isBroken = true;
			close(at);
		}
		if (fence) fences.push({ start: fence.start, end: at });
		fence = undefined;
	};

	for (const { 0: token, 1: firstMarks, 2: opener, index } of text.matchAll(SCAN_TOKENS)) {
		const mark = token.charAt(0);
		if (mark === '`' || mark === '~') {
			const isFirst = firstMarks !== undefined;
			if (fence) {
				if (mark === fence.mark && token.length >= fence.length && (isFirst || depth === 0)) cut(index);
			} else if (token.length >= MIN_MARKS && (isFirst || (mark === '`' && depth === 0))) {
				cut(index);
				fence = { mark, length: token.length, start: index + token.length };
			}
		} else if (depth > 0) {
			if (token === '"' || (token === '\\"' && !isInString)) isInString = !isInString;
			else if (isInString || mark === '\\') continue;
			else if (mark === '{' || mark === '[') deepest = Math.max(deepest, ++depth);
			else if (--depth === 0) close(index + 1);
		} else if (opener) {
			start = index;
			depth = 1;
		} else if (mark === '{' || mark === '[') loose++;
		else if (mark === '}' || mark === ']') {
			if (loose > 0) loose--;
			else isBroken = true;
		}
	}
	cut(text.length);
	return { text, structures, fences, deepest, isBroken: isBroken || loose > 0 };
}

export type FoundJson = { json: JsonObject | Json[]; problem?: undefined } | { json?: undefined; problem: string };

/** Levels of a reply: those of a value in it, and the object, the list and the row around it. */
const MAX_REPLY_DEPTH = MAX_JSON_DEPTH + 3;

const DEEP = `The JSON in the reply is nested more than ${MAX_JSON_DEPTH} levels deep`;
const INVALID = 'The JSON in the reply is incomplete or invalid';
export const NO_JSON = 'The reply contains no JSON';
const SEVERAL = 'The reply contains more than one JSON object or list';

function readStructure(text: string): JsonObject | Json[] | undefined {
	const { json } = readJson(text, MAX_REPLY_DEPTH);
	return json !== undefined && (Array.isArray(json) || isJsonObject(json)) ? json : undefined;
}

/** Every object and list of objects in a text that can be read, in its order. */
export const structuresIn = ({ text, structures }: Scanned): Array<JsonObject | Json[]> =>
	structures.map(({ start, end }) => readStructure(text.slice(start, end))).filter((json) => json !== undefined);

/** One object per line. A single line is an object like any other. */
function readLines(text: string): Json[] | undefined {
	const lines = text.split('\n').filter((line) => line.trim() !== '');
	const objects: Json[] = [];
	for (const line of lines) {
		const { json } = readJson(line, MAX_REPLY_DEPTH);
		if (json === undefined || !isJsonObject(json)) return undefined;
		objects.push(json);
	}
	return objects.length > 1 ? objects : undefined;
}

/** Reads a text without the blanks, and the byte-order mark, around it. */
function readWhole(text: string): JsonObject | Json[] | undefined {
	const trimmed = text.trim();
	return readStructure(trimmed) ?? readLines(trimmed);
}

/** The content of a fence, after its language; undefined if that is not JSON. */
function jsonIn(fence: string): string | undefined {
	const [language] = /^[^\n`{[]*/.exec(fence)!;
	const content = fence.slice(language.length);
	return /^\s*json/i.test(language) || /^\s*(?:\{\s*["}]|\[\s*[{\]])/.test(content) ? content : undefined;
}

/** Whether the text beside some JSON shows that the JSON is a piece of a larger one. */
const isPiece = (before: string, after: string) =>
	/"\s*[:,]\s*$/.test(before.slice(-50)) ||
	/^\s*,\s*(?:["{[]|$)/.test(after.slice(0, 50)) ||
	// Inside a string, such as a key.
	(/^$|"$/.test(before.slice(-1)) && /^"\s*[:,\]}]/.test(after.slice(0, 50)));

/**
 * Takes the object in which an agent says that it could not do its task out of the end of its reply, where it stands alone.
 *
 * @returns what stands before it, and the object; undefined if there is none
 */
export function splitNotDone({ text, structures, fences, ...scanned }: Scanned) {
	const last = structures.at(-1);
	if (!last || !/^(?:`+|~+)?$/.test(text.slice(last.end).trim())) return undefined;
	const json = readStructure(text.slice(last.start, last.end));
	if (!json || Object.keys(json).join() !== 'not_done') return undefined;
	const before = text.slice(0, last.start).trimEnd();
	const opening = last.isFenced ? /(?:`+|~+)\w*$/.exec(before.slice(-50))?.[0].length : 0;
	// Other lines of its fence stand beside it.
	if (opening === undefined) return undefined;
	const rest = {
		...scanned,
		text: before.slice(0, before.length - opening),
		structures: structures.slice(0, -1),
		fences: last.isFenced ? fences.slice(0, -1) : fences,
	};
	return { rest, json };
}

/** What the JSON of a reply is told by: its list of rows, however it is wrapped. */
const rowsContentOf = (json: JsonObject | Json[]) => JSON.stringify(Array.isArray(json) ? json : (json.rows ?? json));

/** Whether what stands behind the last fence may be rows: a list, or an object with rows, even if it is cut off. */
const mayBeRows = (text: string) => text.startsWith('[') || /"rows"\s*:/.test(text);

/** The JSON, if whatever else there is has the same rows; undefined if one cannot be read. */
function onlyOne(found: Array<JsonObject | Json[] | undefined>): FoundJson | undefined {
	const all = found.filter((json) => json !== undefined);
	if (all.length < found.length) return undefined;
	const [first, ...others] = all;
	if (others.some((other) => rowsContentOf(other) !== rowsContentOf(first))) return { problem: SEVERAL };
	return { json: all.find((json) => reasonIn(json, false)) ?? first };
}

/**
 * Reads the JSON that an agent has written: the bare text, the last code fence, JSON Lines, or the only object or list
 * of objects among words. JSON that is cut off or invalid is never replaced by a piece of it. Rows behind the fence must be
 * those in it: an agent that corrects itself there has not said which ones count.
 */
export function findJson({ text, deepest, isBroken, ...scanned }: Scanned): FoundJson {
	const bare = readWhole(text);
	if (bare) return { json: bare };
	const invalid = { problem: deepest > MAX_REPLY_DEPTH ? DEEP : INVALID };
	const pieceOf = ({ start, end }: Stretch) => text.slice(start, end);
	const structures = scanned.structures.filter(({ isNested }) => !isNested);
	const fence = scanned.fences.filter((stretch) => jsonIn(pieceOf(stretch)) !== undefined).at(-1);
	if (fence) {
		const json = readWhole(jsonIn(pieceOf(fence))!);
		const behind = structures.filter(({ start, isFenced }) => start > fence.end && !isFenced);
		const rows = behind.map(pieceOf).filter(mayBeRows);
		return onlyOne([json, ...rows.map(readStructure)]) ?? invalid;
	}
	if (structures.length === 0) return { problem: NO_JSON };
	if (isBroken) return invalid;
	if (structures.some(({ start, end }) => isPiece(text.slice(0, start), text.slice(end)))) return invalid;
	const found = structures.map(pieceOf);
	if (found.length > 1 && !found.every(mayBeRows)) return { problem: SEVERAL };
	return onlyOne(found.map(readStructure)) ?? invalid;
}
