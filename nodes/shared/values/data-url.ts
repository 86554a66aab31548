// Reads base64 and `data:` URLs, and leaves their contents out of stored errors.

import { changeTexts } from './nested';
import { copyText } from './text';

/** A complete head, because any text may begin with `data:`. */
const HEAD = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+(?:=[^;,]{0,100})?)*,/i;

export type FileInUrl =
	| { bytes: Buffer; disposition?: string; problem?: undefined }
	| { bytes?: undefined; disposition?: undefined; problem: string };

const NO_DATA = 'its data: URL has no data';

export const isDataUrl = (url: unknown): boolean => /^data:/i.test(String(url));

/** Accepts blanks, line ends, missing padding, and the URL alphabet. Undefined if the text is not base64. */
export function bytesOfBase64(text: string): Buffer | undefined {
	const digits = text.replace(/\s+/g, '').replace(/={1,2}$/, '');
	// A single last digit is not a byte.
	if (/[^\w+/-]/.test(digits) || digits.length % 4 === 1) return undefined;
	return Buffer.from(digits, 'base64');
}

function percentDecoded(text: string): Buffer {
	const bytes = Buffer.from(text);
	if (!text.includes('%')) return bytes;
	const decoded = bytes
		.toString('latin1')
		.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(decoded, 'latin1');
}

const URL_INSIDE = /^(?:data:[^,]{0,200};\s{0,9}base64\s{0,9},\s{0,9}(?=https?:\/\/|data:))+/i;

/** A `data:` URL may contain the file's URL instead. No base64 begins like a URL. */
export function urlOfFile(url: string): string {
	const inner = url.replace(URL_INSIDE, '');
	return inner === url ? url : inner.trim();
}

export function readDataUrl(url: string): FileInUrl {
	const comma = url.indexOf(',');
	if (comma === -1) return { problem: NO_DATA };
	const bytes = percentDecoded(url.slice(comma + 1));
	if (bytes.length === 0) return { problem: NO_DATA };
	if (!/;\s*base64\s*$/i.test(url.slice(0, comma))) return { bytes };
	const content = bytesOfBase64(bytes.toString('latin1'));
	if (!content) return { problem: 'its data: URL is not valid base64' };
	return content.length > 0 ? { bytes: content } : { problem: NO_DATA };
}

function withoutFile(text: string): string {
	const match = HEAD.exec(text);
	if (!match) return text;
	const { bytes, problem } = readDataUrl(text);
	return `[${copyText(match[1] ?? 'file')}, ${problem ?? `${bytes.length} bytes`}]`;
}

/** Errors are stored and shown, so each file becomes its type and size. */
export const withoutFileContents = <T>(value: T): T => changeTexts(value, withoutFile);
