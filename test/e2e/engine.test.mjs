// Both nodes on n8n's Engine 2.0, a preview: each step by itself, over a PostgreSQL database.
// The service counts the starts: none may be sent twice.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, it } from 'node:test';
import { startN8n } from '../../demo/lib/n8n.mjs';
import { freePort } from '../../demo/lib/processes.mjs';
import { example, nodeOf, startInstance, startOf, until, withParameters, workflowFor } from './instance.mjs';
import { startPostgres } from './queue.mjs';

const folder = mkdtempSync(join(tmpdir(), 'n8n-engine-'));
const databases = [];
const { DB_POSTGRESDB_PORT: port } = await startPostgres(folder, databases);
const [engine, controlPlane] = [String(await freePort()), String(await freePort())];
const n8n = await startInstance({
	env: {
		N8N_ENABLED_MODULES: 'engine-v2',
		N8N_ENGINE_DATABASE_URL: `postgres://n8n@127.0.0.1:${port}/postgres`,
		N8N_ENGINE_PORT: engine,
		N8N_ENGINE_BASE_URL: `http://127.0.0.1:${engine}`,
		N8N_ENGINE_CONTROL_PLANE_PORT: controlPlane,
		N8N_ENGINE_CONTROL_PLANE_BASE_URL: `http://127.0.0.1:${controlPlane}`,
	},
});
after(async () => {
	// n8n ends by itself only as long as it has its database.
	await n8n.stop();
	for (const database of databases) await database.stop();
	rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => n8n.service.reset());

const NODE = 'Run Automation';
const V2 = { engineType: 'v2' };

/** A workflow of a trigger and one node of the package. */
function workflowOf(type, parameters, settings = {}) {
	const { nodes, connections, ...workflow } = workflowFor('one-run');
	const tested = nodeOf({ nodes }, NODE);
	const node = { ...tested, type: `n8n-nodes-browser-automation.${type}`, parameters, ...settings };
	const trigger = nodeOf({ nodes }, 'Try It Now');
	const to = { [trigger.name]: connections[trigger.name] };
	return { ...workflow, nodes: [trigger, node], connections: to, settings: V2 };
}

const execute = async (workflow) => await n8n.execute((await n8n.createWorkflow(workflow)).id);
const queries = () => n8n.service.starts.map(({ task }) => task);

const rows = nodeOf(example('scrape-into-table'), NODE).parameters;
const started = { status: 'started', thread_id: /^[0-9a-f-]{36}$/ };
for (const [name, type, parameters, expected, starts] of [
	['a result', 'runAutomation', { operation: 'result', query: 'quick task' }, { text: 'Done: task.' }, 1],
	['rows', 'runAutomation', rows, { name: /./, price: /^\d/, link: /^http/ }, 1],
	['a background start', 'runAutomation', { operation: 'background', query: 'quick task' }, started, 1],
	['Start', 'browserAutomation', { resource: 'automationRun', operation: 'start', query: 'quick task' }, started, 1],
	[
		'a search',
		'browserAutomation',
		{ resource: 'web', operation: 'search', searchQuery: "={{ 'la' + 'mps' }}" },
		{ name: 'Result 1 for lamps' },
		0,
	],
]) {
	it(`returns what it returns elsewhere: ${name}`, async () => {
		const execution = await execute(workflowOf(type, parameters));
		assert.equal(execution.status, 'success', execution.error?.message);
		const [{ json }] = execution.items(NODE);
		for (const [field, value] of Object.entries(expected)) {
			if (value instanceof RegExp) assert.match(String(json[field]), value);
			else assert.equal(json[field], value);
		}
		assert.equal(queries().length, starts);
	});
}

it('a run that fails ends the execution with its reason, and is started once; its thread is in the log', async () => {
	const { id, status, errorOf } = await execute(
		workflowOf('runAutomation', { operation: 'result', query: 'failed here' }),
	);
	const { message, description, context } = errorOf(NODE);
	// This engine keeps neither the description nor the data of an error.
	assert.deepEqual([status, message, description, context], ['error', 'The site blocked the agent', undefined, {}]);
	assert.deepEqual(queries(), ['failed here']);
	const [{ threadId }] = n8n.service.starts;
	const line = `Automation run started: thread ${threadId}, execution ${id}`;
	await until('the run is in the log', () => n8n.log().includes(line));
});

it('with Continue, a run that fails becomes an item in its place, and each task is started once', async () => {
	const tasks = ['quick one', 'failed two', 'quick three'];
	const batch = withParameters(workflowFor('batch'), {
		Tasks: { jsonOutput: JSON.stringify({ tasks }) },
	});
	nodeOf(batch, NODE).onError = 'continueRegularOutput';
	const [[toNext]] = batch.connections[NODE].main;
	const connections = { ...batch.connections, [NODE]: { main: [[toNext]] } };
	const { status, items } = await execute({ ...batch, connections, settings: V2 });
	assert.equal(status, 'success');
	const [one, two, three] = items(NODE).map(({ json }) => json);
	assert.deepEqual([one.text, two.error, three.text], ['Done: one.', 'The site blocked the agent', 'Done: three.']);
	assert.equal(two.details.thread_id, n8n.service.starts.find((start) => start.task === tasks[1]).threadId);
	assert.deepEqual(queries().sort(), [...tasks].sort());
});

it('does not stop a run, and starts none again after n8n was killed during it', async () => {
	const { id } = await n8n.createWorkflow(workflowOf('runAutomation', { operation: 'result', query: 'held' }));
	const executionId = await n8n.start(id);
	await startOf(n8n);
	await assert.rejects(n8n.call('POST', `/executions/${executionId}/stop`), /responded with 500/);
	process.kill(-n8n.pid, 'SIGKILL');
	await startN8n({ ...n8n.instance, port: Number(new URL(n8n.url).port) });
	assert.equal(
		(await execute(workflowOf('runAutomation', { operation: 'result', query: 'quick task' }))).status,
		'success',
	);
	assert.deepEqual(queries(), ['held', 'quick task']);
	assert.equal((await n8n.call('GET', `/executions/${executionId}`)).status, 'running');
});
