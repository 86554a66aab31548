import { MAX_JSON_DEPTH, readJsonStart, type Json, type JsonObject, type JsonProblem } from '../../shared/json';

/** What begins like an object or a list of objects, outside of any other. */
export interface Structure {
	start: number;
	end: number;
	/** Fences before it: with the same number, structures are in one fence, or outside of any. */
	part: number;
	/** Undefined if it is invalid, or a piece of something larger. */
	json?: JsonObject | Json[];
	/** What is wrong, and where. */
	problem?: string;
	/** Whether it is invalid because something is left out in it, as in {"rows": [...]}. */
	isPlaceholder?: boolean;
}

export interface Scanned {
	text: string;
	/** In the order of the text, without footnotes, check boxes and links in Markdown. */
	structures: Structure[];
}

/** Levels of a reply: those of a value, plus the object, the list and the row around it. */
const MAX_REPLY_DEPTH = MAX_JSON_DEPTH + 3;

/** A line that begins or ends a code fence. No JSON has one. */
const FENCE = /(?<=^|\n)[ \t\r>]*(?:`{3}|~{3})/g;

/** An object, a list of objects, or an empty list in a line of its own. Names may lack their quotation marks: that is invalid, but meant. */
const OPENER =
	/\{(?=\s*(?:["'}]|\w+\s*:))|\[(?=\s*\{\s*(?:["'}]|\w+\s*:))|\[(?<=(?:^|\n)[ \t\r\uFEFF]*\[)(?=\s*\][ \t\r]*(?:\n|$))/g;

/** What opens, closes or may end a structure. Behind a line end: the beginning of another structure, if any. */
const MARKS = /\\.|["{}[\]]|\n(?=([ \t\r]*(?:\[\s*)?\{\s*"\w)?)/g;

/** The end of an invalid structure: where its brackets are closed, or a line begins another one, or at the end of the text. */
function endOfInvalid(text: string, from: number, depth: number): number {
	let open = depth;
	let isInText = text.charAt(from) === '\\';
	for (const { 0: mark, 1: other, index } of text.matchAll(MARKS)) {
		// In a larger structure, a comma, a colon or a bracket would be before it.
		if (other !== undefined && !/[[{,:]/.test(text.slice(0, index).trimEnd().slice(-1))) return index;
		if (index < from) continue;
		if (mark === '\n') isInText = false;
		else if (mark === '"') isInText = !isInText;
		else if (isInText || mark.startsWith('\\')) continue;
		else if (mark === '{' || mark === '[') open++;
		else if (--open <= 0) return index + 1;
	}
	return text.length;
}

/** What is wrong in the JSON of a reply, with the number of the row. */
function describe({ what, path: [first, second] }: JsonProblem): string {
	const row = first === 'rows' ? second : first;
	return typeof row === 'number' ? `${what} (row ${row + 1})` : what;
}

/** What is before a value in a list or an object. */
const BEFORE_VALUE = /(?:"\s*:|(?:["}\]]|(?:^|[[,:])\s*(?:-?\d[\d.eE+-]*|true|false|null))\s*,|\[)\s*$/;

/** What is before the first structure of a text whose beginning is missing. */
const BEFORE_REST = /^\s*(?:[\w.+-]*\s*[,:]\s*)?$/;

/** Whether the text beside a structure shows that it is a piece of a larger one, or in a text of it. */
function isPiece(before: string, after: string): boolean {
	if (/^"\s*[:,\]}]/.test(after) && /^$|"$/.test(before)) return true;
	return BEFORE_VALUE.test(before) || (BEFORE_REST.test(before) && /^\s*(?:[\]}]|,\s*(?:["{[]|$))/.test(after));
}

/** The structures in a part of a text that has no line of a fence. */
function structuresIn(part: string): Array<Omit<Structure, 'part'>> {
	const structures: Array<Omit<Structure, 'part'>> = [];
	for (let at = 0; ; ) {
		OPENER.lastIndex = at;
		const start = OPENER.exec(part)?.index;
		if (start === undefined) return structures;
		const text = part.slice(start);
		const { json, problem, end } = readJsonStart(text, MAX_REPLY_DEPTH);
		at = start + (problem ? endOfInvalid(text, end, problem.path.length) : end);
		const place = { start, end: at };
		if (problem) {
			const isPlaceholder = /^(?:\.\.\.|…|<)/.test(text.slice(end, end + 3));
			structures.push({ ...place, problem: describe(problem), isPlaceholder });
		} else if (isPiece(part.slice(0, start).slice(-50), part.slice(at, at + 50))) {
			structures.push({ ...place, problem: 'its beginning or its end is missing' });
		} else structures.push({ ...place, json: json as JsonObject | Json[] });
	}
}

/** Finds the JSON in a text, in fences or bare. Each is parsed once. */
export function scan(text: string): Scanned {
	const fences = [...text.matchAll(FENCE)].map(({ index }) => index);
	const structures = [0, ...fences].flatMap((from, part) =>
		structuresIn(text.slice(from, fences[part])).map((found) => {
			return { ...found, start: from + found.start, end: from + found.end, part };
		}),
	);
	return { text, structures };
}
