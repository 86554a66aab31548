// The types of columns, and how JSON values are read as them.

import { decimalOf } from '../../shared/values/decimal';
import { isJsonObject, isKept, Numeral, plain, type Json, type JsonObject } from '../../shared/values/json';
import { parseUrl } from '../../shared/values/url';
import { findName, nameKey, shortenList } from '../../shared/values/text';

/** ISO 8601 dates, and those of databases. */
const DATE =
	/^(\d{4})-(\d\d)-(\d\d)(?:[T\s](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:\s?(?:Z|[+-](\d\d)(?::?(\d\d))?))?)?$/i;

export function decimalIn(json: Json): string | undefined {
	if (json instanceof Numeral) return json.text;
	return typeof json === 'string' ? decimalOf(json) : undefined;
}

function asNumber(json: Json): number | undefined {
	const text = decimalIn(json);
	return text !== undefined && isKept(text) ? Number(text) : undefined;
}

function asInteger(json: Json): number | undefined {
	const number = asNumber(json);
	return Number.isInteger(number) ? number : undefined;
}

function asBoolean(json: Json): boolean | undefined {
	if (typeof json === 'boolean') return json;
	const word = typeof json === 'string' ? json.trim().toLowerCase() : '';
	return word === 'true' ? true : word === 'false' ? false : undefined;
}

function asDate(json: Json): string | undefined {
	const match = typeof json === 'string' ? DATE.exec(json.trim()) : null;
	if (!match) return undefined;
	const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] = match
		.slice(1)
		.map((digits) => Number(digits ?? 0));
	// JavaScript moves February 30 to March.
	const isInCalendar = new Date(new Date(0).setUTCFullYear(year, month - 1, day)).getUTCMonth() === month - 1;
	const isOnClock = hour < 24 && minute < 60 && second <= 60 && offsetHour < 24 && offsetMinute < 60;
	if (!isInCalendar || !isOnClock) return undefined;
	const iso = match[0].replace(/^(.{10})[t\s]/, '$1T').replace(/\s|z/g, (character) => character.trim().toUpperCase());
	return match[7] !== undefined && match[8] === undefined ? `${iso}:00` : iso;
}

// `\s+` would take quadratic time.
const withoutTitle = (target: string) => target.replace(/\s["'][^]*$/, '').trimEnd();

function urlInMarkdown(text: string): string {
	const at = text.indexOf('](');
	const isLink = text.startsWith('[') && text.endsWith(')') && at > 0 && at === text.lastIndexOf('](');
	const target = isLink ? withoutTitle(text.slice(at + 2, -1).trim()) : text;
	return target.startsWith('<') && target.endsWith('>') ? target.slice(1, -1) : target;
}

/** Pages and models leave these characters in URLs. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu;

/** The source of a page has these for `&`, even twice: `&amp;#038;`. */
const AMPERSANDS = /&(?:(?:amp|#0*38|#x0*26);)+/gi;

const isUrl = (text: string): boolean => /^https?:\/\/[^\s<>]+$/i.test(text) && parseUrl(text) !== undefined;

/** `https://https://a` leads to a host named https. */
const HAS_TWO_SCHEMES = /^https?:\/\/+https?(?::(?!\d)|\/\/)/i;

/** Pages shorten long URLs that they show. */
const IS_SHORTENED = /(?:…|\.{3})$|^[^?#]*\/…(?:[/?#]|$)/;

/** Each of several URLs is complete. One URL may contain another: `https://web.archive.org/web/2020/https://a.example`. */
function areSeveralUrls(text: string): boolean {
	const [first = '', ...others] = text.split(/[,;|，；｜、]/);
	return others.length > 0 && !/[/?=&#]https?:/i.test(first.slice('https:/'.length)) && [first, ...others].every(isUrl);
}

/** One complete URL, as written but for invisible characters and a page's entities. */
function asLink(json: Json): string | undefined {
	const url =
		typeof json === 'string' ? urlInMarkdown(json.replace(INVISIBLE, '').replace(AMPERSANDS, '&').trim()) : '';
	const isOne = isUrl(url) && !HAS_TWO_SCHEMES.test(url) && !IS_SHORTENED.test(url) && !areSeveralUrls(url);
	return isOne ? url : undefined;
}

/** An exact choice comes first. The case counts if choices differ only in it. */
function asChoice(json: Json, { choices = [] }: Shape): string | undefined {
	const text = typeof json === 'boolean' ? String(json) : asText(json);
	const known = text === undefined ? undefined : findName(choices, text);
	if (text === undefined || known !== undefined) return known;
	const loosely = (choice: string) => nameKey(choice).toLowerCase();
	const [choice, other] = choices.filter((one) => loosely(one) === loosely(text));
	return other === undefined ? choice : undefined;
}

function asText(json: Json): string | undefined {
	if (json instanceof Numeral) return json.text;
	return typeof json === 'string' ? json : undefined;
}

const asList = (json: Json) => (Array.isArray(json) ? plain(json) : undefined);
const asObject = (json: Json) => (isJsonObject(json) ? plain(json) : undefined);

interface TypeFacts {
	word: string;
	expected: string;
	/** Undefined means an invalid value. Null is never read. */
	read: (json: Json, shape: Shape) => unknown;
}

export const TYPES = {
	any: { word: 'any value', expected: 'any value', read: (json) => plain(json) },
	boolean: { word: 'true or false', expected: 'true or false', read: asBoolean },
	choice: { word: 'one of', expected: 'one of', read: asChoice },
	date: { word: 'date', expected: 'a date in ISO 8601', read: asDate },
	integer: { word: 'whole number', expected: 'a whole number', read: asInteger },
	link: { word: 'full URL with https://', expected: 'a full URL with https://', read: asLink },
	list: { word: 'list', expected: 'a list', read: asList },
	number: { word: 'number', expected: 'a number', read: asNumber },
	object: { word: 'object', expected: 'an object', read: asObject },
	text: { word: 'text', expected: 'text', read: asText },
} satisfies Record<string, TypeFacts>;

export type ColumnType = keyof typeof TYPES;

export function listChoices(choices: string[] | undefined, limit = Infinity): string {
	const quoted = choices?.map((choice) => JSON.stringify(choice));
	return quoted ? ` ${shortenList(quoted, limit).join(', ')}` : '';
}

/** A list without `entry`, or an object without `fields`, may contain anything. */
export interface Shape {
	type: ColumnType;
	choices?: string[];
	entry?: Shape;
	fields?: NamedShape[];
}

export interface NamedShape extends Shape {
	name: string;
	/** The agent gets it with the name. */
	description?: string;
	/** True if null and an empty text are no values. */
	isRequired?: boolean;
}

export interface Column extends NamedShape {
	description: string;
}

export interface RowsFormat {
	columns: Column[];
	isSingle: boolean;
	about?: string;
}

function sampleType(sample: Json): ColumnType {
	if (Array.isArray(sample)) return 'list';
	if (isJsonObject(sample)) return 'object';
	if (sample instanceof Numeral) return 'number';
	if (typeof sample === 'boolean') return 'boolean';
	if (asLink(sample) === sample) return 'link';
	return asDate(sample) === undefined ? 'text' : 'date';
}

/**
 * A null has no type.
 *
 * @param samples of one value, of the entries of its lists, or of a field of its objects
 * @param refuse makes the error of a value without a single type
 */
export function shapeOf(samples: Json[], path: string, refuse: (path: string, what: string) => Error): Shape {
	const given = samples.filter((sample) => sample !== null);
	const [type, ...otherTypes] = new Set(given.map(sampleType));
	if (type === undefined) throw refuse(path, 'no value');
	if (otherTypes.length > 0) throw refuse(path, 'different types');
	if (type === 'list') {
		const entries = given.flat();
		return entries.length ? { type, entry: shapeOf(entries, `${path}[0]`, refuse) } : { type };
	}
	if (type !== 'object') return { type };
	const objects = given as JsonObject[];
	// The check of column names rejects this name.
	const names = new Set(objects.flatMap(Object.keys).filter((name) => name !== '__proto__' || path === ''));
	const fields = [...names].map((name) => {
		const values = objects.filter((object) => Object.hasOwn(object, name)).map((object) => object[name]!);
		return { name, ...shapeOf(values, path ? `${path}.${name}` : name, refuse) };
	});
	return fields.length ? { type, fields } : { type };
}
