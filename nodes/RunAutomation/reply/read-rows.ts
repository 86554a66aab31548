// Reads a reply's rows: each value as the type that its schema asks for, and then validates each row.

import { validate, type OutputUnit } from '@cfworker/json-schema';

import { counted, nameKey, shorten, type Excerpt } from '../../shared/values/text';
import {
	hasTooManyDigits,
	isJsonObject,
	Numeral,
	plain,
	readJson,
	type Json,
	type JsonObject,
} from '../../shared/values/json';
import { findRows, type FoundRows } from './find-rows';
import { reasonIn, type NotDone } from './not-done';
import { asBoolean, asChoice, asDate, asLink, asNumber, decimalIn } from '../columns/leaves';
import { viewOf, type Lookup, type RowsFormat, type View } from '../columns/schema';

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
	notDone?: NotDone;
	/** True if there are valid rows, or validly none. */
	isUsable: boolean;
}

const isEmpty = (json: unknown): boolean => json === null || (typeof json === 'string' && json.trim() === '');

/** Agents write `unitPrice` or `Unit Price` for `unit_price`. */
const looseName = (name: string): string =>
	nameKey(name)
		.toLowerCase()
		.replace(/[\s_-]/g, '');

/** A key gets the name of the property that it means, unless another key has it. */
function named(object: JsonObject, names: string[]): JsonObject {
	if (Object.keys(object).every((key) => names.includes(key))) return object;
	const meant = new Map(names.map((name) => [looseName(name), name]));
	const nameOf = (key: string) => {
		const name = meant.get(looseName(key)) ?? key;
		return Object.hasOwn(object, name) ? key : name;
	};
	return Object.fromEntries(Object.entries(object).map(([key, json]) => [nameOf(key), json]));
}

/** Reads values without judging them: what has another type stays, and is invalid. */
class ValueReader {
	private readonly views = new Map<unknown, View>();

	constructor(private readonly lookup: Lookup) {}

	private viewOf(schema: unknown): View {
		const view = this.views.get(schema) ?? viewOf(schema, this.lookup);
		this.views.set(schema, view);
		return view;
	}

	/** Undefined means no value: null and an empty text, unless the schema allows them. */
	read(written: Json, schema: unknown): unknown {
		const { types, choices, format, isNullable, ...inner } = this.viewOf(schema);
		const isText = types.includes('string') && format === undefined && choices.length === 0;
		if (written === null || (isEmpty(written) && !isText)) return isNullable ? null : undefined;
		const json = typeof written === 'string' && !types.includes('string') ? this.opened(written, types) : written;
		if (Array.isArray(json)) return json.map((entry) => this.read(entry, inner.items) ?? null);
		if (isJsonObject(json)) return this.object(json, inner.properties);
		return this.leaf(json, { types, choices, format }) ?? plain(json);
	}

	/** Agents write a list or an object as JSON in a text. */
	private opened(text: string, types: string[]): Json {
		const { json } = types.includes('array') || types.includes('object') ? readJson(text) : {};
		return json ?? text;
	}

	object(json: JsonObject, properties: View['properties']): Row {
		const names = Object.keys(properties);
		if (names.length === 0) return plain(json) as Row;
		const known = named(json, names);
		const entries = names
			.filter((name) => Object.hasOwn(known, name))
			.map((name) => [name, this.read(known[name]!, properties[name])])
			.filter(([, value]) => value !== undefined);
		return Object.fromEntries(entries) as Row;
	}

	private leaf(json: Json, { types, choices, format }: Pick<View, 'choices' | 'format' | 'types'>): unknown {
		const mayBe = (...names: string[]) => names.some((name) => types.includes(name));
		if (choices.length > 0) return asChoice(json, choices);
		if (mayBe('string')) {
			if (format === 'uri') return asLink(json);
			if (format === 'date' || format === 'date-time') return asDate(json);
			return json instanceof Numeral && !mayBe('number', 'integer') ? json.text : undefined;
		}
		return (
			(mayBe('number', 'integer') ? asNumber(json) : undefined) ?? (mayBe('boolean') ? asBoolean(json) : undefined)
		);
	}
}

/** The errors inside say more than these. */
const OUTER = ['$ref', 'additionalProperties', 'allOf', 'items', 'prefixItems', 'properties'];

interface Problem {
	what: string;
	cause?: Cause;
}

const MAX_PROBLEMS_OF_ROW = 20;

/** `#/offers/0/price` is `offers[0].price`. */
const pathOf = (location: string): string =>
	location
		.split('/')
		.slice(1)
		.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
		.reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path ? `${path}.${step}` : step), '');

function problemOf({ instanceLocation, keyword, error }: OutputUnit, row: Row, quote: Excerpt): Problem {
	const path = pathOf(instanceLocation);
	if (keyword === 'required') {
		const [, name = ''] = /"([^]*)"/.exec(error) ?? [];
		return {
			what: `${quote(JSON.stringify(path ? `${path}.${name}` : name))} is required, but has no value`,
			cause: 'required',
		};
	}
	const value = instanceLocation
		.split('/')
		.slice(1)
		.reduce<unknown>((inner, step) => Object(inner)[decodeURIComponent(step)] as unknown, row);
	const number = typeof value === 'string' && keyword === 'type' ? decimalIn(value) : undefined;
	const cause = number !== undefined && hasTooManyDigits(number) ? 'digits' : undefined;
	return {
		what: `${quote(JSON.stringify(path))} is ${quote(JSON.stringify(value ?? null))}. ${error.replace(/\.$/, '')}`,
		cause,
	};
}

function problemsOf(row: Row, { schema, draft, lookup }: RowsFormat, quote: Excerpt): Problem[] {
	const { valid, errors } = validate(row, schema, draft, lookup, false);
	if (valid) return [];
	const inner = errors.filter(({ keyword }) => !OUTER.includes(keyword));
	return inner.slice(0, MAX_PROBLEMS_OF_ROW).map((error) => problemOf(error, row, quote));
}

/** Another key may be meant instead of one that is missing. */
function otherKeyIn(source: JsonObject, { columns }: RowsFormat, quote: Excerpt): Problem[] {
	const keys = Object.keys(named(source, columns));
	const missing = columns.find((name) => !keys.includes(name));
	const other = keys.find((key) => !columns.includes(key));
	if (missing === undefined || other === undefined) return [];
	return [{ what: `${quote(JSON.stringify(missing))} is missing, but there is ${quote(JSON.stringify(other))}` }];
}

/** Agents fill in the form even if they found nothing. Empty rows among others stay, because rows may match the input's. */
function filledRows(list: Json[], { schema, isSingle }: RowsFormat): Json[] {
	const hasNothing = (json: Json) => isEmpty(json) || (typeof json === 'object' && Object.keys(json!).length === 0);
	const isBlank = (row: Json) => isJsonObject(row) && Object.values(row).every(hasNothing);
	return !isSingle && !schema.required?.length && list.every(isBlank) ? [] : list;
}

function readEach(list: Json[], format: RowsFormat, quote: Excerpt) {
	const reader = new ValueReader(format.lookup);
	const { properties } = viewOf(format.schema, format.lookup);
	const noValues = Object.fromEntries(format.columns.map((name) => [name, null]));
	const rows: Row[] = [];
	const problems: Problem[] = [];
	for (const [index, source] of list.entries()) {
		const row = isJsonObject(source) ? reader.object(source, properties) : undefined;
		for (const name of format.schema.required ?? [])
			if (row?.[name] !== null && isEmpty(row?.[name])) delete row![name];
		const found = row
			? [...otherKeyIn(source as JsonObject, format, quote), ...problemsOf(row, format, quote)]
			: [{ what: `must be an object, but is ${quote(JSON.stringify(plain(source)))}` }];
		if (row && found.length === 0) rows.push({ ...noValues, ...row });
		problems.push(...found.map(({ what, cause }: Problem) => ({ what: `Row ${index + 1}: ${what}`, cause })));
	}
	return { rows, problems };
}

/** @param texts one for each step */
function findLast(texts: string[], { columns }: RowsFormat): FoundRows & { isEarlier: boolean } {
	const isRow = (json: JsonObject) => columns.some((name) => Object.hasOwn(json, name));
	for (const [index, text] of [...texts.entries()].reverse()) {
		const found = findRows(text, isRow);
		if (!found.list && found.problem === undefined) continue;
		const isInEarlier = texts.slice(0, index).some((earlier) => {
			const { list, problem } = findRows(earlier, isRow);
			return problem !== undefined || (list?.length ?? 0) > 0;
		});
		return { ...found, hasOtherLists: found.hasOtherLists || isInEarlier, isEarlier: index < texts.length - 1 };
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
		leftOut: hasOtherLists ? 'Only the last list of rows in the reply is returned. Others were left out' : undefined,
		isEarlier,
		notDone,
		isUsable: rows.length > 0 || problems.length === 0,
	};
}

export const emptyColumns = (rows: Row[], { columns }: RowsFormat): string[] =>
	rows.length ? columns.filter((name) => rows.every((row) => (row[name] ?? '') === '')) : [];
