// Changes JSON into the requested form if it can mean only one thing. Names and places change, values never. The result is
// {"rows": [...]}, lists of rows, and rows with the columns' names.

import { isJsonObject, jsonInText, type Json, type JsonObject } from '../../shared/values/json';
import { Names } from '../columns/names';
import type { NamedShape } from '../columns/types';
import type { Scanned, Structure } from './text/scan';

/** The text must be JSON of this type alone. Any other value stays. */
export function opened(json: Json, type: 'list' | 'object'): Json {
	if (typeof json !== 'string' || !/^\s*[[{`~]/.test(json)) return json;
	const inner = jsonInText(json);
	const isWanted = inner !== undefined && (type === 'list' ? Array.isArray(inner) : isJsonObject(inner));
	return isWanted ? inner : json;
}

/** Opens a reply that is JSON within a JSON text, and nothing else. */
export function openedReply(text: string): string {
	if (!/^\s*(?:(?:`{3}|~{3})\w*\s*)?"/.test(text)) return text;
	const inner = jsonInText(text);
	return typeof inner === 'string' && /^\s*[[{]/.test(inner) ? inner : text;
}

const isContainer = (json: Json): json is JsonObject | Json[] => Array.isArray(json) || isJsonObject(json);

export type RowsKind = 'rows' | 'list' | 'row';

/** @param isAlone true if nothing around the list may be rows */
type AreRows = (rows: Json[], isAlone: boolean) => boolean;

/** Agents may write the name in any case. */
export const isRowsName = (key: string): boolean => key.trim().toLowerCase() === 'rows';

export class ReplyReader {
	private readonly names = new Map<NamedShape[], Names>();

	constructor(private readonly columns: NamedShape[]) {}

	/** A key gets the name of a field that no other key fits. */
	named(object: JsonObject, fields: NamedShape[]): JsonObject {
		const names = this.names.get(fields) ?? new Names(fields.map(({ name }) => name));
		this.names.set(fields, names);
		const keys = Object.keys(object);
		if (keys.every((key) => (names.find(key) ?? key) === key)) return object;
		const count = new Map<string, number>();
		for (const key of keys) {
			const name = names.find(key);
			if (name !== undefined) count.set(name, (count.get(name) ?? 0) + 1);
		}
		const nameOf = (key: string) => {
			const name = names.find(key);
			return name !== undefined && count.get(name) === 1 ? name : key;
		};
		return Object.fromEntries(Object.entries(object).map(([key, value]) => [nameOf(key), value]));
	}

	row(json: Json): Json {
		const object = opened(json, 'object');
		return isJsonObject(object) ? this.named(object, this.columns) : json;
	}

	isRow(json: Json): json is JsonObject {
		return isJsonObject(json) && this.columns.some(({ name }) => Object.hasOwn(json, name));
	}

	/** Undefined if it cannot be rows in the requested form. */
	kindOf(json: JsonObject | Json[]): RowsKind | undefined {
		if (Array.isArray(json)) return 'list';
		if (Array.isArray(json.rows)) return 'rows';
		return this.isRow(json) ? 'row' : undefined;
	}

	/** A list named "rows" without column names counts only if nothing else may be rows. */
	inForm(scanned: Scanned): Scanned {
		const structuresIn = (read: (json: JsonObject | Json[]) => Array<JsonObject | Json[]>) =>
			scanned.structures.flatMap((structure): Structure[] =>
				structure.json === undefined ? [structure] : read(structure.json).map((json) => ({ ...structure, json })),
			);
		const structures = structuresIn((json) => this.read(json));
		const isFound = structures.some(({ json }) => json !== undefined && this.kindOf(json) !== undefined);
		if (isFound) return { ...scanned, structures };
		return { ...scanned, structures: structuresIn((json) => this.wrapped(json, json, (rows) => rows.length > 0)) };
	}

	/** Several values mean several lists of rows. */
	private read(json: JsonObject | Json[]): Array<JsonObject | Json[]> {
		if (Array.isArray(json)) {
			const list = json.map((entry) => this.row(entry));
			return list.some((row) => this.isRow(row)) ? [list] : this.wrapped(json, list);
		}
		const own = this.withRows(json);
		if (own.length > 0) return own;
		const row = this.named(json, this.columns);
		return this.hasPlainValue(row) ? [row] : this.wrapped(json, row);
	}

	/** An object without plain values may only surround a list that is named like a column. */
	private hasPlainValue(row: JsonObject): boolean {
		return this.columns.some(({ name }) => (row[name] ?? null) !== null && !isContainer(row[name]!));
	}

	rowsIn(json: JsonObject | Json[]): Json[] {
		const holders = this.read(json).filter(isJsonObject);
		return holders.flatMap(({ rows }) => (Array.isArray(rows) ? rows : []));
	}

	/** One object for each of its lists, as `rows`. */
	private withRows(object: JsonObject): Array<JsonObject & { rows: Json[] }> {
		const keys = Object.keys(object).filter(isRowsName);
		const lists = keys.map((key) => opened(object[key]!, 'list')).filter(Array.isArray);
		const rest = lists.length > 0 ? Object.entries(object).filter(([key]) => !isRowsName(key)) : [];
		return lists.map((list: Json[]) => ({ ...Object.fromEntries(rest), rows: list.map((entry) => this.row(entry)) }));
	}

	private wrapped(
		json: JsonObject | Json[],
		instead: JsonObject | Json[],
		areRows: AreRows = (rows, isAlone) => rows.some((row) => this.isRow(row)) || (isAlone && rows.length === 0),
	): Array<JsonObject | Json[]> {
		const holders = this.holdersIn(json, true, areRows);
		return holders.length > 0 ? holders : [instead];
	}

	/** The list may be at any depth, and a reason beside it at any. */
	private holdersIn(written: Json, isAlone: boolean, areRows: AreRows): JsonObject[] {
		const json = opened(written, 'object');
		if (!isContainer(json)) return [];
		const holders = isJsonObject(json) ? this.withRows(json).filter(({ rows }) => areRows(rows, isAlone)) : [];
		if (holders.length > 0) return holders;
		const inner = Object.values(json);
		// The entries of a list may be rows themselves.
		const mayHoldRows = inner.filter(
			(one) => Array.isArray(json) || (isContainer(one) && Object.values(one).some(isContainer)),
		);
		const isAloneIn = (one: Json) => isAlone && mayHoldRows.length <= 1 && mayHoldRows.every((other) => other === one);
		const found = inner.flatMap((one) => this.holdersIn(one, isAloneIn(one), areRows));
		const { not_done: reason } = json as JsonObject;
		return reason === undefined ? found : found.map((holder) => ({ not_done: reason, ...holder }));
	}
}
