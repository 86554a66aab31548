import { changeTexts, isDeeper, isObject, MAX_DEPTH } from '../../shared/nested';
import { parseJson } from '../../shared/json';

/** Of the UI message stream, version 1; other fields are not yet checked. */
export interface Chunk {
	type: string;
	[field: string]: unknown;
}

export type Part = Chunk;

export class ChunkNotApplied extends Error {}

export const notStarted = (what: string, id: string) =>
	new ChunkNotApplied(`no ${what} with the id "${id}" was started`);

export function requireText(chunk: Chunk, field: string): string {
	const value = chunk[field];
	if (typeof value !== 'string') throw new ChunkNotApplied(`it has no text in "${field}"`);
	return value;
}

/** Null counts as absent. */
export const pick = (chunk: Record<string, unknown>, ...names: string[]): Record<string, unknown> =>
	Object.fromEntries(names.filter((name) => chunk[name] != null).map((name) => [name, chunk[name]]));

/** Undefined if it is not JSON. Databases refuse U+0000. */
export function parseWithoutNul(text: string): unknown {
	const hasNul = text.includes('\\u0000');
	return parseJson(hasNul ? text.replace(/\\u0000|\\[^]/g, (escape) => (escape === '\\u0000' ? '' : escape)) : text);
}

/** Some servers encode JSON twice. */
export function parsePayload(text: string, hasEscapes = text.includes('\\u')): unknown {
	const json = hasEscapes ? parseWithoutNul(text) : parseJson(text, false);
	return typeof json === 'string' ? (parsePayload(json) ?? json) : json;
}

/** Databases refuse lone surrogates. Two deltas may have a half each. */
export const wellFormed = <T>(value: T): T => changeTexts(value, (text) => text.toWellFormed());

export const isChunk = (payload: unknown): payload is Chunk => isObject(payload) && typeof payload.type === 'string';

/** The chunk itself, unless values are nested too deeply. */
export const withoutDepth = (chunk: Chunk, text: string): Chunk =>
	text.length > 2 * MAX_DEPTH && isDeeper(chunk, MAX_DEPTH) ? changeTexts(chunk, (unchanged) => unchanged) : chunk;
