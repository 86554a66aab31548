// Both nodes on n8n's Engine 2.0, a preview: each step by itself, over a PostgreSQL database. And rows that n8n's own nodes write into
// that database, and into a data table.
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
const postgres = {
	host: '127.0.0.1',
	port: Number(port),
	database: 'postgres',
	user: 'n8n',
	password: 'any',
	ssl: 'disable',
};
const n8n = await startInstance({
	credentials: [{ id: 'postgres', name: 'Postgres', type: 'postgres', data: postgres }],
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
const search = { resource: 'web', operation: 'search', searchQuery: "={{ 'la' + 'mps' }}" };
const started = { status: 'started', thread_id: /^[0-9a-f-]{36}$/ };
for (const [name, type, parameters, expected, starts] of [
	['a result', 'runAutomation', { operation: 'result', query: 'quick task' }, { text: 'Done: task.' }, 1],
	['rows', 'runAutomation', rows, { name: /./, price: /^\d/, link: /^http/ }, 1],
	['a background start', 'runAutomation', { operation: 'background', query: 'quick task' }, started, 1],
	['Start', 'browserAutomation', { resource: 'automationRun', operation: 'start', query: 'quick task' }, started, 1],
	['a search', 'browserAutomation', search, { name: 'Result 1 for lamps' }, 0],
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
	assert.deepEqual(
		[status, message, description, context],
		['error', 'Run failed: The site blocked the agent', undefined, {}],
	);
	assert.deepEqual(queries(), ['failed here']);
	const [{ threadId }] = n8n.service.starts;
	const line = `Automation run started: thread ${threadId}, execution ${id}`;
	await until('the run is in the log', () => n8n.log().includes(line));
});

it('with Continue, a run that fails becomes an item in its place, and each task is started once', async () => {
	const tasks = ['quick one', 'failed two', 'quick three'];
	const batch = withParameters(workflowFor('batch'), { Tasks: { jsonOutput: JSON.stringify({ tasks }) } });
	nodeOf(batch, NODE).onError = 'continueRegularOutput';
	const [[toNext]] = batch.connections[NODE].main;
	const connections = { ...batch.connections, [NODE]: { main: [[toNext]] } };
	const { status, items } = await execute({ ...batch, connections, settings: V2 });
	assert.equal(status, 'success');
	const [one, two, three] = items(NODE).map(({ json }) => json);
	assert.deepEqual(
		[one.text, two.error, three.text],
		['Done: one.', 'Run failed: The site blocked the agent', 'Done: three.'],
	);
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
	const { status } = await execute(workflowOf('runAutomation', { operation: 'result', query: 'quick task' }));
	assert.equal(status, 'success');
	assert.deepEqual(queries(), ['held', 'quick task']);
	assert.equal((await n8n.call('GET', `/executions/${executionId}`)).status, 'running');
});

/** Odd rows, as agents write them: each type, with what a database may refuse. */
const row = {
	// Decomposed, as macOS writes it; a NUL; another case; a blank instead of the T; a zero width space.
	['Größe'.normalize('NFD')]: 'gro\u00df\u0000er',
	...{ price: '12.50', in_stock: 'True', available_from: '2026-01-31 09:30:00', state: 'NEW' },
	...{ link: 'https://shop.example/\u200blamp', tags: ['a', 'b'] },
};
const COLUMNS = [
	['Größe', 'text', 'text'],
	['price', 'number', 'double precision'],
	['in_stock', 'boolean', 'boolean'],
	['available_from', 'date', 'timestamp'],
	['link', 'link', 'text'],
	['state', 'choice', 'text'],
	['tags', 'list', 'text[]'],
];

/** A workflow of nodes in a row: a trigger, those before a run, the run, those after it. */
function chain(columns, before, after) {
	const { nodes, ...workflow } = workflowFor('one-run');
	const run = nodeOf({ nodes }, NODE);
	const query = `reply ${JSON.stringify({ rows: [row] })}`;
	const column = columns.map(([name, type]) => ({ name, type, choices: type === 'choice' ? 'new, used' : undefined }));
	Object.assign(run.parameters, { operation: 'rows', query, columns: { column } });
	const all = [nodeOf({ nodes }, 'Try It Now'), ...before, run, ...after];
	const to = (name) => ({ main: [[{ node: name, type: 'main', index: 0 }]] });
	const connections = Object.fromEntries(all.slice(1).map((node, index) => [all[index].name, to(node.name)]));
	const placed = all.map((node, index) => ({ id: String(index), position: [index * 200, 0], ...node }));
	return { ...workflow, nodes: placed, connections };
}

it('rows of each type are written into PostgreSQL, with names and values that a database may refuse', async () => {
	const credentials = { postgres: { id: 'postgres', name: 'Postgres' } };
	const postgresNode = { type: 'n8n-nodes-base.postgres', typeVersion: 2.6, credentials };
	const node = (name, parameters) => ({ ...postgresNode, name, parameters });
	const byName = (value) => ({ __rl: true, mode: 'name', value });
	const fields = COLUMNS.map(([name, , type]) => `"${name}" ${type}`).join(', ');
	const sql = (name, query) => node(name, { operation: 'executeQuery', query, options: {} });
	const insert = node('Insert', {
		...{ operation: 'insert', schema: byName('public'), table: byName('lamps'), options: {} },
		columns: { mappingMode: 'autoMapInputData', value: null },
	});
	const read = sql('Read', 'SELECT * FROM lamps');
	const workflow = chain(COLUMNS, [sql('Create', `CREATE TABLE lamps (${fields})`)], [insert, read]);
	const { status, error, items } = await execute(workflow);
	assert.deepEqual([status, error?.message], ['success', undefined]);
	const [{ json }] = items('Read');
	const { available_from: date, ...others } = json;
	assert.match(String(date), /^2026-01-31T/);
	const expected = { Größe: 'großer', price: 12.5, in_stock: true, link: 'https://shop.example/lamp', state: 'new' };
	assert.deepEqual(others, { ...expected, tags: ['a', 'b'] });
});

it('rows of each type that a data table has are written into one', async () => {
	const columns = COLUMNS.filter(([name, type]) => type !== 'list' && name !== 'Größe');
	const types = { number: 'number', boolean: 'boolean', date: 'date' };
	const column = columns.map(([name, type]) => ({ name, type: types[type] ?? 'string' }));
	const node = (name, parameters) => ({ name, type: 'n8n-nodes-base.dataTable', typeVersion: 1.1, parameters });
	const create = node('Create', { resource: 'table', operation: 'create', tableName: 'Lamps', columns: { column } });
	const dataTableId = { __rl: true, mode: 'name', value: 'Lamps' };
	const insert = node('Insert', {
		...{ resource: 'row', operation: 'insert', dataTableId, options: {} },
		columns: { mappingMode: 'autoMapInputData', value: null },
	});
	const { status, error, items } = await execute(chain(columns, [create], [insert]));
	assert.deepEqual([status, error?.message], ['success', undefined]);
	const [{ json }] = items('Insert');
	const { price, in_stock, link, state, available_from } = json;
	assert.deepEqual([price, in_stock, link, state], [12.5, true, 'https://shop.example/lamp', 'new']);
	assert.match(String(available_from), /^2026-01-31T/);
});
