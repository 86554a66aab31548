type PlainObject = Record<string, unknown>;

const isPlainObject = (value: unknown): value is PlainObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keys that would reach a prototype instead of the object. */
export const isUnsafeKey = (key: string): boolean =>
	key === '__proto__' || key === 'constructor' || key === 'prototype';

/**
 * Merges a patch of message metadata into what is there: objects deeply, everything else replaced, arrays included.
 * A patch of null or undefined changes nothing.
 */
export function mergeMetadata(base: unknown, patch: unknown): unknown {
	if (patch === null || patch === undefined) return base;
	if (!isPlainObject(base) || !isPlainObject(patch)) return patch;
	const merged: PlainObject = { ...base };
	for (const [key, value] of Object.entries(patch)) {
		if (isUnsafeKey(key)) continue;
		merged[key] = isPlainObject(value) && isPlainObject(merged[key]) ? mergeMetadata(merged[key], value) : value;
	}
	return merged;
}
