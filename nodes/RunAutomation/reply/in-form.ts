// Reads JSON that an agent wrote in another form than the one it was asked for, if it can mean only one thing. Names and places
// change, values never. Everything behind it sees {"rows": [...]}, lists of rows and rows with the names of the columns.

import { isJsonObject, jsonInText, type Json, type JsonObject } from '../../shared/values/json';
import { Names } from '../columns/names';
import type { NamedShape } from '../columns/types';
import type { Scanned, Structure } from './text/scan';

/** The list or object that a text is as a whole, else the value itself. */
export function opened(json: Json, type: 'list' | 'object'): Json {
	if (typeof json !== 'string' || !/^\s*[[{`~]/.test(json)) return json;
	const inner = jsonInText(json);
	const isWanted = inner !== undefined && (type === 'list' ? Array.isArray(inner) : isJsonObject(inner));
	return isWanted ? inner : json;
}

/** The JSON of a reply that is, as a whole, JSON within a JSON text. */
export function openedReply(text: string): string {
	if (!/^\s*(?:(?:`{3}|~{3})\w*\s*)?"/.test(text)) return text;
	const inner = jsonInText(text);
	return typeof inner === 'string' && /^\s*[[{]/.test(inner) ? inner : text;
}

/** Reads all JSON of one reply with its columns. */
export class ReplyReader {
	private readonly names = new Map<NamedShape[], Names>();

	constructor(private readonly columns: NamedShape[]) {}

	/** An object with the names of fields, where only one key fits a field. */
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

	inForm(scanned: Scanned): Scanned {
		const structures = scanned.structures.flatMap((structure): Structure[] => {
			const { json } = structure;
			if (json === undefined) return [structure];
			return this.read(json).map((one) => ({ ...structure, json: one }));
		});
		return { ...scanned, structures };
	}

	/** There are several only if there are several lists of rows. */
	private read(json: JsonObject | Json[]): Array<JsonObject | Json[]> {
		if (Array.isArray(json)) {
			const list = json.map((entry) => this.row(entry));
			return list.some((row) => this.isRow(row)) ? [list] : this.wrapped(json, list);
		}
		const own = this.withRows(json);
		if (own.length > 0) return own;
		const row = this.named(json, this.columns);
		return this.isRow(row) ? [row] : this.wrapped(json, json);
	}

	/** The object with its list of rows as `rows`, once for each such list. */
	private withRows(object: JsonObject): Array<JsonObject & { rows: Json[] }> {
		const isRows = (key: string) => key.trim().toLowerCase() === 'rows';
		const keys = Object.keys(object).filter(isRows);
		const lists = keys.map((key) => opened(object[key]!, 'list')).filter(Array.isArray);
		const rest = lists.length > 0 ? Object.entries(object).filter(([key]) => !isRows(key)) : [];
		return lists.map((list: Json[]) => ({ ...Object.fromEntries(rest), rows: list.map((entry) => this.row(entry)) }));
	}

	private wrapped(json: JsonObject | Json[], instead: JsonObject | Json[]): Array<JsonObject | Json[]> {
		const holders = this.holdersIn(json, true);
		return holders.length > 0 ? holders : [instead];
	}

	/** Objects with a list of rows, at any depth. An empty list counts if nothing else is around it. */
	private holdersIn(written: Json, isAlone: boolean): JsonObject[] {
		const json = opened(written, 'object');
		if (!isJsonObject(json) && !Array.isArray(json)) return [];
		const hasRows = ({ rows }: { rows: Json[] }) =>
			rows.some((row) => this.isRow(row)) || (isAlone && rows.length === 0);
		const holders = isJsonObject(json) ? this.withRows(json).filter(hasRows) : [];
		if (holders.length > 0) return holders;
		const inner = Object.values(json);
		return inner.flatMap((one) => this.holdersIn(one, isAlone && inner.length === 1));
	}
}
