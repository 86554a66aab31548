import { MAX_JSON_DEPTH, readJsonStart, type Json, type JsonObject, type JsonProblem } from '../../shared/values/json';

/** What begins like JSON. */
export interface Structure {
	start: number;
	end: number;
	part: number;
	/** If it is valid, and not a piece of another structure. */
	json?: JsonObject | Json[];
	problem?: string;
	/** Invalid as in {"rows": [...]}. */
	isPlaceholder?: boolean;
}

export interface Scanned {
	text: string;
	/** Without footnotes, check boxes and links in Markdown. */
	structures: Structure[];
}

/** A value in a row, a list and an object. */
const MAX_REPLY_DEPTH = MAX_JSON_DEPTH + 3;

const FENCE = /(?<=^|\n)[ \t\r>]*(?:`{3}|~{3})/g;

/** An object, a list of objects, or an empty list in its line. Names may lack quotes. */
const OPENER =
	/\{(?=\s*(?:["'}]|\w+\s*:))|\[(?=\s*\{\s*(?:["'}]|\w+\s*:))|\[(?<=(?:^|\n)[ \t\r\uFEFF]*\[)(?=\s*\][ \t\r]*(?:\n|$))/g;

const MARKS = /\\.|["{}[\]]|\n(?=([ \t\r]*(?:\[\s*)?\{\s*"\w)?)/g;

/** Where its last bracket is, or where another structure begins. */
function endOfInvalid(text: string, from: number, depth: number): number {
	let open = depth;
	let isInText = text.charAt(from) === '\\';
	for (const { 0: mark, 1: other, index } of text.matchAll(MARKS)) {
		// Inside JSON, a bracket, a comma or a colon is before it.
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

function describe({ what, path: [first, second] }: JsonProblem): string {
	const row = first === 'rows' ? second : first;
	return typeof row === 'number' ? `${what} (row ${row + 1})` : what;
}

const BEFORE_VALUE = /(?:"\s*:|(?:["}\]]|(?:^|[[,:])\s*(?:-?\d[\d.eE+-]*|true|false|null))\s*,|\[)\s*$/;

const BEFORE_REST = /^\s*(?:[\w.+-]*\s*[,:]\s*)?$/;

function isPiece(before: string, after: string): boolean {
	return BEFORE_VALUE.test(before) || (BEFORE_REST.test(before) && /^\s*(?:[\]}]|,\s*(?:["{[]|$))/.test(after));
}

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

export function scan(text: string): Scanned {
	const fences = [...text.matchAll(FENCE)].map(({ index }) => index);
	const structures = [0, ...fences].flatMap((from, part) =>
		structuresIn(text.slice(from, fences[part])).map((found) => {
			return { ...found, start: from + found.start, end: from + found.end, part };
		}),
	);
	return { text, structures };
}
