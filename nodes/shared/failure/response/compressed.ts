// Finds responses that n8n's client has left compressed, and explains bodies that are not text.

/** HTTP's registered compressing codings, with their older names. */
const COMPRESSION = /\b(?:br|compress|dcb|dcz|deflate|gzip|zstd)\b/i;

/** n8n's client removes the header when it decompresses, but only one coding (aws-sdk-java-v2#5769). */
export function compressionIn(headers: Record<string, unknown>): string | undefined {
	const codings = String(headers['content-encoding'] ?? '');
	return COMPRESSION.test(codings) ? codings.slice(0, 50) : undefined;
}

export const stillCompressed = (codings: string): string => `it is compressed as "${codings}"`;

/** Compressed bytes have both. Latin-1 text has only the first, and a terminal's colors only the second. */
const isNoText = (body: string): boolean => body.includes('\uFFFD') && /[^\P{Cc}\s]/u.test(body);

/**
 * Explains why a body cannot be read. A proxy may drop the header, so the bytes count, too.
 *
 * @returns undefined if the body can be read
 */
export function unreadableBody(body: unknown, headers: Record<string, unknown>): string | undefined {
	if (typeof body !== 'string') return undefined;
	const codings = compressionIn(headers);
	if (codings) return stillCompressed(codings);
	return isNoText(body) ? 'it is not text' : undefined;
}
