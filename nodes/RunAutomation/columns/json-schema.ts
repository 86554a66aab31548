// Reads a JSON Schema into columns. Each keyword is checked, told to the agent and counted, or rejected.

import { inputError } from '../../shared/failure/failure';
import { isJsonObject, Numeral, plain, type Json, type JsonObject } from '../../shared/values/json';
import { filledText } from '../../shared/values/text';
import { findLoosely } from './names';
import type { Column, ColumnType, NamedShape, Shape } from './types';

export interface SchemaColumns {
	columns: Column[];
	/** The schema's description of all rows; may be empty. */
	about: string;
	/** Rules that only the agent gets, such as "minLength of link". */
	unchecked: string[];
}

interface Value {
	shape: Shape;
	about: string;
	isNullable: boolean;
	/** True for `required: true` in the value's own schema, as in draft 3. */
	isRequired: boolean;
}

/** The agent is told these, except choices, and formats with a type. docs/reference.md lists them. */
const RULES = [
	...['enum', 'format', 'pattern', 'minLength', 'maxLength', 'contentEncoding', 'contentMediaType'],
	...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'divisibleBy', 'contentSchema'],
	...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'propertyNames', 'dependentRequired'],
	...['additionalProperties', 'unevaluatedProperties', 'additionalItems', 'unevaluatedItems'],
];

/** These say nothing about a value, or only how other keywords are read. */
const ANNOTATIONS = [
	...['title', 'description', 'default', 'example', 'examples', 'deprecated', 'readOnly', 'writeOnly', 'nullable'],
	...[
		'$schema',
		'$id',
		'$anchor',
		'$dynamicAnchor',
		'$comment',
		'$defs',
		'definitions',
		'discriminator',
		'xml',
		'externalDocs',
	],
];

/** A key of our own for what a schema says about its alternatives. */
const ABOUT_ALTERNATIVES = 'about the alternatives';

/** A key of our own for a value's `required: true`. */
const REQUIRED_ITSELF = 'required: true';

/** Two schemas of one value may not differ in these. */
const COMBINED = ['type', 'properties', 'required', 'items', ...RULES];

/** These apply to some values only. */
const UNSUPPORTED = [
	...['not', 'if', 'patternProperties', 'prefixItems', 'contains', 'dependentSchemas', 'dependencies'],
	...['$dynamicRef', '$recursiveRef', 'disallow', 'extends'],
];

const FORMATS = new Map<Json | undefined, ColumnType>([
	['uri', 'link'],
	['date', 'date'],
	['date-time', 'date'],
]);

/** The type of a schema that names none. */
const TYPES_BY_KEYWORD = Object.entries({ properties: 'object', items: 'array', format: 'string' });

/** References can multiply, and n8n runs all workflows in one process. */
const MAX_SCHEMAS = 1000;

const EXAMPLE = '{"type": "object", "properties": {"name": {"type": "string"}}}';

const REJECTIONS = {
	emptyEnum: ["has no value in 'enum'", 'Enter its values, or remove it'],
	elsewhere: ["has a '$ref' to elsewhere", "Copy that schema into '$defs'"],
	itself: ["has a '$ref' into itself", 'Describe only the levels that you need'],
	itemsList: ["has a list of schemas in 'items'", 'Enter one schema that describes each entry'],
	noProperty: ["has a name in 'required' that is no property", "Enter the name as in 'properties'"],
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

function aboutValues(schema: JsonObject): string {
	const text = filledText(schema.description) ?? filledText(schema.title);
	return text ? inSentences(`${(listedIn(schema) ?? []).map(asWritten).join(', ') || 'null'}: ${text}`, '') : '';
}

const typeOfValue = (value: Json): string =>
	value instanceof Numeral ? 'number' : Array.isArray(value) ? 'array' : typeof value;

export function containsSchema(json: Json): boolean {
	if (Array.isArray(json)) return json.some(containsSchema);
	if (!isJsonObject(json)) return false;
	const { $schema, type, properties = null } = json;
	const isSchema = $schema !== undefined || (type === 'object' && isJsonObject(properties));
	return isSchema || Object.values(json).some(containsSchema);
}

const onlyAnnotates = (json: Json): boolean =>
	json === true ||
	(isJsonObject(json) && Object.keys(json).every((key) => ANNOTATIONS.includes(key) || key.startsWith('x-')));

/** References such as `#offer` or `offer.json`. Draft 4 has `id` for `$id`. */
function named(json: Json, reference: string): Json | undefined {
	if (typeof json !== 'object' || json === null) return undefined;
	const { $id, id, $anchor, $dynamicAnchor } = json as JsonObject;
	const anchors = [$anchor, $dynamicAnchor].map((anchor) => typeof anchor === 'string' && `#${anchor}`);
	if ([$id, id, ...anchors].includes(reference)) return json;
	for (const inner of Object.values(json)) {
		const found = named(inner, reference);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** A fragment may be a JSON Pointer (RFC 6901) with percent-encoding. */
function targetOf(root: Json, reference: Json): Json | undefined {
	if (typeof reference !== 'string') return undefined;
	const [, base, pointer] = /^([^#]*)#(|\/[^]*)$/.exec(reference) ?? [];
	if (pointer === undefined) return named(root, reference);
	const schema = base ? named(root, base) : root;
	if (schema === undefined) return undefined;
	let steps: string[];
	try {
		steps = decodeURIComponent(pointer).split('/').slice(1);
	} catch {
		return undefined;
	}
	return steps
		.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
		.reduce<
			Json | undefined
		>((json, step) => (Object.hasOwn(Object(json) as object, step) ? (json as JsonObject)[step] : undefined), schema);
}

/** Other keys are never returned, so their rules limit only what the agent writes. */
const isLimiting = (rule: string, json: Json): boolean =>
	!/^(?:additional|unevaluated)/.test(rule) || (isJsonObject(json) && Object.keys(json).length > 0);

class SchemaReader {
	readonly unchecked: Array<{ rule: string; path: string }> = [];

	private schemas = 0;

	constructor(
		private readonly root: Json,
		private readonly label: string,
	) {}

	rejection(why: keyof typeof REJECTIONS, path = '', what = ''): Error {
		const [reason, advice] = REJECTIONS[why];
		return inputError(`${this.label} ${reason}${what && ` ${what}`}${path && ` for "${path}"`}`, advice);
	}

	/** @param outer references that lead to this schema */
	read(json: Json, path: string, outer: Json[]): Value {
		if (++this.schemas > MAX_SCHEMAS) throw this.rejection('tooMany');
		const open = [...outer];
		const schema = this.combined(json, path, open);
		const type = this.typeIn(schema, path);
		const { items } = schema;
		if (Array.isArray(items)) throw this.rejection('itemsList', path);
		const entry = type === 'array' && items !== undefined ? this.read(items, `${path}[0]`, open) : undefined;
		const shape: Shape = entry ? { type: 'list', entry: entry.shape } : this.shapeOf(type, schema, path, open);
		const said = filledText(schema.description) ?? filledText(schema.title) ?? '';
		const ofAlternatives = filledText(schema[ABOUT_ALTERNATIVES]);
		const description = ofAlternatives && ofAlternatives !== said ? inSentences(said, ofAlternatives) : said;
		const own = [description, this.rulesIn(schema, shape, path)].filter(Boolean).join(' ');
		const ofEntry = entry?.isRequired
			? `${entry.about} ${this.told(['required'], { required: true }, `${path}[0]`)}`
			: entry?.about;
		const about = ofEntry ? inSentences(own, `Each entry: ${ofEntry.trim()}`) : own;
		const isNullable = schema.nullable === true || shape.type === 'any';
		return { shape, about, isNullable, isRequired: schema[REQUIRED_ITSELF] === true };
	}

	/** Combines what a schema says about a value, even by reference, into one type, and `nullable` for any null. */
	private combined(json: Json, path: string, open: Json[]): JsonObject {
		if (json === true) return {};
		if (!isJsonObject(json)) throw this.rejection('noSchema', path);
		const unsupported = UNSUPPORTED.find((keyword) => Object.hasOwn(json, keyword));
		if (unsupported) throw this.rejection('unsupported', path, `'${unsupported}'`);
		const { $ref, allOf = [], anyOf, oneOf, ...own } = json;
		const members = [allOf].flat();
		if (members.filter((part) => !onlyAnnotates(part)).length > 1) throw this.rejection('schemas', path, "in 'allOf'");
		const parts = members.map((part) => this.combined(part, path, open));
		if ($ref !== undefined) parts.push(this.combined(this.target($ref, path, open), path, open));
		for (const [keyword, list] of Object.entries({ anyOf, oneOf }))
			if (list !== undefined) parts.push(this.alternative(keyword, list, path, open));
		return parts.reduce<JsonObject>((all, part) => this.merged(all, part, path), this.withoutNull(own, path));
	}

	private merged(all: JsonObject, part: JsonObject, path: string): JsonObject {
		const isTwice = (keyword: string) => all[keyword] !== undefined && part[keyword] !== undefined;
		const differs = (keyword: string) => isTwice(keyword) && asWritten(all[keyword]!) !== asWritten(part[keyword]!);
		const keyword = COMBINED.find(differs);
		if (keyword !== undefined) throw this.rejection('schemas', path, `in '${keyword}'`);
		return { ...part, ...all };
	}

	/** Only text can have an empty value in `enum`, so it counts as null. */
	private withoutNull({ type, const: only, required, ...schema }: JsonObject, path: string): JsonObject {
		const types =
			type === undefined ? [] : [type].flat().map((one) => (typeof one === 'string' ? one.toLowerCase() : one));
		const [first, second] = types.filter((one) => one !== 'null');
		if (second !== undefined) throw this.rejection('types', path, "in 'type'");
		const isNull = types.length > 0 && first === undefined;
		const values = isNull ? [null] : only === undefined ? listedIn(schema) : [only];
		const filled = values?.filter((value) => value !== null && value !== '');
		const isNullable = types.includes('null') || filled?.length !== values?.length;
		const isItself = typeof required === 'boolean';
		return {
			...schema,
			...(required !== undefined && { [isItself ? REQUIRED_ITSELF : 'required']: required }),
			...(first !== undefined && { type: first }),
			...(filled && { enum: filled }),
			...(isNullable && { nullable: true }),
		};
	}

	private target(reference: Json, path: string, open: Json[]): Json {
		if (open.includes(reference)) throw this.rejection('itself', path);
		open.push(reference);
		const target = targetOf(this.root, reference);
		if (target === undefined) throw this.rejection('elsewhere', path);
		return target;
	}

	/** Besides null, there is one alternative, or several that only list values: these become one list. */
	private alternative(keyword: string, list: Json, path: string, open: Json[]): JsonObject {
		const all = [list].flat().map((one) => ({ isOne: !onlyAnnotates(one), schema: this.combined(one, path, open) }));
		const schemas = all.filter(({ isOne }) => isOne).map(({ schema }) => schema);
		const others = schemas.filter((one) => listedIn(one)?.length !== 0);
		const isNullable = schemas.length > others.length || all.some(({ schema }) => schema.nullable === true);
		const nullable: JsonObject = isNullable ? { nullable: true } : {};
		const [only, second] = others;
		const said = filledText(only?.description);
		if (second === undefined && (only || !schemas.length))
			return { ...(said && { [ABOUT_ALTERNATIVES]: said }), ...only, ...nullable };
		if (!others.every(listedIn)) {
			const types = new Set(others.map((one) => one.type ?? listedIn(one)?.map(typeOfValue)[0]));
			const areDifferent = types.size > 1 && !types.has(undefined);
			throw this.rejection(areDifferent ? 'types' : 'schemas', path, `in '${keyword}'`);
		}
		const about = schemas.map(aboutValues).filter(Boolean).join(' ');
		return {
			enum: others.flatMap((one) => listedIn(one) ?? []),
			...(about && { [ABOUT_ALTERNATIVES]: about }),
			...nullable,
		};
	}

	private typeIn(schema: JsonObject, path: string): Json | undefined {
		const { type } = schema;
		const values = listedIn(schema);
		if (values?.length === 0) throw this.rejection(schema.nullable === true ? 'noType' : 'emptyEnum', path);
		const [first, second] = new Set(type === undefined ? values?.map(typeOfValue) : [type]);
		if (second !== undefined) throw this.rejection('types', path, "in 'enum'");
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
		// The check of column names rejects this name.
		const names = Object.keys(properties).filter((name) => name !== '__proto__' || path === '');
		const at = (name: string) => (path ? `${path}.${name}` : name);
		const listed = [required].flat().map((name) => {
			const text = typeof name === 'string' ? name : asWritten(name);
			const known = names.length ? findLoosely(names, text) : text;
			if (known === undefined) throw this.rejection('noProperty', at(text));
			return known;
		});
		return names.map((name) => {
			const { shape, about, isNullable, isRequired } = this.read(properties[name]!, at(name), open);
			const mustBe = (isRequired || listed.includes(name)) && !isNullable;
			return { name, ...shape, description: about, isRequired: mustBe };
		});
	}

	/** Lists unchecked rules in brackets. A number's format says only how it is stored. */
	private rulesIn(schema: JsonObject, { type, choices, fields }: Shape, path: string): string {
		const isStored = type === 'number' || type === 'integer' || FORMATS.has(schema.format);
		const isNoRule: Record<string, boolean> = { enum: choices !== undefined, format: isStored };
		const isSaid = (rule: string) => schema[rule] !== undefined && !isNoRule[rule];
		// Nothing else names the required keys if there are no properties.
		const rules = [...RULES, ...(fields ? [] : ['required'])].filter(
			(rule) => isSaid(rule) && isLimiting(rule, schema[rule]!),
		);
		return rules.length ? this.told(rules, schema, path) : '';
	}

	private told(rules: string[], schema: JsonObject, path: string): string {
		for (const rule of rules) this.unchecked.push({ rule, path });
		return `(${rules.map((rule) => `${rule}: ${asWritten(this.withTargets(schema[rule]!, []))}`).join(', ')})`;
	}

	/** The agent sees no other part of the schema, so references are replaced unless circular. */
	private withTargets(json: Json, outer: Json[]): Json {
		if (Array.isArray(json)) return json.map((one) => this.withTargets(one, outer));
		if (!isJsonObject(json)) return json;
		const { $ref = null } = json;
		const target = outer.includes($ref) ? undefined : targetOf(this.root, $ref);
		if (target === undefined) {
			const entries = Object.entries(json).map(([key, value]) => [key, this.withTargets(value, outer)]);
			return Object.fromEntries(entries) as JsonObject;
		}
		if (++this.schemas > MAX_SCHEMAS) throw this.rejection('tooMany');
		return this.withTargets(target, [...outer, $ref]);
	}
}

/** If the list is `offers`, `offers[0].price` is `price` in a row. */
function nameInRow(path: string, list: string | undefined): string {
	if (list === undefined) return path || 'a row';
	const place = `${list}[0]`;
	if (!path.startsWith(place)) return path || 'all rows';
	return path.slice(place.length).replace(/^\./, '') || 'a row';
}

/** An object describes a row. A list, or an object's only property if it lists objects, describes rows by its entries. */
export function columnsInSchema(json: Json, label: string): SchemaColumns {
	const reader = new SchemaReader(json, label);
	if (!isJsonObject(json)) throw reader.rejection('noRows');
	const { shape, about } = reader.read(json, '', ['#']);
	const [only, second] = shape.fields ?? [];
	const list = second === undefined && only?.entry?.fields ? only : undefined;
	const { fields } = list?.entry ?? shape.entry ?? shape;
	if (!fields) throw reader.rejection('noRows');
	const listName = list?.name ?? (shape.entry && '');
	return {
		columns: fields.map((field) => ({ description: '', ...field })),
		about: list ? inSentences(filledText(json.description) ?? '', list.description ?? '') : about,
		unchecked: reader.unchecked.map(({ rule, path }) => `${rule} of ${nameInRow(path, listName)}`),
	};
}
