// A proxy between n8n and the service that cuts every connection after 3 seconds, and a run that takes 20.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, it } from 'node:test';
import { tsImport } from 'tsx/esm/api';
import { importCredentials } from '../../demo/lib/n8n.mjs';
import { n8n } from './shared.mjs';

const { startCuttingProxy } = await tsImport('../support/cutting-proxy.ts', import.meta.url);
const { doneTwice } = await tsImport('../service/agent/steady-agent.ts', import.meta.url);

const { service } = n8n;
const proxy = await startCuttingProxy(Number(new URL(service.automationUrl).port), () => 3000);
after(async () => await proxy.stop());

const automationUrl = proxy.origin + new URL(service.automationUrl).pathname;
const { baseUrl, apiKey } = service;
const data = { baseUrl, automationUrl, apiKey, allowUnencrypted: false };
const credential = { id: 'behindProxy', name: 'Behind a proxy that cuts' };
await importCredentials(n8n.instance, [{ ...credential, type: 'browserAutomationApi', data }]);

/** Executes a run of 20 seconds with these options, behind the proxy. */
async function execute(options) {
	const place = (x) => ({ id: randomUUID(), typeVersion: 1, position: [x, 0] });
	const trigger = { ...place(0), name: 'Try It Now', type: 'n8n-nodes-base.manualTrigger', parameters: {} };
	const columns = { column: [{ name: 'state', type: 'text' }] };
	const run = {
		...place(300),
		name: 'Run Automation',
		type: 'n8n-nodes-browser-automation.runAutomation',
		parameters: { operation: 'rows', query: 'steady 20 Order it', columns, options },
		credentials: { browserAutomationApi: credential },
	};
	const connections = { 'Try It Now': { main: [[{ node: 'Run Automation', type: 'main', index: 0 }]] } };
	const workflow = { name: 'Behind a proxy', nodes: [trigger, run], connections, settings: { executionOrder: 'v1' } };
	return await n8n.execute((await n8n.createWorkflow(workflow)).id);
}

const accepted = () => service.requests.filter(({ path, status }) => path.endsWith('/start') && status === 200).length;

it('a run ends with its rows if the node asks in the same thread, and nothing is done twice', async () => {
	const limits = { values: { followUps: 6 } };
	const execution = await execute({ ifConnectionBreaks: 'askInThread', limits });
	assert.deepEqual(
		execution.items('Run Automation').map(({ json }) => json),
		[{ state: 'Done' }],
	);
	const threads = new Set(service.starts.map(({ threadId }) => threadId));
	assert.equal(threads.size, 1);
	assert.ok(accepted() <= 7, `${accepted()} starts were accepted`);
	assert.equal(doneTwice(service.state), 0);
});

it('a run is lost without the option', async () => {
	const execution = await execute({});
	assert.equal(execution.status, 'error');
	assert.equal(service.starts.length, 1);
});
