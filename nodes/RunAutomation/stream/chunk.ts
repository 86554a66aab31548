/** One chunk of the UI message stream, version 1: an object with a `type`; its other fields are not yet checked. */
export interface Chunk {
	type: string;
	[field: string]: unknown;
}

const isChunk = (value: unknown): value is Chunk =>
	typeof value === 'object' && value !== null && typeof (value as Chunk).type === 'string';

/**
 * Reads one payload of the stream.
 *
 * @returns the chunk, or undefined where the text is not the JSON of an object with a `type`
 */
export function parseChunk(text: string): Chunk | undefined {
	try {
		// An own `__proto__` would become a prototype as soon as anything copies the object by assignment.
		const mayHoldPrototype = text.includes('__proto__') || text.includes('\\u00');
		const value: unknown = mayHoldPrototype
			? JSON.parse(text, (key, inner: unknown) => (key === '__proto__' ? undefined : inner))
			: JSON.parse(text);
		return isChunk(value) ? value : undefined;
	} catch {
		return undefined;
	}
}
