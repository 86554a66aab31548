// Finds the rows in an agent's text, reads each value as the type that its schema asks for, and validates each row.

import { validate } from '@cfworker/json-schema';

import { Secrets } from '../../shared/mask/secrets';
import { counted, nameKey } from '../../shared/values/text';
import {
	CUT,
	hasTooManyDigits,
	isJsonObject,
	MAX_JSON_DEPTH,
	Numeral,
	plain,
	readJson,
	readJsonStart,
	type Json,
	type JsonObject,
} from '../../shared/values/json';
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

interface FoundRows {
	list?: Json[];
	/** The object around the list, which may report why the task is not done. */
	holder?: JsonObject;
	/** Why there is no list; undefined if the text has nothing like rows. */
	problem?: string;
	/** True if the text has other lists of rows, too. */
	hasOtherLists: boolean;
}

const REQUESTED = /\{\s*"rows"\s*:/g;
const REASON = /\{\s*"not_done"\s*:/g;

/** What is read back from the end of a text: each attempt may read all of it. */
const MAX_ATTEMPTS = 5;

/** What agents may write instead: lists of rows, or rows. */
const OTHER = /\[\s*(?:\{|\]\s*$)|\{\s*"/g;

/** A row may add a value, a list and an object. */
const MAX_REPLY_DEPTH = MAX_JSON_DEPTH + 3;

function listIn(json: Json, columns: string[]): Json[] | undefined {
	if (Array.isArray(json)) return json;
	if (!isJsonObject(json)) return undefined;
	if (Array.isArray(json.rows)) return json.rows;
	if (columns.some((name) => Object.hasOwn(json, name))) return [json];
	return json.not_done === undefined ? undefined : [];
}

const startsOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(({ index }) => index);

const reportsReason = (json: Json | undefined): json is JsonObject =>
	json !== undefined && isJsonObject(json) && json.not_done != null;

interface Value {
	json?: Json;
	problem?: string;
	end: number;
}

/** The last place where a value is valid, or else the problem of the last one. One that is cut off replaces those before it. */
function lastValid(text: string, starts: number[]): Value {
	const read = starts.slice(-MAX_ATTEMPTS).map((start): Value => {
		const { end, ...value } = readJsonStart(text.slice(start), MAX_REPLY_DEPTH);
		return { ...value, end: start + end };
	});
	const last = read.at(-1);
	if (last?.problem === CUT) return last;
	return read.findLast(({ json }) => json !== undefined) ?? last ?? { end: 0 };
}

const INVALID = 'The JSON in the reply is incomplete or invalid: ';
const NO_LIST = 'The JSON in the reply has no rows in a list named "rows"';

/** Rows may be JSON lines. Of other lists, the last one counts. */
function findOthers(text: string, columns: string[]): FoundRows {
	let found: FoundRows = { hasOtherLists: false };
	let holder: JsonObject | undefined;
	let end = 0;
	OTHER.lastIndex = 0;
	for (let match = OTHER.exec(text); match; match = OTHER.exec(text)) {
		const between = text.slice(end, match.index).trim();
		const { json, problem, end: length } = readJsonStart(text.slice(match.index), MAX_REPLY_DEPTH);
		if (json === undefined) return { problem: INVALID + problem, hasOtherLists: false };
		OTHER.lastIndex = end = match.index + length;
		if (reportsReason(json)) holder = json;
		const list = listIn(json, columns);
		if (!list) found = { problem: NO_LIST, ...found };
		else if (!found.list || !/^,?$/.test(between)) found = { list: [...list], hasOtherLists: found.list !== undefined };
		else if (between || Array.isArray(json)) return { problem: NO_LIST, hasOtherLists: false };
		else found.list.push(...list);
	}
	return { ...found, ...(holder && { holder }) };
}

/** @param columns an object with one of these is a row, even alone */
export function findRows(text: string, columns: string[]): FoundRows {
	const requested = startsOf(text, REQUESTED);
	const reasons = startsOf(text, REASON);
	const starts = requested.length > 0 ? requested : reasons;
	if (starts.length === 0) return findOthers(text, columns);
	const { json, problem, end } = lastValid(text, starts);
	const behind = findOthers(text.slice(end), columns).list ?? [];
	const hasOtherLists = requested.length > 1 || behind.length > 0;
	if (json === undefined) return { problem: INVALID + problem, hasOtherLists };
	const list = listIn(json, columns);
	if (!list) return { problem: NO_LIST, hasOtherLists };
	const { json: alone } = starts === requested ? lastValid(text, reasons) : {};
	const holder = [json, alone].findLast(reportsReason);
	return { list, ...(holder && { holder }), hasOtherLists };
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

/** Keeps what the schema says of a row that is not valid. Each sentence names the place and quotes the value. */
function problemsOf(row: Row, source: JsonObject, format: RowsFormat, secrets: Secrets): Problem[] {
	const { schema, draft, lookup, columns } = format;
	const quote = (json: unknown) => secrets.quote(JSON.stringify(json ?? null));
	const problems: Problem[] = [];
	// Another key may be meant instead of one that is missing.
	const keys = Object.keys(named(source, columns));
	const missing = columns.find((name) => !keys.includes(name));
	const other = keys.find((key) => !columns.includes(key));
	if (missing !== undefined && other !== undefined)
		problems.push({ what: `${quote(missing)} is missing, but there is ${quote(other)}` });
	const { errors } = validate(row, schema, draft, lookup, false);
	const inner = errors.filter(({ keyword }) => !OUTER.includes(keyword));
	for (const { instanceLocation, keyword, error } of inner.slice(0, MAX_PROBLEMS_OF_ROW)) {
		const pointer = instanceLocation.split('/').slice(1);
		const steps = pointer.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
		// `#/offers/0/price` is `offers[0].price`.
		const path = steps.reduce(
			(before, step) => (/^\d+$/.test(step) ? `${before}[${step}]` : before ? `${before}.${step}` : step),
			'',
		);
		if (keyword === 'required') {
			const [, name = ''] = /"([^"]*)"/.exec(error) ?? [];
			const what = `${quote(path ? `${path}.${name}` : name)} is required, but has no value`;
			problems.push({ what, cause: 'required' });
			continue;
		}
		const value = steps.reduce<unknown>((outer, step) => Object(outer)[step] as unknown, row);
		const number = typeof value === 'string' && keyword === 'type' ? decimalIn(value) : undefined;
		const cause = number !== undefined && hasTooManyDigits(number) ? 'digits' : undefined;
		problems.push({ what: `${quote(path)} is ${quote(value)}. ${error.replace(/\.$/, '')}`, cause });
	}
	return problems;
}

export function readRows(texts: string[], format: RowsFormat, secrets = new Secrets([])): RowsInReply {
	const { columns, isSingle, schema, lookup } = format;
	const found = texts.map((text) => findRows(text, columns));
	const index = found.findLastIndex(({ list, problem }) => list ?? problem);
	const { list, holder, problem = 'The reply contains no JSON with rows' } = found[index] ?? {};
	const isEarlier = index >= 0 && index < texts.length - 1;
	const earlier = found.slice(0, Math.max(index, 0));
	const hasOtherLists =
		found[index]?.hasOtherLists || earlier.some((one) => one.problem !== undefined || (one.list?.length ?? 0) > 0);
	const notDone = holder && reasonIn(holder.not_done ?? null);
	const unusable = (what: string): RowsInReply => ({ rows: [], problems: [what], isEarlier, notDone, isUsable: false });
	if (!list) return unusable(problem);
	// Agents fill in the keys even if they found nothing. Empty rows among others stay, because rows may match the input's.
	const { properties } = viewOf(schema, lookup);
	const hasNothing = ([name, json]: [string, Json]) => {
		if (isEmpty(json)) return true;
		if (typeof json !== 'object' || Object.keys(json!).length > 0) return false;
		// In a column of texts or numbers, an empty list or object is an invalid value.
		const { types } = viewOf(properties[name], lookup);
		return types.length === 0 || types.includes(Array.isArray(json) ? 'array' : 'object');
	};
	const isBlank = (row: Json) => isJsonObject(row) && Object.entries(row).every(hasNothing);
	const sources = !isSingle && !schema.required?.length && list.every(isBlank) ? [] : list;
	if (isSingle && sources.length > 1)
		return unusable(`Expected exactly one row, but the reply has ${counted(sources.length, 'row')}`);
	const reader = new ValueReader(lookup);
	const noValues = Object.fromEntries(columns.map((name) => [name, null]));
	const rows: Row[] = [];
	const problems: Problem[] = [];
	for (const [place, source] of sources.entries()) {
		const row = isJsonObject(source) ? reader.object(source, properties) : undefined;
		// An empty text is no value.
		for (const name of schema.required ?? []) if (row && row[name] !== null && isEmpty(row[name])) delete row[name];
		const ofRow = row
			? problemsOf(row, source as JsonObject, format, secrets)
			: [{ what: `must be an object, but is ${secrets.quote(JSON.stringify(plain(source)))}` }];
		if (row && ofRow.length === 0) rows.push({ ...noValues, ...row });
		problems.push(...ofRow.map(({ what, cause }: Problem) => ({ what: `Row ${place + 1}: ${what}`, cause })));
	}
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
