import { isJsonObject, plain, type Json, type JsonObject } from '../../shared/values/json';
import { findName } from '../../shared/values/text';
import type { Scanned, Structure } from './scan';
import type { NamedShape, RowsFormat } from '../columns/types';

/** Neighbors with only blanks between them. */
interface Candidate {
	kind: 'rows' | 'list' | 'row';
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

/** A reply that was cut off where its JSON begins. */
const ENDS_IN_FENCE = /(?:`{3}|~{3})[ \t]*json\w*\s*[{[]?\s*$/i;

export function withFieldNames(object: JsonObject, fields: NamedShape[]): JsonObject {
	const names = fields.map(({ name }) => name);
	const nameOf = (key: string) => {
		const name = findName(names, key) ?? key;
		return Object.hasOwn(object, name) ? key : name;
	};
	return Object.fromEntries(Object.entries(object).map(([key, value]) => [nameOf(key), value]));
}

const isRow = (json: Json, columns: NamedShape[]): json is JsonObject =>
	isJsonObject(json) &&
	Object.keys(withFieldNames(json, columns)).some((key) => columns.some(({ name }) => name === key));

/** Whether an object says only "not_done". */
export const saysOnlyNotDone = (json: Json | undefined): boolean => Object.keys(json ?? {}).join() === 'not_done';

function listIn({ json }: Structure, columns: NamedShape[]): { kind?: Candidate['kind']; list: Json[] } {
	if (json === undefined) return { list: [] };
	if (Array.isArray(json)) return { kind: 'list', list: json };
	if (Array.isArray(json.rows)) return { kind: 'rows', list: json.rows };
	return isRow(json, columns) ? { kind: 'row', list: [json] } : { list: [] };
}

/** Whether invalid JSON may be meant as rows. It may end in the name. */
function mayHoldRows(text: string, columns: NamedShape[]): boolean {
	if (/["']?\brows["']?\s*:/.test(text) || /^\[|^\{\s*"?(?:r(?:ow?)?)?$/.test(text)) return true;
	return columns.some(({ name }) => [`"${name}"`, `'${name}'`, `${name}:`].some((key) => text.includes(key)));
}

function candidatesIn({ text, structures }: Scanned, columns: NamedShape[]): Candidate[] {
	const candidates: Candidate[] = [];
	for (const structure of structures) {
		const { start, end, part } = structure;
		const { kind, list } = listIn(structure, columns);
		if (kind === undefined) continue;
		const before = candidates.at(-1);
		const isNeighbor = before?.kind === kind && text.slice(before.end, start).trim() === '';
		if (!isNeighbor) candidates.push({ kind, end, part, lists: [list] });
		else {
			before.end = end;
			if (kind === 'row') before.lists[0]!.push(...list);
			else before.lists.push(list);
		}
	}
	return candidates;
}

const hasDifferent = (lists: Json[][]) => new Set(lists.map((list) => JSON.stringify(list))).size > 1;

/** Nothing replaces JSON that is cut off. */
export function findRows(scanned: Scanned, format: RowsFormat): FoundRows {
	const { text, structures } = scanned;
	const candidates = candidatesIn(scanned, format.columns);
	const lastOf = (wanted: Candidate['kind']) => candidates.findLast(({ kind }) => kind === wanted);
	const last = lastOf('rows') ?? (format.isSingle ? undefined : lastOf('list')) ?? candidates.at(-1);
	const [from, names] = last && last.kind !== 'row' ? [last.end, []] : [0, format.columns];
	const invalid = structures.findLast(({ start, end, json, isPlaceholder }) => {
		return start >= from && json === undefined && !isPlaceholder && mayHoldRows(text.slice(start, end), names);
	});
	if (invalid) return { problem: `${INVALID}: ${invalid.problem}`, isNone: false };
	if (ENDS_IN_FENCE.test(text)) return { problem: `${INVALID}: it ends before it is complete`, isNone: false };
	if (last) {
		const areRows = last.kind === 'row' && !format.isSingle;
		const { lists } = last;
		const others = areRows ? candidates.filter(({ part }) => part === last.part).flatMap((one) => one.lists) : lists;
		return hasDifferent(others) ? { problem: SEVERAL, isNone: false } : { list: lists.at(-1)! };
	}
	const placeholder = structures.findLast(({ isPlaceholder }) => isPlaceholder);
	if (placeholder) return { problem: `${INVALID}: ${placeholder.problem}`, isNone: true };
	const isNone = structures.every(({ json }) => json === undefined || saysOnlyNotDone(json));
	return { problem: isNone ? NO_JSON : NO_ROWS, isNone };
}

/** An agent may write a list for each page. */
export function countLeftOut(texts: Scanned[], counted: Json[], { columns }: RowsFormat): string | undefined {
	const all = texts.flatMap(({ structures }) => structures);
	// A draft may order keys differently.
	const contentsOf = (list: Json[]) =>
		list
			.filter((row) => isRow(row, columns))
			.map((row) => withFieldNames(row, columns))
			.map((row) => JSON.stringify(columns.map(({ name }) => plain(row[name] ?? null))));
	const others = new Set(all.flatMap((structure) => contentsOf(listIn(structure, columns).list)));
	for (const known of contentsOf(counted)) others.delete(known);
	return others.size ? `Only the last list in the reply is returned. Rows left out: ${others.size}` : undefined;
}
