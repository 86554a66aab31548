// Reads a reply's rows, each value by its column's type, and explains each invalid value.

import { counted, shorten, type Excerpt } from '../../shared/values/text';
import { hasTooManyDigits, isJsonObject, Numeral, plain, type Json, type JsonObject } from '../../shared/values/json';
import { isEmpty, isOfDots, rowsOf } from './empty-rows';
import { countLeftOut, findLost, findRows, saysOnlyNotDone, type FoundRows } from './find-rows';
import { ReplyReader, opened, openedReply } from './in-form';
import { notDoneInJson, type NotDone } from './not-done';
import { scan, type Scanned } from './text/scan';
import { decimalIn, listChoices, TYPES, type NamedShape, type RowsFormat, type Shape } from '../columns/types';

export type Row = Record<string, unknown>;

/** These causes have their own advice. */
type Cause = 'digits' | 'required';

export interface ProblemWithoutValue {
	row: number;
	/** Counted from 1; undefined if the problem concerns the row. */
	column?: number;
	/** Part of a sentence, such as "must be a number". */
	kind: string;
}

export interface RowsInReply {
	rows: Row[];
	/** One sentence each, with the quoted value. */
	problems: string[];
	firstProblem?: string;
	/** `firstProblem` without values, for executions under redaction. */
	firstWithoutValue?: ProblemWithoutValue;
	cause?: Cause;
	invalidColumn?: string;
	/** True if the rows stand in an earlier text than the last. */
	isEarlier: boolean;
	/** A sentence that counts missing rows. */
	leftOut?: string;
	missing?: Row[];
	notDone?: NotDone;
	/** True if there are valid rows, or validly none. */
	isUsable: boolean;
}

const MAX_CHOICES = 20;

interface RowProblem {
	what: string;
	kind: string;
	path?: string;
	value?: string;
	cause?: Cause;
}

interface RowProblems {
	problems: RowProblem[];
	reader: ReplyReader;
	quoteValue(json: Json): string;
}

function invalidValue(json: Json, { type, choices }: Shape, path: string, { quoteValue }: RowProblems): RowProblem {
	const number = type === 'number' || type === 'integer' ? decimalIn(json) : undefined;
	const isTooLong = number !== undefined && hasTooManyDigits(number);
	const known = `${TYPES[type].expected}${listChoices(choices, MAX_CHOICES)}`;
	const expected = choices ? `${TYPES[type].expected} ${counted(choices.length, 'choice')}` : known;
	const exactly = 'a number that can be stored exactly';
	return {
		what: `${quoteValue(path)} must be ${isTooLong ? exactly : known}`,
		kind: `must be ${isTooLong ? exactly : expected}`,
		path,
		value: `is ${quoteValue(isTooLong ? new Numeral(number) : json)}`,
		cause: isTooLong ? 'digits' : undefined,
	};
}

const openedAs = (json: Json, { type }: Shape): Json =>
	type === 'list' || type === 'object' ? opened(json, type) : json;

/** Adds problems to `found`. An empty text is a value only as text. */
function readAs(written: Json, shape: Shape, path: string, found: RowProblems): unknown {
	const { type, entry, fields } = shape;
	const json = openedAs(written, shape);
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
	const { problems, reader, quoteValue } = found;
	const object = reader.named(written, fields);
	const unexpected = Object.keys(object).find((key) => !fields.some(({ name }) => name === key));
	const entries = fields.map((field) => {
		const { name, isRequired } = field;
		const path = prefix + name;
		const json = Object.hasOwn(object, name) ? object[name] : undefined;
		if (json === undefined && unexpected !== undefined) {
			problems.push({
				what: `${quoteValue(path)} is missing`,
				kind: 'is missing',
				path,
				value: `there is ${quoteValue(unexpected)}`,
			});
		} else if (isRequired && isEmpty(json ?? null)) {
			const kind = 'is required, but has no value';
			problems.push({ what: `${quoteValue(path)} ${kind}`, kind, path, cause: 'required' });
		} else return [name, readAs(json ?? null, field, path, found)];
		return [name, null];
	});
	return Object.fromEntries(entries) as Row;
}

/** A column in which all rows are invalid may have the wrong type. */
const invalidInAll = (list: Json[], { columns }: RowsFormat): string | undefined =>
	columns.find((column) =>
		list.every((row) => {
			const json = isJsonObject(row) ? (row[column.name] ?? null) : null;
			return !isEmpty(json) && TYPES[column.type].read(openedAs(json, column), column) === undefined;
		}),
	)?.name;

function findLast(texts: Scanned[], format: RowsFormat, reader: ReplyReader): { found: FoundRows; earlier?: Scanned } {
	const all = texts.map((text) => findRows(text, format, reader));
	const place = all.findLastIndex((found) => found.list ?? !found.isNone);
	if (place < 0) return { found: all.at(-1) ?? findRows(scan(''), format) };
	return { found: all[place]!, ...(place < all.length - 1 && { earlier: texts[place] }) };
}

function isReasonOnly({ text, structures: [first] }: Scanned): boolean {
	if (!first || !saysOnlyNotDone(first.json)) return false;
	return /^[\s`~]*(?:json[\s`~]*)?$/i.test(text.slice(0, first.start) + text.slice(first.end));
}

const ONLY_DOTS = 'has only dots, so rows are missing';

function readEach(rows: Array<[number, Json]>, { columns }: RowsFormat, reader: ReplyReader, quote: Excerpt) {
	const quoteValue = (json: Json) => quote(json instanceof Numeral ? json.text : JSON.stringify(plain(json)));
	const valid: Row[] = [];
	const problems: Array<RowProblem & { row: number }> = [];
	for (const [index, source] of rows) {
		const found: RowProblems = { problems: [], reader, quoteValue };
		if (!isJsonObject(source))
			found.problems.push({ what: 'must be an object', kind: 'must be an object', value: `is ${quoteValue(source)}` });
		else if (isOfDots(source)) found.problems.push({ what: ONLY_DOTS, kind: ONLY_DOTS });
		else {
			const row = readFields(source, columns, '', found);
			if (found.problems.length === 0) valid.push(row);
		}
		for (const { what, ...about } of found.problems) {
			problems.push({ ...about, row: index + 1, what: `Row ${index + 1}: ${what}` });
		}
	}
	// Problems that no correction solves come first.
	problems.sort((a, b) => Number(b.cause === 'digits') - Number(a.cause === 'digits'));
	return { valid, problems };
}

function understand(texts: string[], format: RowsFormat) {
	const reader = new ReplyReader(format.columns);
	const scanned = texts.map((text) => reader.inForm(scan(openedReply(text))));
	return { reader, scanned, last: scanned.at(-1), ...findLast(scanned, format, reader) };
}

function withoutValue({ row, path, kind }: RowProblem & { row: number }, { columns }: RowsFormat): ProblemWithoutValue {
	const isIn = (name: string) => path === name || path?.startsWith(`${name}.`) || path?.startsWith(`${name}[`);
	const place = columns.findIndex(({ name }) => isIn(name));
	return { row, kind, column: place >= 0 ? place + 1 : undefined };
}

/** @param texts one for each step */
export function readRows(texts: string[], format: RowsFormat, excerpt: Excerpt = shorten): RowsInReply {
	const { reader, scanned, last, found, earlier } = understand(texts, format);
	const { list } = found;
	const row = list?.length === 1 ? list[0] : undefined;
	const notDone = (last && notDoneInJson(last, row)) ?? (earlier && notDoneInJson(earlier, row));
	const about = { isEarlier: earlier !== undefined, notDone };
	const unusable = (problem: string): RowsInReply => ({ rows: [], problems: [problem], ...about, isUsable: false });
	if (!list) {
		const isComplete = found.isNone && (notDone ?? (last && isReasonOnly(last)));
		return isComplete ? { rows: [], problems: [], ...about, isUsable: true } : unusable(found.problem);
	}
	const lost = findLost(scanned, list, format, reader);
	if (lost) return unusable(lost);
	const sources = rowsOf(list, format.columns, format.isSingle);
	const { length } = sources;
	if (format.isSingle && length > 1) return unusable(`Expected exactly one row, but the reply has ${length}`);

	const { valid: rows, problems } = readEach(sources, format, reader, excerpt);
	const [first] = problems;
	const written = sources.map(([, source]) => source);
	const invalidColumn = rows.length === 0 && length > 0 ? invalidInAll(written, format) : undefined;
	const leftOut = countLeftOut(scanned, list, format, reader);
	return {
		rows,
		problems: problems.map(({ what, value }) => (value ? `${what}, but ${value}` : what)),
		firstProblem: first?.what,
		firstWithoutValue: first && withoutValue(first, format),
		cause: first?.cause,
		invalidColumn,
		leftOut,
		...about,
		isUsable: rows.length > 0 || problems.length === 0,
	};
}

/** An agent may repeat only the rows that it corrected. */
export function asCorrection(read: RowsInReply, before: RowsInReply): RowsInReply {
	const known = new Set(read.rows.map((row) => JSON.stringify(row)));
	const missing = [...before.rows, ...(before.missing ?? [])].filter((row) => !known.has(JSON.stringify(row)));
	const leftOut = `Valid rows that are missing after the correction: ${missing.length}`;
	return missing.length ? { ...read, missing, leftOut } : read;
}

export const emptyColumns = (rows: Row[], { columns }: RowsFormat): string[] =>
	rows.length ? columns.map(({ name }) => name).filter((name) => rows.every((row) => (row[name] ?? '') === '')) : [];
