// A proxy between n8n and the service that cuts every connection after 3 seconds, and a run that takes 20.
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { tsImport } from 'tsx/esm/api';
import { importCredentials } from '../../demo/lib/n8n.mjs';
import { nodeOf, withParameters, workflowFor } from './instance.mjs';
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

const NODE = 'Run Automation';

it('a run ends with its rows if the node asks in the same thread, and nothing is done twice', async () => {
	const columns = { column: [{ name: 'state', type: 'text' }] };
	const options = { ifConnectionBreaks: 'askInThread', limits: { values: { followUps: 6 } } };
	const parameters = { operation: 'rows', query: 'steady 20 Order it', columns, options };
	const workflow = withParameters(workflowFor('one-run'), { [NODE]: parameters });
	nodeOf(workflow, NODE).credentials = { browserAutomationApi: credential };
	const execution = await n8n.execute((await n8n.createWorkflow(workflow)).id);
	const rows = execution.items(NODE).map(({ json }) => json);
	assert.deepEqual(rows, [{ state: 'Done' }]);
	const threads = new Set(service.starts.map(({ threadId }) => threadId));
	assert.equal(threads.size, 1);
	const accepted = service.requests.filter(({ path, status }) => path.endsWith('/start') && status === 200).length;
	assert.ok(accepted <= 7, `${accepted} starts were accepted`);
	assert.equal(doneTwice(service.state), 0);
});
