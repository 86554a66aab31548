import { NodeHelpers, type IDataObject, type INode, type INodeParameters } from 'n8n-workflow';

import { fieldsCopier } from '../../nodes/RunAutomation/form/rows-request';
import { RunAutomation } from '../../nodes/RunAutomation/RunAutomation.node';
import { asTool, runAutomation, type Extra } from '../engine/run-node';
import { serveStarts } from '../engine/serve-starts';
import { events, finish, runStream, textChunks, type StartAnswer } from '../engine/serve-stream';
import { startedThread, THREAD } from '../engine/thread-of';

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

	it('needs no choices: n8n does not reject the workflow, and rows are returned', async () => {
		const { description } = new RunAutomation();
		const node = { typeVersion: 1, parameters: { query: 'List the lamps', ...typed('text') } } as unknown as INode;
		expect(NodeHelpers.getNodeParametersIssues(description.properties, node, description)).toBeNull();
		expect((await run(typed('text'))).rows).toEqual([{ name: 'Lamp' }]);
	});

	it('needs choices if it is Choice', async () => {
		const { error, queries } = await run(typed('choice'));
		expect([error?.message, queries]).toEqual(['\'Choices\' of the column "name" is empty', []]);
	});
});

describe("a name in 'Fields To Include'", () => {
	const include = (fieldsToInclude: string) => ({ ...rowsForm, include: 'selectedOtherFields', fieldsToInclude });

	it.each<[string, IDataObject[]]>([
		['budget', [{ id: 2 }]],
		['Company', [{ company: 'A' }, { company: 'B' }]],
		['site.url', [{ site: { pageUrl: 'https://b.example' } }]],
	])('that no input item has is rejected before anything starts: %s', async (name, input) => {
		const { error, queries } = await run(include(`id, ${name}`), [{ id: 1 }, ...input]);
		expect(error?.message).toBe(`No input item has a field named "${name}"`);
		expect(error?.description).toContain("Correct the name in 'Fields To Include'");
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

	it('that some input items lack is null for those, and a hint says so once', async () => {
		const { rows, hints } = await run(include('<b>, name'), [{ '<b>': 1 }, { B: 2 }, {}]);
		expect(rows).toEqual([1, null, null].map((value) => ({ '<b>': value, name: 'Lamp' })));
		const where = 'the field &quot;&lt;b&gt;&quot; (&#39;Fields To Include&#39;), so its value is null there';
		expect(hints).toEqual([`warning: [item 1], [item 2]: Some input items lack ${where}`]);
	});

	it('is looked for once in many input items, not once for each of them', async () => {
		let looks = 0;
		const look = (one: IDataObject, key: string | symbol) => (looks++, Reflect.getOwnPropertyDescriptor(one, key));
		const watch = (json: IDataObject) => new Proxy(json, { getOwnPropertyDescriptor: look });
		const inputs = [...Array.from({ length: 300 }, (_, id) => watch({ id })), { budget: 1 }];
		const copy = fieldsCopier(
			inputs.map((json) => ({ json })),
			false,
		);
		const request = { included: ['budget'], columns: [] } as never;
		const hints = inputs.flatMap((json) => copy(request, { json }).notes);
		expect(new Set(hints).size).toBe(1);
		// Twice for each, as a name and as a path: twice in its own item, and once in all.
		expect(looks).toBeLessThanOrEqual(6 * 300);
	});

	it('that an item has without a value is no reason for a hint, and neither is one for an AI agent', async () => {
		expect((await run(include('id'), [{ id: null }])).hints).toEqual([]);
		const { rows, hints } = await run(include('ID'), [{ id: 1 }], asTool);
		expect(rows).toHaveLength(1);
		expect(hints).toEqual([]);
	});
});

it("'All' of 'Include Input Fields' says that it leaves out a field named error, which n8n would take for a failure", async () => {
	const form = { ...rowsForm, include: 'allOtherFields' };
	const { rows, hints } = await run(form, [{ id: 1, error: 'x' }, { id: 2, error: null }, { id: 3 }]);
	expect(rows).toEqual([1, 2, 3].map((id) => ({ id, name: 'Lamp' })));
	const why = 'n8n treats items with this field as failed';
	const what = `The field &quot;error&quot; of the input is not included: ${why}`;
	expect(hints).toEqual([`warning: [item 0], [item 1]: ${what}`]);
	expect((await run(form, [{ id: 3 }])).hints).toEqual([]);
});

describe("an expression in 'Task'", () => {
	const input = [{ company: 'Acme', none: null, empty: '' }];

	it.each([
		['=Compare {{ $json.Company }} now', '{{ $json.Company }}', "{{ $json.Company ?? '' }}"],
		['={{ null }} and {{ $json.none }}', '{{ null }}', "{{ null ?? '' }}"],
		['=See {{ $json.a || $json.none }}', '{{ $json.a || $json.none }}', "{{ ($json.a || $json.none) ?? '' }}"],
		['=See {{ $json.a.b.c }}', '{{ $json.a.b.c }}', "{{ $json.a.b.c ?? '' }}"],
	])('is rejected if nothing in it has a value: %s', async (query, first, way) => {
		const { error, queries } = await run({ query }, input);
		expect(error?.message).toBe(`${first} in 'Task' has no value`);
		const advice = `Correct the expression. If the value may be missing, write ${way}`;
		expect([error?.description, queries]).toEqual([`No run was started. ${advice}`, []]);
	});

	it.each([
		['{{ $json.address }}', '{{ JSON.stringify($json.address) }}'],
		['{{ $json.offers }}', '{{ JSON.stringify($json.offers) }}'],
		['{{ $json }}', '{{ JSON.stringify($json) }}'],
	])('is rejected if the task would say [object Object] instead: %s', async (object, way) => {
		const items = [{ company: 'Acme', address: { city: 'Bonn' }, offers: [{ id: 1 }], tags: ['a', 'b'] }];
		const { error, queries } = await run({ query: `=Visit {{ $json.company }} at ${object} now` }, items);
		expect(error?.message).toBe(`${object} in 'Task' must be text`);
		expect(error?.description).toBe(`No run was started. Map a single field of it, or write ${way}`);
		expect(queries).toEqual([]);
		const query = `=Visit ${way}, {{ $json.tags }}, {{ new Date(0) }}`;
		expect((await run({ query }, items)).queries).toHaveLength(1);
	});

	it('is named in a hint if something else in it has a value', async () => {
		const query = '=Compare {{ $json.company }} and {{ $json.b }}, {{ $json.none }}';
		const { queries, hints } = await run({ query }, input);
		expect(queries).toEqual(['Compare Acme and ,']);
		expect(hints).toEqual(['warning: &#39;Task&#39; was sent without a value for {{ $json.b }}, {{ $json.none }}']);
	});

	// n8n PRs #36110, #36136, #25723; n8n#25267.
	it.each([
		"={{ 'Price of ' + $json.x }}",
		'={{ `${$json.obj}` }}',
		"=on {{ DateTime.fromISO('31.01.2026').toFormat('d') }}",
		'={{ "for " + Number($json.company) + " euros" }}',
	])('is named in the same hint if it leaves such a word in the text: %s', async (query) => {
		const { queries, hints } = await run({ query }, [{ company: 'Acme', obj: {} }]);
		expect(queries).toHaveLength(1);
		expect(hints).toEqual([expect.stringMatching(/^warning: &#39;Task&#39; was sent without a value for {{ .* }}$/)]);
	});

	it.each([
		'=Compare {{ $json.Company ?? "" }}',
		'=Compare {{ $json.empty ?? "" }}',
		'=Compare {{ 0 }}',
		'=Write \\{{ null }} there',
		'Write {{ null }} there',
	])('is sent without a word if a missing value is meant: %s', async (query) => {
		const { error, hints, queries } = await run({ query }, input);
		expect([error, hints, queries.length]).toEqual([undefined, [], 1]);
	});

	it('may have no value if an AI agent calls the node', async () => {
		const { error, queries } = await run({ query: '=Compare {{ $json.Company }}' }, input, asTool);
		expect([error, queries]).toEqual([undefined, ['Compare']]);
	});
});

describe("an expression in 'Thread ID'", () => {
	it.each([
		['={{ $json.threadId }}', 1],
		['={{ null }}', 1],
		["={{ $json.threadId ?? '' }}", 0],
		['', 0],
	])('without a value starts a new thread, with a hint unless that is meant: %s', async (threadId, count) => {
		const { hints, queries } = await run({ threadId }, [{ thread_id: THREAD }]);
		expect(queries).toHaveLength(1);
		const way = `If this is intended, write ${threadId.slice(1, -3)} ?? &#39;&#39; }}`;
		const hint = `warning: &#39;Thread ID&#39; is empty, so a new thread was started. ${way}`;
		expect(hints).toEqual(Array(count).fill(hint));
		expect((await run({ threadId }, [{}], asTool)).hints).toEqual([]);
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
		['500', 'maybe', { advice: expect.stringMatching(/^The run may have started\. /) as string, thread_id: null }],
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

	it('if the input was rejected', async () => {
		const { rows } = await run({ query: '={{ " " }}' }, [{}], { settings: { onError: 'continueRegularOutput' } });
		const advice = 'No run was started. Enter a value, or correct the expression';
		expect(rows).toEqual([{ error: "'Task' is empty", details: { advice, run_started: 'no' } }]);
	});

	it('but an AI agent gets what it needs in the message', async () => {
		const settings = { ...asTool.settings, onError: 'continueRegularOutput' as const };
		const { rows } = await run({ query: '={{ " " }}' }, [{}], { settings });
		const advice = 'Correct the input of this call, or tell the user: Enter a value, or correct the expression';
		expect(rows).toEqual([{ error: `'Task' is empty. No run was started. ${advice}` }]);
		expect(Object.keys(rows[0])).toEqual(['error']);
	});
});
