/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import 'reflect-metadata';
import { PackageDirectoryLoader } from 'n8n-core';
import type { ICredentialType, INodeType } from 'n8n-workflow';
import { operations } from '../contract/operations';
import { BROWSER_AUTOMATION, nodeAsTool, RUN_AUTOMATION, RUN_FORMS, runNode } from '../engine/run-node';
import type { Registry } from '../engine/run-workflow';
import { useService } from '../support/use-service';

// The loader of n8n, and what it loads. What the nodes do shows in the suites that run on the same n8n.

const service = useService();
const registry: Registry = { nodes: {}, credentials: {} };

beforeAll(async () => {
	const loader = new PackageDirectoryLoader(process.env.PACKAGE_FOLDER ?? '');
	await loader.loadAll();
	for (const [name, { type }] of Object.entries(loader.nodeTypes)) {
		const id = `n8n-nodes-browser-automation.${name}`;
		Object.assign(registry.nodes, { [id]: type, [`${id}Tool`]: nodeAsTool(type as INodeType) });
	}
	for (const [name, { type }] of Object.entries(loader.credentialTypes)) {
		registry.credentials[name] = type as ICredentialType;
	}
});

describe.each(['', 'Tool'])('the loaded package as nodes%s', (suffix) => {
	it.each([
		...operations.map(({ resource, operation, full }) => ({ resource, operation, ...full, allowAgent: true })),
		...RUN_FORMS.map((form) => ({ ...form, resource: '', query: 'quick task' })),
	])('does $resource $operation', async (form) => {
		const type = form.resource ? BROWSER_AUTOMATION : RUN_AUTOMATION;
		const { items, error } = await runNode(type + suffix, service, form, { registry });
		expect(error).toBeUndefined();
		expect(items).not.toEqual([]);
	});
});
