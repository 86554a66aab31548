// Finds the list of rows in JSON of the requested form, or says why there is none.

import { plain, type Json, type JsonObject } from '../../shared/values/json';
import { isFilledRow } from './empty-rows';
import { isRowsName, ReplyReader, type RowsKind } from './in-form';
import { MAX_STRUCTURES, type Cut, type Scanned, type Structure } from './text/scan';
import { TYPES, type NamedShape, type RowsFormat } from '../columns/types';

/** JSON structures of one kind with only blanks between them, which may be the rows. */
interface Candidate {
	kind: RowsKind;
	starts: number[];
	end: number;
	part: number;
	lists: Json[][];
}

/** `isNone` is true if no JSON in the text may be rows. */
export type FoundRows = { list: Json[]; problem?: undefined } | { list?: undefined; problem: string; isNone: boolean };

const NO_JSON = 'The reply contains no JSON with rows';
const NO_ROWS = 'The JSON in the reply has no rows in a list named "rows"';
const SEVERAL = 'The reply contains more than one list of rows';
const INVALID = 'The JSON in the reply is incomplete or invalid';
const CUT_OFF = `${INVALID}: it ends before it is complete`;
const TOO_MANY = `The reply contains more than ${MAX_STRUCTURES} pieces of JSON`;

/** A reply that was cut off where its JSON begins. */
const ENDS_IN_FENCE = /(?:`{3}|~{3})[ \t]*json\w*\s*(?:[{[]\s*)?$/i;

export const saysOnlyNotDone = (json: Json | undefined): boolean => Object.keys(json ?? {}).join() === 'not_done';

function listIn({ json }: Structure, reader: ReplyReader): { kind?: RowsKind; list: Json[] } {
	const kind = json && reader.kindOf(json);
	if (json === undefined || kind === undefined) return { list: [] };
	if (Array.isArray(json)) return { kind, list: json };
	return { kind, list: kind === 'rows' ? (json.rows as Json[]) : [json] };
}

/** True if invalid JSON may be meant as rows. It may end within the name. */
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
		if (!isNeighbor) candidates.push({ kind, starts: [start], end, part, lists: [list] });
		else {
			before.starts.push(start);
			before.end = end;
			if (kind === 'row') before.lists[0]!.push(...list);
			else before.lists.push(list);
		}
	}
	return candidates;
}

const hasDifferent = (lists: Json[][]) => new Set(lists.map((list) => JSON.stringify(list))).size > 1;

function severalIn(text: string, starts: number[]): string {
	const [first, last] = [starts[0], starts.at(-1)].map((start) => text.slice(0, start).split('\n').length);
	return `${SEVERAL}: the first begins in line ${first}, and the last in line ${last} of its text`;
}

/** If the last JSON is cut off, earlier rows are not used instead. */
export function findRows(scanned: Scanned, format: RowsFormat, reader = new ReplyReader(format.columns)): FoundRows {
	const { text, structures, hasMore } = scanned;
	if (hasMore) return { problem: TOO_MANY, isNone: false };
	const candidates = candidatesIn(scanned, reader);
	const lastOf = (wanted: RowsKind) => candidates.findLast(({ kind }) => kind === wanted);
	const last = lastOf('rows') ?? (format.isSingle ? undefined : lastOf('list')) ?? candidates.at(-1);
	const [from, names] = last && last.kind !== 'row' ? [last.end, []] : [0, format.columns];
	const invalid = structures.findLast(({ start, end, json, isPlaceholder }) => {
		return start >= from && json === undefined && !isPlaceholder && mayHoldRows(text.slice(start, end), names);
	});
	if (invalid) return { problem: `${INVALID}: ${invalid.problem}`, isNone: false };
	if (ENDS_IN_FENCE.test(text)) return { problem: CUT_OFF, isNone: false };
	if (last) {
		const areRows = last.kind === 'row' && !format.isSingle;
		const all = areRows ? candidates.filter(({ part }) => part === last.part) : [last];
		return hasDifferent(all.flatMap(({ lists }) => lists))
			? {
					problem: severalIn(
						text,
						all.flatMap(({ starts }) => starts),
					),
					isNone: false,
				}
			: { list: last.lists.at(-1)! };
	}
	const placeholder = structures.findLast(({ isPlaceholder }) => isPlaceholder);
	if (placeholder) return { problem: `${INVALID}: ${placeholder.problem}`, isNone: true };
	const isNone = structures.every(({ json }) => json === undefined || saysOnlyNotDone(json));
	return { problem: isNone ? NO_JSON : NO_ROWS, isNone };
}

interface RowsInCut {
	rows: Json[];
	/** The row at which the list was cut off. */
	last?: Json;
	/** That row's unfinished text, under its name. */
	begun?: Json;
}

function rowsInCut({ path, open, begun, isCut }: Cut, reader: ReplyReader): RowsInCut {
	const place = open.findIndex((one, index) => Array.isArray(one) && isRowsName(String(path[index - 1] ?? 'rows')));
	const [list, last] = place < 0 ? [] : [open[place] as Json[], open[place + 1]];
	const rows = list?.map((row) => reader.row(row)) ?? open.flatMap((one) => reader.rowsIn(one));
	if (!isCut || last === undefined) return { rows };
	const isInRow = begun !== undefined && path.length === place + 2;
	return { rows, last: reader.row(last), ...(isInRow && { begun: reader.row({ [path.at(-1)!]: begun.trimEnd() }) }) };
}

/** Compares rows by column: drafts may order keys differently, and write a number as text. */
class KnownRows {
	private readonly list: string[][];
	private readonly rows: Set<string>;
	/** The values of each column, which only lists that were cut off need. */
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
		return this.columns.map((column) => {
			const json = row[column.name] ?? null;
			return JSON.stringify((json === null ? null : TYPES[column.type].read(json, column)) ?? plain(json));
		});
	}

	missingFrom(rows: Json[]): string[] {
		const filled = rows.filter((row) => this.reader.isRow(row)).filter((row) => isFilledRow(row, this.columns));
		return filled.map((row) => this.valuesOf(row).join()).filter((row) => !this.rows.has(row));
	}

	/** True if no row has a value of the cut-off row, or continues its unfinished text. */
	lacks({ last, begun }: RowsInCut): boolean {
		this.values ??= this.columns.map((_, index) => new Set(this.list.map((values) => values[index]!)));
		const known = this.values;
		const isUnknown = (value: string, index: number) => value !== 'null' && !known[index]!.has(value);
		if (last !== undefined && this.reader.isRow(last) && this.valuesOf(last).some(isUnknown)) return true;
		const [name, text] = Object.entries(begun ?? {})[0] ?? [];
		// A value of another type may be written differently.
		const place = this.columns.findIndex((column) => column.name === name && column.type === 'text');
		const beginning = JSON.stringify(text)?.slice(0, -1);
		return place >= 0 && ![...known[place]!].some((value) => value.startsWith(beginning));
	}
}

/** Rows of a list that was cut off may be lost. */
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
		const inCut = rowsInCut(one.cut!, reader);
		return known.missingFrom(inCut.rows).length > 0 || known.lacks(inCut);
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
