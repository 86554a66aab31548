import { changeTexts, copyText } from '../values';

/** What a `data:` URL begins with. Other texts may begin with `data:`, too. */
const HEAD = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+(?:=[^;,]{0,100})?)*,/i;

/** The file in a `data:` URL, whose bytes are made on demand; or why there is none. */
export type FileInUrl =
	| { size: number; bytes: () => Buffer; problem?: undefined }
	| { size?: undefined; bytes?: undefined; problem: string };

/** Whether an address is a file and not the place of one. */
export const isDataUrl = (url: unknown): boolean => /^data:/i.test(String(url));

/** Each `%41` as its byte, which may be no character. */
function percentDecoded(text: string): Buffer {
	if (!text.includes('%')) return Buffer.from(text);
	const decoded = Buffer.from(text)
		.toString('latin1')
		.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(decoded, 'latin1');
}

/** Reads a `data:` URL. */
export function readDataUrl(url: string): FileInUrl {
	const comma = url.indexOf(',');
	if (comma === -1) return { problem: 'its data: URL has no data' };
	const data = url.slice(comma + 1);
	if (!/;\s*base64\s*$/i.test(url.slice(0, comma))) {
		const bytes = () => percentDecoded(data);
		return { size: data.includes('%') ? bytes().length : Buffer.byteLength(data), bytes };
	}
	const decoded = data.includes('%') ? percentDecoded(data).toString('latin1') : data;
	const digits = decoded.replace(/\s+/g, '').replace(/={1,2}$/, '');
	// A last digit alone is no byte.
	if (/[^\w+/-]/.test(digits) || digits.length % 4 === 1) return { problem: 'its data: URL is not valid base64' };
	return { size: Math.floor((digits.length * 3) / 4), bytes: () => Buffer.from(digits, 'base64') };
}

function withoutFile(text: string): string {
	const match = HEAD.exec(text);
	if (!match) return text;
	const file = readDataUrl(text);
	return `[${copyText(match[1] ?? 'file')}, ${file.problem ?? `${file.size} bytes`}]`;
}

/**
 * A value without the contents of files: an error is kept, stored with the execution and shown in the editor, and a
 * `data:` URL is of no use there. It is replaced by media type and size.
 */
export const withoutFileContents = <T>(value: T): T => changeTexts(value, withoutFile);
