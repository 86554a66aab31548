// The own steps of *Profile: Set Cookies*: reading the formats of browsers, extensions and tools.

import type { IDataObject } from 'n8n-workflow';

import { inputError } from '../../shared/failure/failure';
import { inputItems } from '../../shared/n8n/execution';
import { contentOf, findFile, readingFile } from '../../shared/form/input-files';
import { readField } from '../../shared/form/read';
import { rejectUnevaluated } from '../../shared/form/expressions';
import { plain, readJson } from '../../shared/values/json';
import { isObject } from '../../shared/values/nested';
import { booleanIn, quoted, keywordOf, hasNoValue, isMissing } from '../../shared/values/text';
import { binaryField, cookieFields, cookiesJson } from '../resources/profile';
import type { Call, OwnSteps } from '../request/request';

const LABEL = quoted(cookiesJson.displayName);
const BINARY_LABEL = quoted(binaryField.displayName);

/** @param reason never contains any part of a value */
const unusable = (reason: string) =>
	inputError(
		reason,
		'Nothing was sent. Correct the cookies, or use a cookies.txt file, or JSON from Cookie-Editor, EditThisCookie, Playwright or Puppeteer',
	);

/** Chrome and Puppeteer write an object. Without a readable site, the cookie would apply to all sites. */
function siteOf(value: unknown): string | null {
	const text = isObject(value) ? (value.topLevelSite ?? value.sourceOrigin) : value;
	return typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
}

/** A larger time is in milliseconds. */
const MAX_SECONDS = 1e11;

/** Exporters write the epoch in any zone, up to 14 hours later (cookie-editor#287). */
const SECONDS_OF_EPOCH = 14 * 3600;

/** The epoch, earlier times, and "Session" mean a cookie that ends with its session. */
function timeOf(value: unknown): number | null | undefined {
	if (keywordOf(value) === 'session') return undefined;
	let seconds = typeof value === 'object' || typeof value === 'boolean' ? Number.NaN : Number(value);
	if (Number.isNaN(seconds) && typeof value === 'string') seconds = Date.parse(value) / 1000;
	if (seconds > MAX_SECONDS) seconds /= 1000;
	if (!(seconds <= MAX_SECONDS)) return null;
	return seconds > SECONDS_OF_EPOCH ? seconds : undefined;
}

const SAME_SITE: Array<[value: string | undefined, spellings: string[]]> = [
	['None', ['none', 'no_restriction', '0']],
	['Lax', ['lax', '1']],
	['Strict', ['strict', '2']],
	[undefined, ['unspecified', 'default', '-1']],
];

function sameSiteOf(value: unknown): string | null | undefined {
	const known = SAME_SITE.find(([, spellings]) => spellings.includes(keywordOf(value)));
	return known ? known[0] : null;
}

/** Browsers reject blanks at the ends of values. */
const trimmedText = (value: unknown): string | null => (typeof value === 'object' ? null : String(value).trim());

const flagOf = (value: unknown): boolean | null => booleanIn(value) ?? null;

type CookieReader = [names: string[], expected: string, read: (value: unknown) => unknown];

/** The service's names (contract 2.4). A reader returns undefined for a value to leave out, and null for an invalid one. */
const READERS: CookieReader[] = [
	[['name', 'value', 'domain', 'path', 'storeId'], 'text', trimmedText],
	[['httpOnly', 'hostOnly', 'secure', 'session'], 'true or false', flagOf],
	[['expires', 'expirationDate'], 'a time in Unix seconds', timeOf],
	[['sameSite'], 'Lax, None, or Strict', sameSiteOf],
	[['partitionKey'], 'a site', siteOf],
];

const REQUIRED = ['name', 'value', 'domain', 'path'];

const ORDINARY_NAME = /^[\w!#$%&'*+.^`|~-]{1,64}$/;

/** Empty if the name may contain a part of the value, such as in a line of cookies.txt without its time. */
function cookieNameOf({ name, value }: Record<string, unknown>): string {
	const isKnown = typeof name === 'string' && ORDINARY_NAME.test(name) && !hasNoValue(value) && name !== value;
	return isKnown ? ` ("${name}")` : '';
}

function readCookie(entry: Record<string, unknown>, index: number): IDataObject {
	const problem = (why: string) => unusable(`Cookie ${index + 1}${cookieNameOf(entry)} ${why}`);
	const cookie: IDataObject = { httpOnly: false, secure: false };
	for (const [names, expected, read] of READERS) {
		for (const name of names) {
			// Extensions, Playwright, Puppeteer and Chrome use the service's names, WebDriver all but one.
			const given = entry[name] ?? (name === 'expires' ? entry.expiry : undefined);
			const value = isMissing(given) || (hasNoValue(given) && name !== 'value') ? undefined : read(given);
			if (value === null) throw problem(`cannot be used: ${name} must be ${expected}`);
			if (value !== undefined) cookie[name] = value as string;
		}
	}
	const missing = REQUIRED.find((name) => cookie[name] === undefined);
	if (missing) throw problem(`has no ${missing}`);
	// Cookies have no ports (RFC 6265, section 8.5).
	const domain = (cookie.domain as string).replace(/^([^:]+|\[.*\]):\d*$/, '$1');
	// No page would get the cookie.
	if (/[*/]/.test(domain)) throw problem('cannot be used: domain must be a host, such as example.com');
	cookie.domain = domain;
	if (cookie.session === true) {
		delete cookie.expires;
		delete cookie.expirationDate;
	}
	// Some exporters invert the flag.
	if (cookie.hostOnly && domain.startsWith('.')) cookie.hostOnly = false;
	return cookie;
}

const HTTP_ONLY = '#HttpOnly_';

function cookiesTxtEntries(file: string): IDataObject[] {
	const entries: IDataObject[] = [];
	for (const [index, written] of file.split(/\r\n|\r|\n/).entries()) {
		// Tabs stay, because they separate empty fields.
		const line = written.replace(/^ +/, '');
		const httpOnly = line.startsWith(HTTP_ONLY);
		if (line.trim() === '' || (/^(#|\/\/)/.test(line) && !httpOnly)) continue;
		const cells = line.slice(httpOnly ? HTTP_ONLY.length : 0).split('\t');
		// Editors may trim an empty value, and a value may contain tabs.
		const [domain, withSubdomains, path, secure, expires, name, ...value] = cells;
		if (name === undefined) {
			const is = `line ${index + 1} is not a cookie with its fields separated by tabs`;
			throw unusable(`${LABEL} is neither JSON nor a cookies.txt file: ${is}`);
		}
		const hasSubdomains = flagOf(withSubdomains);
		const hostOnly = hasSubdomains === null ? withSubdomains : !hasSubdomains;
		entries.push({ domain, hostOnly, path, secure, expires, name, value: value.join('\t'), httpOnly });
	}
	return entries;
}

function findList(given: unknown): unknown[] {
	if (hasNoValue(given)) throw unusable(`${LABEL} is empty`);
	if (typeof given === 'string') return findInText(given.replace(/^\uFEFF/, ''));
	const list = [given, (given as IDataObject).cookies].find(Array.isArray);
	if (list) return list as unknown[];
	throw unusable(`${LABEL} must be a list of cookies, or an object with a list named cookies`);
}

function findInText(written: string): unknown[] {
	if (!/^\s*(["[{]|```|~~~)/.test(written)) return cookiesTxtEntries(written);
	const { json, problem } = readJson(written);
	if (json === undefined) throw unusable(`${LABEL} is not valid JSON: ${problem}`);
	// A number that JavaScript would write in another way, such as 12.50, becomes text: a cookie's value is sent as written.
	return findList(plain(json, (number) => String(Number(number)) === number));
}

/**
 * Accepts the formats in docs/reference.md, and returns the service's (contract 2.4). `skipped` counts cookies without a
 * name.
 *
 * @throws FailureError
 */
export function readCookies(given: unknown): { cookies: IDataObject[]; skipped: number } {
	const list = findList(given);
	if (list.length === 0) throw unusable(`${LABEL} contains no cookies`);
	const cookies: IDataObject[] = [];
	for (const [index, entry] of list.entries()) {
		if (!isObject(entry)) throw unusable(`Cookie ${index + 1} is not an object`);
		if (!hasNoValue(entry.name)) cookies.push(readCookie(entry, index));
	}
	if (cookies.length === 0) throw unusable(`${LABEL} has no cookie with a name`);
	return { cookies, skipped: list.length - cookies.length };
}

/** A byte-order mark may say UTF-16. */
export function decodeText(bytes: Buffer): string {
	const mark = bytes.toString('hex', 0, 2);
	const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
	return new TextDecoder(encoding).decode(bytes);
}

const cookiesOfForm = (rows: unknown): IDataObject[] =>
	(Array.isArray(rows) ? (rows as IDataObject[]) : []).map(({ options, ...required }) => ({
		...required,
		...(options as IDataObject),
	}));

/** Checks the expressions of the form's rows, which `readCookies` does not know. */
function cookiesInForm({ context, execution: { isTool }, itemIndex }: Call): IDataObject[] {
	// The collection has no maker. Errors need only its label, which `cookiesJson` has, too.
	return readField({ context, itemIndex, isTool }, cookiesJson, 'cookies.cookie', [], (_field, rows, stored) => {
		for (const cookie of cookiesOfForm(stored))
			for (const field of cookieFields) rejectUnevaluated(field, cookie[field.name]);
		return cookiesOfForm(rows);
	});
}

async function cookiesInFile({ context, itemIndex, values }: Call): Promise<string> {
	const name = values[binaryField.name] as string;
	const file = findFile(inputItems(context)[itemIndex]!, BINARY_LABEL, name);
	const read = async () => await context.helpers.binaryToBuffer(await contentOf(file, context.helpers));
	return decodeText(await readingFile(BINARY_LABEL, quoted(name), read));
}

export const setCookiesSteps: OwnSteps = {
	async prepare(call) {
		const { cookiesFrom, cookiesJson: pasted } = call.values;
		const given =
			cookiesFrom === 'json' ? pasted : cookiesFrom === 'binary' ? await cookiesInFile(call) : cookiesInForm(call);
		const { cookies, skipped } = readCookies(given);
		return {
			request: { ...call.request, body: { cookies, ...(call.request.body as IDataObject) } },
			cookieValues: cookies.map(({ value }) => value),
			addedToItems: skipped > 0 ? { cookies_skipped: skipped } : {},
		};
	},
};
