import { isJsonObject, MAX_JSON_DEPTH, readJson, type Json, type JsonObject } from '../../shared/json';

interface Stretch {
	start: number;
	end: number;
}

/** An object or a list of objects, as its first characters show. */
export interface Structure extends Stretch {
	/** Whether it is inside other brackets, such as those of a list of numbers and objects. */
	isNested: boolean;
	isFenced: boolean;
	/** The objects in it that may contain a reason: they count if it is not JSON, such as a bracket that a page left open. */
	inner: Stretch[];
}

type Parsed = JsonObject | Json[];

/** The parts of a text that are, or begin like, JSON. */
export interface Scanned {
	text: string;
	/** Reads a stretch of the text without the whitespace and byte-order mark around it. Each is parsed once. */
	read(stretch: Stretch): Parsed | undefined;
	/** The outermost objects and lists of objects, also those in fences. Footnotes, check boxes and links in Markdown are not included. */
	structures: Structure[];
	/** The content of each code fence, including the language before it. */
	fences: Stretch[];
	/** Maximum number of brackets that are open at the same time. */
	deepest: number;
	/** Whether a bracket has no counterpart: the text may be a piece of a larger one. */
	isBroken: boolean;
}

const MIN_MARKS = 3;

/**
 * The tokens of the scan: marks of a fence, at the beginning of a line or elsewhere; a bracket that begins a structure; another
 * bracket, a quotation mark, an escape of one, and the end of a line.
 */
const SCAN_TOKENS =
	/(?=[`~])(?<=(?:^|\n)[ \t\r]*)(`+|~+)|`+|~+|(\{(?=[ \t\r\n]*["}])|\[(?=[ \t\r\n]*\{))|[{}[\]"\n]|\\["\\]/g;

const MAY_HOLD_REASON = /\{\s*"(?:not_done|rows)"/y;

/**
 * Finds the parts of a text that are, or begin like, JSON, in one pass. A fence ends at as many marks as it began with: at the beginning
 * of a line, where no JSON has any, or after the JSON in it.
 */
export function scan(text: string): Scanned {
	const structures: Structure[] = [];
	const fences: Stretch[] = [];
	let deepest = 0;
	let isBroken = false;
	let fence: { mark: string; length: number; start: number } | undefined;
	/** Positions of the open brackets of the structure; empty without a structure. */
	let open: number[] = [];
	let inner: Stretch[] = [];
	let isInString = false;
	/** Number of open brackets outside of a structure. */
	let loose = 0;

	const close = (end: number) => {
		const [start = end] = open;
		structures.push({ start, end, isNested: loose > 0, isFenced: fence !== undefined, inner });
		open = [];
		inner = [];
	};
	const closeInner = (start: number, end: number) => {
		MAY_HOLD_REASON.lastIndex = start;
		if (!MAY_HOLD_REASON.test(text)) return;
		// The objects in this object are its rows.
		while ((inner.at(-1)?.start ?? 0) > start) inner.pop();
		inner.push({ start, end });
	};
	/** Ends open structures where a fence begins or ends, and at the end of the text. */
	const cut = (at: number) => {
		if (open.length > 0) {
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
				if (mark === fence.mark && token.length >= fence.length && (isFirst || open.length === 0)) cut(index);
			} else if (token.length >= MIN_MARKS && (isFirst || (mark === '`' && open.length === 0))) {
				cut(index);
				fence = { mark, length: token.length, start: index + token.length };
			}
		} else if (open.length > 0) {
			if (token === '\n') {
				// A JSON string cannot span two lines.
				isBroken ||= isInString;
				isInString = false;
			} else if (token === '"' || (token === '\\"' && !isInString)) isInString = !isInString;
			else if (isInString || mark === '\\') continue;
			else if (mark === '{' || mark === '[') deepest = Math.max(deepest, open.push(index));
			else if (open.length === 1) close(index + 1);
			else closeInner(open.pop()!, index + 1);
		} else if (opener) open = [index];
		else if (mark === '{' || mark === '[') loose++;
		else if (mark === '}' || mark === ']') {
			if (loose > 0) loose--;
			else isBroken = true;
		}
	}
	cut(text.length);
	return { text, read: readerOf(text), structures, fences, deepest, isBroken: isBroken || loose > 0 };
}

export type FoundJson = { json: Parsed; problem?: undefined } | { json?: undefined; problem: string };

/** Levels of a reply: those of a value, plus the object, the list and the row around it. */
const MAX_REPLY_DEPTH = MAX_JSON_DEPTH + 3;

const DEEP = `The JSON in the reply is nested more than ${MAX_JSON_DEPTH} levels deep`;
const INVALID = 'The JSON in the reply is incomplete or invalid';
export const NO_JSON = 'The reply contains no JSON with rows';
const SEVERAL = 'The reply contains more than one JSON object or list';

function readStructure(text: string): Parsed | undefined {
	const { json } = readJson(text, MAX_REPLY_DEPTH);
	return json !== undefined && (Array.isArray(json) || isJsonObject(json)) ? json : undefined;
}

function readerOf(text: string): Scanned['read'] {
	const known = new Map<string, Parsed | undefined>();
	return ({ start, end }) => {
		const piece = text.slice(start, end);
		const trimmed = piece.trim();
		const place = `${start + piece.length - piece.trimStart().length} ${trimmed.length}`;
		if (!known.has(place)) known.set(place, readStructure(trimmed));
		return known.get(place);
	};
}

/** Whether an object contains only the reason why a task is not done, and no rows. */
export const isReason = (json: Parsed | undefined) => Object.keys(json ?? {}).join() === 'not_done';

/** One object per line, without reasons. A single line is an object like any other. */
function readLines(text: string): Json[] | undefined {
	const objects: Json[] = [];
	for (const line of text.split('\n').filter((line) => line.trim() !== '')) {
		const json = readStructure(line.trim());
		if (json === undefined || !isJsonObject(json)) return undefined;
		if (!isReason(json)) objects.push(json);
	}
	return objects.length > 1 ? objects : undefined;
}

/** The content of a fence, after its language; undefined if that is not JSON. */
function jsonIn(text: string, { start, end }: Stretch): Stretch | undefined {
	const fence = text.slice(start, end);
	const language = /^[^\n`{[]*/.exec(fence)?.[0] ?? '';
	const isJson = /^\s*json/i.test(language) || /^\s*(?:\{\s*["}]|\[\s*[{\]])/.test(fence.slice(language.length));
	return isJson ? { start: start + language.length, end } : undefined;
}

/** Whether the text beside some JSON shows that the JSON is a piece of a larger one. */
const isPiece = (before: string, after: string) =>
	/"\s*[:,]\s*$/.test(before.slice(-50)) ||
	/^\s*,\s*(?:["{[]|$)/.test(after.slice(0, 50)) ||
	// Inside a string, such as a key.
	(/^$|"$/.test(before.slice(-1)) && /^"\s*[:,\]}]/.test(after.slice(0, 50)));

/** The rows by which the JSON of a reply is compared, however they are wrapped. */
const rowsContentOf = (json: Parsed) => JSON.stringify(Array.isArray(json) ? json : (json.rows ?? json));

/** Whether what follows a fence may be rows: a list, or an object with rows, even if it is cut off. */
const mayBeRows = (text: string) => text.startsWith('[') || /"rows"\s*:/.test(text);

/** The JSON, if whatever else there is has the same rows; undefined if one cannot be read. */
function onlyOne([first, ...others]: Array<Parsed | undefined>): FoundJson | undefined {
	if (!first || others.includes(undefined)) return undefined;
	const content = rowsContentOf(first);
	return others.every((other) => rowsContentOf(other!) === content) ? { json: first } : { problem: SEVERAL };
}

/**
 * Reads the JSON that an agent has written: the bare text, the last code fence with rows or else JSON, JSON Lines, or the
 * only object or list of objects among words. JSON that is cut off or invalid is never replaced by a part of it. Rows after
 * the fence must equal those in it: otherwise it is unclear which rows count.
 *
 * @param hasRows whether complete JSON has the rows
 */
export function findJson(
	{ text, read, deepest, isBroken, ...scanned }: Scanned,
	hasRows: (json: Parsed) => boolean,
): FoundJson {
	const pieceOf = ({ start, end }: Stretch) => text.slice(start, end);
	const readComplete = (stretch: Stretch) => read(stretch) ?? readLines(pieceOf(stretch));
	const bare = readComplete({ start: 0, end: text.length });
	if (bare && !isReason(bare)) return { json: bare };
	const invalid = { problem: deepest > MAX_REPLY_DEPTH ? DEEP : INVALID };
	const structures = scanned.structures.filter((structure) => !structure.isNested && !isReason(read(structure)));
	const fences = scanned.fences
		.map((stretch) => jsonIn(text, stretch))
		.filter((content) => content !== undefined && !isReason(read(content))) as Stretch[];
	const counts = (content: Stretch, json = readComplete(content)) =>
		json ? hasRows(json) : content === fences.at(-1) || mayBeRows(pieceOf(content).trim());
	const fence = fences.findLast((content) => counts(content)) ?? fences.at(-1);
	if (fence) {
		const behind = structures.filter(({ start, isFenced }) => start > fence.end && !isFenced);
		const rows = behind.filter((structure) => mayBeRows(pieceOf(structure)));
		return onlyOne([readComplete(fence), ...rows.map(read)]) ?? invalid;
	}
	if (structures.length === 0) return { problem: NO_JSON };
	if (isBroken) return invalid;
	if (structures.some(({ start, end }) => isPiece(text.slice(0, start), text.slice(end)))) return invalid;
	if (structures.length > 1 && !structures.every((structure) => mayBeRows(pieceOf(structure)))) {
		return { problem: SEVERAL };
	}
	return onlyOne(structures.map(read)) ?? invalid;
}
