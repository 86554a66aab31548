import { isObject } from '../../values/is-object';
import { shorten } from '../../values/shorten';
import type { Column, ColumnType, RowsFormat } from './column';
import { findJson } from './find-json';
import { readValue } from './value';

/** A row with all its columns, in their order. */
export type Row = Record<string, unknown>;

/** The rows in a reply. */
export interface ReadRows {
	/** Those that fit. */
	rows: Row[];
	/** What does not fit, one sentence each, naming row and column and quoting the value. */
	problems: string[];
	/** Whether the rows that fit can be used alone: not if the reply as a whole cannot be read, or if none of them fits. */
	isUsable: boolean;
}

const EXPECTED: Record<ColumnType, string> = {
	text: 'text',
	number: 'a number',
	boolean: 'true or false',
	date: 'a date in ISO 8601',
	list: 'a list',
	object: 'an object',
};

const quote = (value: unknown) => shorten(JSON.stringify(value));

/** The list of rows in the JSON of a reply. An object with the columns is itself a row. */
function listOf(json: Record<string, unknown> | unknown[], columns: Column[]): unknown[] | undefined {
	if (Array.isArray(json)) return json;
	const isRow = columns.some(({ name }) => name !== 'rows' && Object.hasOwn(json, name));
	if (Array.isArray(json.rows) && !isRow) return json.rows;
	return isRow ? [json] : undefined;
}

/** The value of one column, or what is wrong with it. */
function readCell(source: Record<string, unknown>, { name, type, isRequired }: Column, strangers: string[]) {
	const value = Object.hasOwn(source, name) ? source[name] : undefined;
	if (value === undefined && strangers.length) {
		return { problem: `${quote(name)} is missing, but there is ${quote(strangers[0])}` };
	}
	if (value === undefined || value === null) {
		return isRequired ? { problem: `${quote(name)} is required, but has no value` } : { value: null };
	}
	const read = readValue(value, type);
	return read === undefined
		? { problem: `${quote(name)} must be ${EXPECTED[type]}, but is ${quote(value)}` }
		: { value: read };
}

function readRow(source: unknown, columns: Column[]): { row: Row; problems: string[] } {
	if (!isObject(source)) return { row: {}, problems: [`must be an object, but is ${quote(source)}`] };
	const row: Row = {};
	const problems: string[] = [];
	// A missing column beside a key that was not asked for has most likely been given another name.
	const strangers = Object.keys(source).filter((key) => !columns.some(({ name }) => name === key));
	for (const column of columns) {
		const { value, problem } = readCell(source, column, strangers);
		if (problem === undefined) row[column.name] = value;
		else problems.push(problem);
	}
	return { row, problems };
}

/** Reads the rows in the reply of an agent. */
export function readRows(text: string, { columns, isSingle }: RowsFormat): ReadRows {
	const unusable = (problem: string): ReadRows => ({ rows: [], problems: [problem], isUsable: false });
	const { json, problem } = findJson(text);
	if (problem !== undefined) return unusable(problem);
	const list = listOf(json, columns);
	if (!list) return unusable('The JSON in the reply has no list named "rows"');
	if (isSingle && list.length > 1) return unusable(`There must be exactly one row, but there are ${list.length}`);

	const rows: Row[] = [];
	const problems: string[] = [];
	for (const [index, source] of list.entries()) {
		const read = readRow(source, columns);
		if (read.problems.length === 0) rows.push(read.row);
		problems.push(...read.problems.map((text) => `Row ${index + 1}: ${text}`));
	}
	return { rows, problems, isUsable: rows.length > 0 || problems.length === 0 };
}
