import type { INodeParameters } from 'n8n-workflow';
import { z } from 'zod/v4';

import { asTool, type Extra } from '../engine/run-node';
import { events, runStream, textChunks } from '../engine/serve-stream';

/** Runs *Run and Get Rows* with columns of a schema; the agent replies with these rows. */
async function getRows(schema: unknown, rows: unknown, form: INodeParameters = {}, extra: Extra = {}) {
	const tasks: string[] = [];
	const ran = await runStream(
		(_task, response, _threadId, query = '') => {
			tasks.push(query);
			const headers = { 'content-type': 'text/event-stream', 'x-thread-id': '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d' };
			const said = [...textChunks(JSON.stringify({ rows })), { type: 'finish', finishReason: 'stop' }];
			response.writeHead(200, headers).end(events(...said));
		},
		{
			...{ operation: 'rows', query: 'Find offers', columnsFrom: 'schema' },
			jsonSchema: typeof schema === 'string' ? schema : JSON.stringify(schema, null, 2),
			...form,
		},
		extra,
	);
	const [task = ''] = tasks;
	return {
		...ran,
		tasks,
		rows: ran.items.map(({ json }) => json),
		hints: ran.hints.map(({ message }) => message.replaceAll('&#39;', "'")),
		/** The lines of the instruction on what rows are. */
		format: task.slice(task.indexOf('{"rows": [...]}.') + 17, task.indexOf('\nReturn one row')).split('\n'),
	};
}

const KEYS = 'Each row is an object with exactly these keys, in this order:';
const unchecked = (count: number, names = '') =>
	`Rules in 'JSON Schema' that are sent to the agent, but not checked: ${count} (${names}`;

interface Case {
	schema: object;
	/** In the task. */
	lines: string[];
	row: Record<string, unknown>;
	/** The reason why the row is invalid with these values. */
	invalid: [values: object, reason: string];
	rules?: number;
}

const text = { type: 'string' };
const orNull = (...schemas: object[]) => ({ anyOf: [...schemas, { type: 'null' }] });

const SCHEMAS: Record<string, Case> = {
	'Pydantic 2, a list': {
		schema: {
			$defs: {
				Offer: {
					description: 'One offer\nof the shop',
					properties: {
						name: { description: 'Full name', maxLength: 80, title: 'Name', ...text },
						price: { ...orNull({ type: 'number' }), title: 'Price' },
						stock: { minimum: 0, title: 'Stock', type: 'integer' },
						seen_at: { ...orNull({ format: 'date-time', ...text }), default: null, title: 'Seen At' },
						state: { $ref: '#/$defs/State', description: 'Condition' },
						size: { ...orNull({ enum: ['S', 'M'], ...text }), title: 'Size' },
						extra: { default: null, title: 'Extra' },
						meta: { additionalProperties: { type: 'integer' }, title: 'Meta', type: 'object' },
						level: { enum: [1, 2], title: 'Level', type: 'integer' },
						seller: { $ref: '#/$defs/Seller' },
					},
					required: ['name', 'price', 'stock', 'state', 'size', 'meta', 'level', 'seller'],
					title: 'Offer',
					type: 'object',
				},
				Seller: {
					description: 'Who sells it.',
					properties: { name: { title: 'Name', ...text } },
					required: ['name'],
					title: 'Seller',
					type: 'object',
				},
				State: { enum: ['new', 'used'], title: 'State', ...text },
			},
			properties: { offers: { items: { $ref: '#/$defs/Offer' }, title: 'Offers', type: 'array' } },
			required: ['offers'],
			title: 'Offers',
			type: 'object',
		},
		lines: [
			'About the rows: Offers. Each entry: One offer of the shop',
			KEYS,
			'- "name" (text, required): Full name (maxLength: 80)',
			'- "price" (number): Price',
			'- "stock" (whole number, required): Stock (minimum: 0)',
			'- "seen_at" (date): Seen At',
			'- "state" (one of "new", "used", required): Condition',
			'- "size" (one of "S", "M"): Size',
			'- "extra" (any value): Extra',
			'- "meta" (object, required): Meta (additionalProperties: {"type":"integer"})',
			'- "level" (whole number, required): Level (enum: [1,2])',
			'- "seller" (object with exactly these keys, required): Who sells it.',
			'  - "name" (text, required): Name',
		],
		row: {
			...{ name: 'Lamp', price: null, stock: 3, seen_at: null, state: 'new', size: null, extra: [1] },
			...{ meta: { a: 1 }, level: 9, seller: { name: 'A' } },
		},
		invalid: [{ seller: { name: null } }, '"seller.name" is required, but has no value'],
		rules: 4,
	},
	'Zod 4': {
		schema: z.toJSONSchema(
			z
				.object({
					name: z.string().describe('Full name'),
					price: z.number().nullable(),
					stock: z.int(),
					link: z.url(),
					state: z.union([z.literal('new'), z.literal('used')]),
					kind: z.literal('offer'),
					tags: z.array(z.string().min(2)),
					meta: z.record(z.string(), z.number()).nullish(),
					any: z.unknown(),
					seller: z.object({ rating: z.number().max(5).optional(), name: z.string() }),
				})
				.describe('One offer'),
		),
		lines: [
			'About the rows: One offer',
			KEYS,
			'- "name" (text, required): Full name',
			'- "price" (number)',
			'- "stock" (whole number, required): (minimum: -9007199254740991, maximum: 9007199254740991)',
			'- "link" (full URL with https://, required)',
			'- "state" (one of "new", "used", required)',
			'- "kind" (one of "offer", required)',
			'- "tags" (list, each entry text, required): Each entry: (minLength: 2)',
			'- "meta" (object): (propertyNames: {"type":"string"}, additionalProperties: {"type":"number"})',
			'- "any" (any value)',
			'- "seller" (object with exactly these keys, required)',
			'  - "rating" (number): (maximum: 5)',
			'  - "name" (text, required)',
		],
		row: {
			...{ name: 'Lamp', price: null, stock: 3, link: 'https://a.example', state: 'used', kind: 'offer', tags: ['x'] },
			...{ meta: null, any: null, seller: { rating: null, name: 'A' } },
		},
		invalid: [{ stock: 2.5 }, '"stock" must be a whole number, but is 2.5'],
		rules: 6,
	},
	'Zod 4, with reused schemas': {
		schema: z.toJSONSchema(
			z.array(
				(() => {
					const state = z.enum(['Open', 'open', 'Done']);
					return z.object({ first: state, then: state.nullable(), last: state.describe('The last') });
				})(),
			),
			{ reused: 'ref' },
		),
		lines: [
			KEYS,
			'- "first" (one of "Open", "open", "Done", required)',
			'- "then" (one of "Open", "open", "Done")',
			'- "last" (one of "Open", "open", "Done", required): The last',
		],
		row: { first: 'open', then: null, last: 'Open' },
		invalid: [{ first: 'OPEN' }, '"first" must be one of "Open", "open", "Done", but is "OPEN"'],
	},
	'TypeBox 0.34': {
		schema: {
			type: 'object',
			required: ['link', 'state', 'price', 'sizes'],
			properties: {
				link: { format: 'uri', ...text },
				state: { anyOf: [{ const: 'new', ...text }, { const: 'used', ...text }, { type: 'null' }] },
				price: { exclusiveMinimum: 0, type: 'number' },
				sizes: {
					type: 'array',
					items: {
						anyOf: [
							{ const: 'S', ...text },
							{ const: 'M', ...text },
						],
					},
				},
				from: { format: 'date', ...text },
			},
		},
		lines: [
			KEYS,
			'- "link" (full URL with https://, required)',
			'- "state" (one of "new", "used")',
			'- "price" (number, required): (exclusiveMinimum: 0)',
			'- "sizes" (list, each entry one of "S", "M", required)',
			'- "from" (date)',
		],
		row: { link: 'https://a.example/1', state: null, price: 12.5, sizes: ['S'], from: '2026-01-31' },
		invalid: [{ sizes: ['S', 'XL'] }, '"sizes[1]" must be one of "S", "M", but is "XL"'],
		rules: 1,
	},
	'an OpenAPI 3.0 generator': {
		schema: {
			$ref: '#/components/schemas/Page',
			components: {
				schemas: {
					Page: {
						type: 'object',
						properties: { results: { type: 'array', items: { $ref: '#/components/schemas/Shop%20Offer~1v1' } } },
						'x-internal': true,
					},
					'Shop Offer/v1': {
						type: 'object',
						required: ['id', 'name', 'seller', 'price'],
						discriminator: { propertyName: 'name' },
						properties: {
							id: { type: 'integer', format: 'int64', readOnly: true, example: 7 },
							name: { ...text, nullable: true },
							seller: { nullable: true, allOf: [{ $ref: '#/components/schemas/Seller' }] },
							state: { oneOf: ['State', 'Blank', 'Null'].map((name) => ({ $ref: `#/components/schemas/${name}` })) },
							price: { type: 'number', format: 'double', deprecated: true, externalDocs: { url: 'https://a.example' } },
						},
					},
					Seller: { type: 'object', properties: { mail: { ...text, format: 'email' } }, additionalProperties: false },
					State: { ...text, enum: ['new', 'used'], description: 'Condition' },
					Blank: { enum: [''] },
					Null: { enum: [null] },
				},
			},
		},
		lines: [
			KEYS,
			'- "id" (whole number, required)',
			'- "name" (text)',
			'- "seller" (object with exactly these keys)',
			'  - "mail" (text): (format: "email")',
			'- "state" (one of "new", "used"): Condition',
			'- "price" (number, required)',
		],
		row: { id: 7, name: null, seller: { mail: 'a@b.example' }, state: null, price: 1.5 },
		invalid: [{ id: null }, '"id" is required, but has no value'],
		rules: 1,
	},
	'an OpenAPI 3.1 generator': {
		schema: {
			type: 'object',
			properties: {
				name: { type: ['string', 'null'] },
				state: { type: ['string', 'null'], enum: ['new', 'used', null], title: 'State' },
				rank: { oneOf: [{ const: 1, title: 'Low' }, { const: 2, title: 'High' }, { type: 'null' }] },
				photo: { ...text, contentMediaType: 'image/png', contentEncoding: 'base64' },
			},
			required: ['name', 'state', 'rank', 'photo'],
		},
		lines: [
			KEYS,
			'- "name" (text)',
			'- "state" (one of "new", "used"): State',
			'- "rank" (number): 1: Low. 2: High. (enum: [1,2])',
			'- "photo" (text, required): (contentEncoding: "base64", contentMediaType: "image/png")',
		],
		row: { name: null, state: null, rank: null, photo: 'aGk=' },
		invalid: [{ rank: 'high' }, '"rank" must be a number, but is "high"'],
		rules: 3,
	},
	"Firecrawl's documentation": {
		schema: {
			type: 'object',
			properties: {
				company_mission: text,
				supports_sso: { type: 'boolean' },
				is_in_yc: { type: 'boolean' },
			},
			required: ['company_mission', 'supports_sso', 'is_in_yc'],
		},
		lines: [
			KEYS,
			'- "company_mission" (text, required)',
			'- "supports_sso" (true or false, required)',
			'- "is_in_yc" (true or false, required)',
		],
		row: { company_mission: 'To crawl', supports_sso: true, is_in_yc: false },
		invalid: [{ is_in_yc: 'yes' }, '"is_in_yc" must be true or false, but is "yes"'],
	},
	"Firecrawl's documentation, a list": {
		schema: {
			type: 'object',
			description: 'News of a day',
			properties: {
				stories: {
					type: 'array',
					description: 'Top stories',
					minItems: 3,
					items: { type: 'object', properties: { title: text, points: { type: 'number' }, by: { type: 'array' } } },
				},
			},
		},
		lines: [
			'About the rows: News of a day. Top stories (minItems: 3)',
			KEYS,
			'- "title" (text)',
			'- "points" (number)',
			'- "by" (list)',
		],
		row: { title: 'A', points: null, by: ['x', 1] },
		invalid: [{ by: 'x' }, '"by" must be a list, but is "x"'],
		rules: 1,
	},
	'a strict mode': {
		schema: {
			$schema: 'http://json-schema.org/draft-07/schema#',
			type: 'object',
			definitions: { links: { definitions: { link: { ...text, format: 'uri', description: 'Page' } } } },
			properties: {
				link: { $ref: '#/definitions/links/definitions/link' },
				again: { $ref: '#/properties/link' },
				price: { type: ['number', 'null'], multipleOf: 0.01 },
			},
			required: ['link', 'again', 'price'],
			additionalProperties: false,
		},
		lines: [
			KEYS,
			'- "link" (full URL with https://, required): Page',
			'- "again" (full URL with https://, required): Page',
			'- "price" (number): (multipleOf: 0.01)',
		],
		row: { link: 'https://a.example', again: 'https://b.example', price: null },
		invalid: [{ again: '/b' }, '"again" must be a full URL with https://, but is "/b"'],
		rules: 1,
	},
	'a person': {
		schema: {
			properties: {
				name: { enum: ['Lamp', 'Desk'] },
				on: { const: true },
				page: { format: 'uri' },
				offers: { items: { properties: { price: { type: 'integer' } }, required: ['price'] } },
				free: true,
			},
		},
		lines: [
			KEYS,
			'- "name" (one of "Lamp", "Desk")',
			'- "on" (true or false): (enum: [true])',
			'- "page" (full URL with https://)',
			'- "offers" (list, each entry an object with exactly these keys)',
			'  - "price" (whole number, required)',
			'- "free" (any value)',
		],
		row: { name: 'Lamp', on: true, page: null, offers: [{ price: 12 }], free: { a: 'x' } },
		invalid: [{ offers: [{ price: 12 }, { price: 12.5 }] }, '"offers[1].price" must be a whole number, but is 12.5'],
		rules: 1,
	},
};

describe.each(Object.entries(SCHEMAS))('the schema of %s', (_name, { schema, lines, row, invalid, rules }) => {
	it('becomes columns, whose rows are returned', async () => {
		const { rows, format, hints, error } = await getRows(schema, [row]);
		expect([error?.message, format.length, lines.length > 0]).toEqual([undefined, 2, true]);
		expect(rows).toEqual([row]);
		expect(Object.keys(rows[0] as object)).toEqual(Object.keys(row));
		expect([hints.filter((hint) => hint.startsWith('Rules')), rules ?? 0]).toEqual([[], expect.anything()]);
	});

	it('rejects a row with an invalid value, at any depth', async () => {
		const [values, reason] = invalid;
		const { error } = await getRows(schema, [{ ...row, ...values }]);
		expect([error?.message, reason]).toEqual([expect.stringContaining('Row 1: '), expect.anything()]);
	});
});

const priced = { type: 'object', properties: { price: { type: 'number' } } };

it.each([
	['an object of an expression', '={{ $json.schema }}', priced],
	['JSON text of an expression', '={{ $json.schema }}', JSON.stringify(priced)],
	['in a code fence', `\`\`\`json\n${JSON.stringify(priced)}\n\`\`\``, {}],
])('a schema may be %s', async (_what, jsonSchema, schema) => {
	const { rows } = await getRows(jsonSchema, [{ price: 1 }], {}, { input: [{ schema }] });
	expect(rows).toEqual([{ price: 1 }]);
});

it('an object with a list of objects and another property describes one row', async () => {
	const properties = { offers: { type: 'array', items: priced }, name: text };
	const { format } = await getRows({ properties }, []);
	expect(format.filter((line) => line.startsWith('- '))).toEqual([
		'- "offers" (list, each entry an object with exactly these keys)',
		'- "name" (text)',
	]);
});

it('a schema describes rows for an AI agent, and for exactly one row', async () => {
	const { rows, tasks } = await getRows(priced, [{ price: 1 }], { rows: 'one' }, asTool);
	expect(rows).toEqual([expect.objectContaining({ rows: [{ price: 1 }], status: 'completed' })]);
	expect(tasks[0]).toContain('- "price" (number)\nReturn exactly one row.');
});

it('a rule reaches the agent with every digit', async () => {
	const { format } = await getRows('{"properties": {"a": {"type": "number", "maximum": 12345678901234567890.10}}}', []);
	expect(format.at(-1)).toBe('- "a" (number): (maximum: 12345678901234567890.10)');
});

it.each([
	[{ price: 'cheap' }, 'Change the type of "price" in \'JSON Schema\' if these values are right'],
	[{ state: 'old' }, "Change 'Choices' of \"state\" in 'JSON Schema' if these values are right"],
	[{ price: '12345678901234567' }, "In 'JSON Schema', set its 'type' to string to keep every digit"],
	[{ name: null }, "If the value may be missing, remove its name from 'required' in 'JSON Schema'"],
])('the advice on an invalid row names the schema: %j', async (values, advice) => {
	const properties = { name: text, price: { type: 'integer' }, state: { enum: ['new'] } };
	const { error } = await getRows({ properties, required: ['name'] }, [
		{ name: 'a', price: 1, state: 'new', ...values },
	]);
	expect(error?.description).toContain(advice);
});

describe('a schema in another dialect', () => {
	const a = (schema: object, more: object = {}) => ({ type: 'object', properties: { a: schema }, ...more });
	it.each<[report: string, schema: object, line: string]>([
		['json-schema-to-typescript#396', a({ ...text, required: true }), '- "a" (text, required)'],
		['json-schema-to-typescript#396', a({ ...text, required: false }), '- "a" (text)'],
		[
			'json-schema-to-typescript#396',
			a({ $ref: '#/$defs/A', required: true }, { $defs: { A: text } }),
			'- "a" (text, required)',
		],
		['probe#569', a(text, { required: ['A'] }), '- "a" (text, required)'],
		[
			'vercel/ai#17871',
			a({ additionalProperties: { type: 'number' } }),
			'- "a" (any value): (additionalProperties: {"type":"number"})',
		],
		[
			'vercel/ai#17871',
			a({ type: 'object', unevaluatedProperties: text }),
			'- "a" (object): (unevaluatedProperties: {"type":"string"})',
		],
		['vercel/ai#17871', a({ ...text, additionalProperties: false }), '- "a" (text)'],
		[
			'zod-to-json-schema#63',
			a({
				description: 'Plan',
				anyOf: [{ const: 'free', description: 'No cost' }, { const: 'paid' }, { type: 'null' }],
			}),
			'- "a" (one of "free", "paid"): Plan. "free": No cost.',
		],
		[
			'zod-to-json-schema#63',
			a({
				oneOf: [
					{ enum: ['a', 'b'], title: 'Old' },
					{ const: 'c', description: 'New.' },
				],
			}),
			'- "a" (one of "a", "b", "c"): "a", "b": Old. "c": New.',
		],
		[
			'zod-to-json-schema#63',
			a({ anyOf: [{ const: 'x' }, { const: 'y', title: 'Y' }, { type: 'null', description: 'Unknown' }] }),
			'- "a" (one of "x", "y"): "y": Y. null: Unknown.',
		],
		[
			'json-schema-to-typescript#396',
			a({ items: { ...text, required: true } }),
			'- "a" (list, each entry text): Each entry: (required: true)',
		],
		[
			'vercel/ai#17871',
			a({ type: 'object', additionalProperties: { $ref: '#/$defs/A' } }, { $defs: { A: text } }),
			'- "a" (object): (additionalProperties: {"type":"string"})',
		],
		[
			'vercel/ai#17871',
			a(
				{ type: 'object', additionalProperties: { type: 'array', items: { $ref: '#/$defs/A' } } },
				{ $defs: { A: { ...text, description: 'Size' } } },
			),
			'- "a" (object): (additionalProperties: {"type":"array","items":{"type":"string","description":"Size"}})',
		],
		[
			'vercel/ai#17871',
			a(
				{ type: 'object', additionalProperties: { $ref: '#/$defs/A' } },
				{ $defs: { A: { items: { $ref: '#/$defs/A' } } } },
			),
			'- "a" (object): (additionalProperties: {"items":{"$ref":"#/$defs/A"}})',
		],
		['graphql-mesh#9333', a({ $ref: '#tag' }, { $defs: { Tag: { $dynamicAnchor: 'tag', ...text } } }), '- "a" (text)'],
		['graphql-mesh#9333', a({ $ref: '#tag' }, { definitions: { Tag: { id: '#tag', ...text } } }), '- "a" (text)'],
		[
			'graphql-mesh#9333',
			a({ $ref: 'https://b.example/s.json#/$defs/A' }, { $id: 'https://b.example/s.json', $defs: { A: text } }),
			'- "a" (text)',
		],
		['graphql-mesh#9333', a({ $ref: 'tag.json' }, { $defs: { Tag: { $id: 'tag.json', ...text } } }), '- "a" (text)'],
		[
			'zod-to-json-schema#63',
			a({ description: 'Price', anyOf: [{ type: 'number', description: 'In EUR' }, { type: 'null' }] }),
			'- "a" (number): Price. In EUR',
		],
		['CLIProxyAPI#6038', { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } }, '- "a" (text)'],
		['CLIProxyAPI#6038', a({ type: ['Integer', 'NULL'] }, { required: ['a'] }), '- "a" (whole number)'],
		['graphql-mesh#9333', a({ $ref: '#tag' }, { $defs: { Tag: { $anchor: 'tag', ...text } } }), '- "a" (text)'],
		[
			'graphql-mesh#9333',
			a({ items: { $ref: '#tag' } }, { definitions: { T: { $id: '#tag', ...text } } }),
			'- "a" (list, each entry text)',
		],
		[
			'space_gen#356',
			a({ allOf: [{ $ref: '#/$defs/A' }, { nullable: true }] }, { required: ['a'], $defs: { A: text } }),
			'- "a" (text)',
		],
		['space_gen#356', a({ allOf: [{ description: 'Name' }, text, { 'x-order': 1 }] }), '- "a" (text): Name'],
		['pydantic#4441', a({ anyOf: [text, { title: 'A' }, { nullable: true }] }, { required: ['a'] }), '- "a" (text)'],
	])('of %s is told to the agent: %j', async (_report, schema, line) => {
		const { format, error } = await getRows(schema, [{ a: null }]);
		expect(error?.message ?? '').toMatch(/^$|required, but has no value$/);
		expect(format).toEqual([KEYS, line]);
	});

	it('requires what it requires', async () => {
		for (const schema of [a({ ...text, required: true }), a(text, { required: ['A'] })]) {
			const { error } = await getRows(schema, [{ a: null, A: 1 }, { a: 'x' }]);
			expect(error?.message).toBe('Row 1: "a" is required, but has no value');
		}
	});

	it.each([
		[
			a({ ...text, minLength: 2, additionalProperties: text }),
			unchecked(2, 'minLength of a, additionalProperties of a)'),
		],
		[
			{ type: 'array', items: a({ ...text, minLength: 2 }), minItems: 3 },
			unchecked(2, 'minLength of a, minItems of all rows)'),
		],
		[a({ type: 'array', items: a({ ...text, pattern: 'x' }) }), unchecked(1, 'pattern of a)')],
		[
			a({ ...text, minLength: 1, maxLength: 2, pattern: 'x', format: 'y' }, { minProperties: 1, maxProperties: 2 }),
			unchecked(6, 'format of a, pattern of a, minLength of a, maxLength of a, minProperties of a row, and 1 more)'),
		],
	])('names rules that are not checked: %j', async (schema, hint) => {
		const { hints } = await getRows(schema, [{ a: 'x' }]);
		expect(hints.filter((one) => one.startsWith('Rules'))).toEqual([hint]);
	});
});

describe('is rejected before anything is sent', () => {
	const NO_ROWS = "describes no object with 'properties'";
	const property = (schema: unknown, other: object = {}) => ({ type: 'object', properties: { a: schema }, ...other });
	const offers = (schema: unknown) => property({ type: 'array', items: property(schema) });
	const tree = { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/Tree' } } } };
	const doubling = Array.from({ length: 40 }, (_, level) => {
		const next = { $ref: `#/$defs/${level + 1}` };
		return [level, { properties: { a: next, b: next } }];
	});

	it.each<[schema: unknown, message: string]>([
		['', 'is empty'],
		['={{ $json.nowhere }}', 'is empty'],
		['{"type": }', 'is not valid: expected a value in line 1, column 10'],
		['{"a": "{{ $json.a }}"}', 'contains an expression that is not evaluated'],
		['true', NO_ROWS],
		[[priced], NO_ROWS],
		[{}, NO_ROWS],
		[{ type: 'object' }, NO_ROWS],
		[{ type: 'array', items: text }, NO_ROWS],
		[{ name: 'offer', strict: true, schema: priced }, NO_ROWS],
		[{ type: 'json_schema', json_schema: { name: 'offer', schema: priced } }, NO_ROWS],
		[{ openapi: '3.1.0', components: { schemas: { Offer: priced } } }, NO_ROWS],
		[property({ allOf: [text, { minLength: 1 }] }), `has several schemas in 'allOf' for "a"`],
		[
			property({ $ref: '#/$defs/A', properties: {} }, { $defs: { A: priced } }),
			`has several schemas in 'properties' for "a"`,
		],
		[property({ not: text }), `has an unsupported 'not' for "a"`],
		[offers({ if: {}, then: {} }), `has an unsupported 'if' for "a[0].a"`],
		[property({ type: 'object', patternProperties: {} }), `has an unsupported 'patternProperties' for "a"`],
		[offers({ items: { prefixItems: [] } }), `has an unsupported 'prefixItems' for "a[0].a[0]"`],
		// openapi-typescript#1020, CLIProxyAPI#6038, pydantic#4441, graphql-mesh#9333, space_gen#356
		[property({ type: 'array', items: [text] }), `has a list of schemas in 'items' for "a"`],
		[property({ items: [text, text] }), `has a list of schemas in 'items' for "a"`],
		[
			property({ ...priced, anyOf: [{ required: ['price'] }, { required: ['b'] }] }),
			`has several schemas in 'anyOf' for "a"`,
		],
		[{ ...priced, oneOf: [{ required: ['price'] }, { minProperties: 1 }] }, "has several schemas in 'oneOf'"],
		[property({ $ref: '#nowhere' }), `has a '$ref' to elsewhere for "a"`],
		// json-schema-to-typescript#396, probe#569
		[property(text, { required: ['B'] }), `has a name in 'required' that is no property for "B"`],
		[
			offers({ ...priced, required: ['price', 'cost'] }),
			`has a name in 'required' that is no property for "a[0].a.cost"`,
		],
		[property(false), 'has no schema for "a"'],
		[property({ $ref: 'https://a.example/schema.json#/A' }), `has a '$ref' to elsewhere for "a"`],
		[property({ $ref: '#/$defs/%E0%A4%A' }), `has a '$ref' to elsewhere for "a"`],
		[property({ $ref: '#/$defs/toString' }, { $defs: {} }), `has a '$ref' to elsewhere for "a"`],
		[
			property(
				{ type: 'object', additionalProperties: { $ref: '#/$defs/0' } },
				{ $defs: Object.fromEntries([...doubling, [40, text]]) as object },
			),
			'describes more than 1000 values',
		],
		[property({ $ref: 's.json#' }, { $id: 's.json' }), `has a '$ref' into itself for "a.a"`],
		[property({ $ref: '#' }), `has a '$ref' into itself for "a"`],
		[{ $ref: '#/$defs/Tree', $defs: { Tree: tree } }, `has a '$ref' into itself for "kids[0]"`],
		[property({ $ref: '#/$defs/A' }, { $defs: { A: { $ref: '#/$defs/A' } } }), `has a '$ref' into itself for "a"`],
		[property({ anyOf: [text, { type: 'number' }] }), `has different types in 'anyOf' for "a"`],
		[offers({ type: ['string', 'number', 'null'] }), `has different types in 'type' for "a[0].a"`],
		[property({ oneOf: [priced, property(text)] }), `has several schemas in 'oneOf' for "a"`],
		[property({ enum: ['a', 1] }), `has different types in 'enum' for "a"`],
		[{ oneOf: [priced, property(text)] }, "has several schemas in 'oneOf'"],
		[property({ type: 'TEXT' }), `has no known 'type' for "a"`],
		[property({ type: 'null' }), `has no known 'type' for "a"`],
		[property({ enum: [] }), `has no value in 'enum' for "a"`],
		[
			{ $ref: '#/$defs/0', $defs: Object.fromEntries([...doubling, [40, text]]) as object },
			'describes more than 1000 values',
		],
	])('%j', async (schema, message) => {
		const { error, tasks } = await getRows(schema, []);
		expect(error?.message).toBe(`'JSON Schema' ${message}`);
		expect(error?.description).toMatch(/^No run was started\. (Copy|Describe|Enter|Keep|Merge|Remove|Set|Switch) /);
		expect(tasks).toEqual([]);
	});

	it.each([
		['{"properties": {"__proto__": {"type": "string"}}}', 'A column cannot be named "__proto__"'],
		[{ properties: { error: text } }, 'A column cannot be named "error": n8n treats items with this field as failed'],
	])('with a name that no column has: %j', async (schema, message) => {
		const { error, tasks } = await getRows(schema, []);
		expect([error?.message, tasks]).toEqual([message, []]);
	});
});

describe("'JSON Example'", () => {
	const example = (json: unknown) => ({ columnsFrom: 'example', jsonExample: JSON.stringify(json) });

	it.each([
		[z.toJSONSchema(z.object({ name: z.string() }))],
		[{ type: 'object', properties: { name: text }, required: ['name'] }],
		[[{ type: 'object', properties: {} }]],
		[{ type: 'array', items: priced }],
		[{ name: 'offer', strict: true, schema: priced }],
	])('rejects a schema before anything is sent: %j', async (json) => {
		const { error, tasks } = await getRows('', [], example(json));
		expect(error?.message).toBe("'JSON Example' contains a JSON Schema");
		expect(error?.description).toBe("No run was started. Set 'Specify Columns' to 'From JSON Schema'");
		expect(tasks).toEqual([]);
	});

	it.each([
		[{ type: 'chair' }],
		[{ type: 'object' }],
		[{ type: 'object', properties: '3 rooms' }],
		[{ type: 'house', properties: { rooms: 3 }, required: ['name'] }],
	])('takes a row with names of a schema: %j', async (row) => {
		const { rows } = await getRows('', [row], example(row));
		expect(rows).toEqual([row]);
	});
});
