// Run Automation in n8n's queue mode, run as docs/queue-mode.md tells: many runs over two workers, live text, Stop,
// shut-down, and processes that are killed. The service counts the starts: none may be sent twice.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { startN8n } from '../../demo/lib/n8n.mjs';
import { demo } from '../../demo/lib/paths.mjs';
import { example, postStreaming, streamingWebhook, textOf, until, withParameters } from './instance.mjs';
import { executionsOf, guide, startQueue } from './queue.mjs';

const NODE = 'Run Automation';

/** Shorter than n8n's own values, so that nobody waits for minutes until a dead worker is noticed. */
const WORKER = {
	N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '12',
	QUEUE_WORKER_LOCK_DURATION: '10000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
};
let n8n;

before(
	async () => {
		n8n = await startQueue(WORKER);
	},
	{ timeout: 600_000 },
);

after(async () => await n8n?.stop());

beforeEach(() => n8n.service.reset());

/** Publishes a workflow that starts a run for every request, and gives what sends one and what was executed. */
async function publishQueued() {
	const { workflow, path } = streamingWebhook();
	const workflowId = await n8n.publish(withParameters(workflow, { Webhook: { responseMode: 'onReceived' } }));
	const ids = async (count) => await executionIds(workflowId, count);
	const post = async (task) => await postStreaming(n8n.url + path, { tasks: [task] });
	const known = new Set();
	/** Sends one request and gives the id of its execution. */
	const execute = async (task) => {
		await post(task);
		const id = (await ids(known.size + 1)).find((candidate) => !known.has(candidate));
		known.add(id);
		return id;
	};
	return { ids, post, execute };
}

/** The ids of the executions of a workflow, once there are so many. */
const executionIds = async (workflowId, count = 1) =>
	await until(`${count} executions of ${workflowId}`, async () => {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await n8n.call('GET', `/executions?filter=${filter}&limit=100`);
		return results.length >= count && results.map(({ id }) => id);
	});

const queries = () => n8n.service.starts.map(({ body }) => body.query);

/** What n8n's plain log of a worker says of a run: in queue mode the only place that outlives its execution. */
const logged = (worker, { threadId }, executionId) =>
	worker.output().includes(`Automation run started: thread ${threadId}, execution ${executionId}`);

test('a hundred executions are spread over both workers, and each has the result of a run of its own', async (t) => {
	const { ids, post } = await publishQueued();
	const tasks = Array.from({ length: 100 }, (_, index) => `quick task-${index}`);
	await Promise.all(tasks.map(async (task) => await post(task)));
	const executed = await ids(tasks.length);
	const executions = [];
	for (const id of executed) executions.push(await n8n.ended(id));
	assert.deepEqual(
		executions.map(({ status, items }) => [status, items(NODE)[0]?.json.text]).sort(),
		tasks.map((task) => ['success', `Done: ${task.slice('quick '.length)}.`]).sort(),
	);
	assert.deepEqual(queries().sort(), [...tasks].sort());

	const shares = n8n.workers.map((worker) => executionsOf(worker).filter((id) => executed.includes(id)));
	assert.deepEqual(shares.flat().sort(), [...executed].sort());
	assert.ok(shares.every((share) => share.length > 0));
	t.diagnostic(`${shares.map((share) => share.length).join(' and ')} executions`);
});

for (const [receiver, urlOf] of [
	['main', () => n8n.url],
	['a webhook process', () => n8n.webhook.url],
]) {
	test(`the text of a run on a worker reaches the client of ${receiver} while the run goes on`, async () => {
		const { workflow, path } = streamingWebhook();
		const workflowId = await n8n.publish(workflow);
		const { status, chunks } = await postStreaming(urlOf() + path, { tasks: ['slow 2'] });
		assert.equal(status, 200);
		assert.deepEqual([chunks[0].type, chunks.at(-1).type], ['begin', 'end']);
		assert.match(textOf(chunks), /^tick-1 tick-2 .*tick-10$/);
		const [run] = n8n.service.starts;
		await run.closed;
		const early = chunks.filter(({ type, at }) => type === 'item' && at < run.closedAt);
		assert.ok(early.length >= 5, `${early.length} of ${chunks.length} chunks came before the run ended`);

		const [executionId] = await executionIds(workflowId);
		await n8n.workerOf(executionId);
		assert.equal(await n8n.threadOf(executionId), run.threadId);
	});
}

test('a silent run on a worker gives clients of main and of a webhook process a sign of life', async (t) => {
	const { workflow, path } = streamingWebhook();
	await n8n.publish(withParameters(workflow, { [NODE]: { options: { idleTimeout: 32 } } }));
	const answers = await Promise.all(
		[n8n, n8n.webhook].map(async ({ url }) => await postStreaming(url + path, { tasks: ['silent'] })),
	);
	for (const answer of answers) {
		const chunks = answer.chunks.filter(({ type }) => type !== 'keepalive');
		assert.deepEqual(
			chunks.map(({ type }) => type),
			['begin', 'item', 'error'],
		);
		assert.equal(chunks[1].content, '');
		const quiet = chunks[1].at - chunks[0].at;
		assert.ok(quiet < 60_000, `${quiet} ms without a sign`);
		t.diagnostic(`a sign of life after ${quiet} ms`);
	}
	assert.equal(n8n.service.starts.length, 2);
});

test('a file that a worker made is read from main', async () => {
	const query = 'Find the cheapest offer';
	const executionId = await n8n.start(await storeManual(query, { filesProperty: 'file' }));
	await n8n.workerOf(executionId);
	const { status, items } = await n8n.ended(executionId);
	assert.equal(status, 'success');
	const { id, mimeType } = items(NODE)[0].binary.file_0;
	assert.equal(mimeType, 'image/png');
	assert.match(id, /^database:/);
	const address = `${n8n.url}/rest/binary-data?id=${encodeURIComponent(id)}&action=download`;
	const response = await fetch(address, { headers: { cookie: n8n.cookie } });
	const bytes = Buffer.from(await response.arrayBuffer());
	assert.equal(response.status, 200);
	assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
});

for (const [kind, execute] of [
	['a manual execution', async () => await n8n.start(await storeManual('hang'))],
	['an execution of a webhook', async () => await (await publishQueued()).execute('slow 60')],
]) {
	test(`Stop of ${kind} reaches the worker, which closes the connection of the run`, async (t) => {
		const executionId = await execute();
		const worker = await n8n.workerOf(executionId);
		const run = await n8n.service.waitForStart();
		await until('the run is in the log', () => logged(worker, run, executionId));
		const stopped = Date.now();
		await n8n.call('POST', `/executions/${executionId}/stop`);
		assert.equal(await run.closed, 'aborted');
		const took = run.closedAt - stopped;
		assert.ok(took < 5_000, `${took} ms`);
		assert.equal((await n8n.ended(executionId)).status, 'canceled');
		assert.equal(n8n.service.starts.length, 1);
		t.diagnostic(`closed ${took} ms after Stop`);
	});
}

/** Stores the workflow of an example with another task. */
async function storeManual(query, options = {}) {
	return (await n8n.createWorkflow(withParameters(example('scheduled-run'), { [NODE]: { query, options } }))).id;
}

test('a worker that is shut down lets its run finish within the grace period', async () => {
	const { execute } = await publishQueued();
	const executionId = await execute('slow 4');
	const worker = await n8n.workerOf(executionId);
	const run = await n8n.service.waitForStart();
	process.kill(worker.pid, 'SIGTERM');
	const replaced = n8n.replace(worker);
	assert.equal(await run.closed, 'finished');
	assert.equal(await worker.ended, 0, worker.output());
	const { status, items } = await n8n.ended(executionId);
	assert.equal(status, 'success');
	assert.match(items(NODE)[0].json.text, /^tick-1 .*tick-20$/);
	assert.equal(await n8n.threadOf(executionId), run.threadId);
	await replaced;
	assert.deepEqual(queries(), ['slow 4']);
});

for (const [how, end] of [
	['does not finish within the grace period', (worker) => process.kill(worker.pid, 'SIGTERM')],
	['is on a worker that is killed', (worker) => process.kill(-worker.pid, 'SIGKILL')],
]) {
	test(`a run that ${how} is not started again, and what was finished before keeps its result`, async (t) => {
		const { execute } = await publishQueued();
		const earlier = await execute('quick before');
		await n8n.ended(earlier);
		const executionId = await execute('hang here');
		const worker = await n8n.workerOf(executionId);
		const run = await n8n.service.waitForStart(2);
		await until('the run is in the log', () => logged(worker, run, executionId));
		end(worker);
		const begun = Date.now();
		const replaced = n8n.replace(worker);
		assert.equal(await run.closed, 'aborted');
		assert.notEqual(await worker.ended, 0);

		const { status, error } = await n8n.ended(executionId);
		t.diagnostic(`${status} after ${Date.now() - begun} ms`);
		assert.equal(status, 'error');
		assert.match(error.message, /^This execution failed to be processed too many times/);
		await replaced;
		assert.equal((await n8n.ended(earlier)).items(NODE)[0].json.text, 'Done: before.');
		assert.equal((await n8n.ended(await execute('quick after'))).status, 'success');
		assert.deepEqual(queries(), ['quick before', 'hang here', 'quick after']);
	});
}

test('where main is killed with the worker, the execution ends as crashed once main is back', async (t) => {
	const { execute } = await publishQueued();
	const earlier = await execute('quick before');
	await n8n.ended(earlier);
	const executionId = await execute('hang here');
	const worker = await n8n.workerOf(executionId);
	const run = await n8n.service.waitForStart(2);
	for (const { pid } of [n8n, worker]) process.kill(-pid, 'SIGKILL');
	const killed = Date.now();
	assert.equal(await run.closed, 'aborted');
	await startN8n({ ...n8n.instance, port: Number(new URL(n8n.url).port) });

	assert.equal((await n8n.ended(executionId)).status, 'crashed');
	t.diagnostic(`crashed ${Date.now() - killed} ms after the kill`);
	assert.equal((await n8n.ended(earlier)).items(NODE)[0].json.text, 'Done: before.');
	assert.equal((await n8n.ended(await execute('quick after'))).status, 'success');
	assert.deepEqual(queries(), ['quick before', 'hang here', 'quick after']);
});

test('the settings that the document names are those of this n8n, and those of this test are among them', () => {
	const named = new Set(guide.match(/\b(N8N|DB|QUEUE|EXECUTIONS|OFFLOAD)_[A-Z_]+[A-Z]\b/g));
	assert.deepEqual(
		Object.keys(WORKER).filter((name) => !named.has(name)),
		[],
	);
	const modules = join(demo, 'node_modules');
	const code = [
		...scripts(join(modules, '@n8n', 'config', 'dist')),
		...scripts(join(modules, 'n8n-core', 'dist', 'binary-data')),
		...scripts(join(modules, 'n8n', 'dist', 'modules', 'community-packages')),
		join(modules, 'n8n', 'dist', 'workflow-runner.js'),
	]
		.map((file) => readFileSync(file, 'utf8'))
		.join('\n');
	const read = (name) => code.includes(`'${name}'`) || code.includes(`process.env.${name} `);
	assert.deepEqual(
		[...named].filter((name) => !read(name)),
		[],
	);
});

/** The scripts in a folder and those below it. */
function scripts(folder) {
	return readdirSync(folder, { recursive: true })
		.filter((file) => file.endsWith('.js'))
		.map((file) => join(folder, file));
}
