import { type IDataObject, type INodeParameters } from 'n8n-workflow';

import { asTool, runAutomation, type Extra } from '../engine/run-node';
import { serveStarts } from '../engine/serve-starts';
import { events, finish, runStream, textChunks, type StartAnswer } from '../engine/serve-stream';
import { startedThread } from '../engine/thread-of';

const finished = events(...textChunks('{"rows": [{"name": "Lamp"}]}'), finish);
const rowsForm = { operation: 'rows', columns: { column: [{ name: 'name', type: 'text' }] } };

/** Runs the form for each input item, and tells how many runs were started and what the hints say. */
async function run(form: INodeParameters, input: IDataObject[] = [{}], extra: Extra = {}) {
	const queries: string[] = [];
	const answer: StartAnswer = (query) => (queries.push(query), finished);
	const ran = await runStream(answer, form, { input, ...extra });
	const hints = ran.hints.map(({ type, message }) => `${type}: ${message}`);
	return { ...ran, queries, rows: ran.items.map(({ json }) => json), hints };
}

describe('a column whose type is an expression', () => {
	const typed = (type: string) => ({ ...rowsForm, columns: { column: [{ name: 'name', type: `={{ '${type}' }}` }] } });

	it('needs choices if it is Choice', async () => {
		const { error, queries } = await run(typed('choice'));
		expect([error?.message, queries]).toEqual(['\'Choices\' of the column "name" is empty', []]);
	});
});

describe("a name in 'Include Input Fields'", () => {
	const include = (includeFields: string) => ({ ...rowsForm, options: { includeFields } });

	it.each<[string, IDataObject[]]>([
		['budget', [{ id: 2 }]],
		['Company', [{ company: 'A' }, { company: 'B' }]],
		['site.url', [{ site: { pageUrl: 'https://b.example' } }]],
	])('that no input item has is rejected before anything starts: %s', async (name, input) => {
		const { error, queries } = await run(include(`id, ${name}`), [{ id: 1 }, ...input]);
		expect(error?.message).toBe(`No input item has a field named "${name}"`);
		expect(error?.description).toContain("Correct the name in 'Include Input Fields'");
		expect(queries).toEqual([]);
	});

	// n8n PRs #9656, #8233, #8441; n8n#7443, #20832.
	it.each<[string, IDataObject, IDataObject]>([
		["['first name'], id", { 'first name': 'Ann', id: 1 }, { 'first name': 'Ann', id: 1 }],
		['lines[0].sku', { lines: [{ sku: 'A' }] }, { 'lines[0].sku': 'A' }],
		['id', { '\ufeffid ': 1 }, { id: 1 }],
		['={{ ["id", "a b"] }}', { id: 1, 'a\u00a0b': 2 }, { id: 1, 'a b': 2 }],
		['={{ JSON.stringify(["id"]) }}', { id: 1 }, { id: 1 }],
	])('is written as n8n writes it: %s', async (names, input, fields) => {
		const { error, rows } = await run(include(names), [input]);
		expect(error).toBeUndefined();
		expect(rows).toEqual([{ ...fields, name: 'Lamp' }]);
	});

	it('that some input items lack is null for those', async () => {
		const { rows } = await run(include('<b>'), [{ '<b>': 1 }, { B: 2 }, {}]);
		expect(rows).toEqual([1, null, null].map((value) => ({ '<b>': value, name: 'Lamp' })));
	});

	it('that is * copies all fields but error, which n8n treats as a failure', async () => {
		const { rows } = await run(include('*'), [{ id: 1, error: 'x' }, { id: 2, error: null }, { id: 3 }]);
		expect(rows).toEqual([1, 2, 3].map((id) => ({ id, name: 'Lamp' })));
	});
});

it.each(['', ' ', '{}', '[]', '[{}]'])('an example without columns asks for one row: %j', async (jsonExample) => {
	const { error, queries } = await run({ ...rowsForm, columnsFrom: 'example', jsonExample });
	expect([error?.message, error?.description]).toMatchSnapshot();
	expect(queries).toEqual([]);
});

describe('an error item says what to do and whether a run was started', () => {
	it.each<[string, string, object]>([
		['400', 'no', { advice: expect.stringMatching(/^No run was started\. /) as string }],
		['500', 'maybe', { advice: expect.stringMatching(/^The run may have started: /) as string, thread_id: null }],
		['500-with-thread', 'yes', { thread_id: startedThread(0), status: 'interrupted' }],
		['failed', 'yes', { advice: expect.stringMatching(/\. A new run is billed, too$/) as string }],
	])('after %s: %s', async (answer, run_started, details) => {
		for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
			const server = await serveStarts([[answer]]);
			const form = { query: '0', options: { waitIfBusy: 0 } };
			const { items, errorItems } = await runAutomation(server.target, form, { settings: { onError } });
			const { error, details: found } = (items[0] ?? errorItems[0]).json;
			expect(found ?? (error as IDataObject).details).toMatchObject({ run_started, ...details });
		}
	});

	it('but an AI agent gets what it needs in the message', async () => {
		const settings = { ...asTool.settings, onError: 'continueRegularOutput' as const };
		const { rows } = await run({ query: '={{ " " }}' }, [{}], { settings });
		const advice = 'Correct the input of this call, or tell the user: Enter a value, or correct the expression';
		expect(rows).toEqual([{ error: `'Task' is empty. No run was started. ${advice}` }]);
		expect(Object.keys(rows[0])).toEqual(['error']);
	});
});
