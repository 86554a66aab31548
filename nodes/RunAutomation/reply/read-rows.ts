// Reads the values of each row as the types that the schema asks for, and validates each row.

import { validate, type OutputUnit } from '@cfworker/json-schema';

import type { Secrets } from '../../shared/mask/secrets';
import { isObject } from '../../shared/values/nested';
import { counted, looseKey } from '../../shared/values/text';
import {
	hasTooManyDigits,
	isJsonObject,
	Numeral,
	plain,
	readJson,
	type Json,
	type JsonObject,
} from '../../shared/values/json';
import type { NotDone } from './not-done';
import { findRows } from './find-rows';
import { asBoolean, asChoice, asDate, asLink, asNumber, decimalIn } from '../columns/leaves';
import { viewOf, type Lookup, type RowsFormat, type View } from '../columns/schema';

type Row = Record<string, unknown>;

/** These causes have their own advice. */
type Cause = 'digits' | 'required';

export interface RowsInReply {
	rows: Row[];
	/** One sentence each, with the quoted value. */
	problems: string[];
	cause?: Cause;
	/** A sentence on missing rows. */
	leftOut?: string;
	notDone?: NotDone;
	/** True if there are valid rows, or validly none. */
	isUsable: boolean;
}

const LEFT_OUT =
	'Only the last complete list of rows in the reply is returned. The reply has another one, or JSON that is incomplete';

const isEmpty = (json: unknown): boolean => json === null || (typeof json === 'string' && json.trim() === '');

/** Agents write `unitPrice` or `Unit Price` for `unit_price`. */
const looseName = (name: string): string => looseKey(name).replace(/[\s_-]/g, '');

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

const mayBe = ({ types }: View, ...names: string[]): boolean => names.some((name) => types.includes(name));

/** Reads values without judging them: what has another type stays, and is invalid. */
class ValueReader {
	private readonly views = new Map<unknown, View>();
	/** Keys without a value. The validator does not see them, and they are null in the row. */
	private blanks: Array<[object: Row, key: string]> = [];

	constructor(private readonly lookup: Lookup) {}

	private viewOf(schema: object): View {
		const known = this.views.get(schema);
		const view = known ?? viewOf(schema, this.lookup);
		if (!known) this.views.set(schema, view);
		return view;
	}

	/** Undefined means no value: null and an empty text, unless the schema allows them. */
	read(written: Json, schema: unknown): unknown {
		if (!isObject(schema)) return plain(written);
		const view = this.viewOf(schema);
		const isText = mayBe(view, 'string') && view.format === undefined && view.choices.length === 0;
		if (written === null || (isEmpty(written) && !isText)) return view.isNullable ? null : undefined;
		// Agents write a list or an object as JSON in a text.
		const isInText = typeof written === 'string' && mayBe(view, 'array', 'object') && !mayBe(view, 'string');
		const json = (isInText ? readJson(written).json : undefined) ?? written;
		if (Array.isArray(json)) return json.map((entry) => this.read(entry, view.items) ?? null);
		if (isJsonObject(json)) return this.object(json, view);
		return this.leaf(json, view) ?? plain(json);
	}

	/** Keeps the properties in their order, then further keys that the schema names. */
	object(json: JsonObject, { properties, required, further }: View): Row {
		const names = Object.keys(properties);
		const known = named(json, names);
		const others = Object.keys(known).filter((key) => !Object.hasOwn(properties, key));
		const row: Row = {};
		for (const name of [...names, ...(names.length === 0 || further !== undefined ? others : [])]) {
			if (!Object.hasOwn(known, name)) continue;
			const value = this.read(known[name]!, Object.hasOwn(properties, name) ? properties[name] : further);
			if (value === undefined || (isEmpty(value) && value !== null && required.includes(name)))
				this.blanks.push([row, name]);
			else row[name] = value;
		}
		return row;
	}

	fillBlanks(): void {
		for (const [object, key] of this.blanks) object[key] = null;
		this.blanks = [];
	}

	private leaf(json: Json, view: View): unknown {
		const { choices, format } = view;
		if (choices.length > 0) return asChoice(json, choices);
		if (mayBe(view, 'string')) {
			if (format === 'uri') return asLink(json);
			if (format === 'date' || format === 'date-time') return asDate(json);
			return json instanceof Numeral && !mayBe(view, 'number', 'integer') ? json.text : undefined;
		}
		return (
			(mayBe(view, 'number', 'integer') ? asNumber(json) : undefined) ??
			(mayBe(view, 'boolean') ? asBoolean(json) : undefined)
		);
	}
}

/** These keywords only repeat that a nested value is invalid; its own error is reported. */
const OUTER = ['$ref', 'additionalProperties', 'allOf', 'if', 'items', 'prefixItems', 'properties'];

interface RowProblem {
	what: string;
	cause?: Cause;
}

const MAX_PROBLEMS_OF_ROW = 20;

/** All errors of a row, or the first one if there are too many: the library hands them on as arguments, on the stack. */
function errorsIn(row: Row, { schema, draft, lookup }: RowsFormat): OutputUnit[] {
	const { valid, errors } = validate(row, schema, draft, lookup);
	try {
		return valid ? [] : validate(row, schema, draft, lookup, false).errors;
	} catch {
		return errors;
	}
}

/** Keeps what the schema says of a row that is not valid. Each sentence names the place and quotes the value. */
function problemsOf(row: Row, source: JsonObject, format: RowsFormat, secrets: Secrets): RowProblem[] {
	const { columns } = format;
	const quote = (json: unknown) => secrets.quote(JSON.stringify(json ?? null));
	const problems: RowProblem[] = [];
	// Another key may be meant instead of one that is missing.
	const keys = Object.keys(named(source, columns));
	const missing = columns.find((name) => !keys.includes(name));
	const other = keys.find((key) => !Object.hasOwn(row, key) && !columns.includes(key));
	if (missing !== undefined && other !== undefined)
		problems.push({ what: `${quote(missing)} is missing, but there is ${quote(other)}` });
	const errors = errorsIn(row, format).filter(({ keyword }) => !OUTER.includes(keyword));
	// Choices say more than their type.
	const ofChoices = errors.filter(({ keyword }) => keyword === 'enum' || keyword === 'const');
	const chosen = new Set(ofChoices.map(({ instanceLocation }) => instanceLocation));
	const told = errors.filter(({ keyword, instanceLocation }) => keyword !== 'type' || !chosen.has(instanceLocation));
	for (const { instanceLocation, keyword, error } of told.slice(0, MAX_PROBLEMS_OF_ROW)) {
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
		if (keyword === 'false') {
			problems.push({ what: `${quote(path)} is not in the schema` });
			continue;
		}
		const value = steps.reduce<unknown>((outer, step) => Object(outer)[step] as unknown, row);
		const number = typeof value === 'string' && keyword === 'type' ? decimalIn(value) : undefined;
		const cause = number !== undefined && hasTooManyDigits(number) ? 'digits' : undefined;
		const rule = error.replace(/^Instance type .* is invalid\. |\.$/g, '');
		problems.push({ what: `${quote(path)} is ${quote(value)}. ${rule}`, cause });
	}
	return problems;
}

export function readRows(texts: string[], format: RowsFormat, secrets: Secrets): RowsInReply {
	const { columns, isSingle, schema, lookup } = format;
	const { list, problem, hasOthers, notDone } = findRows(texts, columns);
	const unusable = (what: string): RowsInReply => ({ rows: [], problems: [what], notDone, isUsable: false });
	if (!list) return unusable(problem!);
	// Agents fill in the keys even if they found nothing. Empty rows among others stay, because rows may match the input's.
	const view = viewOf(schema, lookup);
	const hasNothing = ([name, json]: [string, Json]) => {
		if (isEmpty(json)) return true;
		if (typeof json !== 'object' || Object.keys(json!).length > 0) return false;
		// In a column of texts or numbers, an empty list or object is an invalid value.
		const { types } = viewOf(view.properties[name], lookup);
		return types.length === 0 || types.includes(Array.isArray(json) ? 'array' : 'object');
	};
	const isBlank = (row: Json) => isJsonObject(row) && Object.entries(row).every(hasNothing);
	const sources = !isSingle && view.required.length === 0 && list.every(isBlank) ? [] : list;
	if (isSingle && sources.length > 1)
		return unusable(`Expected exactly one row, but the reply has ${counted(sources.length, 'row')}`);
	const reader = new ValueReader(lookup);
	const noValues = Object.fromEntries(columns.map((name) => [name, null]));
	const rows: Row[] = [];
	const problems: RowProblem[] = [];
	for (const [index, source] of sources.entries()) {
		const row = isJsonObject(source) ? reader.object(source, view) : undefined;
		const ofRow = row
			? problemsOf(row, source as JsonObject, format, secrets)
			: [{ what: `must be an object, but is ${secrets.quote(JSON.stringify(plain(source)))}` }];
		reader.fillBlanks();
		if (row && ofRow.length === 0) rows.push({ ...noValues, ...row });
		for (const { what, cause } of ofRow) problems.push({ what: `Row ${index + 1}: ${what}`, cause });
	}
	return {
		rows,
		problems: problems.map(({ what }) => what),
		cause: problems[0]?.cause,
		notDone,
		leftOut: hasOthers ? LEFT_OUT : undefined,
		isUsable: rows.length > 0 || problems.length === 0,
	};
}
