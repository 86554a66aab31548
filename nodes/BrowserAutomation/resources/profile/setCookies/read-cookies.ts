import type { IDataObject } from 'n8n-workflow';

import { plain, readJson } from '../../../../form/read-json';
import { isObject } from '../../../../values';

/** What a field becomes: its value, undefined if it is left out, or an `Unusable`. */
type Read = (value: unknown) => unknown;

class Unusable {
	constructor(readonly why: string) {}
}

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

const text: Read = (value) => {
	if (isAbsent(value)) return undefined;
	return typeof value === 'object' ? new Unusable('must be text') : String(value);
};

const optionalText: Read = (value) => (value === '' ? undefined : text(value));

/** A value as a word to look up. An object is not a word: one that brings its own `toString` would throw. */
const wordOf = (value: unknown) => (typeof value === 'object' ? '{}' : String(value).trim().toLowerCase());

const flag: Read = (value) => {
	if (isAbsent(value) || value === '') return undefined;
	const word = wordOf(value);
	if (['true', '1'].includes(word)) return true;
	if (['false', '0'].includes(word)) return false;
	return new Unusable('must be true or false');
};

/** Times beyond this, more than 3000 years away, are milliseconds. */
const MAX_SECONDS = 1e11;

/** Seconds, milliseconds and dates. Zero, less, and the word "Session" mean a cookie that ends with its session. */
const time: Read = (value) => {
	if (isAbsent(value) || value === '' || wordOf(value) === 'session') return undefined;
	let seconds = typeof value === 'object' || typeof value === 'boolean' ? Number.NaN : Number(value);
	if (Number.isNaN(seconds) && typeof value === 'string') seconds = Date.parse(value) / 1000;
	if (seconds > MAX_SECONDS) seconds /= 1000;
	if (!(seconds <= MAX_SECONDS)) return new Unusable('must be a time in Unix seconds');
	return seconds > 0 ? seconds : undefined;
};

/** Chrome stores numbers; its extensions write words of their own. */
const SAME_SITE: Record<string, string | undefined> = {
	'-1': undefined,
	'0': 'None',
	'1': 'Lax',
	'2': 'Strict',
	'': undefined,
	lax: 'Lax',
	no_restriction: 'None',
	none: 'None',
	strict: 'Strict',
	unspecified: undefined,
};

const sameSite: Read = (value) => {
	const word = isAbsent(value) ? '' : wordOf(value);
	if (Object.hasOwn(SAME_SITE, word)) return SAME_SITE[word];
	return new Unusable('must be Lax, None, or Strict');
};

/** Chrome writes an object. */
const partitionKey: Read = (value) => optionalText(isObject(value) ? value.topLevelSite : value);

const FIELDS: Record<string, Read> = {
	name: optionalText,
	value: text,
	domain: optionalText,
	path: optionalText,
	httpOnly: flag,
	expirationDate: time,
	hostOnly: flag,
	secure: flag,
	session: flag,
	storeId: optionalText,
	expires: time,
	partitionKey,
	sameSite,
};
const REQUIRED = ['name', 'value', 'domain', 'path', 'httpOnly'];

/**
 * Brings one cookie into the shape that the service takes, whichever tool has saved it, without fields that it does not know.
 * Or tells the problem, as the end of a sentence that begins with the name of the cookie; never with a value.
 */
function normalizeCookie(entry: unknown): IDataObject | string {
	if (!isObject(entry)) return 'is not an object';
	const cookie: IDataObject = {};
	for (const [field, read] of Object.entries(FIELDS)) {
		const value = read(entry[field]);
		if (value instanceof Unusable) return `cannot be used: ${field} ${value.why}`;
		if (value !== undefined) cookie[field] = value as string;
		else if (REQUIRED.includes(field)) return `has no ${field}`;
	}
	return cookie;
}

/** The list that was found, or why there is none, as the end of a sentence that begins with the name of the field. */
type Found = { list: unknown[]; problem?: undefined } | { list?: undefined; problem: string };

const HTTP_ONLY = '#HttpOnly_';

const isTrue = (text: string) => text.trim().toUpperCase() === 'TRUE';

/** Reads a `cookies.txt` file, as old browsers and curl write it: one cookie per line, its fields separated by tabs. */
function readCookiesTxt(text: string): Found {
	const list: unknown[] = [];
	for (const [index, written] of text.split(/\r\n|\r|\n/).entries()) {
		// Not tabs: in front of a line they are fields without a value.
		const line = written.replace(/^ +/, '');
		const httpOnly = line.startsWith(HTTP_ONLY);
		if (line.trim() === '' || (line.startsWith('#') && !httpOnly)) continue;
		const fields = (httpOnly ? line.slice(HTTP_ONLY.length) : line).split('\t');
		// Editors that cut blanks at line ends cut an empty value.
		if (fields.length < 6)
			return { problem: `is neither JSON nor a cookies.txt file: line ${index + 1} is not a cookie` };
		const [domain, withSubdomains, path, secure, expires, name, ...value] = fields;
		list.push({
			name,
			value: value.join('\t'),
			domain,
			path,
			httpOnly,
			hostOnly: !isTrue(withSubdomains),
			secure: isTrue(secure),
			expires,
		});
	}
	return { list };
}

const NO_LIST = 'must be a list of cookies, or an object with a list named cookies';

/** Finds the list of cookies in a list, in an object with the field `cookies`, and in either as text. */
function findList(given: unknown): Found {
	if (typeof given === 'string') return findInText(given.replace(/^\uFEFF/, ''));
	if (Array.isArray(given)) return { list: given };
	if (typeof given !== 'object' || given === null)
		return { problem: given === undefined || given === null ? 'is empty' : NO_LIST };
	const { cookies } = given as { cookies?: unknown };
	return Array.isArray(cookies) ? { list: cookies } : { problem: NO_LIST };
}

function findInText(text: string): Found {
	if (text.trim() === '') return { problem: 'is empty' };
	if (!/^\s*["[{]/.test(text)) return readCookiesTxt(text);
	const { json } = readJson(text);
	// The value of a cookie is text: if it was written as a number, exactly as written.
	return json === undefined
		? { problem: 'is not valid JSON' }
		: findList(plain(json, (number) => String(Number(number)) === number));
}

const ORDINARY_NAME = /^[\w!#$%&'*+.^`|~-]{1,64}$/;

/** The name of a cookie to find it by, as text for a sentence; empty if it is missing or may contain a part of the value. */
function nameOf(entry: unknown): string {
	const { name, value } = Object(entry) as { name?: unknown; value?: unknown };
	return typeof name === 'string' && name !== value && ORDINARY_NAME.test(name) ? ` ("${name}")` : '';
}

/**
 * Reads cookies in any of the shapes that people hold, and brings them into the shape that the service takes: a list, an
 * object with the list in its field `cookies` (a Playwright storage state), either as text, or a `cookies.txt` file.
 *
 * @param label the name of the field with the cookies
 * @returns the cookies, or what is wrong with the first one that cannot be used; never with anything of its value
 */
export function readCookies(given: unknown, label: string): { cookies: IDataObject[]; problem?: string } {
	const { list, problem } = findList(given);
	if (!list) return { cookies: [], problem: `${label} ${problem}` };
	if (list.length === 0) return { cookies: [], problem: `${label} contains no cookies` };
	const cookies: IDataObject[] = [];
	for (const [index, entry] of list.entries()) {
		const result = normalizeCookie(entry);
		if (typeof result === 'string') return { cookies, problem: `Cookie ${index + 1}${nameOf(entry)} ${result}` };
		cookies.push(result);
	}
	return { cookies };
}
