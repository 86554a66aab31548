import { changeTexts, isDeeper, isObject, MAX_DEPTH } from '../../shared/nested';
import { parseJson } from '../../shared/json';

/** One chunk of the UI message stream, version 1, whose other fields are not yet checked. */
export interface Chunk {
	type: string;
	[field: string]: unknown;
}

/** One part of the message. */
export type Part = Chunk;

/** Never leaves the fold. */
export class ChunkNotApplied extends Error {}

export const notStarted = (what: string, id: string) =>
	new ChunkNotApplied(`no ${what} with the id "${id}" was started`);

export function requireText(chunk: Chunk, field: string): string {
	const value = chunk[field];
	if (typeof value !== 'string') throw new ChunkNotApplied(`it has no text in "${field}"`);
	return value;
}

/** The named fields of a chunk that are present; null counts as absent. */
export const pick = (chunk: Record<string, unknown>, ...names: string[]): Record<string, unknown> =>
	Object.fromEntries(names.filter((name) => chunk[name] != null).map((name) => [name, chunk[name]]));

/** JSON whose texts have no U+0000, which databases refuse: node-postgres#2080. */
const withoutNul = (json: string): string =>
	json.includes('\\u0000') ? json.replace(/\\u0000|\\[^]/g, (escape) => (escape === '\\u0000' ? '' : escape)) : json;

/** The value of a payload; undefined if it is not JSON. */
export const parsePayload = (text: string): unknown => parseJson(withoutNul(text));

export const isChunk = (payload: unknown): payload is Chunk => isObject(payload) && typeof payload.type === 'string';

/** A chunk without values that are nested too deeply; otherwise the chunk itself, as for every short text. */
export const withoutDepth = (chunk: Chunk, text: string): Chunk =>
	text.length > 2 * MAX_DEPTH && isDeeper(chunk, MAX_DEPTH) ? changeTexts(chunk, (unchanged) => unchanged) : chunk;
