import { format as knownFormats, type Schema } from '@cfworker/json-schema';

import { rowsFormat, schemaOf } from '../../nodes/RunAutomation/columns/schema';
import { COLUMN_TYPES } from '../../nodes/RunAutomation/form/fields';
import { plain, readJson } from '../../nodes/shared/values/json';
import { each } from '../support/each';
import { formatOf, LINK, NUMBER, TEXT, rowsIn } from '../support/rows-format';

const INTEGER: Schema = { type: 'integer' };
const BOOLEAN: Schema = { type: 'boolean' };
const DATE: Schema = { type: 'string', format: 'date-time' };
const LIST: Schema = { type: 'array' };
const OBJECT: Schema = { type: 'object' };
const CHOICE: Schema = { type: 'string', enum: ['In stock', 'Sold out', '10', '1.50', 'É', 'True'] };

// The library accepts every text in a format that it does not know.
it.each(Object.values(COLUMN_TYPES))('the format of the column type $name is known, if it has one', ({ schema }) => {
	const { format = 'date' }: Schema = schema;
	expect(Object.keys(knownFormats)).toContain(format);
});

/** What a value, as JSON, is in a column with a schema; undefined if it is invalid. */
function valueOf(json: string, schema: Schema): unknown {
	const { rows, problems } = rowsIn([`{"rows": [{"a": ${json}, "b": 1}]}`], formatOf({ a: schema, b: {} }));
	return problems.length > 0 ? undefined : rows[0]!.a;
}
const itself = (schema: Schema, ...values: unknown[]) =>
	values.map((value): [string, Schema, unknown] => [JSON.stringify(value), schema, value]);
const none = (schema: Schema, ...values: unknown[]) =>
	values.map((value): [string, Schema, undefined] => [JSON.stringify(value), schema, undefined]);

describe('a value', () => {
	const wiki = 'https://en.example/wiki/A_(b)?q=[1]';
	it.each<[string, Schema, unknown]>([
		// Texts keep what is written. Databases refuse U+0000 and half characters.
		...itself(TEXT, 'Lamp', 'a\tb\r\nc', '["a"]', '...'),
		['12345678901234567890', TEXT, '12345678901234567890'],
		['1.10', TEXT, '1.10'],
		['"a\tb"', TEXT, 'a\tb'],
		['"a\\u0000b\u0000c"', TEXT, 'abc'],
		['"a\\\\u0000"', TEXT, 'a\\u0000'],
		['"a\\ud83d"', TEXT, 'a\ufffd'],
		['{"\\ude00": "\\ud83d\\ude00"}', OBJECT, { '\ufffd': '😀' }],
		...none(TEXT, true, ['a'], { a: 1 }),
		// Numbers that JavaScript holds exactly, without units and thousands separators.
		...itself(NUMBER, 12.5, 0, 1e21),
		...each(['"0.125"', '" 0.125 "'], NUMBER, 0.125),
		...each(['"\u22123.5"', '"-3.5"'], NUMBER, -3.5),
		['12345678901234567000', NUMBER, 12345678901234567000],
		...each(['12345678901234567001', '"12345678901234567890"', '1e999', '"1e5"', '"007"'], NUMBER, undefined),
		...none(NUMBER, '12.90 EUR', '1.234', '12.345.678', '1,234', 'x', true),
		...each(['12', '12.0', '"12"', '1.2e1'], INTEGER, 12),
		...none(INTEGER, 12.5, '12.5'),
		...each(['"True"', '" TRUE\\n"', 'true'], BOOLEAN, true),
		...none(BOOLEAN, 'yes', 1),
		// Dates in ISO 8601, and those of databases.
		...itself(DATE, '2024-02-29', '2026-01-31T09:30', '2026-01-31T09:30:15.123+02:00', '2026-01-31T09:30:00Z'),
		['"2026-01-31 09:30:00"', DATE, '2026-01-31T09:30:00'],
		['"2026-01-31 09:30:00.123456 -05"', DATE, '2026-01-31T09:30:00.123456-05:00'],
		['"2026-01-31t09:30:00.5z"', DATE, '2026-01-31T09:30:00.5Z'],
		...none(DATE, '2026-02-29', '2026-13-01', '2026-01-32', '2026-01-31T24:00', '2026-01-31T09:60', '03.05.2026'),
		...none(DATE, 'on 2026-01-31', '2026-01-31T', '2026-01-31 9:30', 1769817600),
		// A link is one complete URL.
		...itself(LINK, wiki, 'http://x.example', 'https://a/?u=https://b'),
		...itself(LINK, 'https://a/compare/main...dev', 'https://a/&lt;'),
		...each([`"[A (b)](${wiki})"`, `"[[1] A [x]](<${wiki}>)"`, `"<${wiki}>"`, `" ${wiki} "`], LINK, wiki),
		...each(['"https://a/?p&amp;c=2"', '"https://a/?p&#038;c=2"', '"https://a/?p&#x26;c=2"'], LINK, 'https://a/?p&c=2'),
		...none(LINK, '/offers/1', '//x.example/', 'www.example.com', 'ftp://x', 'javascript:alert(1)', 'https:/x', 5),
		...none(LINK, 'https://a https://b', '[a](https://a) [b](https://b)', '[a](/b)'),
		...none(LINK, 'See https://a', 'https://a/very-lo…'),
		// Choices as they are written in the form.
		...each(['"Sold out"', '" sold OUT\\n"'], CHOICE, 'Sold out'),
		['"é"', CHOICE, 'É'],
		['true', CHOICE, 'True'],
		['10', CHOICE, '10'],
		['1.50', CHOICE, '1.50'],
		...none(CHOICE, 'In', 'In stock.', 11, 1.5, false, ['In stock']),
		...itself({ enum: [1, 'a', true] }, 1, 'a', true),
		// Agents write a list or an object as JSON in a text.
		...itself(LIST, ['a'], [1, { a: null }]),
		...each(['"[\\"a\\"]"'], LIST, ['a']),
		['[12345678901234567890]', LIST, ['12345678901234567890']],
		...none(LIST, 'a, b', '["a"] or so'),
		...itself(OBJECT, { a: 1 }),
		...none(OBJECT, ['a']),
		// Null and an empty text are no value.
		...[NUMBER, BOOLEAN, DATE, LINK, LIST, OBJECT, CHOICE].flatMap((schema) => each(['null', '" "'], schema, null)),
	])('%j in a column %j is %j', (json, schema, value) => expect(valueOf(json, schema)).toEqual(value));

	it('stays null where it is nested, and its list keeps its length', () => {
		const seller: Schema = { type: 'object', properties: { name: TEXT, rating: NUMBER }, required: ['name'] };
		expect(valueOf('{"name": "A", "rating": null}', seller)).toEqual({ name: 'A', rating: null });
		expect(valueOf('{"name": null}', seller)).toBeUndefined();
		expect(valueOf('["a", null, 7]', { type: 'array', items: TEXT })).toEqual(['a', null, '7']);
		expect(valueOf('[null, {"name": "A"}]', { type: 'array', items: seller })).toEqual([null, { name: 'A' }]);
		expect(valueOf('{"x": null, "y": "", "z": [""]}', OBJECT)).toEqual({ x: null, y: '', z: [''] });
		expect(valueOf('["", null]', LIST)).toEqual(['', null]);
	});
});

// flatten-tool#392, filenamify#40, servers#3004
it.each([
	['unit\u00a0price', 'unit price'],
	['Gr\u00f6\u00dfe', 'Gro\u0308\u00dfe'],
	['unit_price', 'unitPrice'],
	['unit_price', 'Unit Price'],
])('the column %j is also found as %j, but its exact name counts', (name, key) => {
	const format = formatOf({ [name]: NUMBER }, { required: [name] });
	for (const row of [{ [key]: 1 }, { [key]: 2, [name]: 1 }, { [name]: 1, [key]: 2 }])
		expect(rowsIn([JSON.stringify([row])], format)).toMatchObject({ rows: [{ [name]: 1 }] });
});

const notInSchema = ['Row 1: "size" is not in the schema', expect.anything()];
it.each<[Schema, object]>([
	[{}, { rows: [{ a: 'x' }] }],
	[{ additionalProperties: NUMBER, properties: { a: TEXT, not_done: TEXT } }, { rows: [{ a: 'x', size: 5 }] }],
	[{ additionalProperties: true }, { rows: [{ a: 'x', size: '5' }] }],
	[{ patternProperties: { '^s': NUMBER } }, { rows: [{ a: 'x', size: '5' }] }],
	[{ additionalProperties: false }, { rows: [], problems: notInSchema }],
])('a further key is kept in a row if the schema names such keys: %j', (more, expected) => {
	const reply = '{"rows": [{"a": "x", "size": "5", "not_done": "y"}]}';
	expect(rowsIn([reply], formatOf({ a: TEXT }, more))).toMatchObject(expected);
});

const inside: Schema = { properties: { b: { items: { properties: { c: NUMBER } } } } } as never;
const required: Schema = { type: 'object', properties: { 'c d': TEXT, 'e/f~': TEXT }, required: ['c d', 'e/f~'] };
it.each<[string, Schema, string]>([
	['5', { type: 'string', enum: ['new', 'used'] }, '"a" is 5. Instance does not match any of ["new","used"]'],
	['{"b": [{"c": "x"}]}', inside, '"a.b[0].c" is "x". Expected "number"'],
	['{"c d": 1}', required, '"a.e/f~" is required, but has no value'],
	['"x"', { type: 'string', minLength: 2 }, '"a" is "x". String is too short (1 < 2)'],
])('the problem of the value %s names its place, and choices before their type', (json, schema, problem) => {
	const { problems } = rowsIn([`{"rows": [{"a": ${json}, "b": 1}]}`], formatOf({ a: schema, b: {} }));
	expect(problems).toEqual([`Row 1: ${problem}`]);
});

// The library would take 3.4 s for 26 characters.
it("a rule that may take too long on a stranger's text is told to the agent and counted, but not checked", () => {
	const pattern = '^(a+)+$';
	const format = formatOf({ a: { ...TEXT, pattern }, b: { type: 'array', uniqueItems: true } });
	expect([format.unchecked, format.told.includes(JSON.stringify(pattern))]).toEqual([2, true]);
	const row = { a: `${'a'.repeat(40)}!`, b: Array.from({ length: 20_000 }, () => ({ x: 1 })) };
	expect(rowsIn([JSON.stringify([row])], format)).toMatchObject({ rows: [row], problems: [] });
	expect(formatOf({ a: { ...TEXT, minLength: 1, format: 'email' } }).unchecked).toBe(0);
});

const orNull = (...schemas: Schema[]): Schema => ({ anyOf: [...schemas, { type: 'null' }] });

/** Schemas as generators write them, with a valid row, and values of which each makes it invalid. */
const SCHEMAS: Record<string, [schema: object, row: object, ...invalid: object[]]> = {
	'Pydantic 2, a list': [
		{
			$defs: {
				Offer: {
					properties: {
						name: { maxLength: 80, title: 'Name', ...TEXT },
						price: { ...orNull(NUMBER), title: 'Price' },
						seen_at: { ...orNull({ format: 'date-time', ...TEXT }), default: null },
						state: { $ref: '#/$defs/State', description: 'Condition' },
						meta: { additionalProperties: { type: 'integer' }, title: 'Meta', type: 'object' },
						seller: { $ref: '#/$defs/Seller' },
					},
					required: ['name', 'price', 'state', 'meta', 'seller'],
					type: 'object',
				},
				Seller: { properties: { name: TEXT }, required: ['name'], type: 'object' },
				State: { enum: ['new', 'used'], ...TEXT },
			},
			properties: { offers: { items: { $ref: '#/$defs/Offer' }, title: 'Offers', type: 'array' } },
			required: ['offers'],
			type: 'object',
		},
		{ name: 'Lamp', price: null, seen_at: null, state: 'new', meta: { a: 1 }, seller: { name: 'A' } },
		...[{ seller: { name: null } }, { state: 'old' }, { meta: { a: 'x' } }, { name: 'x'.repeat(81) }],
	],
	TypeBox: [
		{
			type: 'object',
			required: ['state', 'price'],
			properties: {
				state: { anyOf: [{ const: 'new', ...TEXT }, { const: 'used', ...TEXT }, { type: 'null' }] },
				price: { exclusiveMinimum: 0, type: 'number' },
				sizes: { type: 'array', items: { anyOf: ['S', 'M'].map((size) => ({ const: size, ...TEXT })) } },
			},
		},
		{ state: null, price: 12.5, sizes: ['S'] },
		...[{ sizes: ['S', 'XL'] }, { price: 0 }],
	],
	'OpenAPI 3.0': [
		{
			$ref: '#/components/schemas/Page',
			components: {
				schemas: {
					Page: {
						type: 'object',
						properties: { results: { type: 'array', items: { $ref: '#/components/schemas/Offer' } } },
					},
					Offer: {
						type: 'OBJECT',
						required: ['id', 'name'],
						properties: {
							id: { type: 'integer', format: 'int64', readOnly: true, example: 7 },
							name: { type: 'STRING', nullable: true },
							seller: { nullable: true, allOf: [{ $ref: '#/components/schemas/Seller' }] },
						},
					},
					Seller: { type: 'object', properties: { mail: { ...TEXT, format: 'email' } }, additionalProperties: false },
				},
			},
		},
		{ id: 7, name: null, seller: { mail: 'a@b.example' } },
		...[{ id: null }, { seller: { mail: 'x' } }, { seller: { page: 1 } }],
	],
	'draft 7 in strict mode': [
		{
			$schema: 'http://json-schema.org/draft-07/schema#',
			type: 'object',
			definitions: { links: { definitions: { link: { ...LINK, description: 'Page' } } } },
			properties: {
				link: { $ref: '#/definitions/links/definitions/link' },
				again: { $ref: '#/properties/link' },
				price: { type: ['number', 'null'], multipleOf: 0.01 },
			},
			required: ['link', 'again', 'price'],
			additionalProperties: false,
		},
		{ link: 'https://a.example', again: 'https://b.example', price: null },
		...[{ again: '/b' }, { price: 0.001 }],
	],
};

it.each(Object.entries(SCHEMAS))('the schema of %s describes rows', (_name, [schema, row, ...invalid]) => {
	const format = rowsFormat(schema as Schema, false, 'Schema');
	expect(rowsIn([JSON.stringify({ rows: [row] })], format)).toMatchObject({ rows: [row], problems: [] });
	for (const values of invalid)
		expect(rowsIn([JSON.stringify({ rows: [{ ...row, ...values }] })], format).rows).toEqual([]);
	// Every column, in the words of the schema.
	for (const column of format.columns) expect(format.told).toContain(`${JSON.stringify(column)}:`);
});

describe('a schema is rejected', () => {
	const a = (schema: unknown, more: object = {}) => ({ type: 'object', properties: { a: schema }, ...more });
	const NO_ROWS = "describes no object with 'properties'";
	const looping = [{ $ref: '#/$defs/A' }, { allOf: [{ $ref: '#/$defs/A' }] }].map((A) => a(A, { $defs: { A } }));
	it.each<[unknown, string]>([
		...each([{}, { type: 'object' }, { type: 'array', items: TEXT }, { name: 'offer', schema: a(TEXT) }], NO_ROWS),
		[a({ type: 'TEXT' }), `has an unknown 'type': "text"`],
		[a({ $ref: '#nowhere' }), `has a '$ref' to elsewhere: "#nowhere"`],
		[a({ $ref: 'https://a.example/s.json#/A' }), `has a '$ref' to elsewhere: "https://a.example/s.json#/A"`],
		// json-schema-to-typescript#396, probe#569
		[a(TEXT, { required: ['A'] }), `has a name in 'required' that is no property: "A"`],
		[a({ ...TEXT, required: true }), 'is not valid: $required is not iterable'],
		[a({ enum: 'new' }), 'is not valid: $enum.some is not a function'],
		...each(looping, 'refers to itself'),
		[a({ $id: 'https://[' }), 'is not valid: Invalid URL'],
	])('%j: it %s', (schema, message) => {
		expect(() => rowsFormat(schema as Schema, false, 'Schema')).toThrow(new Error(`Schema ${message}`));
	});

	it('if a property has none', () =>
		expect(() => rowsFormat(a(null) as Schema, false, 'Schema')).toThrow(/^Schema is not valid: /));
});

describe('the schema of an example', () => {
	const schemaFor = (value: unknown) => schemaOf([readJson(JSON.stringify(value)).json!], '', 'Example');

	it('has the types of its values, at every depth', () => {
		const flat = { id: 1, sold: false, page: 'https://x.example/', since: '2026-01-31', any: [], all: {} };
		const items = { type: 'object', properties: { w: NUMBER, tags: { type: 'array', items: TEXT } } };
		const sizes = { type: 'array', items };
		const properties = { id: NUMBER, sold: BOOLEAN, page: LINK, since: DATE, sizes, any: LIST, all: OBJECT };
		expect(schemaFor({ ...flat, sizes: [{ w: 1, tags: ['a'] }] })).toEqual({ type: 'object', properties });
		expect(['[a](https://x/)', '/x', 'www.x.example'].map(schemaFor)).toEqual([TEXT, TEXT, TEXT]);
	});

	it.each([
		[{ b: null }, 'has no value for "b"'],
		[{ b: [[null]] }, 'has no value for "b[0][0]"'],
		[{ b: [1, 'a'] }, 'has different types for "b[0]"'],
	])('needs a value of one type for each: not %j', (value, message) => expect(() => schemaFor(value)).toThrow(message));
});

it('JSON is read with every digit, and nothing that could become a prototype', () => {
	const { json } = readJson('{"a": [12345678901234567890, 1.50, 1e999], "__proto__": 1, "constructor": 2}');
	expect(JSON.stringify(plain(json!))).toBe('{"a":["12345678901234567890",1.5,"1e999"],"constructor":2}');
	expect(Object.getPrototypeOf(plain(json!))).toBe(Object.prototype);
});
