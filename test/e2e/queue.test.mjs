// Run Automation in n8n's queue mode, run as docs/queue-mode.md tells: many runs over two workers, live text, Stop,
// shut-down, and processes that are killed. The service counts the starts: none may be sent twice.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, it } from 'node:test';
import { startN8n } from '../../demo/lib/n8n.mjs';
import { demo } from '../../demo/lib/paths.mjs';
import {
	assertLive,
	assertStops,
	example,
	postStreaming,
	streamingWebhook,
	until,
	withParameters,
} from './instance.mjs';
import { executionsOf, guide, startQueue } from './queue.mjs';
import { assertRow, RETRY } from './rows.mjs';

const NODE = 'Run Automation';

/** Shorter than n8n's own values, so that no test waits for minutes until a dead worker is noticed. */
const WORKER = {
	N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '12',
	QUEUE_WORKER_LOCK_DURATION: '10000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
};
const n8n = await startQueue(WORKER);
after(async () => await n8n.stop());
beforeEach(() => n8n.service.reset());

/** Publishes a workflow that starts a run for every request, with *Retry On Fail* at three tries; `post` sends one, `execute` also waits for its execution. */
async function publishQueued() {
	const { workflow, path } = streamingWebhook(RETRY);
	const workflowId = await n8n.publish(withParameters(workflow, { Webhook: { responseMode: 'onReceived' } }));
	const ids = async (count) => await executionIds(workflowId, count);
	const post = async (task) => await postStreaming(n8n.url + path, { tasks: [task] });
	let known = [];
	const execute = async (task) => {
		await post(task);
		const all = await ids(known.length + 1);
		const id = all.find((candidate) => !known.includes(candidate));
		known = all;
		return id;
	};
	return { ids, post, execute };
}

/** The ids of the executions of a workflow, once there are so many. */
const executionIds = async (workflowId, count = 1) =>
	await until(`${count} executions of ${workflowId}`, async () => {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await n8n.call('GET', `/executions?filter=${filter}&limit=100`);
		// n8n looks up running and ended executions apart: one that ends in between is in its list twice.
		const ids = [...new Set(results.map(({ id }) => id))];
		return ids.length >= count && ids;
	});

const queries = () => n8n.service.starts.map(({ body }) => body.query);

/** What n8n's plain log of a worker says of a run: in queue mode the only place that outlives its execution. */
const logged = (worker, { threadId }, executionId) =>
	worker.output().includes(`Automation run started: thread ${threadId}, execution ${executionId}`);

it('a hundred executions are spread over both workers, and each has the result of a run of its own', async (t) => {
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
	it(`the text of a run on a worker reaches the client of ${receiver} during the run`, async () => {
		const { workflow, path } = streamingWebhook();
		const workflowId = await n8n.publish(workflow);
		const { status, chunks } = await postStreaming(urlOf() + path, { tasks: ['slow 2'] });
		assert.equal(status, 200);
		const [run] = n8n.service.starts;
		await assertLive(chunks, run, 10);
		const [executionId] = await executionIds(workflowId);
		await n8n.workerOf(executionId);
		assert.equal(await n8n.threadOf(executionId), run.threadId);
	});
}

it('a silent run on a worker sends keep-alives to clients of main and of a webhook process', async (t) => {
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
		t.diagnostic(`a keep-alive after ${quiet} ms`);
	}
	assert.equal(n8n.service.starts.length, 2);
});

it('a file that a worker made is read from main', async () => {
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

it('with Retry On Fail, a run on a worker that fails is started once, and one that is refused on every try', async () => {
	const { execute } = await publishQueued();
	const { errorOf } = await n8n.ended(await execute('failed here'));
	const { message, description } = errorOf(NODE);
	const [{ threadId }] = n8n.service.starts;
	await n8n.ended(await execute('status 429'));
	assert.deepEqual(queries(), ['failed here', 'status 429', 'status 429', 'status 429']);
	const seen = { tries: 3, starts: 1, shown: `${message}. ${description}`, threadId };
	assertRow('Queue mode, a run fails', seen);
});

it('with Retry On Fail, Stop starts nothing again', async () => {
	const { execute } = await publishQueued();
	const executionId = await execute('hang here');
	await n8n.service.waitForStart();
	await n8n.call('POST', `/executions/${executionId}/stop`);
	const { status } = await n8n.ended(executionId);
	// Longer than n8n waits between the tries.
	await n8n.ended(await execute('slow 1'));
	assert.deepEqual(queries(), ['hang here', 'slow 1']);
	assertRow('Queue mode, Stop during a run', { tries: '–', starts: 1, shown: `The execution is ${status}` });
});

for (const [kind, execute] of [
	['a manual execution', async () => await n8n.start(await storeManual('hang'))],
	['an execution of a webhook', async () => await (await publishQueued()).execute('slow 60')],
]) {
	it(`Stop of ${kind} reaches the worker, which closes the connection of the run`, async (t) => {
		const executionId = await execute();
		const worker = await n8n.workerOf(executionId);
		const run = await n8n.service.waitForStart();
		await until('the run is in the log', () => logged(worker, run, executionId));
		await assertStops(n8n, executionId, run, t);
	});
}

/** Stores the workflow of an example with another task. */
async function storeManual(query, options = {}) {
	return (await n8n.createWorkflow(withParameters(example('scheduled-run'), { [NODE]: { query, options } }))).id;
}

it('a worker that is shut down lets its run finish within the grace period', async () => {
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

/** Lets one run end, has another one going on when `end` is called with its worker, and then starts a third. */
async function assertNoneIsStartedAgain(end, expected, t) {
	const { execute } = await publishQueued();
	const earlier = await execute('quick before');
	await n8n.ended(earlier);
	const executionId = await execute('hang here');
	const worker = await n8n.workerOf(executionId);
	const run = await n8n.service.waitForStart(2);
	await until('the run is in the log', () => logged(worker, run, executionId));
	const begun = Date.now();
	const mended = end(worker);
	assert.equal(await run.closed, 'aborted');
	assert.notEqual(await worker.ended, 0);
	await mended;

	const { status, error } = await n8n.ended(executionId);
	t.diagnostic(`${status} after ${Date.now() - begun} ms`);
	assert.equal(status, expected.status);
	if (expected.message) assert.match(error.message, expected.message);
	assert.equal((await n8n.ended(earlier)).items(NODE)[0].json.text, 'Done: before.');
	assert.equal((await n8n.ended(await execute('quick after'))).status, 'success');
	assert.deepEqual(queries(), ['quick before', 'hang here', 'quick after']);
	if (expected.row) assertRow(expected.row, { tries: '–', starts: 1, shown: error.message });
}

for (const [how, kill, row] of [
	['does not finish within the grace period', (worker) => process.kill(worker.pid, 'SIGTERM')],
	[
		'is on a worker that is killed',
		(worker) => process.kill(-worker.pid, 'SIGKILL'),
		'Queue mode, the worker is killed during a run',
	],
]) {
	it(`a run that ${how} is not started again, and what was finished before keeps its result`, async (t) => {
		const end = async (worker) => {
			kill(worker);
			await n8n.replace(worker);
		};
		const message = /^This execution failed to be processed too many times/;
		await assertNoneIsStartedAgain(end, { status: 'error', message, row }, t);
	});
}

it('if main is killed with the worker, the execution ends as crashed once main is back', async (t) => {
	const end = async (worker) => {
		for (const { pid } of [n8n, worker]) process.kill(-pid, 'SIGKILL');
		await startN8n({ ...n8n.instance, port: Number(new URL(n8n.url).port) });
	};
	await assertNoneIsStartedAgain(end, { status: 'crashed' }, t);
});

it('the settings that the document names are those of this n8n, and those of this test are among them', () => {
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
