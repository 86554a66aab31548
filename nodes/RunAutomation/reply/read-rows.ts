import { shorten, type Excerpt } from '../../shared/text';
import { hasTooManyDigits, isJsonObject, Numeral, plain, type Json, type JsonObject } from '../../shared/json';
import { countLeftOut, findRows, isReason, withFieldNames, type FoundRows } from './find-rows';
import { findNotDone, type NotDone } from './not-done';
import { scan, type Scanned } from './scan';
import { decimalIn, listChoices, TYPES, type NamedShape, type RowsFormat, type Shape } from './types';

/** A row with all its columns, in their order. */
export type Row = Record<string, unknown>;

/** The cause of a problem that needs its own advice: too many digits for a number, or no value. */
type Cause = 'digits' | 'required';

/** The rows in a reply. */
export interface ReadRows {
	rows: Row[];
	/** Invalid values, one sentence each, with row, column and the quoted value. */
	problems: string[];
	/** The first of these sentences without the value. */
	withoutValue?: string;
	cause?: Cause;
	/** The column in which every row has a value of another type. */
	invalidColumn?: string;
	/** Whether the JSON is not in the last text, but in an earlier one. */
	isEarlier: boolean;
	/** A sentence with the number of rows that are missing in the last list, if any. */
	leftOut?: string;
	/** Valid rows of earlier replies that are missing after a correction. */
	missing?: Row[];
	/** Why the agent could not do its task, if it reported a reason. */
	notDone?: NotDone;
	/** Whether the valid rows can be used alone: not if the reply as a whole cannot be read, or if no row is valid. */
	isUsable: boolean;
}

/** Choices that are listed for an invalid value. */
const MAX_CHOICES = 20;

interface RowProblem {
	what: string;
	/** The value in the reply. */
	value?: string;
	cause?: Cause;
}

/** The invalid values of a row, and the function that quotes them. */
interface RowProblems {
	problems: RowProblem[];
	quoteValue(json: Json): string;
}

function invalidValue(json: Json, { type, choices }: Shape, path: string, { quoteValue }: RowProblems): RowProblem {
	const number = type === 'number' ? decimalIn(json) : undefined;
	if (number !== undefined && hasTooManyDigits(number)) {
		const digits = quoteValue(new Numeral(number));
		return {
			what: `${quoteValue(path)} must be a number that can be stored exactly`,
			value: `is ${digits}`,
			cause: 'digits',
		};
	}
	const expected = `${TYPES[type].expected}${listChoices(choices, MAX_CHOICES)}`;
	return { what: `${quoteValue(path)} must be ${expected}`, value: `is ${quoteValue(json)}` };
}

const isEmpty = (json: Json): boolean => json === null || (typeof json === 'string' && json.trim() === '');

/** The value in its type, or null for no value; an invalid value is added to the problems. An empty text is a value only as text. */
function readAs(json: Json, shape: Shape, path: string, found: RowProblems): unknown {
	const { type, entry, fields } = shape;
	if (json === null || (type !== 'text' && isEmpty(json))) return null;
	if (entry && Array.isArray(json)) {
		return json.map((inner, index) => readAs(inner, entry, `${path}[${index}]`, found));
	}
	if (fields && isJsonObject(json)) return readFields(json, fields, `${path}.`, found);
	const value = TYPES[type].read(json, shape);
	if (value === undefined) found.problems.push(invalidValue(json, shape, path, found));
	return value;
}

function readFields(written: JsonObject, fields: NamedShape[], prefix: string, found: RowProblems): Row {
	const { problems, quoteValue } = found;
	const object = withFieldNames(written, fields);
	// A missing field beside an unexpected field most likely has another name.
	const unexpected = Object.keys(object).find((key) => !fields.some(({ name }) => name === key));
	const entries = fields.map((field) => {
		const { name, isRequired } = field;
		const path = prefix + name;
		const isThere = Object.hasOwn(object, name);
		const json = (isThere ? object[name] : null) ?? null;
		if (!isThere && unexpected !== undefined) {
			problems.push({ what: `${quoteValue(path)} is missing`, value: `there is ${quoteValue(unexpected)}` });
		} else if (isRequired && isEmpty(json)) {
			problems.push({ what: `${quoteValue(path)} is required, but has no value`, cause: 'required' });
		} else return [name, readAs(json, field, path, found)];
		return [name, null];
	});
	return Object.fromEntries(entries) as Row;
}

/** The column in which every row has a value of another type: its type may be wrong, not the rows. */
const invalidInAll = (list: Json[], { columns }: RowsFormat): string | undefined =>
	columns.find((column) =>
		list.every((row) => {
			const json = isJsonObject(row) ? (withFieldNames(row, columns)[column.name] ?? null) : null;
			return !isEmpty(json) && TYPES[column.type].read(json, column) === undefined;
		}),
	)?.name;

/** The rows in the last text that has JSON, and whether that is an earlier one. */
function findLast(texts: Scanned[], format: RowsFormat): { found: FoundRows; earlier?: Scanned } {
	const all = texts.map((text) => findRows(text, format));
	const place = all.findLastIndex((found) => found.list ?? !found.isNone);
	if (place < 0) return { found: all.at(-1) ?? findRows(scan(''), format) };
	return { found: all[place]!, ...(place < all.length - 1 && { earlier: texts[place] }) };
}

/** Whether a text is an object that contains only a reason, in a code fence or without one. */
function isReasonOnly({ text, structures: [first] }: Scanned): boolean {
	if (!first || !isReason(first.json)) return false;
	return /^[\s`~]*(?:json)?[\s`~]*$/i.test(text.slice(0, first.start) + text.slice(first.end));
}

/**
 * Reads the rows in the reply of an agent: its texts, one per step.
 *
 * @param excerpt shortens quotes, and masks secrets in them
 */
export function readRows(texts: string[], format: RowsFormat, excerpt: Excerpt = shorten): ReadRows {
	const scanned = texts.map(scan);
	const last = scanned.at(-1);
	const { found, earlier } = findLast(scanned, format);
	const { list } = found;
	const row = list?.length === 1 ? list[0] : undefined;
	const notDone = (last && findNotDone(last, row)) ?? (earlier && findNotDone(earlier, row));
	const about = { isEarlier: earlier !== undefined, ...(notDone && { notDone }) };
	const unusable = (problem: string): ReadRows => ({ rows: [], problems: [problem], ...about, isUsable: false });
	if (!list) {
		// A reason instead of rows is the complete reply; the reason "none" only if there is nothing else, such as a table.
		const isComplete = found.isNone && (notDone ?? (last && isReasonOnly(last)));
		return isComplete ? { rows: [], problems: [], ...about, isUsable: true } : unusable(found.problem);
	}
	if (format.isSingle && list.length > 1) return unusable(`Expected exactly one row, but the reply has ${list.length}`);

	const quoteValue = (json: Json) => excerpt(json instanceof Numeral ? json.text : JSON.stringify(plain(json)));
	const rows: Row[] = [];
	const problems: RowProblem[] = [];
	for (const [index, source] of list.entries()) {
		const found: RowProblems = { problems: [], quoteValue };
		if (isJsonObject(source)) {
			const row = readFields(source, format.columns, '', found);
			if (found.problems.length === 0) rows.push(row);
		} else found.problems.push({ what: 'must be an object', value: `is ${quoteValue(source)}` });
		for (const { what, ...about } of found.problems) problems.push({ ...about, what: `Row ${index + 1}: ${what}` });
	}
	// A problem that no correction solves comes first: its advice is about its column.
	const [first] = problems.sort((a, b) => Number(b.cause === 'digits') - Number(a.cause === 'digits'));
	const invalidColumn = rows.length === 0 && list.length > 0 ? invalidInAll(list, format) : undefined;
	const leftOut = countLeftOut(scanned, list, format);
	return {
		rows,
		problems: problems.map(({ what, value }) => (value ? `${what}, but ${value}` : what)),
		withoutValue: first?.what,
		...(first?.cause && { cause: first.cause }),
		...(invalidColumn !== undefined && { invalidColumn }),
		...(leftOut && { leftOut }),
		...about,
		isUsable: rows.length > 0 || problems.length === 0,
	};
}

/** The rows of a corrected reply, and how many valid rows before it are missing: an agent may repeat only what it corrected. */
export function asCorrection(read: ReadRows, before: ReadRows): ReadRows {
	const known = new Set(read.rows.map((row) => JSON.stringify(row)));
	const missing = [...before.rows, ...(before.missing ?? [])].filter((row) => !known.has(JSON.stringify(row)));
	const leftOut = `Valid rows that are missing after the correction: ${missing.length}`;
	return missing.length ? { ...read, missing, leftOut } : read;
}

/** The names of the columns that no row has a value in. */
export const emptyColumns = (rows: Row[], { columns }: RowsFormat): string[] =>
	rows.length ? columns.map(({ name }) => name).filter((name) => rows.every((row) => (row[name] ?? '') === '')) : [];
