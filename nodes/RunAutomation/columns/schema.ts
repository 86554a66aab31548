// Every definition of columns is a JSON Schema of a row: the agent is told it, and each row is validated with it. The library
// interprets schemas, because one that compiles them needs `Function`, which n8n's lint forbids.

import { dereference, format, validate, type Schema, type SchemaDraft } from '@cfworker/json-schema';

import { FailureError, inputError } from '../../shared/failure/failure';
import { isJsonObject, Numeral, type Json } from '../../shared/values/json';
import { isObject } from '../../shared/values/nested';
import { asDate, asLink } from './leaves';

export interface RowsFormat {
	/** Describes a row. */
	schema: Schema;
	/** The schema as JSON for the agent. */
	told: string;
	draft: SchemaDraft;
	/** The schemas in it by URI, in which the validator looks references up. */
	lookup: Record<string, Schema | boolean>;
	/** Its properties, in their order. */
	columns: string[];
	isSingle: boolean;
	/** The number of rules that the agent is told, but that are not checked. */
	unchecked: number;
}

/** Longer texts have none of the library's formats. Its patterns would exhaust their stack on some million characters. */
const MAX_FORMATTED = 10_000;

for (const [name, check] of Object.entries(format))
	format[name] = (text) => text.length <= MAX_FORMATTED && check(text);

/** Dates may lack a time or its zone, and a link is a page's. */
format.date = format['date-time'] = (text) => asDate(text) !== undefined;
format.uri = format.url = (text) => asLink(text) !== undefined;

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** What a schema says about a value, even by reference or in alternatives. */
export interface View {
	types: string[];
	properties: Record<string, Schema>;
	/** Describes keys that are no properties. Undefined if the schema does not name such keys. */
	further: Schema | boolean | undefined;
	required: string[];
	items: Schema | undefined;
	/** Allowed values. */
	choices: unknown[];
	format: string | undefined;
	isNullable: boolean;
}

export type Lookup = RowsFormat['lookup'];

function partsOf(schema: unknown, lookup: Lookup, parts: Schema[] = []): Schema[] {
	if (!isObject(schema) || parts.includes(schema)) return parts;
	parts.push(schema);
	const { __absolute_ref__: target, allOf = [], anyOf = [], oneOf = [], then, else: otherwise } = schema as Schema;
	for (const part of [target === undefined ? true : lookup[target], ...allOf, ...anyOf, ...oneOf, then, otherwise]) {
		partsOf(part, lookup, parts);
	}
	return parts;
}

export function viewOf(schema: unknown, lookup: Lookup): View {
	const parts = partsOf(schema, lookup);
	const types = parts.flatMap(({ type }) => type ?? []);
	const choices = parts.flatMap(({ enum: values, const: only }) => values ?? (only === undefined ? [] : [only]));
	return {
		types,
		choices,
		properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Record<string, Schema>,
		further: parts.find(({ additionalProperties }) => additionalProperties !== undefined)?.additionalProperties,
		required: parts.flatMap(({ required = [] }) => required),
		items: parts.find(({ items }) => isObject(items))?.items as Schema | undefined,
		format: parts.find(({ format: name }) => name)?.format,
		isNullable:
			(types.length === 0 && choices.length === 0) ||
			types.includes('null') ||
			choices.includes(null) ||
			parts.some(({ nullable }) => nullable === true),
	};
}

/** @returns why no row could be validated with it */
function findProblem(schemas: Schema[], lookup: Lookup): string | undefined {
	for (const schema of schemas) {
		const { $ref, __absolute_ref__: target = '', type, nullable, enum: values } = schema;
		if ($ref !== undefined && lookup[target] === undefined) return `has a '$ref' to elsewhere: "${$ref}"`;
		if (type === undefined) continue;
		// Generators write types in any case, and OpenAPI 3.0 has `nullable`.
		const types = [type].flat().map((name) => String(name).toLowerCase());
		const unknown = types.find((name) => !TYPES.includes(name));
		if (unknown !== undefined) return `has an unknown 'type': "${unknown}"`;
		schema.type = (nullable === true ? [...types, 'null'] : types) as Schema['type'];
		if (nullable === true && values) schema.enum = [...values, null];
	}
	return undefined;
}

/** Tries each rule, because none may throw or never end after a billed run. */
function tryRules(schemas: Schema[], draft: SchemaDraft, lookup: Lookup): void {
	for (const schema of schemas) {
		const object = Object.fromEntries(Object.keys(schema.properties ?? {}).map((name) => [name, 0]));
		for (const value of ['', 0, [0], object]) validate(value, schema, draft, lookup, false);
	}
}

/**
 * Removes what may take too long on a stranger's text: an author's pattern hours, and unique entries the square of their
 * number. A removed rule accepts more. Inside `not`, `if` or `oneOf`, accepting more would reject valid rows, so these rules
 * are removed as well.
 *
 * @returns the number of rules that are not checked
 */
function removeUnchecked(schemas: Schema[]): number {
	let removed = 0;
	for (const schema of schemas) {
		if (schema.patternProperties) schema.additionalProperties = true;
		for (const rule of ['pattern', 'patternProperties', 'uniqueItems']) {
			if (schema[rule]) removed++;
			delete schema[rule];
		}
	}
	for (const schema of removed > 0 ? schemas : []) {
		if (schema.oneOf) schema.allOf = [...(schema.allOf ?? []), { anyOf: schema.oneOf }];
		for (const rule of ['if', 'maxContains', 'not', 'oneOf', 'unevaluatedProperties']) delete schema[rule];
	}
	return removed;
}

const noRows = (label: string, problem: string): FailureError =>
	inputError(`${label} ${problem}`, 'Enter only the schema of a row, or of a list of rows');

/** What a schema says about a list of rows, and not about a row. */
const OF_LIST = ['$ref', 'items', 'maxItems', 'minItems', 'properties', 'required', 'type'];

const DRAFTS: Array<[RegExp, SchemaDraft]> = [
	[/draft-0[34]/, '4'],
	[/draft-0[67]/, '7'],
];

/**
 * A schema of an object describes a row. One of a list, or of an object whose only property lists objects, describes rows by
 * its entries.
 *
 * @param label of the form's field, which begins each reason
 * @throws FailureError if the schema describes no rows
 */
export function rowsFormat(given: Schema, isSingle: boolean, label: string): RowsFormat {
	// The library and the steps below change the schema, so they get a copy.
	const root = structuredClone(given);
	const draft = DRAFTS.find(([pattern]) => pattern.test(String(root.$schema)))?.[1] ?? '2020-12';
	try {
		const lookup = dereference(root);
		const schemas = Object.values(lookup).filter((one): one is Schema => isObject(one));
		const view = viewOf(root, lookup);
		const [only, second] = Object.values(view.properties);
		const list = view.items ?? (second === undefined ? viewOf(only, lookup).items : undefined);
		const entry = list && Object.keys(viewOf(list, lookup).properties).length > 0 ? list : root;
		const { properties, required, further } = viewOf(entry, lookup);
		const columns = Object.keys(properties);
		if (columns.length === 0) throw noRows(label, "describes no object with 'properties'");
		const unknown = further === undefined && required.find((name) => !columns.includes(name));
		if (unknown) throw noRows(label, `has a name in 'required' that is no property: "${unknown}"`);
		// Definitions may stand anywhere around a row's schema.
		const around = Object.entries(root).filter(([keyword]) => !OF_LIST.includes(keyword));
		const told = JSON.stringify({ ...Object.fromEntries(around), ...entry });
		const problem = findProblem(schemas, lookup);
		if (problem !== undefined) throw noRows(label, problem);
		const unchecked = removeUnchecked(schemas);
		for (const schema of schemas) {
			// A null in a list means a missing value, so the entry's schema does not apply to it.
			if (isObject(schema.items)) schema.items = { if: { type: 'null' }, else: schema.items };
		}
		tryRules(schemas, draft, lookup);
		return { schema: entry, told, draft, lookup, columns, isSingle, unchecked };
	} catch (error) {
		const { name, message } = error as Error;
		const problem = name === 'RangeError' ? 'refers to itself' : `is not valid: ${message}`;
		throw error instanceof FailureError ? error : noRows(label, problem);
	}
}

/**
 * @param path of the samples in their row
 * @param label of the form's field
 * @throws FailureError for a value without a single type
 */
export function schemaOf(samples: Json[], path: string, label: string): Schema {
	const given = samples.filter((sample) => sample !== null);
	const [schema, second] = new Map(given.map(leafSchema).map((one) => [JSON.stringify(one), one])).values();
	if (schema === undefined)
		throw inputError(`${label} has no value for "${path}"`, 'Enter a sample value to set the type');
	if (second !== undefined)
		throw inputError(`${label} has different types for "${path}"`, 'Use one type for it in all rows');
	if (schema.type === 'array') {
		const entries = given.flat();
		return entries.length ? { ...schema, items: schemaOf(entries, `${path}[0]`, label) } : schema;
	}
	if (schema.type !== 'object') return schema;
	const objects = given.filter(isJsonObject);
	const names = [...new Set(objects.flatMap(Object.keys))];
	const properties = names.map((name) => {
		const values = objects.filter((object) => Object.hasOwn(object, name)).map((object) => object[name]!);
		return [name, schemaOf(values, path ? `${path}.${name}` : name, label)];
	});
	return names.length ? { ...schema, properties: Object.fromEntries(properties) as Record<string, Schema> } : schema;
}

function leafSchema(sample: Json): Schema {
	if (Array.isArray(sample)) return { type: 'array' };
	if (isJsonObject(sample)) return { type: 'object' };
	if (sample instanceof Numeral) return { type: 'number' };
	if (typeof sample === 'boolean') return { type: 'boolean' };
	if (asLink(sample) === sample) return { type: 'string', format: 'uri' };
	return asDate(sample) === undefined ? { type: 'string' } : { type: 'string', format: 'date-time' };
}
