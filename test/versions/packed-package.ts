/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import type { INodeParameters } from 'n8n-workflow';

import { operations } from '../contract/operations';
import { BROWSER_AUTOMATION, nodeAsTool, RUN_AUTOMATION, RUN_FORMS, runNode } from '../engine/run-node';
import { loadPacked } from '../engine/run-packed';
import type { Registry } from '../engine/run-workflow';
import { useService } from '../support/use-service';

// The loader of n8n, and what it loads. What the nodes do shows in the suites that run on the same n8n.

const service = useService();
const registry: Registry = { nodes: {}, credentials: {} };

beforeAll(async () => {
	const { nodes, credentials } = await loadPacked(process.env.PACKAGE_FOLDER ?? '');
	Object.assign(registry.credentials, credentials);
	for (const [id, type] of Object.entries(nodes))
		Object.assign(registry.nodes, { [id]: type, [`${id}Tool`]: nodeAsTool(type) });
});

describe.each(['', 'Tool'])('the loaded package as nodes%s', (suffix) => {
	it.each([
		...operations.map(({ resource, operation, full }) => ({
			type: BROWSER_AUTOMATION,
			form: { resource, operation, ...full, allowAgent: true } as INodeParameters,
		})),
		...RUN_FORMS.map((form) => ({ type: RUN_AUTOMATION, form: { ...form, query: 'quick task' } as INodeParameters })),
	])('does $form.resource $form.operation', async ({ type, form }) => {
		const { items, error } = await runNode(type + suffix, service, form, { registry });
		expect(error).toBeUndefined();
		expect(items).not.toEqual([]);
	});
});
