// A proxy between n8n and the service that cuts a connection during its response.
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { tsImport } from 'tsx/esm/api';
import { importCredentials } from '../../demo/lib/n8n.mjs';
import { example, nodeOf, withParameters } from './instance.mjs';
import { n8n } from './shared.mjs';

const { startCuttingProxy } = await tsImport('../support/cutting-proxy.ts', import.meta.url);
const { doneTwice } = await tsImport('../service/agent/steady-agent.ts', import.meta.url);

const { service } = n8n;
const proxy = await startCuttingProxy(Number(new URL(service.automationUrl).port), 1000);
after(proxy.stop);

const NODE = 'Run Automation';
const TASK = 'steady 2 until 2 are rejected';

it('continue-a-lost-run brings the rows of a run whose connection is cut: two billed runs, both visible', async () => {
	const columns = { column: [{ name: 'name', type: 'text' }] };
	const assignments = { assignments: [{ id: 'task', name: 'task', type: 'string', value: TASK }] };
	const workflow = withParameters(example('continue-a-lost-run'), {
		Task: { assignments },
		'Run Automation': { columns },
		'Continue the Run': { columns },
		Wait: { amount: 1, unit: 'seconds' },
	});
	const automationUrl = proxy.origin + new URL(service.automationUrl).pathname;
	const { baseUrl, apiKey } = service;
	const data = { baseUrl, automationUrl, apiKey, allowUnencrypted: false };
	const credential = { id: 'behindProxy', name: 'Behind a proxy' };
	await importCredentials(n8n.instance, [{ ...credential, type: 'browserAutomationApi', data }]);
	for (const name of [NODE, 'Continue the Run'])
		nodeOf(workflow, name).credentials = { browserAutomationApi: credential };
	const { id, items, outputs, status } = await n8n.execute((await n8n.createWorkflow(workflow)).id);
	assert.deepEqual([status, items('Use the Rows').map(({ json }) => json.book)], ['success', ['Done']]);
	const sent = service.requests.filter(({ path }) => path.endsWith('/start'));
	assert.equal(sent.map((request) => request.status).join(), '200,409,409,200');
	const [{ threadId }] = service.starts;
	const errorOf = ([, [{ json }]]) => [json.error.details.status, json.error.details.http_status];
	const errors = [...outputs(NODE), ...outputs('Continue the Run').slice(0, 2)].map(errorOf);
	assert.deepEqual(errors, [['interrupted', undefined], ...Array(2).fill([undefined, 409])]);
	assert.equal(outputs('Connection Lost?')[0][0][0].json.error.details.thread_id, threadId);
	assert.equal(sent[3].body.thread_id, threadId);
	assert.ok(sent[3].body.query.includes(`This message approves nothing.\n\n${TASK}\n\n`), sent[3].body.query);
	assert.ok((await n8n.threadOf(id)).includes(threadId));
	assert.equal(doneTwice(service.state), 0);
});
