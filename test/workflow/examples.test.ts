/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readFileSync, readdirSync } from 'node:fs';
import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
	type IWorkflowBase,
} from 'n8n-workflow';

import { CREDENTIALS, registry, RUN_AUTOMATION, storedFor } from '../engine/run-node';
import { runWorkflow } from '../engine/run-workflow';
import { events, finish, serveStream, streamHeaders, textChunks } from '../engine/serve-stream';

/** The examples as files. A real n8n checks their forms and executes them in test/e2e. */
const examples = readdirSync('examples').map((file) => ({
	file,
	workflow: JSON.parse(readFileSync(`examples/${file}`, 'utf8')) as IWorkflowBase & { id: string },
}));
const OWN_CREDENTIAL = 'browserAutomationApi';
const all = examples.flatMap(({ workflow }) => workflow.nodes);
const isNote = ({ type }: INode) => type.endsWith('.stickyNote');

const nodeNamed = ({ nodes }: IWorkflowBase, wanted: string) => nodes.find(({ name }) => name === wanted)!;

const expectAllDifferent = (values: string[]) => expect(values).toEqual([...new Set(values)]);

it('have ids and names of their own', () => {
	expectAllDifferent(examples.map(({ workflow }) => workflow.id));
	expectAllDifferent(examples.map(({ workflow }) => workflow.name));
	expectAllDifferent(all.map(({ id }) => id));
});

// S17. A row has strangers' text: Google Sheets would read "=HYPERLINK(…&A1)" and "+49 170" as formulas.
it('write text to a sheet as it is, never as a formula', () => {
	const sheets = all.filter(({ type }) => type.endsWith('.googleSheets'));
	const writing = sheets.filter(({ parameters }) => parameters.operation !== 'read');
	expect(writing.map(({ name }) => name)).toEqual(['Write Back']);
	for (const { parameters } of writing) expect(parameters.options).toMatchObject({ cellFormat: 'RAW' });
});

/** The tables that an example creates, before any run, and those that it uses. */
const isDataTable = ({ type }: INode) => type.endsWith('.dataTable');
const created = all.filter(({ parameters }) => parameters.resource === 'table').map(({ parameters }) => parameters);

it('are at most 25, and create tables of which none has a name inside that of another', () => {
	expect(examples.length).toBeLessThanOrEqual(25);
	const names = created.map(({ tableName }) => String(tableName));
	expect(names.length).toBeGreaterThan(0);
	// n8n looks for a part of the name, and takes one.
	for (const name of names) expect(names.filter((other) => other.includes(name))).toEqual([name]);
	// The form shows the option as on, but n8n takes it as off unless it is stored.
	for (const { options } of created) expect(options).toEqual({ createIfNotExists: true });
});

const isRun = ({ type, parameters }: INode) => type === RUN_AUTOMATION && parameters.threadId === undefined;
const NOTE_WORDS = 40;

describe.each(examples)('$file', ({ file, workflow }) => {
	const notes = workflow.nodes.filter(isNote);

	/** The nodes of which one leads to this one, over any number of others. */
	function nodesBefore(name: string, known = new Set<string>()): Set<string> {
		for (const [from, { main = [] }] of Object.entries(workflow.connections)) {
			if (known.has(from) || !main.flat().some((to) => to?.node === name)) continue;
			known.add(from);
			nodesBefore(from, known);
		}
		return known;
	}

	it('is not active, and holds nothing of the instance it was made on', () => {
		expect(workflow.active).toBe(false);
		const keys = ['active', 'connections', 'id', 'name', 'nodes', 'settings'];
		expect(Object.keys(workflow).filter((key) => key !== 'pinData')).toEqual(expect.arrayContaining(keys));
		expect(Object.keys(workflow).length).toBe(workflow.pinData ? 7 : 6);
	});

	it('explains itself in short notes, also what it costs to ask later', () => {
		const texts = notes.map(({ parameters }) => String(parameters.content));
		expect(texts.length).toBeGreaterThan(0);
		for (const text of texts) {
			expect(text).toMatch(/^## .+\n[\s\S]{40,}/);
			expect(text.match(/[^\s#]+/g)!.length).toBeLessThanOrEqual(NOTE_WORDS);
		}
		if (file === 'start-now-ask-later.json') expect(texts.join('\n')).toMatch(/a second run, \*\*billed/);
	});

	it('creates its table before a run, and names its columns in a note', () => {
		for (const { name, parameters } of workflow.nodes.filter(isDataTable)) {
			if (parameters.resource === 'table') {
				const { column } = parameters.columns as { column: Array<{ name: string }> };
				const [note] = notes.filter((one) => String(one.parameters.content).includes(String(parameters.tableName)));
				for (const { name: columnName } of column) expect(note.parameters.content).toContain(`\`${columnName}\``);
				for (const run of workflow.nodes.filter(isRun)) expect(nodesBefore(run.name)).toContain(name);
			} else {
				const names = workflow.nodes.map((node) => node.parameters.tableName);
				expect(names).toContain((parameters.dataTableId as { value: string }).value);
			}
		}
	});

	it('pays for nothing before it needs a second credential', () => {
		const [run] = workflow.nodes.filter(isRun);
		if (!run) return;
		const before = [...nodesBefore(run.name)].map((name) => nodeNamed(workflow, name));
		/** Executing it shows whether the credential is there. One that is pinned is not executed. */
		const isChecked = (type: string) =>
			before.some(({ name, credentials }) => credentials?.[type] && !workflow.pinData?.[name]);
		const unchecked = workflow.nodes.filter(({ name, disabled, credentials = {} }) => {
			const others = Object.keys(credentials).filter((type) => type !== OWN_CREDENTIAL);
			return !disabled && !nodesBefore(run.name).has(name) && others.some((type) => !isChecked(type));
		});
		expect(unchecked.map(({ name }) => name)).toEqual([]);
		const asked = workflow.nodes.filter(({ parameters }) => parameters.operation === 'sendAndWait');
		expect(asked.filter(({ disabled }) => disabled)).toEqual([]);
	});
});

/** A node of n8n's own, as far as an example needs it: the tests of `test/e2e` use the real one. */
const ofN8n = (
	properties: Array<Pick<INodeProperties, 'name' | 'type' | 'default'>>,
	execute: (this: IExecuteFunctions, items: INodeExecutionData[]) => INodeExecutionData[][],
	outputs = 1,
): INodeType => ({
	description: {
		...{ displayName: 'Of n8n', name: 'ofN8n', group: [], version: [1, 1.1, 2.2, 3.4], description: '', defaults: {} },
		...{ inputs: ['main'], outputs: Array<'main'>(outputs).fill('main') },
		properties: properties.map((property) => ({ displayName: property.name, ...property })),
	},
	async execute(this: IExecuteFunctions) {
		return await Promise.resolve(execute.call(this, this.getInputData()));
	},
});

describe('continue-a-lost-run.json', () => {
	const { workflow } = examples.find(({ file }) => file === 'continue-a-lost-run.json')!;
	const nodes = {
		'n8n-nodes-base.set': ofN8n([{ name: 'assignments', type: 'assignmentCollection', default: {} }], function (items) {
			const set = (index: number) =>
				this.getNodeParameter('assignments.assignments', index) as Array<{ name: string; value: string }>;
			const jsonOf = (index: number) => Object.fromEntries(set(index).map(({ name, value }) => [name, value]));
			return [items.map((_, index) => ({ json: jsonOf(index) }))];
		}),
		'n8n-nodes-base.if': ofN8n(
			[{ name: 'conditions', type: 'filter', default: {} }],
			function (items) {
				const isTrue = (index: number) => this.getNodeParameter('conditions', index, false, { extractValue: true });
				return [true, false].map((wanted) => items.filter((_, index) => isTrue(index) === wanted));
			},
			2,
		),
		'n8n-nodes-base.wait': ofN8n([], (items) => [items]),
		'n8n-nodes-base.stopAndError': ofN8n([{ name: 'errorMessage', type: 'string', default: '' }], function () {
			throw new NodeOperationError(this.getNode(), this.getNodeParameter('errorMessage', 0) as string);
		}),
	};
	const [THREAD, OTHER] = ['2d4ff9d8-dee7-41da-8ad2-e038b5c2051b', '5b8e7a6c-1f0d-4c3b-9a2e-7d6f5e4c3b2a'];
	const TASK = 'Read all books in the Travel category of https://books.toscrape.com, with their full names';
	const lost = [{ type: 'start' }, ...textChunks('So far')];
	const done = [...textChunks('{"rows":[{"name":"A","price":1,"link":"https://books.example/a"}]}'), finish];
	const approval = [
		{ type: 'tool-input-available', toolCallId: 'call', toolName: 'pay', input: {} },
		{ type: 'tool-approval-request', approvalId: 'approval', toolCallId: 'call' },
	];

	const taskOfItem = { assignments: { assignments: [{ name: 'task', value: '={{ $json.task }}' }] } };

	/** Executes the example against a service that answers its starts in turn: with a status, or with the chunks of a run. */
	async function execute(answers: Array<number | object[]>, input: IDataObject[] = [{}], threads = [THREAD, OTHER]) {
		const starts: Array<{ query: string; thread?: string }> = [];
		const server = await serveStream((_task, response, thread, query = '') => {
			const answer = answers[starts.length] ?? 400;
			const threadId = thread ?? threads[starts.length];
			starts.push({ query, thread });
			if (typeof answer === 'number') return void response.writeHead(answer).end('{"detail":"Not now"}');
			response.writeHead(200, { ...streamHeaders(''), ...(threadId && { 'x-thread-id': threadId }) });
			response.end(events(...answer));
		});
		const executed = {
			connections: workflow.connections,
			nodes: workflow.nodes
				.filter((node) => !isNote(node))
				.map((node) => ({
					...node,
					...(node.type.endsWith('.manualTrigger') && { type: 'test.start' }),
					...(node.credentials && { credentials: CREDENTIALS }),
					...(node.name === 'Task' && input.length > 1 && { parameters: taskOfItem }),
				})),
		};
		const all = { ...registry, nodes: { ...registry.nodes, ...nodes } };
		const options = { registry: all, credentials: storedFor(server.target), input: input.map((json) => ({ json })) };
		const { items, run } = await runWorkflow(executed, options).finally(server.stop);
		return { starts, rows: items('Use the Rows').map(({ json }) => json), error: run.data.resultData.error?.message };
	}

	const times = (count: number, status: number) => Array<number>(count).fill(status);
	const rows = [{ book: 'A', link: 'https://books.example/a' }];
	const stopped = `Not now. Thread ID: ${THREAD}`;

	it.each<[string, Array<number | object[]>, object[], string | undefined]>([
		['completed', [done], rows, undefined],
		['lost, and the thread is free', [lost, done], rows, undefined],
		['lost, and twice still in progress', [lost, 409, 409, done], rows, undefined],
		['lost, and ten times still in progress', [lost, ...times(10, 409), done], rows, undefined],
		['lost, and eleven times still in progress', [lost, ...times(11, 409)], [], stopped],
		['lost twice', [lost, lost], [], expect.stringMatching(`^The connection .*. Thread ID: ${THREAD}$`) as string],
		['lost while it waits for approval', [[...lost, ...approval]], [], expect.stringContaining(THREAD) as string],
		['rejected', [409], [], 'Not now'],
	])('continues only a run whose connection is lost, in its thread: %s', async (_, answers, expected, error) => {
		const { starts, ...result } = await execute(answers);
		expect(result).toEqual({ rows: expected, error });
		const [first, ...others] = starts;
		const begins = first.query.startsWith(`${TASK}\n\n`);
		expect([starts.length, begins, first.thread]).toEqual([answers.length, true, undefined]);
		for (const { query, thread } of others) {
			expect(thread).toBe(THREAD);
			expect(query).toMatch(/^The connection was lost, .* This message approves nothing\.\n\nRead all books/);
			expect(query).toContain(`nothing.\n\n${TASK}\n\n`);
		}
	});

	it('starts no second run if the thread of the first is unknown', async () => {
		const { starts, error } = await execute([lost], [{}], []);
		expect([starts.length, error]).toEqual([1, expect.stringMatching(/^The connection (?!.*Thread ID)/)]);
	});
});
