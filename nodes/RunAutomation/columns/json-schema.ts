import { inputError } from '../../shared/failure/failure';
import { isJsonObject, Numeral, plain, type Json, type JsonObject } from '../../shared/values/json';
import { filledText } from '../../shared/values/text';
import type { Column, ColumnType, NamedShape, Shape } from './types';

export interface SchemaColumns {
	columns: Column[];
	/** What the schema says of all rows; may be empty. */
	about: string;
	/** Number of rules that only the agent gets. */
	unchecked: number;
}

interface Value {
	shape: Shape;
	about: string;
	isNullable: boolean;
}

/** Not checked, except the values of a choice and the formats with a type. */
const RULES = [
	...['enum', 'format', 'pattern', 'minLength', 'maxLength', 'contentEncoding', 'contentMediaType'],
	...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
	...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'propertyNames', 'dependentRequired'],
];

/** What two schemas of one value may not say differently. */
const COMBINED = ['type', 'properties', 'required', 'items', ...RULES];

/** Schemas that apply only to some values. */
const UNSUPPORTED = [
	...['not', 'if', 'patternProperties', 'prefixItems', 'contains', 'dependentSchemas', 'dependencies'],
	...['$dynamicRef', '$recursiveRef'],
];

const FORMATS = new Map<Json | undefined, ColumnType>([
	['uri', 'link'],
	['date', 'date'],
	['date-time', 'date'],
]);

/** The types of schemas without one. */
const TYPES_BY_KEYWORD = Object.entries({ properties: 'object', items: 'array', format: 'string' });

/** References can multiply, and n8n runs all workflows in one process. */
const MAX_SCHEMAS = 1000;

const EXAMPLE = '{"type": "object", "properties": {"name": {"type": "string"}}}';

/** Reason and advice. */
const REJECTIONS = {
	elsewhere: ["has a '$ref' to elsewhere", "Copy that schema into '$defs'"],
	itself: ["has a '$ref' into itself", 'Describe only the levels that you need'],
	noRows: [
		"describes no object with 'properties'",
		`Enter only the schema of a row, or of a list of rows, such as ${EXAMPLE}`,
	],
	noSchema: ['has no schema', 'Enter a schema with a type'],
	noType: ["has no known 'type'", "Set 'type' to string, number, integer, boolean, array or object"],
	schemas: ['has several schemas', 'Merge them into one'],
	tooMany: [`describes more than ${MAX_SCHEMAS} values`, 'Remove what you do not need'],
	types: ['has different types', "Keep one of them, besides 'null'"],
	unsupported: ['has an unsupported', "Remove it, and say it in 'description' instead"],
} as const;

const asWritten = (json: Json): string => (json instanceof Numeral ? json.text : JSON.stringify(plain(json)));

const inSentences = (first: string, second: string) =>
	[first && first.replace(/[^.]$/, '$&.'), second].join(' ').trim();

const listedIn = ({ enum: values }: JsonObject): Json[] | undefined => (Array.isArray(values) ? values : undefined);

const typeOfValue = (value: Json): string =>
	value instanceof Numeral ? 'number' : Array.isArray(value) ? 'array' : typeof value;

/** Whether JSON has a schema in it, at any depth. */
export function containsSchema(json: Json): boolean {
	if (Array.isArray(json)) return json.some(containsSchema);
	if (!isJsonObject(json)) return false;
	const { $schema, type, properties = null } = json;
	const isSchema = $schema !== undefined || (type === 'object' && isJsonObject(properties));
	return isSchema || Object.values(json).some(containsSchema);
}

/** What a fragment names: a JSON Pointer (RFC 6901), with percent-encoding. */
function valueAtPointer(root: Json, reference: Json): Json | undefined {
	if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return undefined;
	let steps: string[];
	try {
		steps = decodeURIComponent(reference).split('/').slice(1);
	} catch {
		return undefined;
	}
	return steps
		.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
		.reduce<
			Json | undefined
		>((json, step) => (Object.hasOwn(Object(json) as object, step) ? (json as JsonObject)[step] : undefined), root);
}

class SchemaReader {
	unchecked = 0;

	private schemas = 0;

	constructor(
		private readonly root: Json,
		private readonly label: string,
	) {}

	rejection(why: keyof typeof REJECTIONS, path = '', what = ''): Error {
		const [reason, advice] = REJECTIONS[why];
		return inputError(`${this.label} ${reason}${what && ` ${what}`}${path && ` for "${path}"`}`, advice);
	}

	/** @param outer the references that lead to it */
	read(json: Json, path: string, outer: Json[]): Value {
		if (++this.schemas > MAX_SCHEMAS) throw this.rejection('tooMany');
		const open = [...outer];
		const schema = this.combined(json, path, open);
		const type = this.typeIn(schema, path);
		const { items } = schema;
		const entry = type === 'array' && items !== undefined ? this.read(items, `${path}[0]`, open) : undefined;
		const shape: Shape = entry ? { type: 'list', entry: entry.shape } : this.shapeOf(type, schema, path, open);
		const description = filledText(schema.description) ?? filledText(schema.title);
		const own = [description, this.rulesIn(schema, shape)].filter(Boolean).join(' ');
		const about = entry?.about ? inSentences(own, `Each entry: ${entry.about}`) : own;
		return { shape, about, isNullable: schema.nullable === true || shape.type === 'any' };
	}

	/** All that a schema says of one value, also by reference: with one type, and `nullable` for any null. */
	private combined(json: Json, path: string, open: Json[]): JsonObject {
		if (json === true) return {};
		if (!isJsonObject(json)) throw this.rejection('noSchema', path);
		const unsupported = UNSUPPORTED.find((keyword) => Object.hasOwn(json, keyword));
		if (unsupported) throw this.rejection('unsupported', path, `'${unsupported}'`);
		const { $ref, allOf = [], anyOf, oneOf, ...own } = json;
		const parts = [allOf].flat().map((part) => this.combined(part, path, open));
		if (parts.length > 1) throw this.rejection('schemas', path, "in 'allOf'");
		if ($ref !== undefined) parts.push(this.combined(this.target($ref, path, open), path, open));
		for (const list of [anyOf, oneOf]) if (list !== undefined) parts.push(this.alternative(list, path, open));
		return parts.reduce(
			(all, part) => {
				const isTwice = (keyword: string) => all[keyword] !== undefined && part[keyword] !== undefined;
				const differs = (keyword: string) => isTwice(keyword) && asWritten(all[keyword]!) !== asWritten(part[keyword]!);
				if (COMBINED.some(differs)) throw this.rejection('schemas', path);
				return { ...part, ...all };
			},
			this.withoutNull(own, path),
		);
	}

	/** An empty text in `enum` counts as null, because only text has it. */
	private withoutNull({ type, const: only, ...schema }: JsonObject, path: string): JsonObject {
		const types = type === undefined ? [] : [type].flat();
		const [first, second] = types.filter((one) => one !== 'null');
		if (second !== undefined) throw this.rejection('types', path);
		const isNull = types.length > 0 && first === undefined;
		const values = isNull ? [null] : only === undefined ? listedIn(schema) : [only];
		const filled = values?.filter((value) => value !== null && value !== '');
		const isNullable = types.includes('null') || filled?.length !== values?.length;
		return {
			...schema,
			...(first !== undefined && { type: first }),
			...(filled && { enum: filled }),
			...(isNullable && { nullable: true }),
		};
	}

	private target(reference: Json, path: string, open: Json[]): Json {
		if (open.includes(reference)) throw this.rejection('itself', path);
		open.push(reference);
		const target = valueAtPointer(this.root, reference);
		if (target === undefined) throw this.rejection('elsewhere', path);
		return target;
	}

	/** The only one besides null. Alternatives that only list values are one list. */
	private alternative(list: Json, path: string, open: Json[]): JsonObject {
		const all = [list].flat().map((one) => this.combined(one, path, open));
		const others = all.filter((one) => listedIn(one)?.length !== 0);
		const lists = others.flatMap((one) => listedIn(one) ?? []);
		if (others.length > 1 && !others.every(listedIn)) throw this.rejection('types', path);
		const isNullable = all.length > others.length || all.some(({ nullable }) => nullable === true);
		return { ...(others.length === 1 ? others[0] : { enum: lists }), ...(isNullable && { nullable: true }) };
	}

	private typeIn(schema: JsonObject, path: string): Json | undefined {
		const { type } = schema;
		const values = listedIn(schema);
		if (values?.length === 0) throw this.rejection('noType', path);
		const [first, second] = new Set(type === undefined ? values?.map(typeOfValue) : [type]);
		if (second !== undefined) throw this.rejection('types', path);
		return first ?? TYPES_BY_KEYWORD.find(([keyword]) => schema[keyword] !== undefined)?.[1];
	}

	private shapeOf(type: Json | undefined, schema: JsonObject, path: string, open: Json[]): Shape {
		const choices = (listedIn(schema) ?? []).filter((value) => typeof value === 'string');
		switch (type) {
			case undefined:
				return { type: 'any' };
			case 'string':
				if (choices.length > 0) return { type: 'choice', choices: [...new Set(choices)] };
				return { type: FORMATS.get(schema.format) ?? 'text' };
			case 'number':
			case 'integer':
			case 'boolean':
				return { type };
			case 'array':
				return { type: 'list' };
			case 'object': {
				const fields = this.fieldsIn(schema, path, open);
				return fields.length ? { type, fields } : { type };
			}
			default:
				throw path === '' ? this.rejection('noRows') : this.rejection('noType', path);
		}
	}

	private fieldsIn({ properties = null, required = [] }: JsonObject, path: string, open: Json[]): NamedShape[] {
		if (!isJsonObject(properties)) return [];
		// As a column, it is rejected by name.
		const names = Object.keys(properties).filter((name) => name !== '__proto__' || path === '');
		return names.map((name) => {
			const { shape, about, isNullable } = this.read(properties[name]!, path ? `${path}.${name}` : name, open);
			const isRequired = [required].flat().includes(name) && !isNullable;
			return { name, ...shape, description: about, isRequired };
		});
	}

	/** The rules that are not checked, in brackets. Formats of numbers say only how they are stored. */
	private rulesIn(schema: JsonObject, { type, choices }: Shape): string {
		const isStored = type === 'number' || type === 'integer' || FORMATS.has(schema.format);
		const isNoRule: Record<string, boolean> = { enum: choices !== undefined, format: isStored };
		const rules = RULES.filter((rule) => schema[rule] !== undefined && !isNoRule[rule]);
		this.unchecked += rules.length;
		return rules.length ? `(${rules.map((rule) => `${rule}: ${asWritten(schema[rule]!)}`).join(', ')})` : '';
	}
}

/** An object describes a row; a list, and an object whose only property is a list of objects, describe rows by their entries. */
export function columnsInSchema(json: Json, label: string): SchemaColumns {
	const reader = new SchemaReader(json, label);
	if (!isJsonObject(json)) throw reader.rejection('noRows');
	const { shape, about } = reader.read(json, '', ['#']);
	const [only, second] = shape.fields ?? [];
	const list = second === undefined && only?.entry?.fields ? only : undefined;
	const { fields } = list?.entry ?? shape.entry ?? shape;
	if (!fields) throw reader.rejection('noRows');
	return {
		columns: fields.map((field) => ({ description: '', ...field })),
		about: list ? inSentences(filledText(json.description) ?? '', list.description ?? '') : about,
		unchecked: reader.unchecked,
	};
}
