import { shorten } from '../../values';
import type { Chunk } from './chunk';

/** One part of the message; which fields it has depends on `type` (UI message stream, version 1). */
export type Part = Chunk;

/** Thrown for a chunk that cannot be applied to the message; never leaves the fold. */
export class ChunkNotApplied extends Error {}

/** The error for a chunk whose part or tool call is not known. */
export const notStarted = (what: string, id: string) =>
	new ChunkNotApplied(`no ${what} with the id "${shorten(id)}" was started`);

/** The field of a chunk that must be text. */
export function requireText(chunk: Chunk, field: string): string {
	const value = chunk[field];
	if (typeof value !== 'string') throw new ChunkNotApplied(`it has no text in "${field}"`);
	return value;
}

/** The named fields of a chunk that are present; null counts as absent. */
export const pick = (chunk: Record<string, unknown>, ...names: string[]): Record<string, unknown> =>
	Object.fromEntries(names.filter((name) => chunk[name] != null).map((name) => [name, chunk[name]]));
