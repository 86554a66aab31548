/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readFileSync, readdirSync } from 'node:fs';
import {
	NodeOperationError,
	type IExecuteFunctions,
	type INode,
	type INodeType,
	type IWorkflowBase,
} from 'n8n-workflow';

import { operations } from '../contract/operations';
import { BROWSER_AUTOMATION, runNode } from '../engine/run-node';
import { events, runStream } from '../engine/serve-stream';

/** The examples as files. A real n8n checks their forms and executes them in test/e2e. */
const examples = readdirSync('examples').map((file) => ({
	file,
	workflow: JSON.parse(readFileSync(`examples/${file}`, 'utf8')) as IWorkflowBase & { id: string },
}));
const all = examples.flatMap(({ workflow }) => workflow.nodes);
const isNote = ({ type }: INode) => type.endsWith('.stickyNote');

const expectAllDifferent = (values: string[]) => expect(values).toEqual([...new Set(values)]);

it('have ids and names of their own', () => {
	expectAllDifferent(examples.map(({ workflow }) => workflow.id));
	expectAllDifferent(examples.map(({ workflow }) => workflow.name));
	expectAllDifferent(all.map(({ id }) => id));
});

it('use every operation of Browser Automation', () => {
	const own = all.filter(({ type }) => type === BROWSER_AUTOMATION).map(({ parameters }) => parameters);
	const used = new Set(own.map(({ resource, operation }) => `${String(resource)}/${String(operation)}`));
	const inExamples = (names: string[]) => names.map((name) => `examples/: ${name}`).sort();
	const expected = operations.map(({ resource, operation }) => `${resource}/${operation}`);
	expect(inExamples([...used])).toEqual(inExamples(expected));
});

describe.each(examples)('$file', ({ file, workflow }) => {
	it('is not active, and holds nothing of the instance it was made on', () => {
		expect(workflow.active).toBe(false);
		expect(Object.keys(workflow).sort()).toEqual(['active', 'connections', 'id', 'name', 'nodes', 'settings']);
	});

	it('explains itself in sticky notes, also what it costs to ask later', () => {
		const notes = workflow.nodes.filter(isNote).map(({ parameters }) => String(parameters.content));
		expect(notes.length).toBeGreaterThan(0);
		for (const note of notes) expect(note).toMatch(/^## .+\n[\s\S]{40,}/);
		if (file === 'start-now-ask-later.json') expect(notes.join('\n')).toMatch(/another paid run/);
	});
});

/** Evaluates the value of its only field. */
const evaluating: INodeType = {
	description: {
		...{ displayName: 'Set', name: 'set', group: [], version: 1, description: '', defaults: {}, inputs: ['main'] },
		...{ outputs: ['main'], properties: [{ displayName: 'Value', name: 'value', type: 'string', default: '' }] },
	},
	async execute(this: IExecuteFunctions) {
		return [[{ json: { value: this.getNodeParameter('value', 0) as string } }]];
	},
};

/** What the error workflow of the examples tells of an error. */
async function toldOf(error: object) {
	const { nodes } = examples.find(({ file }) => file === 'tell-me-when-a-run-fails.json')!.workflow;
	const { parameters } = nodes.find(({ name }) => name === 'What Happened')!;
	const { assignments } = parameters.assignments as { assignments: Array<{ name: string; value: string }> };
	const registry = { nodes: { 'test.set': evaluating }, credentials: {} };
	const input = [{ json: { workflow: { name: 'Every night' }, execution: { error: { ...error } } } }];
	const told: Record<string, unknown> = {};
	for (const { name, value } of assignments) {
		const target = { baseUrl: '', automationUrl: '', apiKey: '' };
		const { items } = await runNode('test.set', target, { value }, { registry, input, node: { credentials: {} } });
		told[name] = items[0].json.value;
	}
	return told;
}

describe('tell-me-when-a-run-fails.json', () => {
	const blocked = events({ type: 'error', errorText: 'The site blocked the agent' });
	const told = {
		reason: 'The site blocked the agent',
		what_to_do: expect.stringMatching(/^Change the task((?!Thread ID: ).)*$/) as string,
		thread_id: 'thread-1',
	};

	it.each([false, true])('tells reason, advice and thread; in a chat: %s', async (streaming) => {
		const { error } = await runStream(blocked, {}, { streaming });
		expect(await toldOf({ ...error, message: error!.message })).toMatchObject(told);
	});

	it('tells them of a sub-workflow, too, of whose error n8n drops the data', async () => {
		const { error } = await runStream(blocked);
		const stored = { ...error!, message: error!.message } as object;
		const ofParent = new NodeOperationError(error!.node, stored as Error, stored);
		expect(ofParent.context.data).toBeUndefined();
		expect(await toldOf({ ...ofParent, message: ofParent.message })).toMatchObject(told);
	});
});
