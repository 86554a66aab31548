import { shorten, type Excerpt } from '../../values';
import { hasTooManyDigits, isJsonObject, Numeral, plain, type Json, type JsonObject } from '../../form/read-json';
import { reasonIn } from './not-done';
import { findJson, NO_JSON, scan, splitNotDone, structuresIn, type FoundJson, type Scanned } from './scan';
import { listChoices, decimalIn, TYPES, type ColumnType, type NamedShape, type RowsFormat, type Shape } from './types';

/** A row with all its columns, in their order. */
export type Row = Record<string, unknown>;

/** What a problem is about: too many digits for a number, a required value, or the type that a value must have. */
type Cause = 'digits' | 'required' | ColumnType;

/** The rows in a reply. */
export interface ReadRows {
	rows: Row[];
	/** What does not fit, one sentence each, naming row and column and quoting the value. */
	problems: string[];
	/** The first of these without the value. */
	withoutValue?: string;
	cause?: Cause;
	/** The column in which every row has a value of another type. */
	invalidColumn?: string;
	/** Whether the JSON is not in the last text, but in an earlier one. */
	isEarlier: boolean;
	/** Tells how many other rows stand elsewhere in the reply. */
	leftOut?: string;
	/** Why the agent could not do its task, as it says beside the rows, or alone at the end. */
	notDone?: string;
	/** Whether the rows that fit can be used alone: not if the reply as a whole cannot be read, or if none of them fits. */
	isUsable: boolean;
}

/** Choices that are named beside a value that is none of them. */
const MAX_CHOICES = 20;

interface RowProblem {
	what: string;
	/** What was written instead. */
	value?: string;
	cause?: Cause;
}

/** What does not fit in a row, and how its sentences quote what the agent wrote. */
interface RowProblems {
	problems: RowProblem[];
	quote(json: Json): string;
}

function misfit(json: Json, { type, choices }: Shape, path: string, { quote }: RowProblems): RowProblem {
	const number = type === 'number' ? decimalIn(json) : undefined;
	if (number !== undefined && hasTooManyDigits(number)) {
		const digits = quote(new Numeral(number));
		return {
			what: `${quote(path)} must have no more digits than a number keeps`,
			value: `is ${digits}`,
			cause: 'digits',
		};
	}
	const expected = `${TYPES[type].expected}${listChoices(choices, MAX_CHOICES)}`;
	return { what: `${quote(path)} must be ${expected}`, value: `is ${quote(json)}`, cause: type };
}

/** The value that was asked for; what does not fit is added to the problems. */
function readAs(json: Json, shape: Shape, path: string, found: RowProblems): unknown {
	const { entry, fields } = shape;
	if (entry && Array.isArray(json)) {
		return json.map((one, index) => (one === null ? null : readAs(one, entry, `${path}[${index}]`, found)));
	}
	if (fields && isJsonObject(json)) return readFields(json, fields, `${path}.`, found);
	const value = TYPES[shape.type].read(json, shape);
	if (value === undefined) found.problems.push(misfit(json, shape, path, found));
	return value;
}

function readFields(object: JsonObject, fields: NamedShape[], prefix: string, found: RowProblems): Row {
	const { problems, quote } = found;
	// A missing field beside one that was not asked for has most likely been given another name.
	const unexpected = Object.keys(object).find((key) => !fields.some(({ name }) => name === key));
	const entries = fields.map((field) => {
		const { name, isRequired } = field;
		const path = prefix + name;
		const isThere = Object.hasOwn(object, name);
		const json = isThere ? object[name] : null;
		const hasNoValue = json === null || (typeof json === 'string' && json.trim() === '');
		if (!isThere && unexpected !== undefined) {
			problems.push({ what: `${quote(path)} is missing`, value: `there is ${quote(unexpected)}` });
		} else if (hasNoValue && isRequired) {
			problems.push({ what: `${quote(path)} is required, but has no value`, cause: 'required' });
		} else if (json !== null) return [name, readAs(json, field, path, found)];
		return [name, null];
	});
	return Object.fromEntries(entries) as Row;
}

/** The list of rows in the JSON of a reply: the one that the task asks for, or else an object with some of the columns. */
function rowListIn(json: JsonObject | Json[], { columns }: RowsFormat): Json[] | undefined {
	if (Array.isArray(json)) return json;
	if (Array.isArray(json.rows)) return json.rows;
	return columns.some(({ name }) => Object.hasOwn(json, name)) ? [json] : undefined;
}

/** Tells of rows that are not among those that count: an agent may have written a list for each page. */
function toldOfOthers(texts: Scanned[], counted: Json[], format: RowsFormat): string | undefined {
	// The only one has been read.
	if (texts.flatMap(({ structures }) => structures).length === 1) return undefined;
	const known = new Set(counted.map((row) => JSON.stringify(row)));
	const isRow = (json: Json) => isJsonObject(json) && format.columns.some(({ name }) => Object.hasOwn(json, name));
	const all = texts.flatMap(structuresIn).flatMap((json) => rowListIn(json, format)?.filter(isRow) ?? []);
	const others = new Set(all.map((row) => JSON.stringify(row)).filter((row) => !known.has(row)));
	return others.size
		? `Rows of the reply that are not returned, because only its last list counts: ${others.size}`
		: undefined;
}

/** The JSON in the last text that has any. One whose JSON is cut off is never replaced by an earlier one. */
function findLast(texts: Scanned[]): FoundJson & { isEarlier: boolean } {
	for (let i = texts.length - 1; i >= 0; i--) {
		const found = findJson(texts[i]);
		if (found.problem !== NO_JSON) return { ...found, isEarlier: i < texts.length - 1 };
	}
	return { problem: NO_JSON, isEarlier: false };
}

/**
 * Reads the rows in the reply of an agent: its texts, one per step.
 *
 * @param cut cuts what is quoted of it, without secrets
 */
export function readRows(texts: string[], format: RowsFormat, cut: Excerpt = shorten): ReadRows {
	const scanned = texts.map(scan);
	const alone = scanned.length ? splitNotDone(scanned.at(-1)!) : undefined;
	const { json, problem, isEarlier } = findLast(alone ? [...scanned.slice(0, -1), alone.rest] : scanned);
	const told = (hasRows: boolean) => {
		const notDone = [alone?.json, json].map((one) => one && reasonIn(one, hasRows)).find(Boolean);
		return { isEarlier, ...(notDone && { notDone }) };
	};
	// What stands alone at the end is the whole reply: it says why there are no rows.
	if (problem === NO_JSON && alone) return { rows: [], problems: [], ...told(false), isUsable: true };
	const unusable = (problem: string): ReadRows => ({ rows: [], problems: [problem], ...told(false), isUsable: false });
	if (problem !== undefined) return unusable(problem);
	const list = rowListIn(json, format);
	if (!list) return unusable('The JSON in the reply has no list named "rows"');
	if (format.isSingle && list.length > 1)
		return unusable(`There must be exactly one row, but there are ${list.length}`);

	const quote = (json: Json) => cut(json instanceof Numeral ? json.text : JSON.stringify(plain(json)));
	const rows: Row[] = [];
	const problems: RowProblem[] = [];
	for (const [index, source] of list.entries()) {
		const found: RowProblems = { problems: [], quote };
		if (isJsonObject(source)) {
			const row = readFields(source, format.columns, '', found);
			if (found.problems.length === 0) rows.push(row);
		} else found.problems.push({ what: 'must be an object', value: `is ${quote(source)}` });
		for (const one of found.problems) problems.push({ ...one, what: `Row ${index + 1}: ${one.what}` });
	}
	const [first] = problems;
	const leftOut = toldOfOthers(scanned, list, format);
	return {
		rows,
		problems: problems.map(({ what, value }) => (value ? `${what}, but ${value}` : what)),
		withoutValue: first?.what,
		...(first?.cause && { cause: first.cause }),
		...(leftOut && { leftOut }),
		...told(rows.length > 0),
		isUsable: rows.length > 0 || problems.length === 0,
	};
}

/** The names of the columns that no row has a value in. */
export const emptyColumns = (rows: Row[], { columns }: RowsFormat): string[] =>
	rows.length ? columns.map(({ name }) => name).filter((name) => rows.every((row) => (row[name] ?? '') === '')) : [];
