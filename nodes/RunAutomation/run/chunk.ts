// Chunks and parts, named as in the UI message stream protocol.

import { changeTexts, isDeeper, isObject, MAX_DEPTH } from '../../shared/values/nested';

/** Only its type is checked. */
export interface Chunk {
	type: string;
	[field: string]: unknown;
}

export type Part = Chunk;

export class ChunkNotAppliedError extends Error {}

export const notStarted = (what: string, id: string) =>
	new ChunkNotAppliedError(`no ${what} with the id "${id}" was started`);

export function requireText(chunk: Chunk, field: string): string {
	const value = chunk[field];
	if (typeof value !== 'string') throw new ChunkNotAppliedError(`it has no text in "${field}"`);
	return value;
}

/** Null counts as absent. */
export const pick = (chunk: Record<string, unknown>, ...names: string[]): Record<string, unknown> =>
	Object.fromEntries(names.filter((name) => chunk[name] != null).map((name) => [name, chunk[name]]));

/** An item has three more levels around a chunk. */
const OUTER_DEPTH = 3;

/** Databases reject half a character. Two deltas may have a half each, so texts must be complete. */
export const wellFormed = <T>(value: T): T => changeTexts(value, (text) => text.toWellFormed(), -OUTER_DEPTH);

export const isChunk = (payload: unknown): payload is Chunk => isObject(payload) && typeof payload.type === 'string';

export const withoutDepth = (chunk: Chunk, text: string): Chunk =>
	text.length > 2 * MAX_DEPTH && isDeeper(chunk, MAX_DEPTH) ? changeTexts(chunk, (unchanged) => unchanged) : chunk;
