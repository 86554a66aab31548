// Finds the list of rows in JSON that is in the form that was asked for, and says what else may have been meant.

import { plain, type Json, type JsonObject } from '../../shared/values/json';
import { isFilledRow } from './empty-rows';
import { ReplyReader } from './in-form';
import { MAX_STRUCTURES, type Cut, type Scanned, type Structure } from './text/scan';
import type { NamedShape, RowsFormat } from '../columns/types';

/** Neighbors with only blanks between them. */
interface Candidate {
	kind: 'rows' | 'list' | 'row';
	/** The beginning of the last of them. */
	start: number;
	end: number;
	part: number;
	lists: Json[][];
}

/** `isNone`: the text has no JSON that may be rows. */
export type FoundRows = { list: Json[]; problem?: undefined } | { list?: undefined; problem: string; isNone: boolean };

const NO_JSON = 'The reply contains no JSON with rows';
const NO_ROWS = 'The JSON in the reply has no list named "rows"';
const SEVERAL = 'The reply contains more than one list of rows';
const INVALID = 'The JSON in the reply is incomplete or invalid';
const CUT_OFF = `${INVALID}: it ends before it is complete`;
const TOO_MANY = `The reply contains more than ${MAX_STRUCTURES} pieces of JSON`;

/** A reply that was cut off where its JSON begins. */
const ENDS_IN_FENCE = /(?:`{3}|~{3})[ \t]*json\w*\s*(?:[{[]\s*)?$/i;

/** Whether an object says only "not_done". */
export const saysOnlyNotDone = (json: Json | undefined): boolean => Object.keys(json ?? {}).join() === 'not_done';

function listIn({ json }: Structure, reader: ReplyReader): { kind?: Candidate['kind']; list: Json[] } {
	if (json === undefined) return { list: [] };
	if (Array.isArray(json)) return { kind: 'list', list: json };
	if (Array.isArray(json.rows)) return { kind: 'rows', list: json.rows };
	return reader.isRow(json) ? { kind: 'row', list: [json] } : { list: [] };
}

/** Whether invalid JSON may be meant as rows. It may end in the name. */
function mayHoldRows(text: string, columns: NamedShape[]): boolean {
	if (/["']?\brows["']?\s*:/.test(text) || /^\[|^\{\s*"?(?:r(?:ow?)?)?$/.test(text)) return true;
	return columns.some(({ name }) => [`"${name}"`, `'${name}'`, `${name}:`].some((key) => text.includes(key)));
}

function candidatesIn({ text, structures }: Scanned, reader: ReplyReader): Candidate[] {
	const candidates: Candidate[] = [];
	for (const structure of structures) {
		const { start, end, part } = structure;
		const { kind, list } = listIn(structure, reader);
		if (kind === undefined) continue;
		const before = candidates.at(-1);
		const isNeighbor = before?.kind === kind && text.slice(before.end, start).trim() === '';
		if (!isNeighbor) candidates.push({ kind, start, end, part, lists: [list] });
		else {
			before.start = start;
			before.end = end;
			if (kind === 'row') before.lists[0]!.push(...list);
			else before.lists.push(list);
		}
	}
	return candidates;
}

const hasDifferent = (lists: Json[][]) => new Set(lists.map((list) => JSON.stringify(list))).size > 1;

function severalIn(text: string, { start }: Candidate): string {
	const line = text.slice(0, start).split('\n').length;
	return `${SEVERAL}: the last one begins in line ${line} of its text`;
}

/** If the last JSON is cut off, earlier rows are not used instead. */
export function findRows(scanned: Scanned, format: RowsFormat, reader = new ReplyReader(format.columns)): FoundRows {
	const { text, structures, hasMore } = scanned;
	if (hasMore) return { problem: TOO_MANY, isNone: false };
	const candidates = candidatesIn(scanned, reader);
	const lastOf = (wanted: Candidate['kind']) => candidates.findLast(({ kind }) => kind === wanted);
	const last = lastOf('rows') ?? (format.isSingle ? undefined : lastOf('list')) ?? candidates.at(-1);
	const [from, names] = last && last.kind !== 'row' ? [last.end, []] : [0, format.columns];
	const invalid = structures.findLast(({ start, end, json, isPlaceholder }) => {
		return start >= from && json === undefined && !isPlaceholder && mayHoldRows(text.slice(start, end), names);
	});
	if (invalid) return { problem: `${INVALID}: ${invalid.problem}`, isNone: false };
	if (ENDS_IN_FENCE.test(text)) return { problem: CUT_OFF, isNone: false };
	if (last) {
		const areRows = last.kind === 'row' && !format.isSingle;
		const { lists } = last;
		const others = areRows ? candidates.filter(({ part }) => part === last.part).flatMap((one) => one.lists) : lists;
		return hasDifferent(others) ? { problem: severalIn(text, last), isNone: false } : { list: lists.at(-1)! };
	}
	const placeholder = structures.findLast(({ isPlaceholder }) => isPlaceholder);
	if (placeholder) return { problem: `${INVALID}: ${placeholder.problem}`, isNone: true };
	const isNone = structures.every(({ json }) => json === undefined || saysOnlyNotDone(json));
	return { problem: isNone ? NO_JSON : NO_ROWS, isNone };
}

/** The rows of a list that was cut off, and the values of the row in which it was. */
function rowsInCut({ path, open, isEnd }: Cut, reader: ReplyReader): { rows: Json[]; last?: Json } {
	const place = open.findIndex(
		(one, index) => Array.isArray(one) && [undefined, 'rows'].includes(path[index - 1] as string),
	);
	const [list, last] = place < 0 ? [(open[0] as { rows?: Json } | undefined)?.rows] : [open[place], open[place + 1]];
	const rows = Array.isArray(list) ? list.map((row) => reader.row(row)) : [];
	return { rows, ...(isEnd && last !== undefined && { last: reader.row(last) }) };
}

/** Compares rows by their columns: a draft may order keys differently. */
class KnownRows {
	private readonly list: string[][];
	private readonly rows: Set<string>;
	/** The values of each column. Only lists that were cut off need them. */
	private values?: Array<Set<string>>;

	constructor(
		list: Json[],
		private readonly columns: NamedShape[],
		private readonly reader: ReplyReader,
	) {
		this.list = list.filter((row) => reader.isRow(row)).map((row) => this.valuesOf(row));
		this.rows = new Set(this.list.map((values) => values.join()));
	}

	private valuesOf(row: JsonObject): string[] {
		return this.columns.map(({ name }) => JSON.stringify(plain(row[name] ?? null)));
	}

	/** The rows that the list does not have. */
	missingFrom(rows: Json[]): string[] {
		const filled = rows.filter((row) => this.reader.isRow(row)).filter((row) => isFilledRow(row, this.columns));
		return filled.map((row) => this.valuesOf(row).join()).filter((row) => !this.rows.has(row));
	}

	/** Whether no row has one of the values. */
	lacks(row: Json | undefined): boolean {
		if (row === undefined || !this.reader.isRow(row)) return false;
		this.values ??= this.columns.map((_, index) => new Set(this.list.map((values) => values[index]!)));
		const known = this.values;
		return this.valuesOf(row).some((value, index) => value !== 'null' && !known[index]!.has(value));
	}
}

/** Why rows of a list that was cut off may be lost: the list that is returned lacks them. */
export function findLost(
	texts: Scanned[],
	list: Json[],
	{ columns }: RowsFormat,
	reader: ReplyReader,
): string | undefined {
	const cut = texts.flatMap(({ structures }) => structures).filter((one) => one.cut && !one.isPlaceholder);
	if (cut.length === 0) return undefined;
	const known = new KnownRows(list, columns, reader);
	const lost = cut.find((one) => {
		const { rows, last } = rowsInCut(one.cut!, reader);
		return known.missingFrom(rows).length > 0 || known.lacks(last);
	});
	return lost && `${INVALID}: ${lost.problem}, and the last list lacks its rows`;
}

/** An agent may write a list for each page. */
export function countLeftOut(
	texts: Scanned[],
	list: Json[],
	{ columns }: RowsFormat,
	reader: ReplyReader,
): string | undefined {
	const all = texts.flatMap(({ structures }) => structures.flatMap((structure) => listIn(structure, reader).list));
	if (all.length === list.length) return undefined;
	const others = new Set(new KnownRows(list, columns, reader).missingFrom(all));
	return others.size ? `Only the last list in the reply is returned. Rows left out: ${others.size}` : undefined;
}
