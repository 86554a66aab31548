/** Characters of a `data:` URL from which on it is a file, and not a small picture or a word. */
const MAX_URL = 1000;

/** Bytes of the file in a `data:` URL, near enough for a sentence. */
function sizeOfDataUrl(url: string): number {
	const comma = url.indexOf(',');
	const isBase64 = /;base64$/i.test(url.slice(0, comma));
	const length = url.length - comma - 1;
	return isBase64 ? Math.floor((length * 3) / 4) : length;
}

/**
 * A value without the contents of files: an error is stored with the execution and shown in the editor, and a `data:` URL
 * of 26 MB is of no use there. In its place stand media type and size.
 */
export function withoutFileContents<T>(value: T): T {
	if (typeof value === 'string') {
		if (value.length <= MAX_URL || !/^data:/i.test(value)) return value;
		const mediaType = /^data:([^;,]*)/i.exec(value)?.[1] || 'file';
		return `[${mediaType}, ${sizeOfDataUrl(value)} bytes]` as T;
	}
	if (Array.isArray(value)) return value.map((element: unknown) => withoutFileContents(element)) as T;
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutFileContents(inner)])) as T;
}
