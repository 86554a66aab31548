/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readFileSync, readdirSync } from 'node:fs';

import {
	NodeHelpers,
	type IExecuteFunctions,
	type INode,
	type INodeType,
	type INodeTypeDescription,
	type IWorkflowBase,
} from 'n8n-workflow';

import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { RunAutomation } from '../../nodes/RunAutomation/RunAutomation.node';
import { runWorkflow } from '../engine/run-workflow';
import { startService, type Service } from '../service/service';

const PACKAGE = 'n8n-nodes-browser-automation.';
const STICKY = 'n8n-nodes-base.stickyNote';

const own: Record<string, INodeType> = {
	[`${PACKAGE}browserAutomation`]: new BrowserAutomation(),
	[`${PACKAGE}runAutomation`]: new RunAutomation(),
};

const examples = readdirSync('examples').map((file) => ({
	file,
	workflow: JSON.parse(readFileSync(`examples/${file}`, 'utf8')) as IWorkflowBase & { id: string },
}));

const isTrigger = ({ type }: INode) => /trigger$/i.test(type);

/** The nodes that a node hands its items, or itself as a tool, model or memory, to. */
const targetsOf = ({ connections }: IWorkflowBase, name: string) =>
	Object.values(connections[name] ?? {}).flatMap((outputs) => outputs.flatMap((output) => output ?? []));

/** The form of one of our nodes; n8n derives the one of a tool from it. */
function descriptionOf({ type }: INode): INodeTypeDescription | undefined {
	const node = own[type.replace(/Tool$/, '')];
	if (!node || !type.endsWith('Tool')) return node?.description;
	const added = (['descriptionType', 'toolDescription'] as const).map((name) => ({
		displayName: name,
		name,
		type: 'string' as const,
		default: '',
	}));
	return { ...node.description, properties: [...added, ...node.description.properties] };
}

it('have ids and names of their own', () => {
	for (const key of ['id', 'name'] as const) {
		const values = examples.map(({ workflow }) => workflow[key]);
		expect(new Set(values).size).toBe(values.length);
	}
	const nodeIds = examples.flatMap(({ workflow }) => workflow.nodes.map(({ id }) => id));
	expect(new Set(nodeIds).size).toBe(nodeIds.length);
});

it('cover what a newcomer looks for', () => {
	expect(examples.map(({ file }) => file)).toEqual(
		expect.arrayContaining([
			'agent-with-tool.json',
			'approve-a-step.json',
			'batch-with-error-branch.json',
			'chat-with-follow-ups.json',
			'compare-and-alert.json',
			'cookies-then-run.json',
			'replay-to-file.json',
			'scrape-into-table.json',
			'search-then-start.json',
			'start-and-wait-for-callback.json',
			'start-now-ask-later.json',
		]),
	);
});

describe.each(examples)('$file', ({ workflow }) => {
	const steps = workflow.nodes.filter(({ type }) => type !== STICKY);

	it('is not active, and holds nothing of the instance it was made on', () => {
		expect(workflow.active).toBe(false);
		expect(Object.keys(workflow).sort()).toEqual(['active', 'connections', 'id', 'name', 'nodes', 'settings']);
	});

	it('explains itself in sticky notes', () => {
		const notes = workflow.nodes
			.filter(({ type }) => type === STICKY)
			.map(({ parameters }) => String(parameters.content));
		expect(notes.length).toBeGreaterThan(0);
		for (const note of notes) expect(note).toMatch(/^## .+\n[\s\S]{40,}/);
	});

	it('connects every node to a trigger, and only nodes that exist', () => {
		const names = steps.map(({ name }) => name);
		expect(new Set(names).size).toBe(names.length);
		const targets = Object.keys(workflow.connections).flatMap((name) => {
			expect(names).toContain(name);
			return targetsOf(workflow, name).map(({ node }) => node);
		});
		for (const target of targets) expect(names).toContain(target);
		for (const step of steps) {
			const isConnected = isTrigger(step) || targets.includes(step.name) || targetsOf(workflow, step.name).length > 0;
			expect({ name: step.name, isConnected }).toEqual({ name: step.name, isConnected: true });
		}
	});

	it('lays no node on another', () => {
		const places = workflow.nodes.map(({ position }) => position.join());
		expect(new Set(places).size).toBe(places.length);
	});

	it('uses one credential, fields that exist, and leaves none empty that is required', () => {
		const ours = steps.filter((step) => descriptionOf(step));
		expect(ours.length).toBeGreaterThan(0);
		for (const node of ours) {
			expect(node.credentials).toEqual({
				browserAutomationApi: { id: 'browserAutomation', name: 'Browser Automation' },
			});
			const description = descriptionOf(node)!;
			expect([description.version].flat()).toContain(node.typeVersion);
			const known = NodeHelpers.getNodeParameters(
				description.properties,
				node.parameters,
				true,
				false,
				node,
				description,
			);
			expect(known).toMatchObject(node.parameters);
			const complete = { ...node, parameters: known ?? {} };
			expect(NodeHelpers.getNodeParametersIssues(description.properties, complete, description)).toBeNull();
		}
	});
});

it('the example that starts a run and asks later says what that costs', () => {
	const { workflow } = examples.find(({ file }) => file === 'start-now-ask-later.json')!;
	const notes = workflow.nodes
		.filter(({ type }) => type === STICKY)
		.map(({ parameters }) => String(parameters.content));
	expect(notes.join('\n')).toMatch(/another paid run/);
});

/**
 * Those that need little more than our own nodes run here too, on the engine. All of them run in a real n8n: see
 * test/e2e/examples.test.mjs, chat.test.mjs and agent.test.mjs.
 */
describe('on the engine', () => {
	/** Stands in for a node of n8n's own collection, which is not installed here: hands its items on at once. */
	const handsOn = {
		description: {
			displayName: '',
			name: '',
			group: [],
			version: [1, 1.1, 1.2],
			description: '',
			defaults: {},
			inputs: ['main'],
			outputs: ['main'],
			properties: [],
		} as INodeType['description'],
		async execute(this: IExecuteFunctions) {
			return [this.getInputData()];
		},
	} as INodeType;

	const OTHERS = ['wait', 'scheduleTrigger', 'dataTable'].map((name) => `n8n-nodes-base.${name}`);

	let service: Service;
	beforeAll(async () => {
		service = await startService();
	});
	beforeEach(() => service.reset());
	afterAll(async () => await service.stop());

	async function execute(name: string) {
		const { workflow } = examples.find(({ file }) => file === `${name}.json`)!;
		const { baseUrl, automationUrl, apiKey } = service;
		const nodes = workflow.nodes.map((node) =>
			node.type === 'n8n-nodes-base.manualTrigger' ? { ...node, type: 'test.start' } : node,
		);
		const result = await runWorkflow(
			{ ...workflow, nodes },
			{
				registry: {
					nodes: { ...own, [STICKY]: handsOn, ...Object.fromEntries(OTHERS.map((type) => [type, handsOn])) },
					credentials: { browserAutomationApi: new BrowserAutomationApi() },
				},
				credentials: { browserAutomationApi: { baseUrl, automationUrl, apiKey, allowUnencrypted: false } },
			},
		);
		expect(result.run.data.resultData.error).toBeUndefined();
		expect(service.violations).toEqual([]);
		return result;
	}

	it('cookies-then-run sets the cookies, then runs', async () => {
		const { items } = await execute('cookies-then-run');
		expect(service.state.profiles.get('profile-1')).toHaveLength(1);
		expect(service.requests.map(({ path }) => path.split('/').at(-1))).toEqual(['cookies', 'start']);
		expect(items('Run Automation')[0].json).toMatchObject({ status: 'completed' });
	});

	it('scrape-into-table hands the columns of a row to the table, and nothing else', async () => {
		const { items } = await execute('scrape-into-table');
		expect(items('Save Offers').map(({ json }) => Object.keys(json))).toEqual(Array(3).fill(['name', 'price', 'link']));
		expect(items('Save Offers')[0].json).toMatchObject({ name: 'Beeswax Candle', price: 4.2 });
	});

	it('start-now-ask-later asks in the thread that it started', async () => {
		const { items } = await execute('start-now-ask-later');
		const [first, second] = service.starts;
		expect([first.detached, second.detached]).toEqual([true, false]);
		expect(second.body.thread_id).toBe(first.threadId);
		expect(items('Ask for the Result')[0].json).toMatchObject({ status: 'completed', thread_id: first.threadId });
	});
});
