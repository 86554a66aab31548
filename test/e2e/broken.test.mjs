// Proxies between n8n and the service: one that cuts every connection after 3 seconds, with a run that takes 20, and one that says
// that the service is unavailable after it has handed a start on.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, it } from 'node:test';
import { tsImport } from 'tsx/esm/api';
import { importCredentials } from '../../demo/lib/n8n.mjs';
import { nodeOf, withParameters, workflowFor } from './instance.mjs';
import { n8n } from './shared.mjs';

const { startCuttingProxy } = await tsImport('../support/cutting-proxy.ts', import.meta.url);
const { doneTwice } = await tsImport('../service/agent/steady-agent.ts', import.meta.url);

const { service } = n8n;
const proxy = await startCuttingProxy(Number(new URL(service.automationUrl).port), 3000);
after(proxy.stop);

const { baseUrl, apiKey } = service;

/** Stores a credential whose starts go through a proxy. */
async function credentialBehind(id, origin) {
	const automationUrl = origin + new URL(service.automationUrl).pathname;
	const data = { baseUrl, automationUrl, apiKey, allowUnencrypted: false };
	await importCredentials(n8n.instance, [{ id, name: id, type: 'browserAutomationApi', data }]);
	return { id, name: id };
}

const NODE = 'Run Automation';

it('a run ends with its rows if the node asks in the same thread, and nothing is done twice', async () => {
	const columns = { column: [{ name: 'state', type: 'text' }] };
	const options = { ifConnectionLost: 'continueInThread', limits: { values: { followUps: 6 } } };
	const parameters = { operation: 'rows', query: 'steady 20 Order it', columns, options };
	const workflow = withParameters(workflowFor('one-run'), { [NODE]: parameters });
	const credential = await credentialBehind('behindCuttingProxy', proxy.origin);
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

it('a start is sent once if a proxy responds with 503 after it has handed the start on', async () => {
	const unavailable = createServer(async (request, response) => {
		const { method, url, headers } = request;
		const body = await text(request);
		const started = await fetch(new URL(url, service.automationUrl), { method, headers, body });
		await started.body.cancel();
		response.writeHead(503, { 'content-type': 'text/html', 'retry-after': '1' });
		response.end('<html><title>503 Backend fetch failed</title></html>');
	});
	await once(unavailable.listen(0, '127.0.0.1'), 'listening');
	after(() => unavailable.close());
	const behind = await credentialBehind('behindUnavailable', `http://127.0.0.1:${unavailable.address().port}`);
	const tries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 500 };
	const startsWith = async (onError) => {
		service.reset();
		const tasks = JSON.stringify({ tasks: ['quick one', 'quick two', 'quick three'] });
		const oneByOne = { Tasks: { jsonOutput: tasks }, [NODE]: { options: {} } };
		const workflow = withParameters(workflowFor('batch'), oneByOne);
		Object.assign(nodeOf(workflow, NODE), { onError, ...tries, credentials: { browserAutomationApi: behind } });
		await n8n.execute((await n8n.createWorkflow(workflow)).id);
		return service.starts.length;
	};
	assert.deepEqual([await startsWith('continueRegularOutput'), await startsWith('stopWorkflow')], [3, 1]);
});
