import { isObject, parseJson } from '../../values';

/** One chunk of the UI message stream, version 1: an object with a `type`; its other fields are not yet checked. */
export interface Chunk {
	type: string;
	[field: string]: unknown;
}

/** One part of the message; which fields it has depends on `type` (UI message stream, version 1). */
export type Part = Chunk;

/** Thrown for a chunk that cannot be applied to the message; never leaves the fold. */
export class ChunkNotApplied extends Error {}

/** The error for a chunk whose part or tool call is not known. */
export const notStarted = (what: string, id: string) =>
	new ChunkNotApplied(`no ${what} with the id "${id}" was started`);

/** The field of a chunk that must be text. */
export function requireText(chunk: Chunk, field: string): string {
	const value = chunk[field];
	if (typeof value !== 'string') throw new ChunkNotApplied(`it has no text in "${field}"`);
	return value;
}

/** The named fields of a chunk that are present; null counts as absent. */
export const pick = (chunk: Record<string, unknown>, ...names: string[]): Record<string, unknown> =>
	Object.fromEntries(names.filter((name) => chunk[name] != null).map((name) => [name, chunk[name]]));

/** Reads one payload: returns the chunk, or undefined if the text is not the JSON of an object with a `type`. */
type ChunkParser = (text: string) => Chunk | undefined;

/** What the deltas of one part have in common: the text up to the last value, a string, and all fields but that one. */
interface DeltaPattern {
	/** Ends with the quotation mark that opens the last value. */
	head: string;
	key: string;
	chunk: Chunk;
}

/** Characters that a value may have to be cut out of its payload: a longer slice would keep the whole block in memory. */
const MAX_SLICE = 12;

/** Length from which a value is cut out of its block, of which it is nearly all, instead of being copied. */
const MIN_FILE = 1e6;

/** A text that JSON writes as it is. */
const PLAIN_TEXT = /^[ !#-[\]-\uffff]*$/;

const isChunk = (value: unknown): value is Chunk => isObject(value) && typeof value.type === 'string';

export const parseChunk: ChunkParser = (text) => {
	const value = parseJson(text);
	return isChunk(value) ? value : undefined;
};

/** The beginning that the next payloads are expected to share: only the last value, a string, may change. */
function patternOf(chunk: Chunk, text: string): DeltaPattern | undefined {
	const key = Object.keys(chunk).at(-1)!;
	const value = chunk[key];
	if (typeof value !== 'string' || !/^\w+$/.test(key)) return undefined;
	if (Object.values(chunk).some((field) => typeof field === 'object')) return undefined;
	const literal = JSON.stringify(value);
	// The comma, and the letters after the quotation mark, say that this is the key and no end of another string.
	const isLast = text.endsWith(`,"${key}":${literal}}`) || text.endsWith(`, "${key}": ${literal}}`);
	return isLast ? { head: text.slice(0, text.length - literal.length), key, chunk: { ...chunk } } : undefined;
}

/** The pattern of a payload that ends with a very long text, such as a file: found in the payload without that text. */
function patternOfFile(text: string): DeltaPattern | undefined {
	const withoutText = `${text.slice(0, text.lastIndexOf('"', text.length - '"}'.length - 1) + 1)}"}`;
	const chunk = parseChunk(withoutText);
	return chunk && patternOf(chunk, withoutText);
}

/** The text inside the quotation marks of a payload that starts with the head, or undefined if it is not a string. */
function lastValueOf(text: string, head: string): string | undefined {
	const length = text.length - head.length - '"}'.length;
	if (length >= 0 && (length <= MAX_SLICE || length >= MIN_FILE) && text.endsWith('"}')) {
		const slice = text.slice(head.length, -2);
		if (PLAIN_TEXT.test(slice)) return slice;
	}
	if (!text.endsWith('}')) return undefined;
	try {
		return JSON.parse(text.slice(head.length - 1, -1)) as string;
	} catch {
		return undefined;
	}
}

/**
 * Makes a parser for the payloads of one stream. Nine of ten are deltas that differ from the one before only in their
 * last value: if the text before it is the same, only that value is parsed, which saves about 40 % of the time of short
 * deltas. The result is that of {@link parseChunk}.
 */
export function createChunkParser(): ChunkParser {
	let pattern: DeltaPattern | undefined;

	const parseLikeLast: ChunkParser = (text) => {
		// Faster than startsWith, which compares letter by letter.
		if (!pattern || text.slice(0, pattern.head.length) !== pattern.head) return undefined;
		const value = lastValueOf(text, pattern.head);
		if (value === undefined) return undefined;
		const chunk = { ...pattern.chunk };
		chunk[pattern.key] = value;
		return chunk;
	};

	return (text) => {
		if (text.length >= MIN_FILE) pattern = patternOfFile(text) ?? pattern;
		const likeLast = parseLikeLast(text);
		if (likeLast) return likeLast;
		const chunk = parseChunk(text);
		if (chunk?.type.endsWith('-delta')) pattern = patternOf(chunk, text) ?? pattern;
		return chunk;
	};
}
