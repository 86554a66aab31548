// Reads what an agent wrote as text into the numbers, booleans, dates and links that a column asks for.

import { decimalOf, isKept, Numeral, type Json } from '../../shared/values/json';
import { looseKey } from '../../shared/values/text';
import { parseUrl } from '../../shared/values/url';

/** ISO 8601 dates, and those of databases. */
const DATE =
	/^(\d{4})-(\d\d)-(\d\d)(?:[T\s](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:\s?(?:Z|[+-](\d\d)(?::?(\d\d))?))?)?$/i;

export function decimalIn(json: Json): string | undefined {
	if (json instanceof Numeral) return json.text;
	return typeof json === 'string' ? decimalOf(json) : undefined;
}

export function asNumber(json: Json): number | undefined {
	const text = decimalIn(json);
	return text !== undefined && isKept(text) ? Number(text) : undefined;
}

export function asBoolean(json: Json): boolean | undefined {
	if (typeof json === 'boolean') return json;
	const word = typeof json === 'string' ? json.trim().toLowerCase() : '';
	return word === 'true' ? true : word === 'false' ? false : undefined;
}

export function asDate(json: Json): string | undefined {
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

/** The source of a page has these for `&`. */
const AMPERSANDS = /&(?:amp|#0*38|#x0*26);/gi;

/** Pages shorten long URLs that they show. */
const IS_SHORTENED = /(?:…|\.{3})$/;

/** One complete URL, perhaps in a Markdown link, whose text may have brackets. */
export function asLink(json: Json): string | undefined {
	const text = typeof json === 'string' ? json.trim().replace(AMPERSANDS, '&') : '';
	const start = text.startsWith('[') && text.endsWith(')') ? text.indexOf('](') : -1;
	const target = start < 0 ? text : text.slice(start + 2, -1).replace(/ "[^"]*"$/, '');
	const url = target.replace(/^<([^<>]*)>$/, '$1');
	const isUrl = /^https?:\/\/[^\s<>]+$/i.test(url) && !url.includes('](') && parseUrl(url) !== undefined;
	return isUrl && !IS_SHORTENED.test(url) ? url : undefined;
}

/** An exact choice comes first. */
export function asChoice(json: Json, choices: unknown[]): unknown {
	const text = json instanceof Numeral ? json.text : String(json);
	const key = looseKey(text);
	return choices.find((choice) => choice === text) ?? choices.find((choice) => looseKey(String(choice)) === key);
}
