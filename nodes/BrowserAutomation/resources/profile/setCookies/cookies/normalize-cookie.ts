import { isObject } from '../../../../../values/is-object';

/** A cookie as it is sent. Times are Unix seconds. */
export interface Cookie {
	name: string;
	value: string;
	domain: string;
	path: string;
	httpOnly: boolean;
	expirationDate?: number;
	hostOnly?: boolean;
	secure?: boolean;
	session?: boolean;
	storeId?: string;
	expires?: number;
	partitionKey?: string;
	sameSite?: 'Lax' | 'None' | 'Strict';
}

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
	if (!(seconds <= MAX_SECONDS) || seconds === -Infinity) return new Unusable('must be a time in Unix seconds');
	return seconds > 0 ? seconds : undefined;
};

/** Chrome stores numbers; its extensions write words of their own. */
const SAME_SITE: Record<string, Cookie['sameSite']> = {
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

const REQUIRED: Record<string, Read> = {
	name: optionalText,
	value: text,
	domain: optionalText,
	path: optionalText,
	httpOnly: flag,
};

const OPTIONAL: Record<string, Read> = {
	expirationDate: time,
	hostOnly: flag,
	secure: flag,
	session: flag,
	storeId: optionalText,
	expires: time,
	partitionKey,
	sameSite,
};

/**
 * Brings one cookie into the shape that the service takes, whichever tool has saved it. Fields that the service does not
 * know are left out.
 *
 * @returns the cookie, or the problem, as the end of a sentence that begins with its name; never with a value
 */
export function normalizeCookie(entry: unknown): Cookie | string {
	if (!isObject(entry)) return 'is not an object';
	const cookie: Record<string, unknown> = {};
	for (const [field, read] of Object.entries({ ...REQUIRED, ...OPTIONAL })) {
		const value = read(entry[field]);
		if (value instanceof Unusable) return `cannot be used: ${field} ${value.why}`;
		if (value !== undefined) cookie[field] = value;
		else if (field in REQUIRED) return `has no ${field}`;
	}
	return cookie as unknown as Cookie;
}
