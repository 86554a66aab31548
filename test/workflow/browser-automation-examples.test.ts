/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readFileSync } from 'node:fs';

import type { IExecuteFunctions, INodeExecutionData, INodeType, IWorkflowBase } from 'n8n-workflow';

import { operations } from '../contract/operations';
import { runWorkflow } from '../engine/run-workflow';
import { useService } from '../support/use-service';
import { registry, TYPE } from './browser-automation';

/** Stands in for a node of n8n's own collection, which is not installed here. */
const standIn = (execute: (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>): INodeType => ({
	description: {
		displayName: '',
		name: '',
		group: [],
		version: [1, 1.1, 1.4, 2.1, 2.2, 3.4],
		description: '',
		defaults: {},
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	} as INodeType['description'],
	execute,
});

const handsOn = standIn(async function () {
	return [this.getInputData()];
});

const others = {
	'n8n-nodes-base.stickyNote': standIn(async () => [[]]),
	'n8n-nodes-base.limit': standIn(async function () {
		return [this.getInputData().slice(0, 1)];
	}),
	'n8n-nodes-base.emailSend': handsOn,
	'n8n-nodes-base.if': handsOn,
	'n8n-nodes-base.respondToWebhook': handsOn,
	'n8n-nodes-base.set': handsOn,
	'n8n-nodes-base.stopAndError': handsOn,
	'n8n-nodes-base.wait': handsOn,
};

/** The examples that stand for this node alone; those that use Run Automation too are tested with it. */
const names = ['keep-a-session', 'prepare-a-profile', 'search-then-start', 'secrets-and-clean-up'];
const examples = names.map((name) => ({
	name,
	workflow: JSON.parse(readFileSync(`examples/${name}.json`, 'utf8')) as IWorkflowBase,
}));

const service = useService();

it('together use every operation', () => {
	const used = examples.flatMap(({ workflow }) =>
		workflow.nodes
			.filter(({ type }) => type === TYPE)
			.map(({ parameters }) => `${String(parameters.resource)}/${String(parameters.operation)}`),
	);
	expect([...new Set(used)].sort()).toEqual(
		operations.map(({ resource, operation }) => `${resource}/${operation}`).sort(),
	);
});

it.each(examples)('$name runs', async ({ workflow }) => {
	service.reset();
	const { baseUrl, automationUrl, apiKey } = service;
	const nodes = workflow.nodes.map((node) =>
		node.type === 'n8n-nodes-base.manualTrigger' ? { ...node, type: 'test.start' } : node,
	);
	const { run, items } = await runWorkflow(
		{ ...workflow, nodes },
		{
			registry: { ...registry, nodes: { ...registry.nodes, ...others } },
			credentials: { browserAutomationApi: { baseUrl, automationUrl, apiKey, allowUnencrypted: false } },
		},
	);
	expect(run.data.resultData.error).toBeUndefined();
	for (const { name, type } of nodes) {
		if (type === TYPE) expect({ name, items: items(name).length }).not.toEqual({ name, items: 0 });
	}
	expect(service.requests.filter(({ status }) => status >= 300)).toEqual([]);
	expect(service.violations).toEqual([]);
});
