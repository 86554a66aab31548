import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { resultInstruction, rowsInstruction } from '../../nodes/RunAutomation/form/prompt';
import { asTool, continued, type Extra } from '../engine/run-node';
import { events, finish, runStream, textChunks, type StartAnswer } from '../engine/serve-stream';
import { formatOf, NUMBER } from '../support/rows-format';

/** A text, or chunks. */
type Reply = string | unknown[];

const THREAD = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';
const fence = (rows: unknown) => `\`\`\`json\n${JSON.stringify({ rows })}\n\`\`\``;
const column = (name: string, type = 'text', other: IDataObject = {}) => ({ name, type, ...other });
const details = { required: true, description: 'Full name\n of it' };
const offer = [column('name', 'text', { details }), column('price', 'number')];

/** Runs *Run and Get Rows* with these replies, one for each start. */
async function getRows(
	replies: Reply[],
	{ columns = offer, ...form }: { columns?: object[] } & INodeParameters = {},
	extra: Extra = {},
) {
	const starts: Array<{ query: string; threadId?: string }> = [];
	const answer: StartAnswer = (_task, response, threadId, query = '') => {
		const reply = replies[starts.push({ query, threadId }) - 1];
		const chunks = typeof reply === 'string' ? [...textChunks(reply), finish] : reply;
		const headers = { 'content-type': 'text/event-stream', 'x-thread-id': THREAD };
		response.writeHead(200, headers).end(events(...chunks));
	};
	const parameters = { operation: 'rows', query: 'Find offers', columns: columns.length ? { column: columns } : {} };
	const ran = await runStream(answer, { ...parameters, ...form } as INodeParameters, extra);
	const hints = ran.hints.map(({ type, message }) => `${type}: ${message}`);
	const data = ran.error?.context.data as IDataObject;
	return { ...ran, hints, starts, rows: ran.items.map(({ json }) => json), data };
}

const priced = { type: 'object', properties: { price: { type: 'number' } } };

const rows = [
	{ name: 'Lamp', price: 12.5 },
	{ name: 'Desk', price: null },
];

describe('Run and Get Rows', () => {
	it('returns one item per row with the columns alone, in their order', async () => {
		const reply = `Two found.\n${fence(rows.map(({ name, price }) => ({ price, name, x: 1 })))}`;
		const { items, hints, starts } = await getRows([reply]);
		expect(items).toEqual(rows.map((json) => ({ json, pairedItem: { item: 0 } })));
		expect(Object.keys(items[0].json)).toEqual(['name', 'price']);
		expect(hints).toEqual([]);
		expect(starts).toHaveLength(1);
	});

	it('tells the agent after the task what the rows must look like', async () => {
		const { starts } = await getRows([fence(rows)]);
		const name = { type: 'string', description: 'Full name\n of it' } as const;
		const format = formatOf({ name, price: NUMBER }, { required: ['name'] });
		expect(starts[0]!.query).toBe(`Find offers\n\n${rowsInstruction(format)}`);
	});

	it('takes the columns from a schema of an expression', async () => {
		const form = { columnsFrom: 'schema', jsonSchema: '={{ $json.schema }}' };
		const input = [{ schema: priced }];
		const { rows: found, hints, starts } = await getRows([fence([{ price: 1 }])], form, { input });
		expect([found, hints]).toEqual([[{ price: 1 }], []]);
		expect(starts[0]!.query).toContain(`\n${JSON.stringify(priced)}\n`);
	});

	it('counts the rules of a schema that are told, but not checked', async () => {
		const schema = { properties: { a: { type: 'string', pattern: '^x$' }, b: { uniqueItems: true } } };
		const form = { columnsFrom: 'schema', jsonSchema: JSON.stringify(schema) };
		const { hints } = await getRows([fence([{ a: 'y', b: [1, 1] }])], form);
		expect(hints).toEqual(['info: Rules that the agent is told, but that are not checked: 2']);
	});

	// teaguesterling/duckdb_yaml#21, javiercbk/json_to_dart#17, nijikokun/generate-schema#50: keys after the first row.
	it('takes the columns of an example from all of its rows, at every level', async () => {
		const jsonExample = JSON.stringify([
			{ name: 'Lamp', sizes: null, offers: [{ a: 1 }, { a: 1, b: 'x' }] },
			{ name: 'Desk', price: 12, sizes: ['S'], offers: [{ c: true }] },
		]);
		const row = { name: 'Bed', sizes: ['L'], offers: [{ a: 1, b: 'x', c: false }], price: 5 };
		const { rows: found } = await getRows([fence([row])], { columnsFrom: 'example', jsonExample });
		expect(found).toEqual([row]);
		expect(Object.keys(found[0] as object)).toEqual(Object.keys(row));
	});

	it.each([
		['New York, NY\n Oslo\n\nOslo\n', '"New York, NY","Oslo"'],
		['={{ ["New York, NY", 7, true, "", "a\\nb"] }}', '"New York, NY","7","true","a\\nb"'],
		['={{ "a, b" }}', '"a","b"'],
	])('takes commas in choices as they are if %j separates them otherwise', async (choices, listed) => {
		const { starts } = await getRows([fence([])], { columns: [column('state', 'choice', { choices })] });
		expect(starts[0]!.query).toContain(`"enum":[${listed}]`);
	});

	it('asks for exactly one row, if that is chosen', async () => {
		const { rows: found, starts } = await getRows([fence(rows.slice(1))], { options: { rowsPerRun: 'one' } });
		expect(found).toEqual(rows.slice(1));
		expect(starts[0].query).toContain('Return exactly one row.');
		const { error } = await getRows([fence(rows)], { options: { rowsPerRun: 'one' } });
		expect(error?.message).toBe('Expected exactly one row, but the reply has 2 rows');
	});

	it('adds what is known of the run if that is chosen', async () => {
		const source = { type: 'source-url', sourceId: 's1', url: 'https://x', title: 'X' };
		const text = fence(rows);
		const chunks = [source, ...textChunks(text), { type: 'finish' }];
		const { rows: found } = await getRows([chunks], { options: { includeRunDetails: true } });
		const sources = [{ title: 'X', url: 'https://x' }];
		const known = { thread_id: THREAD, status: 'completed', text, sources, files: [] };
		const run = { ...known, data: {}, metadata: {}, warnings: [] };
		// Once, however many rows there are: thousands of copies break what n8n can save (n8n#21746).
		const brief = { thread_id: THREAD, status: 'completed' };
		expect(found).toEqual(rows.map((row, index) => ({ ...row, run: index === 0 ? run : brief })));
	});

	const files = ['data:text/csv,a', 'https://x/b.csv'].map((url) => ({ type: 'file', mediaType: 'text/csv', url }));
	const reply = (found: unknown[]) => [...files, ...textChunks(fence(found)), { type: 'finish' }];

	it('has the files of a run in the details, and their binary data on the first item', async () => {
		const { items, hints } = await getRows([reply(rows)], { options: { includeRunDetails: true } });
		const sent = { media_type: 'text/csv', filename: 'file-0.csv', size: 1, binary: 'file_0' };
		const expected = [sent, { media_type: 'text/csv', url: 'https://x/b.csv' }];
		expect(items[0].json.run).toMatchObject({ files: expected });
		expect(items.map(({ binary }) => Object.keys(binary ?? {}))).toEqual([['file_0'], []]);
		// Nothing is said of files that nobody asked for.
		expect([hints, (await getRows([reply(rows)])).hints]).toEqual([[], []]);
	});

	it('returns no items if there are no rows, with a hint', async () => {
		const none = await getRows([fence([])]);
		expect(none.items).toEqual([]);
		// n8n#13592, n8n#21909: a loop ends early.
		const end = 'Later nodes do not run, unless &#39;Always Output Data&#39; is on in this node&#39;s settings';
		expect(none.hints).toEqual([`info: The run found no rows. ${end}`]);
		const always = await getRows([fence([])], {}, { settings: { alwaysOutputData: true } });
		expect(always.hints).toEqual(['info: The run found no rows']);
	});
	it('reports of rows in another list of the reply, also an AI agent', async () => {
		const reply = `Page 1:\n${fence(rows)}\nPage 2:\n${fence([{ name: 'Chair', price: 3 }])}`;
		const told = expect.stringContaining('The reply has another one') as string;
		const { rows: found, hints } = await getRows([reply]);
		expect([found, hints]).toEqual([[{ name: 'Chair', price: 3 }], [told]]);
		expect((await getRows([reply], {}, asTool)).rows[0].warnings).toEqual([told]);
	});

	describe('includes fields of the input item', () => {
		const input = [{ id: 7, name: 'Shop', place: { city: 'Rome' }, error: 'x' }, { id: 8 }];
		const get = async (includeFields: string, extra: Extra = {}) =>
			await getRows([fence(rows.slice(0, 1)), fence(rows)], { options: { includeFields } }, { input, ...extra });

		it.each<[string, first: object, second: object]>([
			['', {}, {}],
			['*', { id: 7, place: { city: 'Rome' } }, { id: 8 }],
			['place.city, id', { 'place.city': 'Rome', id: 7 }, { 'place.city': null, id: 8 }],
		])('in front of its columns, which win: %j', async (names, first, second) => {
			const { items } = await get(names);
			const expected = [{ ...first, ...rows[0] }, ...rows.map((row) => ({ ...second, ...row }))];
			expect(items.map(({ json }) => json)).toEqual(expected);
		});
		it('not for an AI agent', async () => {
			const { rows: found } = await get('*', asTool);
			expect(found[0]).toEqual({ rows: rows.slice(0, 1), thread_id: THREAD, status: 'completed' });
		});
	});

	const stopped = { type: 'finish', finishReason: 'length' };
	it('returns no rows of a run that stopped early, even if an option that is hidden says so', async () => {
		const early = [...textChunks(fence(rows)), stopped];
		for (const ifIncomplete of ['error', 'partial']) {
			const { data, rows: found } = await getRows([early], { options: { ifIncomplete } });
			expect(found).toEqual([]);
			expect(data).toMatchObject({ status: 'incomplete', text: fence(rows) });
		}
	});
});

describe('rows that are invalid', () => {
	const misfit = [rows[0], { name: 'Desk', price: '12.90 EUR' }];
	const problem = 'Row 2: "price" is "12.90 EUR". Expected "number"';

	it('end in an error that has the complete text, also in an error item', async () => {
		const text = `Two found.\n${fence(misfit)}`;
		const { error, data, items, starts } = await getRows([text]);
		expect(items).toEqual([]);
		expect(error?.message).toBe(problem);
		expect(error?.description).toMatchSnapshot();
		expect(data).toMatchObject({ thread_id: THREAD, status: 'completed', text, warnings: [problem] });
		expect(starts).toHaveLength(1);
		const { items: errorItems } = await getRows([text], {}, continued);
		const details = { run_started: 'yes', status: 'completed', thread_id: THREAD, text };
		expect(errorItems[0].json).toMatchObject({ error: problem, details });
	});

	it.each<[string, unknown]>([
		['a value is missing', [{ name: null, price: 1 }]],
		['a number has too many digits', [{ name: 'A', price: '12345678901234567890' }]],
		['a row is no object', [1]],
	])('come with one step that can help: %s', async (_what, reply) => {
		const { error, starts } = await getRows([fence(reply)]);
		expect(error?.description).toMatchSnapshot();
		expect(starts).toHaveLength(1);
	});
	it('are left out if that is chosen, with a hint, but not if none fits', async () => {
		const options = { ifRowsInvalid: 'validOnly' };
		const { rows: found, hints } = await getRows([fence([...misfit, { name: '<b>', price: 'x' }])], { options });
		expect(found).toEqual([rows[0]]);
		expect(hints).toEqual(['warning: Only valid rows are returned. Invalid values: 2']);
		expect((await getRows([fence(misfit.slice(1))], { options })).error?.message).toContain('12.90 EUR');
		expect((await getRows(['No luck'], { options })).data).toMatchObject({ text: 'No luck' });
	});
});

describe('an agent that could not do its task', () => {
	const reason = 'The shop asks for a sign-in';
	const message = `Task not done: ${reason}`;
	const result = { operation: 'result' };
	const says = `I opened the shop.\n\nTASK NOT DONE: ${reason}`;

	it('has what stopped it beside the reason, wherever the run is shown', async () => {
		const blocked = `TASK NOT DONE: [sign_in] ${reason}`;
		const about = { status: 'not_done', blocked_by: 'sign_in', reason };
		expect((await getRows([blocked], result)).data).toMatchObject(about);
		expect((await getRows([blocked], result, asTool)).rows[0]).toMatchObject(about);
		const partial = { ifIncomplete: 'partial' };
		const [item] = (await getRows([blocked], { ...result, options: partial })).rows;
		expect(item).toMatchObject(about);
		expect(Object.keys(item!).join()).toBe('text,status,thread_id,reason,blocked_by,sources,files,data');
		const jsonWith = (found: unknown[]) => JSON.stringify({ rows: found, not_done: `[Sign in] ${reason}` });
		const misfit = await getRows([jsonWith([rows[0], { name: true }])]);
		expect([misfit.error?.message, misfit.data]).toMatchObject([message, { ...about, thread_id: THREAD }]);
		const json = jsonWith(rows);
		expect((await getRows([json], {}, asTool)).rows[0]).toMatchObject({ ...about, rows });
		const [failed] = (await getRows([json], {}, continued)).rows;
		expect((failed as { details?: object }).details).toMatchObject(about);
		const unnamed = await getRows([`TASK NOT DONE: [login] ${reason}`], result);
		expect(unnamed.data).toMatchObject({ reason: `[login] ${reason}` });
		expect(unnamed.data).not.toHaveProperty('blocked_by');
	});

	it('is asked for a result unless that is turned off, and the text is without it', async () => {
		const { error, data, starts } = await getRows([says], result);
		expect(starts[0].query).toBe(`Find offers\n\n${resultInstruction}`);
		expect([error?.message, data.status, data.text]).toEqual([message, 'not_done', 'I opened the shop.']);
		const unasked = await getRows([says], { ...result, options: { checkDone: false } });
		expect(unasked.starts[0].query).toBe('Find offers');
		expect(unasked.rows[0]).toMatchObject({ status: 'completed', text: says });
	});
});

const example = (jsonExample: string) => ({ columnsFrom: 'example', jsonExample });
const choice = (choices: string) => ({ columns: [column('state', 'choice', { choices })] });
const RUN = { columns: [column('run')] };
const NAMED_NOT_DONE = 'A column cannot be named "not_done": the agent uses it to report why it could not do its task';
const NAMED_ERROR = 'A column cannot be named "error": n8n treats items with this field as failed';
const schema = (jsonSchema: string) => ({ columnsFrom: 'schema', jsonSchema });
it.each<[INodeParameters & { columns?: object[] }, string]>([
	[{ columns: [] }, 'No columns are defined'],
	[{ columns: [column(' ')] }, 'A column has no name'],
	[{ columns: [column('a'), column(' a ')] }, 'Two columns are named "a"'],
	[{ columns: [column('__proto__')] }, 'A column cannot be named "__proto__"'],
	[{ columns: [column('error')] }, NAMED_ERROR],
	[{ ...RUN, options: { includeRunDetails: true } }, `A column cannot be named "run" if 'Include Run Details' is on`],
	[{ columns: [column('not_done')] }, NAMED_NOT_DONE],
	[{ options: { includeFields: 'nowhere' } }, 'No input item has a field named "nowhere"'],
	...['', '{}', '[{}]'].map((empty): [INodeParameters, string] => [example(empty), "'JSON Example' is empty"]),
	[example('{"a": null}'), `'JSON Example' has no value for "a"`],
	[schema('{"type": "object"}'), "'JSON Schema' describes no object with 'properties'"],
	[schema('{"properties": {"error": {}}}'), NAMED_ERROR],
	[choice('={{ "" }}'), '\'Choices\' of the column "state" is empty'],
])('a form is rejected before anything is sent: %j', async (form, message) => {
	const { error, starts } = await getRows([fence(rows)], form);
	expect([error?.message, starts]).toEqual([message, []]);
	expect(error?.description).toMatch(/^No run was started\. \S/);
});

describe('rows for an AI agent', () => {
	it('are one item of bounded size', async () => {
		expect((await getRows([fence(rows)], {}, asTool)).rows).toEqual([{ rows, thread_id: THREAD, status: 'completed' }]);
		const many = Array.from({ length: 1000 }, (_, index) => ({ name: `Lamp ${index}`.padEnd(50), price: index }));
		const [json] = (await getRows([fence(many)], {}, asTool)).rows;
		expect(JSON.stringify(json).length).toBeLessThan(20_500);
		const shown = (json.rows as unknown[]).length;
		const warnings = [`Rows left out of this response: ${1000 - shown}`];
		expect(json).toEqual({ rows: many.slice(0, shown), thread_id: THREAD, status: 'completed', warnings });
		const long = [{ name: 'x'.repeat(20_000), price: 1 }];
		expect((await getRows([fence(long)], {}, asTool)).rows[0].rows).toEqual([]);
	});

	it('are an error with some of what is invalid, and with the text', async () => {
		const reply = fence([rows[0], ...Array.from({ length: 9 }, () => ({ name: true }))]);
		const { rows: got } = await getRows([reply], {}, asTool);
		expect(got[0].error).toMatch(/^Row 2: "name" is true\. .*, and 8 more\. .*Text so far: "```json/);
	});
});
