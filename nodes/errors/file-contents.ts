import { changeTexts, copyText } from '../values';

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+(?:=[^;,]{0,100})?)*,/i;

/** Bytes of the file in a `data:` URL, near enough for a sentence. */
function sizeOfDataUrl(url: string): number {
	const comma = url.indexOf(',');
	const isBase64 = /;base64$/i.test(url.slice(0, comma));
	const length = url.length - comma - 1;
	return isBase64 ? Math.floor((length * 3) / 4) : length;
}

function withoutFile(text: string): string {
	const match = DATA_URL.exec(text);
	return match ? `[${copyText(match[1] ?? 'file')}, ${sizeOfDataUrl(text)} bytes]` : text;
}

/**
 * A value without the contents of files: an error is kept, stored with the execution and shown in the editor, and a
 * `data:` URL is of no use there. In its place stand media type and size.
 */
export const withoutFileContents = <T>(value: T): T => changeTexts(value, withoutFile);
