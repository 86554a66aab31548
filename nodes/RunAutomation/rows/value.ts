import { isObject } from '../../values/is-object';
import type { ColumnType } from './column';

/** A plain decimal. One such as 1.234 can be read in two ways: the point may group thousands. */
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const AMBIGUOUS = /^-?[1-9]\d{0,2}\.\d{3}$/;

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:Z|[+-](\d\d):?(\d\d))?)?$/;

function numberIn(value: unknown): number | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
	if (typeof value !== 'string') return undefined;
	const text = value.trim();
	if (!DECIMAL.test(text) || AMBIGUOUS.test(text)) return undefined;
	const number = Number(text);
	// Beyond this, digits would be lost.
	return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

function booleanIn(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	return value === 'true' ? true : value === 'false' ? false : undefined;
}

/** A date of ISO 8601 that exists in the calendar, with or without a time, as it was written. */
function dateIn(value: unknown): string | undefined {
	const match = typeof value === 'string' ? DATE.exec(value.trim()) : null;
	if (!match) return undefined;
	const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = match
		.slice(1)
		.map((digits) => Number(digits ?? 0));
	// A day that a month does not have would be one of another month.
	const isInCalendar = new Date(new Date(0).setUTCFullYear(year, month - 1, day)).getUTCMonth() === month - 1;
	const isOnClock = hour < 24 && minute < 60 && second <= 60 && offsetHour < 24 && offsetMinute < 60;
	return isInCalendar && isOnClock ? match[0] : undefined;
}

const READERS: Record<ColumnType, (value: unknown) => unknown> = {
	text: (value) => (typeof value === 'string' ? value : undefined),
	number: numberIn,
	boolean: booleanIn,
	date: dateIn,
	list: (value) => (Array.isArray(value) ? value : undefined),
	object: (value) => (isObject(value) ? value : undefined),
};

/**
 * Reads a value that an agent has written as one of a column's type: a value of that type in JSON, a plain decimal or
 * "true" and "false" as text, and dates only in ISO 8601.
 *
 * @returns the value, or undefined if it does not fit. Null is for the caller
 */
export const readValue = (value: unknown, type: ColumnType): unknown => READERS[type](value);
