/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readFileSync, readdirSync } from 'node:fs';
import { NodeHelpers, type INode, type INodeProperties, type INodeType, type IWorkflowBase } from 'n8n-workflow';

import { operations } from '../contract/operations';
import { BROWSER_AUTOMATION, registry } from '../engine/run-node';

/** The examples as files. They are executed in a real n8n: see `examples`, `chat`, `agent` and `waiting` in test/e2e. */
const examples = readdirSync('examples').map((file) => ({
	file,
	workflow: JSON.parse(readFileSync(`examples/${file}`, 'utf8')) as IWorkflowBase & { id: string },
}));
const all = examples.flatMap(({ workflow }) => workflow.nodes);
const isNote = ({ type }: INode) => type.endsWith('.stickyNote');

/** The nodes that a node hands its items, or itself as a tool, model or memory, to. */
const targetsOf = ({ connections }: IWorkflowBase, name: string) =>
	Object.values(connections[name] ?? {}).flatMap((outputs) => outputs.flatMap((output) => output ?? []));

/** The node type of one of our nodes; n8n adds two fields to those that are tools. */
function typeOf({ type }: INode) {
	const node = (registry.nodes as Record<string, INodeType>)[type];
	const ofTool = ['descriptionType', 'toolDescription'].map(
		(name): INodeProperties => ({ displayName: name, name, type: 'string', default: '' }),
	);
	const properties = [...(type.endsWith('Tool') ? ofTool : []), ...(node?.description.properties ?? [])];
	return node && { ...node.description, properties };
}

it('have ids and names of their own', () => {
	for (const key of ['id', 'name'] as const) {
		const values = examples.map(({ workflow }) => workflow[key]);
		expect(values).toEqual([...new Set(values)]);
	}
	const nodeIds = all.map(({ id }) => id);
	expect(nodeIds).toEqual([...new Set(nodeIds)]);
});

it('use every operation of Browser Automation', () => {
	const own = all.filter(({ type }) => type === BROWSER_AUTOMATION).map(({ parameters }) => parameters);
	const used = new Set(own.map(({ resource, operation }) => `${String(resource)}/${String(operation)}`));
	expect([...used].sort()).toEqual(operations.map(({ resource, operation }) => `${resource}/${operation}`).sort());
});

describe.each(examples)('$file', ({ file, workflow }) => {
	const steps = workflow.nodes.filter((node) => !isNote(node));

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

	it('connects every node to a trigger, and only nodes that exist', () => {
		const names = steps.map(({ name }) => name);
		expect(names).toEqual([...new Set(names)]);
		const sources = Object.keys(workflow.connections);
		const targets = sources.flatMap((name) => targetsOf(workflow, name).map(({ node }) => node));
		expect(names).toEqual(expect.arrayContaining([...sources, ...targets]));
		const isConnected = ({ name, type }: INode) =>
			/trigger$/i.test(type) || targets.includes(name) || targetsOf(workflow, name).length > 0;
		expect(steps.filter((step) => !isConnected(step))).toEqual([]);
	});

	it('lays no node on another', () => {
		const places = workflow.nodes.map(({ position }) => position.join());
		expect(places).toEqual([...new Set(places)]);
	});

	it('uses one credential, fields that exist, and leaves none empty that is required', () => {
		const ours = steps.flatMap((node) => [typeOf(node)].flatMap((type) => (type ? [{ node, type }] : [])));
		expect(ours.length).toBeGreaterThan(0);
		for (const { node, type } of ours) {
			const credential = { id: 'browserAutomation', name: 'Browser Automation' };
			expect(node.credentials).toEqual({ browserAutomationApi: credential });
			expect([type.version].flat()).toContain(node.typeVersion);
			const known = NodeHelpers.getNodeParameters(type.properties, node.parameters, true, false, node, type);
			expect(known).toMatchObject(node.parameters);
			const complete = { ...node, parameters: known ?? {} };
			expect(NodeHelpers.getNodeParametersIssues(type.properties, complete, type)).toBeNull();
		}
	});
});
