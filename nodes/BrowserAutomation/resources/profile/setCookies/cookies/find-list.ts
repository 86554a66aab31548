import { readCookiesTxt } from './cookies-txt';

type Found = { list: unknown[]; problem?: undefined } | { list?: undefined; problem: string };

const NO_LIST = 'Cookies must be a list of cookies, or an object with a list named cookies';

/** Finds the list of cookies in a list, in an object with the field `cookies`, and in either as text. */
export function findList(given: unknown): Found {
	if (typeof given === 'string') return findInText(given.replace(/^\uFEFF/, ''));
	if (Array.isArray(given)) return { list: given };
	if (typeof given !== 'object' || given === null)
		return { problem: given === undefined || given === null ? 'Cookies is empty' : NO_LIST };
	const { cookies } = given as { cookies?: unknown };
	return Array.isArray(cookies) ? { list: cookies } : { problem: NO_LIST };
}

function findInText(text: string): Found {
	if (text.trim() === '') return { problem: 'Cookies is empty' };
	if (!/^\s*["[{]/.test(text)) return readCookiesTxt(text);
	let parsed: unknown;
	try {
		parsed = JSON.parse(text);
	} catch {
		// The message of the parser quotes what it stumbled over, and that may be the value of a cookie.
		return { problem: 'Cookies is not valid JSON' };
	}
	return findList(parsed);
}
