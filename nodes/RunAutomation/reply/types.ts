import { decimalOf } from '../../shared/decimal';
import { isJsonObject, isKept, Numeral, plain, type Json } from '../../shared/json';
import { parseUrl } from '../../shared/url';
import { nameKey, shortenList } from '../../shared/text';

/** ISO 8601, also as databases write it: with a blank before the time and before the offset, and hours alone as the offset. */
const DATE =
	/^(\d{4})-(\d\d)-(\d\d)(?:[T\s](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:\s?(?:Z|[+-](\d\d)(?::?(\d\d))?))?)?$/i;

/** The number in a value as it was written, if any. */
export function decimalIn(json: Json): string | undefined {
	if (json instanceof Numeral) return json.text;
	return typeof json === 'string' ? decimalOf(json) : undefined;
}

function asNumber(json: Json): number | undefined {
	const text = decimalIn(json);
	return text !== undefined && isKept(text) ? Number(text) : undefined;
}

function asBoolean(json: Json): boolean | undefined {
	if (typeof json === 'boolean') return json;
	const word = typeof json === 'string' ? json.trim().toLowerCase() : '';
	return word === 'true' ? true : word === 'false' ? false : undefined;
}

/** A date that exists in the calendar, with or without a time, in ISO 8601. */
function asDate(json: Json): string | undefined {
	const match = typeof json === 'string' ? DATE.exec(json.trim()) : null;
	if (!match) return undefined;
	const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] = match
		.slice(1)
		.map((digits) => Number(digits ?? 0));
	// A day that does not exist would become a day of another month.
	const isInCalendar = new Date(new Date(0).setUTCFullYear(year, month - 1, day)).getUTCMonth() === month - 1;
	const isOnClock = hour < 24 && minute < 60 && second <= 60 && offsetHour < 24 && offsetMinute < 60;
	if (!isInCalendar || !isOnClock) return undefined;
	const iso = match[0].replace(/^(.{10})[t\s]/, '$1T').replace(/\s|z/g, (character) => character.trim().toUpperCase());
	return match[7] !== undefined && match[8] === undefined ? `${iso}:00` : iso;
}

// With `\s+`, the time would grow with the square of the number of spaces.
const withoutTitle = (target: string) => target.replace(/\s["'][^]*$/, '').trimEnd();

/** The URL in a Markdown link, or in angle brackets; otherwise the text itself. */
function urlInMarkdown(text: string): string {
	const at = text.indexOf('](');
	const isLink = text.startsWith('[') && text.endsWith(')') && at > 0 && at === text.lastIndexOf('](');
	const target = isLink ? withoutTitle(text.slice(at + 2, -1).trim()) : text;
	return target.startsWith('<') && target.endsWith('>') ? target.slice(1, -1) : target;
}

/** Characters that pages and models leave in URLs although nobody sees them. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu;

/** An absolute URL with http:// or https://, as it was written, without characters that cannot be seen. */
function asLink(json: Json): string | undefined {
	const url = typeof json === 'string' ? urlInMarkdown(json.replace(INVISIBLE, '').trim()) : '';
	return /^https?:\/\/[^\s<>]+$/i.test(url) && parseUrl(url) ? url : undefined;
}

/** The choice that equals a value exactly, or else as a name in any case. */
function asChoice(json: Json, { choices = [] }: Shape): string | undefined {
	const text = typeof json === 'boolean' ? String(json) : asText(json);
	if (text === undefined || choices.includes(text)) return text;
	const loosely = (choice: string) => nameKey(choice).toLowerCase();
	return choices.find((choice) => loosely(choice) === loosely(text));
}

function asText(json: Json): string | undefined {
	if (json instanceof Numeral) return json.text;
	return typeof json === 'string' ? json : undefined;
}

const asList = (json: Json) => (Array.isArray(json) ? plain(json) : undefined);
const asObject = (json: Json) => (isJsonObject(json) ? plain(json) : undefined);

interface TypeFacts {
	word: string;
	/** The requirement for a value, in a sentence about an invalid value. */
	expected: string;
	/** The value of a column of this type, or undefined if it is invalid. Null is for the caller. */
	read: (json: Json, shape: Shape) => unknown;
}

/** The types of columns, by their values in the form, which names them (form/rows-fields.ts). */
export const TYPES = {
	boolean: { word: 'true or false', expected: 'true or false', read: asBoolean },
	choice: { word: 'one of', expected: 'one of', read: asChoice },
	date: { word: 'date', expected: 'a date in ISO 8601', read: asDate },
	link: { word: 'full URL with https://', expected: 'a full URL with https://', read: asLink },
	list: { word: 'list', expected: 'a list', read: asList },
	number: { word: 'number', expected: 'a number', read: asNumber },
	object: { word: 'object', expected: 'an object', read: asObject },
	text: { word: 'text', expected: 'text', read: asText },
} satisfies Record<string, TypeFacts>;

export type ColumnType = keyof typeof TYPES;

/** The choices of a type, to be appended to its name; empty if it has none. */
export function listChoices(choices: string[] | undefined, limit = Infinity): string {
	const quoted = choices?.map((choice) => JSON.stringify(choice));
	return quoted ? ` ${shortenList(quoted, limit).join(', ')}` : '';
}

/** The required shape of a value. Without `entry` or `fields`, a list or an object may contain anything. */
export interface Shape {
	type: ColumnType;
	/** Of the type `choice`. */
	choices?: string[];
	entry?: Shape;
	fields?: NamedShape[];
}

export interface NamedShape extends Shape {
	name: string;
	/** Whether a value is missing if it is null or an empty text. */
	isRequired?: boolean;
}

export interface Column extends NamedShape {
	/** For the agent; may be empty. */
	description: string;
}

export interface RowsFormat {
	columns: Column[];
	isSingle: boolean;
}

/**
 * The shape of an example: of a list, that of its first entry.
 *
 * @param onNull makes the error for a null, which has no type, from its path
 */
export function shapeOf(json: Json, path: string, onNull: (path: string) => Error): Shape {
	if (json === null) throw onNull(path);
	if (Array.isArray(json)) {
		return json.length ? { type: 'list', entry: shapeOf(json[0] ?? null, `${path}[0]`, onNull) } : { type: 'list' };
	}
	if (isJsonObject(json)) {
		const fields = Object.entries(json)
			.filter(([name]) => name !== '__proto__')
			.map(([name, value]) => ({ name, ...shapeOf(value, `${path}.${name}`, onNull) }));
		return fields.length ? { type: 'object', fields } : { type: 'object' };
	}
	if (json instanceof Numeral) return { type: 'number' };
	if (typeof json === 'boolean') return { type: 'boolean' };
	if (asLink(json) === json) return { type: 'link' };
	return { type: asDate(json) === undefined ? 'text' : 'date' };
}
