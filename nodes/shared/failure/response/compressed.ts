// Finds responses that n8n's client has left compressed.

/** HTTP's registered compressing codings, with their older names. */
const COMPRESSION = /\b(?:br|compress|dcb|dcz|deflate|gzip|zstd)\b/i;

/** n8n's client removes the header when it decompresses, but only one coding (aws-sdk-java-v2#5769). */
export function compressionIn(headers: Record<string, unknown>): string | undefined {
	const codings = String(headers['content-encoding'] ?? '');
	return COMPRESSION.test(codings) ? codings.slice(0, 50) : undefined;
}

export const stillCompressed = (codings: string): string => `it is compressed as "${codings}"`;
