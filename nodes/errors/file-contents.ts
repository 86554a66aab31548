import { copyText } from '../values';

/** How a `data:` URL begins. */
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+(?:=[^;,]{0,100})?)*,/i;

/** How deep values may be nested in what is stored about a run. Code that walks through deeper ones runs out of stack. */
const MAX_DEPTH = 200;

/** Bytes of the file in a `data:` URL, near enough for a sentence. */
function sizeOfDataUrl(url: string): number {
	const comma = url.indexOf(',');
	const isBase64 = /;base64$/i.test(url.slice(0, comma));
	const length = url.length - comma - 1;
	return isBase64 ? Math.floor((length * 3) / 4) : length;
}

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
	const [, mediaType = 'file'] = DATA_URL.exec(text) ?? [];
	return DATA_URL.test(text) ? `[${copyText(mediaType)}, ${sizeOfDataUrl(text)} bytes]` : text;
}

/**
 * A value without the contents of files: an error is kept, stored with the execution and shown in the editor, and a
 * `data:` URL is of no use there. In its place stand media type and size.
 */
export const withoutFileContents = <T>(value: T): T => changeTexts(value, withoutFile);
