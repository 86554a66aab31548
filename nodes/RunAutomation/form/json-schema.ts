import { inputError } from '../../shared/failure';
import { isJsonObject, Numeral, plain, type Json, type JsonObject } from '../../shared/json';
import { filledText } from '../../shared/text';
import type { Column, ColumnType, NamedShape, Shape } from '../reply/types';

export interface SchemaColumns {
	columns: Column[];
	/** What the schema says of all rows; may be empty. */
	about: string;
	/** Number of rules that only the agent gets. */
	unchecked: number;
}

/** What a schema says of one value. */
interface Value {
	shape: Shape;
	about: string;
	isNullable: boolean;
}

/** What a column does not check. */
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

const asWritten = (json: Json): string => (json instanceof Numeral ? json.text : JSON.stringify(plain(json)));

const inSentences = (first: string, second: string) =>
	[first && first.replace(/[^.]$/, '$&.'), second].join(' ').trim();

const typeOfValue = (value: Json): string =>
	value instanceof Numeral ? 'number' : Array.isArray(value) ? 'array' : typeof value;

/** Whether JSON has a schema in it, at any depth. */
export function containsSchema(json: Json): boolean {
	if (Array.isArray(json)) return json.some(containsSchema);
	if (!isJsonObject(json)) return false;
	const { $schema, type, properties = null } = json;
	return (
		$schema !== undefined || (type === 'object' && isJsonObject(properties)) || containsSchema(Object.values(json))
	);
}

/** The steps of a JSON Pointer (RFC 6901) in a fragment. */
function pointerSteps(reference: Json): string[] | undefined {
	if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return undefined;
	try {
		const [, ...steps] = decodeURIComponent(reference).split('/');
		return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
	} catch {
		return undefined;
	}
}

/** One type, and no null in `enum`: `nullable` is true for any null. An empty text is none, because only text columns have it. */
function withoutNull(schema: JsonObject, severalTypes: () => Error): JsonObject {
	const { type, const: only, enum: listed, ...others } = schema;
	const types = type === undefined ? [] : [type].flat();
	const [first, second] = types.filter((one) => one !== 'null');
	if (second !== undefined) throw severalTypes();
	const isNull = types.length > 0 && first === undefined;
	const values = isNull ? [null] : only === undefined ? listed : [only];
	const filled = Array.isArray(values) ? values.filter((value) => value !== null && value !== '') : undefined;
	const hasEmpty = Array.isArray(values) && values.length > filled!.length;
	return {
		...others,
		...(first !== undefined && { type: first }),
		...(filled && { enum: filled }),
		...((hasEmpty || types.includes('null')) && { nullable: true }),
	};
}

class SchemaReader {
	unchecked = 0;

	private values = 0;

	constructor(
		private readonly root: Json,
		private readonly label: string,
	) {}

	private error(path: string, what: string, step: string): Error {
		return inputError(`${this.label} ${what}${path && ` for "${path}"`}`, step);
	}

	noRows(): Error {
		const step = `Enter only the schema of a row, or of a list of rows, such as ${EXAMPLE}`;
		return this.error('', "describes no object with 'properties'", step);
	}

	/** @param outer the references that lead to it */
	read(json: Json, path: string, outer: Json[]): Value {
		if (++this.values > MAX_SCHEMAS)
			throw this.error('', `describes more than ${MAX_SCHEMAS} values`, 'Remove what you do not need');
		const open = [...outer];
		const schema = this.combined(json, path, open);
		const type = this.typeIn(schema, path);
		const entry =
			type === 'array' && schema.items !== undefined ? this.read(schema.items, `${path}[0]`, open) : undefined;
		const shape: Shape = entry ? { type: 'list', entry: entry.shape } : this.shapeOf(type, schema, path, open);
		const description = filledText(schema.description) ?? filledText(schema.title);
		const own = [description, this.rulesIn(schema, shape)].filter(Boolean).join(' ');
		const about = entry?.about ? inSentences(own, `Each entry: ${entry.about}`) : own;
		return { shape, about, isNullable: schema.nullable === true || shape.type === 'any' };
	}

	/** All that a schema says of one value, also by reference. */
	private combined(json: Json, path: string, open: Json[]): JsonObject {
		if (json === true) return {};
		if (!isJsonObject(json)) throw this.error(path, 'has no schema', 'Enter a schema with a type');
		const unsupported = UNSUPPORTED.find((keyword) => Object.hasOwn(json, keyword));
		if (unsupported) {
			const step = "Remove it, and say it in 'description' instead";
			throw this.error(path, `has an unsupported '${unsupported}'`, step);
		}
		const { $ref, allOf = [], anyOf, oneOf, ...own } = json;
		const isOne = Array.isArray(allOf) && allOf.length <= 1;
		if (!isOne) throw this.severalSchemas(path, " in 'allOf'");
		const parts = allOf.map((part) => this.combined(part, path, open));
		if ($ref !== undefined) parts.push(this.combined(this.target($ref, path, open), path, open));
		for (const list of [anyOf, oneOf]) if (list !== undefined) parts.push(this.alternative(list, path, open));
		const base = withoutNull(own, () => this.severalTypes(path));
		return parts.reduce<JsonObject>((all, part) => {
			const isTwice = (keyword: string) => all[keyword] !== undefined && part[keyword] !== undefined;
			const differs = (keyword: string) => isTwice(keyword) && asWritten(all[keyword]!) !== asWritten(part[keyword]!);
			if (COMBINED.some(differs)) throw this.severalSchemas(path);
			return { ...part, ...all };
		}, base);
	}

	private severalSchemas(path: string, where = ''): Error {
		return this.error(path, `has several schemas${where}`, 'Merge them into one');
	}

	private severalTypes(path: string): Error {
		return this.error(path, 'has different types', "Keep one of them, besides 'null'");
	}

	private target(reference: Json, path: string, open: Json[]): Json {
		if (open.includes(reference))
			throw this.error(path, "has a '$ref' into itself", 'Describe only the levels that you need');
		open.push(reference);
		const target = pointerSteps(reference)?.reduce<Json | undefined>(
			(json, step) => (Object.hasOwn(Object(json) as object, step) ? (json as JsonObject)[step] : undefined),
			this.root,
		);
		if (target === undefined) throw this.error(path, "has a '$ref' to elsewhere", "Copy that schema into '$defs'");
		return target;
	}

	/** The only one besides null. Alternatives that only list values are one list. */
	private alternative(list: Json, path: string, open: Json[]): JsonObject {
		const all = [list].flat().map((one) => this.combined(one, path, open));
		const others = all.filter(({ enum: values }) => !Array.isArray(values) || values.length > 0);
		const lists = others.map(({ enum: values }) => values).filter((values) => values !== undefined);
		if (others.length > 1 && lists.length < others.length) throw this.severalTypes(path);
		const [only] = others;
		const isNullable = all.length > others.length || all.some(({ nullable }) => nullable === true);
		return {
			...(only && others.length === 1 ? only : { enum: lists.flat() }),
			...(isNullable && { nullable: true }),
		};
	}

	private typeIn(schema: JsonObject, path: string): Json | undefined {
		const { type, enum: values } = schema;
		const types = type === undefined && Array.isArray(values) ? values.map(typeOfValue) : [type];
		const [first, second] = new Set(types);
		if (second !== undefined) throw this.severalTypes(path);
		return first ?? TYPES_BY_KEYWORD.find(([keyword]) => schema[keyword] !== undefined)?.[1];
	}

	private shapeOf(type: Json | undefined, schema: JsonObject, path: string, open: Json[]): Shape {
		const { enum: values, format, properties = null, required = [] } = schema;
		if (Array.isArray(values) && values.length === 0) throw this.noType(path);
		switch (type) {
			case undefined:
				return { type: 'any' };
			case 'string': {
				const choices =
					Array.isArray(values) && values.every((value) => typeof value === 'string') ? values : undefined;
				return choices ? { type: 'choice', choices: [...new Set(choices)] } : { type: FORMATS.get(format) ?? 'text' };
			}
			case 'number':
			case 'integer':
			case 'boolean':
				return { type };
			case 'array':
				return { type: 'list' };
			case 'object': {
				if (!isJsonObject(properties)) return { type };
				const isListed = (name: string) => [required].flat().includes(name);
				// As a column, it is rejected by name.
				const names = Object.keys(properties).filter((name) => name !== '__proto__' || path === '');
				const fields = names.map((name): NamedShape => {
					const inner = path ? `${path}.${name}` : name;
					const { shape, about, isNullable } = this.read(properties[name]!, inner, open);
					return { name, ...shape, description: about, isRequired: isListed(name) && !isNullable };
				});
				return fields.length ? { type, fields } : { type };
			}
			default:
				throw this.noType(path);
		}
	}

	private noType(path: string): Error {
		if (path === '') return this.noRows();
		const step = "Set 'type' to string, number, integer, boolean, array or object";
		return this.error(path, "has no known 'type'", step);
	}

	/** The rules that are not checked, as a text. Formats of numbers say only how they are stored. */
	private rulesIn(schema: JsonObject, { type, choices }: Shape): string {
		const isStored = type === 'number' || type === 'integer' || FORMATS.has(schema.format);
		const isNoRule = { enum: choices !== undefined, format: isStored } as Record<string, boolean>;
		const rules = RULES.filter((rule) => schema[rule] !== undefined && !isNoRule[rule]);
		this.unchecked += rules.length;
		return rules.length ? `(${rules.map((rule) => `${rule}: ${asWritten(schema[rule]!)}`).join(', ')})` : '';
	}
}

/** An object describes a row; a list, and an object whose only property is a list of objects, describe rows by their entries. */
export function columnsInSchema(json: Json, label: string): SchemaColumns {
	const reader = new SchemaReader(json, label);
	if (!isJsonObject(json)) throw reader.noRows();
	const { shape, about } = reader.read(json, '', ['#']);
	const [only, second] = shape.fields ?? [];
	const list = second === undefined && only?.entry?.fields ? only : undefined;
	const { fields } = list?.entry ?? shape.entry ?? shape;
	if (!fields) throw reader.noRows();
	return {
		columns: fields.map((field) => ({ description: '', ...field })),
		about: list ? inSentences(filledText(json.description) ?? '', list.description ?? '') : about,
		unchecked: reader.unchecked,
	};
}
