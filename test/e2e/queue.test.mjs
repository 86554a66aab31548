// Run Automation in n8n's queue mode, run as docs/operations.md tells: many runs over two workers, live text, Stop,
// shut-down, and processes that are killed. The service counts the starts: none may be sent twice.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, beforeEach, it } from 'node:test';
import { fetchN8n } from '../../demo/lib/fetch.mjs';
import { startN8n } from '../../demo/lib/n8n.mjs';
import { demo } from '../../demo/lib/paths.mjs';
import {
	assertStops,
	closingOf,
	postStreaming,
	publishErrorWorkflow,
	RETRY,
	startOf,
	submitDocument,
	textOf,
	until,
	watchHeld,
	withParameters,
	workflowFor,
} from './instance.mjs';
import { executionsOf, guide, startQueue, streamingWebhook } from './queue.mjs';

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

/** A published workflow with *Retry On Fail* at three tries: `post` sends a task to it, `execute` also gives the execution. */
async function publishQueued(settings = {}) {
	const { workflow, path } = streamingWebhook(RETRY);
	// Nothing but what a test does closes the connection of a run that is held.
	const options = { waitIfBusy: 0, idleTimeout: 0, totalTimeout: 0 };
	const changes = { Webhook: { responseMode: 'onReceived' }, [NODE]: { options } };
	const changed = withParameters(workflow, changes);
	const workflowId = await n8n.publish({ ...changed, settings: { ...changed.settings, ...settings } });
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
		const ids = (await n8n.executionsOf(workflowId)).map(({ id }) => id);
		return ids.length >= count && ids;
	});

const queries = () => n8n.service.starts.map(({ task }) => task);

/** Waits until a run is in n8n's plain log of its worker: in queue mode the only place that outlives a stopped execution. */
async function goingOn(executionId, count = 1) {
	const worker = await n8n.workerOf(executionId);
	const run = await startOf(n8n, count);
	const line = `Automation run started: thread ${run.threadId}, execution ${executionId}`;
	await until('the run is in the log', () => worker.output().includes(line));
	return { worker, run };
}

it('a hundred executions are spread over both workers, and each has the result of a run of its own', async (t) => {
	const { ids, post } = await publishQueued();
	const tasks = Array.from({ length: 100 }, (_, index) => `quick task-${index}`);
	await Promise.all(tasks.map(async (task) => await post(task)));
	const executed = await ids(tasks.length);
	const executions = [];
	for (const id of executed) executions.push(await n8n.ended(id));
	const results = executions.map(({ status, items }) => [status, items(NODE)[0]?.json.text]);
	const expected = tasks.map((task) => ['success', `Done: ${task.slice('quick '.length)}.`]);
	assert.deepEqual(results.sort(), expected.sort());
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
		const post = async (onChunk) => await postStreaming(urlOf() + path, { tasks: ['held'] }, { onChunk });
		const chunks = await watchHeld(n8n, post);
		assert.deepEqual([chunks[0].type, chunks.at(-1).type], ['begin', 'end']);
		assert.match(textOf(chunks), /^tick-1 tick-2 .*tick-10$/);
		const [run] = n8n.service.starts;
		const [executionId] = await executionIds(workflowId);
		await n8n.workerOf(executionId);
		assert.equal(await n8n.threadOf(executionId), run.threadId);
	});
}

it('a file that a worker made is read from main', async () => {
	const query = 'Find the cheapest book, with a picture';
	const executionId = await n8n.start(await storeManual(query, {}));
	await n8n.workerOf(executionId);
	const { status, items } = await n8n.ended(executionId);
	const file = items(NODE)[0].binary.file_0;
	assert.deepEqual([status, file.mimeType], ['success', 'image/png']);
	assert.match(file.id, /^database:/);
	assert.equal((await n8n.bytesOf(file)).subarray(1, 4).toString(), 'PNG');
});

it('with Retry On Fail, a run on a worker that fails is started once, and one that is rejected on every attempt', async () => {
	const { execute } = await publishQueued();
	const { errorOf } = await n8n.ended(await execute('failed here'));
	const { message, description } = errorOf(NODE);
	const [{ threadId }] = n8n.service.starts;
	await n8n.ended(await execute('status 429'));
	assert.deepEqual(queries(), ['failed here', 'status 429', 'status 429', 'status 429']);
	assert.match(message, /^Run failed: The site blocked the agent/);
	assert.ok(description.includes(threadId), description);
});

it('Retry on a worker starts what failed, and returns the results and files of all', async () => {
	const tasks = ['quick one', 'once two', 'Find the cheapest book, with a picture'];
	const { workflow, path } = streamingWebhook();
	const workflowId = await n8n.publish(withParameters(workflow, { Webhook: { responseMode: 'onReceived' } }));
	await postStreaming(n8n.url + path, { tasks });
	const [id] = await executionIds(workflowId);
	assert.equal((await n8n.ended(id)).status, 'error');
	const before = n8n.service.starts.length;
	const retried = await n8n.retry(id);
	await n8n.workerOf(retried.id);
	assert.deepEqual(queries().slice(before), ['once two']);
	const items = retried.items(NODE);
	const threadOf = (task) => n8n.service.starts.findLast((start) => start.task === task).threadId;
	assert.deepEqual(
		items.map(({ json }) => [json.thread_id, json.status]),
		tasks.map((task) => [threadOf(task), 'completed']),
	);
	assert.match(items[2].binary.file_0.id, /^database:/);
	assert.equal(before, tasks.length);
});

it('Stop of a manual execution reaches the worker, which closes the connection of the run', async () => {
	const options = { idleTimeout: 0, totalTimeout: 0 };
	const executionId = await n8n.start(await storeManual('hang', options));
	const { run } = await goingOn(executionId);
	await assertStops(n8n, executionId, run);
});

/** Stores the workflow of an example with another task. */
async function storeManual(query, options = {}) {
	return (await n8n.createWorkflow(withParameters(workflowFor('one-run'), { [NODE]: { query, options } }))).id;
}

it('a worker that is shut down lets its run finish within the grace period', async () => {
	const { execute } = await publishQueued();
	const executionId = await execute('held');
	const worker = await n8n.workerOf(executionId);
	const run = await startOf(n8n);
	process.kill(worker.pid, 'SIGTERM');
	const replaced = n8n.replace(worker);
	await until('the worker waits for its run', () => worker.output().includes('active executions to finish'));
	n8n.service.release();
	assert.equal(await closingOf(run), 'finished');
	assert.equal(await worker.ended, 0, worker.output());
	const { status, items } = await n8n.ended(executionId);
	assert.equal(status, 'success');
	assert.match(items(NODE)[0].json.text, /^tick-1 .*tick-10$/);
	assert.equal(await n8n.threadOf(executionId), run.threadId);
	await replaced;
	assert.deepEqual(queries(), ['held']);
});

it('a worker links a file of a form, and main serves it, but no webhook process', async () => {
	const { id, items, error } = await submitDocument(n8n);
	assert.equal(error, undefined);
	assert.ok(await n8n.workerOf(id));
	assert.match(items('Uploaded')[0].json.result, /token=\*\*\* \. Its first line is: Invoice 17/);
	const [link] = /http\S+signed\?token=\S+/.exec(queries()[0]);
	assert.ok(link.startsWith(`${n8n.url}/rest/`), link);
	assert.equal((await fetchN8n(link.replace(n8n.url, n8n.webhook.url))).status, 404);
});

const replaceAfter = (kill) => async (worker) => {
	kill(worker);
	await n8n.replace(worker);
};

const stopWorker = replaceAfter(({ pid }) => process.kill(pid, 'SIGTERM'));
const killWorker = replaceAfter(({ pid }) => process.kill(-pid, 'SIGKILL'));
const killBoth = async (worker) => {
	for (const { pid } of [n8n, worker]) process.kill(-pid, 'SIGKILL');
	await startN8n({ ...n8n.instance, port: Number(new URL(n8n.url).port) });
};
for (const [name, end, status] of [
	['does not finish within the grace period', stopWorker, 'error'],
	['is on a worker that is killed', killWorker, 'error'],
	['is on a worker that is killed together with main', killBoth, 'crashed'],
]) {
	const isRetried = end === killBoth;
	it(`a run that ${name} is not started again, and what was finished before keeps its result`, async () => {
		const errors = await publishErrorWorkflow(n8n);
		const { execute } = await publishQueued({ errorWorkflow: errors.id });
		const earlier = await execute('quick before');
		await n8n.ended(earlier);
		const executionId = await execute('held');
		const { worker, run } = await goingOn(executionId, 2);
		const mended = end(worker);
		assert.equal(await closingOf(run), 'aborted');
		assert.notEqual(await worker.ended, 0);
		await mended;

		const execution = await n8n.ended(executionId);
		assert.equal(execution.status, status);
		const isGivenUp = /^This execution failed to be processed too many times/;
		if (!isRetried) assert.match(execution.error.message, isGivenUp);
		assert.equal((await n8n.ended(earlier)).items(NODE)[0].json.text, 'Done: before.');
		assert.equal((await n8n.ended(await execute('quick after'))).status, 'success');
		assert.deepEqual(queries(), ['quick before', 'held', 'quick after']);

		const { customData } = await n8n.call('GET', `/executions/${executionId}`);
		const told = (await errors.received()).get(executionId);
		n8n.service.release();
		const retried = await n8n.retry(executionId);
		const again = queries().length - 3;
		// The error workflow is not executed if main died, too, and the thread is only in the log.
		if (isRetried) assert.equal(told, undefined);
		else assert.match(told.message, isGivenUp);
		assert.ok(!customData?.thread_ids?.includes(run.threadId));
		assert.deepEqual([again, retried.status === 'error'], isRetried ? [1, false] : [0, true]);
	});
}

it('the settings that the document and this test name are those of this n8n', () => {
	const inGuide = guide.match(/\b(N8N|DB|QUEUE|EXECUTIONS|OFFLOAD)_[A-Z_]+[A-Z]\b/g);
	const named = new Set([...inGuide, ...Object.keys(WORKER)]);
	const modules = ['community-packages', 'otel'].map((name) => `n8n/dist/modules/${name}`);
	const folders = ['@n8n/config/dist', 'n8n-core/dist/binary-data', ...modules, '@n8n/backend-common/dist'];
	const search = ['-rhow', '--include=*.js', '[A-Z][A-Z0-9_]*', ...folders, 'n8n/dist/workflow-runner.js'];
	const { stdout } = spawnSync('grep', search, { cwd: join(demo, 'node_modules'), encoding: 'utf8' });
	const read = new Set(stdout.split('\n'));
	for (const name of named) assert.ok(read.has(name), name);
});
