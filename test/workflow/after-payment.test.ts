import fc from 'fast-check';
import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { endNode } from '../../nodes/shared/items/end-node';
import type { Outcome } from '../../nodes/shared/items/outcome';
import { Ledger } from '../../nodes/shared/start/ledger';

import { BROWSER_AUTOMATION, everythingOf, RUN_AUTOMATION, runNode, type NodeRunOptions } from '../engine/run-node';
import { serveStarts } from '../engine/serve-starts';
import { events, finish, serveStream, textChunks } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { executionOf } from '../support/execution';

// Nothing that happens after a paid run may throw, and nothing that it returned may be lost.

const rowsForm: INodeParameters = {
	operation: 'rows',
	columns: { column: [{ name: 'name', type: 'text' }] },
	options: { includeFields: '*' },
};
const lamps = (count: number) => ({ rows: Array.from({ length: count }, (_, index) => ({ name: `Lamp ${index}` })) });
const replyWith = (rows: object) => events(...textChunks(JSON.stringify(rows)), finish);
const CONTINUE = { onError: 'continueRegularOutput' } as const;
const WITH_ERROR_OUTPUT = { onError: 'continueErrorOutput' } as const;

/** Runs the form for each item against a service that replies with rows, and lists what was started. */
async function run(
	reply: object,
	form: INodeParameters,
	input?: INodeExecutionData[],
	node: NodeRunOptions['node'] = {},
) {
	const starts: string[] = [];
	const server = await serveStream((query) => (starts.push(query), replyWith(reply)));
	const ran = await runNode(RUN_AUTOMATION, server.target, { query: THREAD, ...form }, { input, node });
	return { ...ran, starts, hints: ran.hints.map(({ message }) => message) };
}

const circular: IDataObject = {};
circular.self = circular;
const deep = Array.from({ length: 50_000 }).reduce<object>((inner) => ({ inner }), {});
const throwing = {
	toJSON: () => {
		throw new TypeError('No');
	},
};
const BAD: Array<[string, INodeExecutionData]> = [
	['a field whose toJSON throws', { json: { a: throwing as never } }],
	['a circular field', { json: { a: circular } }],
	['a field that is nested very deeply', { json: { a: deep as never } }],
];

const UNREADABLE: INodeExecutionData = {
	json: Object.defineProperty({}, 'a', {
		enumerable: true,
		get: () => {
			throw new TypeError('No');
		},
	}),
};

// n8n copies the fields of the input for its error output, after the node.
it.each([CONTINUE, WITH_ERROR_OUTPUT, {}])(
	'starts nothing if the fields of an item cannot be read: %j',
	async (node) => {
		const ran = await run(lamps(1), rowsForm, [{ json: { a: 1 } }, UNREADABLE], node);
		expect(ran.starts).toEqual([]);
	},
);

describe("'Include Input Fields'", () => {
	// n8n#4015, n8n#33172
	it.each(BAD)('fails only the item with %s, before it is paid', async (_name, bad) => {
		for (const node of [CONTINUE, WITH_ERROR_OUTPUT]) {
			const input = [{ json: { a: 1 } }, bad];
			const ran = await run(lamps(1), rowsForm, input, node);
			expect(ran.starts).toHaveLength(1);
			const [row] = ran.items;
			expect(row.json).toEqual({ a: 1, name: 'Lamp 0' });
			const failed = [...ran.items.slice(1), ...ran.errorItems];
			expect(failed).toHaveLength(1);
			expect(JSON.stringify(failed[0].json.error)).toContain('\\"a\\" cannot be included');
		}
	});

	it('is on the first row alone if copies for all rows could not be saved, and a hint says so', async () => {
		const input = [{ json: { page: 'x'.repeat(1_000_000) } }];
		const { items, hints } = await run(lamps(150), rowsForm, input);
		expect(items).toHaveLength(150);
		expect(items.filter(({ json }) => json.page !== undefined)).toHaveLength(1);
		expect(hints).toEqual(['Input fields are too large for 150 rows. Only the first row has them']);
	});
});

describe('for an AI agent', () => {
	const background = { resource: 'automationRun', operation: 'start' };
	const uncertain = ['failed', 'aborted', 'approval', 'interrupted', 'broken', '500', '429-with-thread', 'reset'];

	// Older agents show an empty text for a tool that throws (AI Agent 1.7, 2.2).
	it.each<[string, string, INodeParameters]>([
		...[...uncertain, '503-with-thread'].map((how): [string, string, INodeParameters] => [how, RUN_AUTOMATION, {}]),
		...['500', '429-with-thread', 'reset'].map((how): [string, string, INodeParameters] => [
			how,
			BROWSER_AUTOMATION,
			background,
		]),
	])('a start that may be billed is a result, and a repetition starts nothing: %s of %s', async (how, name, form) => {
		const { target, starts } = await serveStarts([[how, 'completed']]);
		const node = { type: `${name}Tool`, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { items, error } = await runNode(name, target, { query: '0', ...form }, { node });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect(Object.keys(items[0].json)).toEqual(['error', 'thread_id', 'status']);
		expect(items[0].json.error).toMatch(/this tool again.+ billed/);
		expect(starts[0]).toHaveLength(1);
	});

	it.each(['400', '401', '429'])('a start that started nothing is thrown: %s', async (how) => {
		const { target } = await serveStarts([[how]]);
		const node = { type: `${RUN_AUTOMATION}Tool` };
		const { error } = await runNode(RUN_AUTOMATION, target, { query: '0' }, { node });
		expect(error?.message).toContain('No run was started');
	});
});

it('items that a later attempt returns again share nothing with those of the earlier one', () => {
	const ledger = new Ledger<Outcome>();
	const items = [{ json: { tools: [{ name: 'click' }] } }];
	Object.assign(ledger, { isSettled: true, outcome: { items, hints: [] } });
	const item = {
		index: 0,
		input: {},
		parsed: { value: {} },
		fingerprint: '',
		ledger,
		startsRun: true,
		included: {},
		secrets: () => [],
	};
	const node = { context: {} as IExecuteFunctions, execution: executionOf(), items: [item] };
	const [first] = endNode(node);
	(first.json.tools as IDataObject[])[0].name = 'changed';
	expect(endNode(node)[0].json).toEqual({ tools: [{ name: 'click' }] });
});

/** Bad items have names, because a report of the property cannot print them. */
const itemOf = (one: string | object): INodeExecutionData =>
	typeof one === 'string' ? (new Map(BAD).get(one) ?? UNREADABLE) : (one as INodeExecutionData);

describe('whatever the items, the options and the responses are', () => {
	const answers = fc.constantFrom('rows', 'completed', 'failed', 'broken', 'not-done', '400', '429', '500', 'file');
	const badField = fc.constantFrom(...BAD.map(([name]) => name), 'unreadable');
	const item = fc.oneof(
		{
			weight: 4,
			arbitrary: fc.record({ json: fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }) }),
		},
		{ weight: 1, arbitrary: badField },
		{ weight: 1, arbitrary: fc.constant({ binary: {} }) },
	);

	it('every start is named by the execution, and every row that was received is in output, error data or saved state', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.tuple(item, answers), { minLength: 1, maxLength: 3 }),
				fc.record({
					includeFields: fc.constantFrom('', '*'),
					includeRunDetails: fc.boolean(),
					onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
					isTool: fc.boolean(),
				}),
				async (given, { includeFields, includeRunDetails, onError, isTool }) => {
					const { target, starts, stop } = await serveStarts(given.map(([, answer]) => [answer]));
					const input = given.map(([one], index) => ({ ...itemOf(one), pairedItem: { item: index } }));
					const columns = { column: [{ name: 'a', type: 'number' }] };
					const form = {
						operation: 'rows',
						columns,
						options: { includeFields, includeRunDetails, waitIfBusy: 0, parallelRuns: 3 },
					};
					const node = { onError, ...(isTool && { type: `${RUN_AUTOMATION}Tool` }) } as NodeRunOptions['node'];
					const query = '={{ String($itemIndex) }}';
					const ran = await runNode(RUN_AUTOMATION, target, { query, ...form }, { input, node }).finally(stop);
					const seen = everythingOf([
						ran.items,
						ran.errorItems,
						ran.error?.message,
						ran.error?.context?.data,
						// Without what n8n does not save.
						JSON.stringify(ran.run.data.executionData?.contextData),
						ran.run.data.resultData.metadata,
					]);
					for (const thread of starts.flat().filter(Boolean)) {
						const isNameless = given.some(([, answer], index) => answer === '500' && starts[index].includes(thread));
						if (!isNameless) expect(seen).toContain(thread);
					}
					// A run with the row "a": 1, whatever became of its item.
					for (const [index, [, answer]] of given.entries()) {
						if (answer !== 'rows' || starts[index].length === 0) continue;
						expect(seen).toMatch(/\ba\\*"?: ?1/);
					}
					expect(ran.run.status === 'success').toBe(!ran.error);
				},
			),
			{ numRuns: 60 },
		);
	});
});
