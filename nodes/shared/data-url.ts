import { changeTexts } from './nested';
import { copyText } from './text';

/** Other texts may begin with `data:`, too. */
const HEAD = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+(?:=[^;,]{0,100})?)*,/i;

/** The file that a URL contains or leads to, decoded on demand; or why there is none. */
export type FileInUrl =
	| { size: number; bytes: () => Buffer; disposition?: string; problem?: undefined }
	| { size?: undefined; bytes?: undefined; disposition?: undefined; problem: string };

export const isDataUrl = (url: unknown): boolean => /^data:/i.test(String(url));

function percentDecoded(text: string): Buffer {
	const decoded = Buffer.from(text)
		.toString('latin1')
		.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(decoded, 'latin1');
}

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
	// A single last digit is not a byte.
	if (/[^\w+/-]/.test(digits) || digits.length % 4 === 1) return { problem: 'its data: URL is not valid base64' };
	return { size: Math.floor((digits.length * 3) / 4), bytes: () => Buffer.from(digits, 'base64') };
}

function withoutFile(text: string): string {
	const match = HEAD.exec(text);
	if (!match) return text;
	const file = readDataUrl(text);
	return `[${copyText(match[1] ?? 'file')}, ${file.problem ?? `${file.size} bytes`}]`;
}

/** Puts its media type and size in the place of each file: an error is stored and shown in the editor. */
export const withoutFileContents = <T>(value: T): T => changeTexts(value, withoutFile);
