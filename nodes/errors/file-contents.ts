/** Characters of a `data:` URL from which on it is a file, and not a small picture or a word. */
const MAX_URL = 1000;

/** How deep values may be nested in what is stored about a run. Code that walks through deeper ones runs out of stack. */
const MAX_DEPTH = 200;

/** Bytes of the file in a `data:` URL, near enough for a sentence. */
function sizeOfDataUrl(url: string): number {
	const comma = url.indexOf(',');
	const isBase64 = /;base64$/i.test(url.slice(0, comma));
	const length = url.length - comma - 1;
	return isBase64 ? Math.floor((length * 3) / 4) : length;
}

/** A text of its own: a slice would keep all of the text that it was cut from. */
export const copyText = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');

/** A value with every text in it, keys included, changed by a function. What is nested too deeply is left out. */
export function changeTexts<T>(value: T, change: (text: string) => string, depth = 0): T {
	if (typeof value === 'string') return change(value) as T;
	if (typeof value !== 'object' || value === null) return value;
	if (depth >= MAX_DEPTH) return '[nested too deeply]' as T;
	if (Array.isArray(value)) return value.map((element: unknown) => changeTexts(element, change, depth + 1)) as T;
	const entries = Object.entries(value).map(([key, inner]) => [change(key), changeTexts(inner, change, depth + 1)]);
	return Object.fromEntries(entries) as T;
}

function withoutFile(text: string): string {
	if (text.length <= MAX_URL || !/^data:/i.test(text)) return text;
	const mediaType = copyText(/^data:([^;,]{0,100})/i.exec(text)?.[1] || 'file');
	return `[${mediaType}, ${sizeOfDataUrl(text)} bytes]`;
}

/**
 * A value without the contents of files: an error is stored with the execution and shown in the editor, and a `data:` URL
 * of 26 MB is of no use there. In its place stand media type and size.
 */
export const withoutFileContents = <T>(value: T): T => changeTexts(value, withoutFile);
