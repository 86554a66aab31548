import { shorten } from '../../values';
import type { Chunk } from './chunk';

/** One part of the message; which fields it has depends on `type` (UI message stream, version 1). */
export interface Part {
	type: string;
	[field: string]: unknown;
}

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
export function pick(chunk: Chunk, ...names: string[]): Record<string, unknown> {
	const fields: Record<string, unknown> = {};
	for (const name of names) if (chunk[name] != null) fields[name] = chunk[name];
	return fields;
}
