/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import 'reflect-metadata';
import { PackageDirectoryLoader } from 'n8n-core';
import type { ICredentialType, INodeType } from 'n8n-workflow';
import { operations } from '../contract/operations';
import { asTool, BROWSER_AUTOMATION, RUN_AUTOMATION, RUN_FORMS, runNode } from '../engine/run-node';
import type { Registry } from '../engine/run-workflow';
import { startService, type Service } from '../service/service';

// The loader of n8n, and what it loads. What the nodes do shows in the suites that run on the same n8n.

let service: Service;
const registry: Registry = { nodes: {}, credentials: {} };

beforeAll(async () => {
	service = await startService();
	const loader = new PackageDirectoryLoader(process.env.PACKAGE_FOLDER ?? '');
	await loader.loadAll();
	for (const [name, { type }] of Object.entries(loader.nodeTypes)) {
		const node = type as INodeType;
		Object.assign(registry.nodes, {
			[`n8n-nodes-browser-automation.${name}`]: node,
			[`n8n-nodes-browser-automation.${name}Tool`]: asTool(node),
		});
	}
	for (const [name, { type }] of Object.entries(loader.credentialTypes)) {
		registry.credentials[name] = type as ICredentialType;
	}
});
afterEach(() => {
	expect(service.violations).toEqual([]);
	service.reset();
});
afterAll(async () => await service.stop());

describe.each(['', 'Tool'])('the loaded package as nodes%s', (suffix) => {
	it.each(operations)('does $resource $operation', async ({ resource, operation, full }) => {
		const form = { resource, operation, ...full, allowAgent: true };
		const { items, error } = await runNode(BROWSER_AUTOMATION + suffix, service, form, { registry });
		expect(error).toBeUndefined();
		expect(items).not.toEqual([]);
	});

	it.each(RUN_FORMS)('runs a task with %j', async (way) => {
		const form = { ...way, query: 'quick task' };
		const { items, error } = await runNode(RUN_AUTOMATION + suffix, service, form, { registry });
		expect(error).toBeUndefined();
		expect(items).not.toEqual([]);
	});
});
