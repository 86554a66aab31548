import { isJsonObject, MAX_JSON_DEPTH, plain, readJson, type Json, type JsonObject } from '../../form/read-json';

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

const MIN_MARKS = 3;

/**
 * Finds what is, or begins like, JSON in a text that may be received in pieces: objects, lists of objects, and code
 * fences. Looks at each character once. A fence ends at as many marks as it began with: at the beginning of a line, where
 * no JSON has any, or after the JSON in it.
 */
export class Scanner {
	/** The outermost structures, also those in fences. A footnote, a check box and a link of Markdown are none. */
	readonly structures: Structure[] = [];

	/** The content of each fence, the language before it included. */
	readonly fences: Stretch[] = [];

	/** Most brackets that are open at a time. */
	deepest = 0;

	private index = 0;

	private shown = '';

	/** Characters that are hidden only if what follows shows that JSON or a fence begins with them. */
	private held = '';

	/** Equal characters that stand together up to here, and whether the line is blank before them. */
	private run = { char: '', length: 0, isFirst: true };

	private isLineBlank = true;

	private fence: { mark: string; length: number; start: number } | undefined;

	/** A bracket that may begin a structure. */
	private opener: { bracket: string; start: number } | undefined;

	/** The structure that is open, and how many of its brackets are. */
	private open: { start: number; depth: number; isInString: boolean; isEscaped: boolean } | undefined;

	/** Brackets of words that are open. */
	private loose = 0;

	private hasLoneBracket = false;

	/** Whether a bracket has no counterpart: the text may be a piece of a larger one. */
	get isBroken(): boolean {
		return this.hasLoneBracket || this.loose > 0;
	}

	/** Takes the next piece of the text, and returns what is neither JSON nor fence: what a chat may show. */
	push(piece: string): string {
		for (let i = 0; i < piece.length; i++) {
			this.take(piece.charAt(i));
			this.index++;
		}
		const { shown } = this;
		this.shown = '';
		return shown;
	}

	/** Ends the text, and returns what was held back and did not become JSON. */
	end(): string {
		const rest = this.fence ? '' : this.held;
		this.cut();
		return rest;
	}

	private take(char: string): void {
		const { fence, open, index } = this;
		const length = char === this.run.char ? this.run.length + 1 : 1;
		const isFirst = length > 1 ? this.run.isFirst : this.isLineBlank;
		this.run = { char, length, isFirst };
		this.isLineBlank = char === '\n' || (this.isLineBlank && isSpace(char));

		if (fence && char === fence.mark) {
			if (index === fence.start) {
				fence.start++;
				fence.length++;
				return;
			}
			if (length >= fence.length && (isFirst || !open)) return this.cut(index + 1 - length);
		}
		const isMark = (char === '`' && (isFirst || !open)) || (char === '~' && isFirst);
		if (!fence && isMark && length >= MIN_MARKS) {
			if (length > MIN_MARKS) return;
			this.cut();
			this.fence = { mark: char, length, start: index + 1 };
		} else if (open) this.takeInside(char, open);
		else this.takeOutside(char, isMark);
	}

	private takeOutside(char: string, isMark: boolean): void {
		const { opener } = this;
		if (opener && !isSpace(char)) {
			this.opener = undefined;
			if (opener.bracket === '[' ? char === '{' : char === '"' || char === '}') {
				this.held = '';
				this.open = { start: opener.start, depth: 1, isInString: false, isEscaped: false };
				return this.takeInside(char, this.open);
			}
			this.loose++;
		}
		const isSame = this.opener !== undefined || (isMark && this.run.length > 1);
		if (!isSame) {
			this.show(this.held);
			this.held = '';
			if (char === '{' || char === '[') this.opener = { bracket: char, start: this.index };
			else if (this.loose && (char === '}' || char === ']')) this.loose--;
			else if (char === '}' || char === ']') this.hasLoneBracket = true;
		}
		if (isMark || this.opener) this.held += char;
		else this.show(char);
	}

	private takeInside(char: string, open: NonNullable<typeof this.open>): void {
		if (open.isInString) {
			if (open.isEscaped) open.isEscaped = false;
			else if (char === '\\') open.isEscaped = true;
			else if (char === '"') open.isInString = false;
		} else if (char === '"') open.isInString = true;
		else if (char === '{' || char === '[') this.deepest = Math.max(this.deepest, ++open.depth);
		else if ((char === '}' || char === ']') && --open.depth === 0) this.close(open.start, this.index + 1);
	}

	private close(start: number, end: number): void {
		this.structures.push({ start, end, isNested: this.loose > 0, isFenced: this.fence !== undefined });
		this.open = undefined;
	}

	/** Ends whatever is open where a fence begins or ends, and at the end of the text. */
	private cut(endOfFence = this.index): void {
		if (this.open) {
			this.hasLoneBracket = true;
			this.close(this.open.start, this.index);
		}
		if (this.opener) this.loose++;
		if (this.fence) this.fences.push({ start: this.fence.start, end: endOfFence });
		this.fence = undefined;
		this.opener = undefined;
		this.held = '';
	}

	private show(text: string): void {
		if (!this.fence) this.shown += text;
	}
}

function scan(text: string): Scanner {
	const scanner = new Scanner();
	scanner.push(text);
	scanner.end();
	return scanner;
}

const isSpace = (char: string) => char === ' ' || char === '\n' || char === '\t' || char === '\r';

export type FoundJson = { json: JsonObject | Json[]; problem?: undefined } | { json?: undefined; problem: string };

/** Levels of a reply: those of a value in it, and the object, the list and the row around it. */
const MAX_REPLY_DEPTH = MAX_JSON_DEPTH + 3;

const DEEP = `The JSON in the reply is nested more than ${MAX_JSON_DEPTH} levels deep`;
const INVALID = 'The JSON in the reply is incomplete or invalid';
export const NO_JSON = 'The reply contains no JSON';
const SEVERAL = 'The reply contains more than one JSON object or list';

export function readStructure(text: string): JsonObject | Json[] | undefined {
	const { json } = readJson(text, MAX_REPLY_DEPTH);
	return json !== undefined && (Array.isArray(json) || isJsonObject(json)) ? json : undefined;
}

/** Every object and list of objects in a text, in its order, and whatever begins like one. */
export const structuresIn = (text: string): string[] =>
	scan(text).structures.map(({ start, end }) => text.slice(start, end));

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
 * Takes what an agent says of a task that it could not do out of the end of its reply, where it stands alone in an object.
 *
 * @returns the text without it, and the reason, if there is any
 */
export function splitNotDone(text: string): { text: string; reason?: string } {
	if (!text.includes('"not_done"')) return { text };
	const last = scan(text).structures.at(-1);
	const json = last && readStructure(text.slice(last.start, last.end));
	if (!json || Object.keys(json).join() !== 'not_done') return { text };
	if (!/^\s*(?:`+|~+)?\s*$/.test(text.slice(last.end))) return { text };
	const before = text.slice(0, last.start).trimEnd();
	const opening = last.isFenced ? (/(?:`+|~+)\w*$/.exec(before.slice(-50))?.[0].length ?? -1) : 0;
	const reason = reasonIn(json);
	// In a fence with other lines, it stays: without its end, the fence would be open.
	return { text: opening < 0 ? text : before.slice(0, before.length - opening).trimEnd(), reason };
}

/** What may be the beginning of the object at the end of a text, or of the fence around it. */
const MAY_BE_NOT_DONE = /(?<!\s)\s*(?:(?<![`~])(?:`+|~+)\w*\s*)?(?:\{\s*"not_done"[^]*|(?:\{\s*(?:"\w*)?)?$)/;

/** Characters that are kept back at most: a reason is short. */
const MAX_HELD = 5000;

/** Keeps what {@link splitNotDone} takes out of the last text away from a viewer, who reads while it is written. */
export class NotDoneFilter {
	private held = '';

	private taken = '';

	/** Takes the next piece of a text, and returns what may be shown. */
	push(piece: string): string {
		const text = this.held + piece;
		const start = text.length > MAX_HELD ? text.length : text.search(MAY_BE_NOT_DONE);
		this.held = text.slice(start);
		// The text before was not the last one.
		const earlier = this.taken && `${this.taken.trim()}\n\n`;
		this.taken = '';
		return earlier + text.slice(0, start);
	}

	/** Ends a text, and returns what was kept back without need. */
	end(): string {
		const { text } = splitNotDone(this.held);
		this.taken = this.held.slice(text.length);
		this.held = '';
		return text;
	}
}

/** What an agent writes that says nothing. */
const NOTHING = ['', '0', '[]', 'false', 'n/a', 'no', 'none', 'null', '{}'];

/** Why a task is not done, in an object of JSON. Most agents write text, as they are asked to. */
export function reasonIn(json: JsonObject | Json[]): string | undefined {
	const value = Array.isArray(json) ? null : plain(json.not_done ?? null);
	const reason = typeof value === 'string' ? value.trim() : JSON.stringify(value);
	if (reason.toLowerCase() === 'true') return 'The agent could not do its task, and gave no reason';
	return NOTHING.includes(reason.toLowerCase()) ? undefined : reason;
}

/** What the JSON of a reply is told by: its list of rows, however it is wrapped. */
const contentOf = (json: JsonObject | Json[]) => JSON.stringify(Array.isArray(json) ? json : (json.rows ?? json));

/** Whether what stands behind the last fence may be rows: a list, or an object with rows, even if it is cut off. */
const mayBeRows = (text: string) => text.startsWith('[') || /"rows"\s*:/.test(text);

/** The JSON, if whatever else there is has the same rows; undefined if one cannot be read. */
function onlyOne(found: Array<JsonObject | Json[] | undefined>): FoundJson | undefined {
	const all = found.filter((json) => json !== undefined);
	if (all.length < found.length) return undefined;
	const [first, ...others] = all;
	if (others.some((other) => contentOf(other) !== contentOf(first))) return { problem: SEVERAL };
	return { json: all.find(reasonIn) ?? first };
}

/**
 * Reads the JSON that an agent has written: the bare text, the last code fence, JSON Lines, or the only object or list
 * of objects among words. JSON that is cut off or invalid is never replaced by a piece of it. Rows behind the fence must be
 * those in it: an agent that corrects itself there has not said which ones count.
 */
export function findJson(text: string): FoundJson {
	const bare = readWhole(text);
	if (bare) return { json: bare };
	const scanner = scan(text);
	const invalid = { problem: scanner.deepest > MAX_REPLY_DEPTH ? DEEP : INVALID };
	const pieceOf = ({ start, end }: Stretch) => text.slice(start, end);
	const structures = scanner.structures.filter(({ isNested }) => !isNested);
	const fence = scanner.fences.filter((stretch) => jsonIn(pieceOf(stretch)) !== undefined).at(-1);
	if (fence) {
		const json = readWhole(jsonIn(pieceOf(fence))!);
		const behind = structures.filter(({ start, isFenced }) => start > fence.end && !isFenced);
		const rows = behind.map(pieceOf).filter(mayBeRows);
		return onlyOne([json, ...rows.map(readStructure)]) ?? invalid;
	}
	if (structures.length === 0) return { problem: NO_JSON };
	if (scanner.isBroken) return invalid;
	if (structures.some(({ start, end }) => isPiece(text.slice(0, start), text.slice(end)))) return invalid;
	const found = structures.map(pieceOf);
	if (found.length > 1 && !found.every(mayBeRows)) return { problem: SEVERAL };
	return onlyOne(found.map(readStructure)) ?? invalid;
}
