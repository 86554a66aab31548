// The own steps of *Profile: Set Cookies*: reading the formats of browsers, extensions and tools.

import type { IDataObject } from 'n8n-workflow';

import { inputError } from '../../shared/failure/failure';
import { inputItems } from '../../shared/n8n/execution';
import { contentOf, findFile, readingFile } from '../../shared/form/input-files';
import { hasNoValue, isMissing } from '../../shared/form/field';
import { rejectMissingValues, rejectUnevaluated } from '../../shared/form/expressions';
import { plain, readJson } from '../../shared/values/json';
import { isObject } from '../../shared/values/nested';
import { booleanIn, quoted, wordOf } from '../../shared/values/text';
import { binaryField, cookieFields, cookiesJson, requiredCookieFields } from '../resources/profile';
import type { Call, OwnSteps } from '../request/fields';

const LABEL = quoted(cookiesJson.displayName);
const BINARY_LABEL = quoted(binaryField.displayName);

/** @param reason never contains any part of a value */
const unusable = (reason: string, step = 'Correct the cookies. If a browser exported them, export them again') =>
	inputError(reason, `Nothing was sent. ${step}`);

const unknownFormat = (reason: string) =>
	unusable(reason, 'Use a cookies.txt file, or JSON from Cookie-Editor, EditThisCookie, Playwright or Puppeteer');

/** Browsers reject blanks at the ends of values. */
const trimmedText = (value: unknown) => (typeof value === 'object' ? null : String(value).trim());

/** Chrome and Puppeteer write an object. */
const site = (value: unknown) =>
	trimmedText(isObject(value) ? (value.topLevelSite ?? value.sourceOrigin ?? null) : value);

const flag = (value: unknown): boolean | null => booleanIn(value) ?? null;

/** A larger time is in milliseconds. */
const MAX_SECONDS = 1e11;

/** Exporters write the epoch in any zone, up to 14 hours later (cookie-editor#287). */
const SECONDS_OF_EPOCH = 14 * 3600;

/** The epoch, earlier times, and "Session" mean a cookie that ends with its session. */
function time(value: unknown): number | null | undefined {
	if (wordOf(value) === 'session') return undefined;
	let seconds = typeof value === 'object' || typeof value === 'boolean' ? Number.NaN : Number(value);
	if (Number.isNaN(seconds) && typeof value === 'string') seconds = Date.parse(value) / 1000;
	if (seconds > MAX_SECONDS) seconds /= 1000;
	if (!(seconds <= MAX_SECONDS)) return null;
	return seconds > SECONDS_OF_EPOCH ? seconds : undefined;
}

const SAME_SITE: Array<[value: string | undefined, words: string[]]> = [
	['None', ['none', 'no_restriction', '0']],
	['Lax', ['lax', '1']],
	['Strict', ['strict', '2']],
	[undefined, ['unspecified', 'default', '-1']],
];

function sameSite(value: unknown): string | null | undefined {
	const known = SAME_SITE.find(([, words]) => words.includes(wordOf(value)));
	return known ? known[0] : null;
}

/**
 * By the field's name, or by its type in the form. A reader returns undefined for a value to leave out, and null for an invalid
 * one.
 */
const READERS: Record<string, [read: (value: unknown) => unknown, expected: string]> = {
	boolean: [flag, 'true or false'],
	number: [time, 'a time in Unix seconds'],
	options: [sameSite, 'Lax, None, or Strict'],
	partitionKey: [site, 'a site'],
	string: [trimmedText, 'text'],
};

/** Extensions, Playwright, Puppeteer and Chrome use the service's names (contract 2.4). These are the others. */
const OTHER_NAMES = {
	webDriver: { expires: 'expiry' } as Record<string, string>,
	cookiesTxt: ['domain', 'withSubdomains', 'path', 'secure', 'expires', 'name', 'value'],
};

const givenIn = (entry: Record<string, unknown>, name: string): unknown =>
	entry[name] ?? entry[OTHER_NAMES.webDriver[name] ?? name];

const isNameless = (entry: unknown) => isObject(entry) && hasNoValue(givenIn(entry, 'name'));

const ORDINARY_NAME = /^[\w!#$%&'*+.^`|~-]{1,64}$/;

/** Empty if the name may contain a part of the value. */
function cookieNameOf(entry: unknown): string {
	const { name, value } = Object(entry) as { name?: unknown; value?: unknown };
	return typeof name === 'string' && name !== value && ORDINARY_NAME.test(name) ? ` ("${name}")` : '';
}

function readCookie(entry: unknown, index: number): IDataObject {
	const problem = (why: string, step?: string) => unusable(`Cookie ${index + 1}${cookieNameOf(entry)} ${why}`, step);
	if (!isObject(entry)) throw unknownFormat(`Cookie ${index + 1} is not an object`);
	const cookie: IDataObject = { httpOnly: false, secure: false };
	for (const { name, type } of cookieFields) {
		const [read, expected] = READERS[name] ?? READERS[type]!;
		const given = givenIn(entry, name);
		const value = isMissing(given) || (hasNoValue(given) && name !== 'value') ? undefined : read(given);
		if (value === null) throw problem(`cannot be used: ${name} must be ${expected}`);
		if (value !== undefined) cookie[name] = value as string;
	}
	const missing = requiredCookieFields.find(({ name }) => cookie[name] === undefined);
	if (missing) throw problem(`has no ${missing.name}`, 'Add this field to the cookie');
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

function fieldsOfLine(line: string): IDataObject | undefined {
	const columns = OTHER_NAMES.cookiesTxt;
	const parts = line.split('\t');
	// Editors may trim an empty value, and a value may contain tabs.
	const texts = [...parts.slice(0, columns.length - 1), parts.slice(columns.length - 1).join('\t')];
	const { withSubdomains, ...cookie } = Object.fromEntries(columns.map((name, at) => [name, texts[at]])) as IDataObject;
	// Rows from a browser's developer tools have other fields.
	const readings = [flag(withSubdomains), flag(cookie.secure), time(cookie.expires)];
	if (parts.length < columns.length - 1 || readings.includes(null)) return undefined;
	return { ...cookie, hostOnly: !flag(withSubdomains) };
}

function readCookiesTxt(file: string): IDataObject[] {
	const cookies: IDataObject[] = [];
	for (const [index, written] of file.split(/\r\n|\r|\n/).entries()) {
		// Tabs stay, because they separate empty fields.
		const line = written.replace(/^ +/, '');
		const httpOnly = line.startsWith(HTTP_ONLY);
		if (line.trim() === '' || (/^(#|\/\/)/.test(line) && !httpOnly)) continue;
		const fields = fieldsOfLine(httpOnly ? line.slice(HTTP_ONLY.length) : line);
		if (!fields) {
			const is = `line ${index + 1} is not a cookie with its fields separated by tabs`;
			throw unknownFormat(`${LABEL} is neither JSON nor a cookies.txt file: ${is}`);
		}
		cookies.push({ ...fields, httpOnly });
	}
	return cookies;
}

function findList(given: unknown): unknown[] {
	if (isMissing(given)) throw unusable(`${LABEL} is empty`);
	if (typeof given === 'string') return findInText(given.replace(/^\uFEFF/, ''));
	const list = [given, (given as IDataObject).cookies].find(Array.isArray);
	if (list) return list as unknown[];
	throw unknownFormat(`${LABEL} must be a list of cookies, or an object with a list named cookies`);
}

function findInText(written: string): unknown[] {
	if (written.trim() === '') throw unusable(`${LABEL} is empty`);
	if (!/^\s*(["[{]|```|~~~)/.test(written)) return readCookiesTxt(written);
	const { json, problem } = readJson(written);
	if (json === undefined) throw unusable(`${LABEL} is not valid JSON: ${problem}`);
	// A value is text, so a number stays as written.
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
	const cookies = list.flatMap((entry, index) => (isNameless(entry) ? [] : [readCookie(entry, index)]));
	if (cookies.length === 0) throw unknownFormat(`${LABEL} has no cookie with a name`);
	return { cookies, skipped: list.length - cookies.length };
}

/** A byte-order mark may say UTF-16. */
export function decodeText(bytes: Buffer): string {
	const mark = bytes.toString('hex', 0, 2);
	const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
	return new TextDecoder(encoding).decode(bytes);
}

const withOptions = ({ options, ...required }: IDataObject): IDataObject => ({
	...required,
	...(options as IDataObject),
});

async function givenCookies({ context, execution, itemIndex, values }: Call): Promise<unknown> {
	if (values.cookiesFrom === 'binary') {
		const item = inputItems(context)[itemIndex]!;
		const name = values[binaryField.name] as string;
		const file = findFile(item, BINARY_LABEL, name);
		const read = async () => await context.helpers.binaryToBuffer(await contentOf(file, context.helpers));
		return decodeText(await readingFile(BINARY_LABEL, quoted(name), read));
	}
	if (values.cookiesFrom === 'json') return values.cookiesJson;
	const { cookie: stored } = Object(execution.node.parameters.cookies) as { cookie?: IDataObject[] };
	const evaluate = (expression: string): unknown => context.evaluateExpression(expression, itemIndex);
	// Both fields have the same label.
	rejectMissingValues(cookiesJson, stored, evaluate, execution.isTool);
	for (const row of (stored ?? []).map(withOptions))
		for (const field of cookieFields) rejectUnevaluated(field, row[field.name]);
	return (context.getNodeParameter('cookies.cookie', itemIndex, []) as IDataObject[]).map(withOptions);
}

export const setCookiesSteps: OwnSteps = {
	reads: {
		cookiesJson(field, value, stored) {
			rejectUnevaluated(field, stored);
			return value;
		},
	},

	async prepare(call) {
		const { cookies, skipped } = readCookies(await givenCookies(call));
		call.request.body = { cookies, ...(call.request.body as IDataObject) };
		if (skipped > 0) call.notes = { cookies_skipped: skipped };
	},

	secretValues: ({ request }) => (request.body as { cookies: IDataObject[] }).cookies.map(({ value }) => value),

	complete: (items, { notes }) => items.map(({ json }) => ({ json: { ...json, ...notes } })),
};
