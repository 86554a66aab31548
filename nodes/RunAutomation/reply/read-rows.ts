// Reads a reply's rows, each value by its column's type, and explains each invalid value.

import { counted, shorten, type Excerpt } from '../../shared/values/text';
import {
	hasTooManyDigits,
	isJsonObject,
	readJson,
	Numeral,
	plain,
	type Json,
	type JsonObject,
} from '../../shared/values/json';
import { findRows, type FoundRows } from './find-rows';
import { reasonIn, type NotDone } from './not-done';
import { Names } from '../columns/names';
import { decimalIn, listChoices, TYPES, type NamedShape, type RowsFormat, type Shape } from '../columns/types';

export type Row = Record<string, unknown>;

/** These causes have their own advice. */
type Cause = 'digits' | 'required';

export interface RowsInReply {
	rows: Row[];
	/** One sentence each, with the quoted value. */
	problems: string[];
	cause?: Cause;
	/** True if the rows stand in an earlier text than the last. */
	isEarlier: boolean;
	/** A sentence on missing rows. */
	leftOut?: string;
	missing?: Row[];
	notDone?: NotDone;
	/** True if there are valid rows, or validly none. */
	isUsable: boolean;
}

const MAX_CHOICES = 20;

interface Problem {
	what: string;
	cause?: Cause;
}

const isEmpty = (json: Json): boolean => json === null || (typeof json === 'string' && json.trim() === '');

class RowReader {
	readonly problems: Problem[] = [];
	private readonly names = new Map<NamedShape[], Names>();

	constructor(private readonly quote: Excerpt) {}

	fields(object: JsonObject, fields: NamedShape[], prefix: string): Row {
		const named = this.named(object, fields);
		const unexpected = Object.keys(named).find((key) => !fields.some(({ name }) => name === key));
		return Object.fromEntries(
			fields.map((field) => {
				const path = prefix + field.name;
				const json = Object.hasOwn(named, field.name) ? named[field.name]! : undefined;
				if (json === undefined && unexpected !== undefined) {
					this.add(path, 'is missing', `there is ${this.quoted(unexpected)}`);
				} else if (field.isRequired && isEmpty(json ?? null)) {
					this.problems.push({ what: `${this.quoted(path)} is required, but has no value`, cause: 'required' });
				} else return [field.name, this.value(json ?? null, field, path)];
				return [field.name, null];
			}),
		) as Row;
	}

	add(path: string, what: string, why: string): void {
		this.problems.push({ what: `${this.quoted(path)} ${what}, but ${why}` });
	}

	quoted(json: Json): string {
		return this.quote(json instanceof Numeral ? json.text : JSON.stringify(plain(json)));
	}

	/** A key gets the name of a field that no other key fits. */
	private named(object: JsonObject, fields: NamedShape[]): JsonObject {
		const names = this.names.get(fields) ?? new Names(fields.map(({ name }) => name));
		this.names.set(fields, names);
		const exact = Object.entries(object).map(([key, json]) => [names.find(key) ?? key, json] as const);
		return exact.length === new Set(exact.map(([key]) => key)).size ? Object.fromEntries(exact) : object;
	}

	/** An empty text is a value only as text. */
	private value(written: Json, shape: Shape, path: string): unknown {
		const { type, entry, fields } = shape;
		const isNested = type === 'list' || type === 'object';
		const json = isNested && typeof written === 'string' ? (readJson(written).json ?? written) : written;
		if (json === null || (type !== 'text' && isEmpty(json))) return null;
		if (entry && Array.isArray(json)) {
			return json.map((inner, index) => this.value(inner, entry, `${path}[${index}]`));
		}
		if (fields && isJsonObject(json)) return this.fields(json, fields, `${path}.`);
		const value = TYPES[type].read(json, shape);
		if (value === undefined) this.addInvalid(json, shape, path);
		return value;
	}

	private addInvalid(json: Json, { type, choices }: Shape, path: string): void {
		const number = type === 'number' || type === 'integer' ? decimalIn(json) : undefined;
		if (number !== undefined && hasTooManyDigits(number)) {
			const what = `${this.quoted(path)} must be a number that can be stored exactly, but is ${number}`;
			this.problems.push({ what, cause: 'digits' });
		} else
			this.add(path, `must be ${TYPES[type].expected}${listChoices(choices, MAX_CHOICES)}`, `is ${this.quoted(json)}`);
	}
}

/** Agents fill in the form even if they found nothing. Empty rows among others stay, because rows may match the input's. */
function filledRows(list: Json[], { columns, isSingle }: RowsFormat): Json[] {
	const mayBeEmpty = !isSingle && !columns.some(({ isRequired }) => isRequired);
	const isBlank = (row: Json) => isJsonObject(row) && Object.values(row).every(isEmpty);
	return mayBeEmpty && list.every(isBlank) ? [] : list;
}

function readEach(list: Json[], { columns }: RowsFormat, quote: Excerpt) {
	const rows: Row[] = [];
	const problems: Problem[] = [];
	for (const [index, source] of list.entries()) {
		const reader = new RowReader(quote);
		if (!isJsonObject(source)) reader.problems.push({ what: `must be an object, but is ${reader.quoted(source)}` });
		else {
			const row = reader.fields(source, columns, '');
			if (reader.problems.length === 0) rows.push(row);
		}
		problems.push(...reader.problems.map(({ what, cause }) => ({ what: `Row ${index + 1}: ${what}`, cause })));
	}
	// Problems that no correction solves come first.
	problems.sort((a, b) => Number(b.cause === 'digits') - Number(a.cause === 'digits'));
	return { rows, problems };
}

/** @param texts one for each step */
function findLast(texts: string[], { columns }: RowsFormat): FoundRows & { isEarlier: boolean } {
	const isRow = (json: JsonObject) => columns.some(({ name }) => Object.hasOwn(json, name));
	for (const [index, text] of [...texts.entries()].reverse()) {
		const found = findRows(text, isRow);
		if (found.list ?? found.problem) return { ...found, isEarlier: index < texts.length - 1 };
	}
	return { problem: 'The reply contains no JSON with rows', hasOtherLists: false, isEarlier: false };
}

export function readRows(texts: string[], format: RowsFormat, excerpt: Excerpt = shorten): RowsInReply {
	const { list, holder, problem, hasOtherLists, isEarlier } = findLast(texts, format);
	const notDone = holder && reasonIn(holder.not_done ?? null);
	const unusable = (what: string): RowsInReply => ({ rows: [], problems: [what], isEarlier, notDone, isUsable: false });
	if (!list) return unusable(problem!);
	const sources = filledRows(list, format);
	if (format.isSingle && sources.length > 1)
		return unusable(`Expected exactly one row, but the reply has ${counted(sources.length, 'row')}`);
	const { rows, problems } = readEach(sources, format, excerpt);
	return {
		rows,
		problems: problems.map(({ what }) => what),
		cause: problems[0]?.cause,
		leftOut: hasOtherLists ? 'Only the last list in the reply is returned. Its earlier lists were left out' : undefined,
		isEarlier,
		notDone,
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
