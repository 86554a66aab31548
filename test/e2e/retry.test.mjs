// Retry in the list of executions, as the editor presses it, and a single n8n that is killed or stopped during a run. The
// service counts the starts: the tests say which are sent again.
import assert from 'node:assert/strict';
import { after, beforeEach, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startN8n } from '../../demo/lib/n8n.mjs';
import {
	closingOf,
	example,
	nodeOf,
	postStreaming,
	publishErrorWorkflow,
	startInstance,
	startOf,
	until,
	withParameters,
} from './instance.mjs';
import { streamingWebhook } from './queue.mjs';

const NODE = 'Run Automation';

const n8n = await startInstance({ env: { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '3' } });
after(async () => await n8n.stop());
beforeEach(() => n8n.service.reset());

const queries = () => n8n.service.starts.map(({ task }) => task);

/** How often each of these tasks was started. */
const countsOf = (tasks) => tasks.map((task) => queries().filter((query) => query === task).length);

/** How often each of them was started since it was counted. */
const startsSince = (before, tasks) => countsOf(tasks).map((count, item) => count - before[item]);

/** The id of the first execution of a workflow, once there is one. */
const firstOf = async (workflowId) =>
	await until('the execution exists', async () => (await n8n.executionsOf(workflowId)).at(-1)?.id);

/** Publishes a workflow that stops if a run fails, and sends it tasks; gives the ids of the workflow and its execution. */
async function execute(tasks, { parameters = {}, settings = {} } = {}) {
	const { workflow, path } = streamingWebhook();
	const changed = withParameters(workflow, { Webhook: { responseMode: 'onReceived' }, [NODE]: parameters });
	const workflowId = await n8n.publish({ ...changed, settings: { ...changed.settings, ...settings } });
	await postStreaming(n8n.url + path, { tasks });
	return { workflowId, id: await firstOf(workflowId) };
}

const ONE_BY_ONE = { parameters: { options: {} } };
const PARALLEL = { parameters: { options: { parallelRuns: 4 } } };

it('Retry starts what failed, and returns the results and files of all', async () => {
	const tasks = ['quick one', 'once two', 'Find the cheapest book, with a picture', 'quick four'];
	const first = await n8n.ended((await execute(tasks, PARALLEL)).id);
	assert.equal(first.status, 'error');
	const before = countsOf(tasks);
	const threads = tasks.map((task) => n8n.service.starts.findLast((start) => start.task === task));
	const second = await n8n.retry(first.id);
	const again = n8n.service.starts.at(-1);
	const items = second.items(NODE);
	assert.deepEqual(
		items.map(({ json, pairedItem }) => [json.thread_id, json.status, pairedItem.item]),
		[threads[0], again, threads[2], threads[3]].map(({ threadId }, item) => [threadId, 'completed', item]),
	);
	assert.equal((await n8n.bytesOf(items[2].binary.file_0)).subarray(1, 4).toString(), 'PNG');
	assert.deepEqual(before, [1, 1, 1, 1]);
	assert.deepEqual(startsSince(before, tasks), [0, 1, 0, 0]);
	await assert.rejects(n8n.retry(second.id), /responded with 409/);
});

it('Retry with the workflow as it is now starts what has changed', async () => {
	const tasks = ['quick one', 'once two'];
	const { workflowId, id } = await execute(tasks, PARALLEL);
	await n8n.ended(id);
	const { nodes, connections, settings, versionId } = await n8n.call('GET', `/workflows/${workflowId}`);
	const change = { [NODE]: { query: '={{ $json.task }} ' } };
	const changed = withParameters({ nodes, connections, settings, versionId }, change);
	await n8n.call('PATCH', `/workflows/${workflowId}`, changed);
	const { status } = await n8n.retry(id, true);
	const counts = tasks.map((task) => queries().filter((query) => query.trim() === task).length);
	assert.deepEqual([status, counts], ['success', [2, 2]]);
});

/** The example with a loop, published behind a webhook instead of its trigger. */
async function executeLoop(tasks, settings) {
	const { nodes, connections, ...workflow } = example('resumable-batch');
	const batch = streamingWebhook();
	const [webhook, split] = withParameters(batch.workflow, { Webhook: { responseMode: 'onReceived' } }).nodes;
	const { parameters } = split;
	const kept = nodes.filter(({ name }) => !['Try It Now', 'Tasks', split.name].includes(name));
	const changed = { ...workflow, nodes: [webhook, { ...nodeOf({ nodes }, split.name), parameters }, ...kept] };
	const { 'Try It Now': _trigger, Tasks: _tasks, ...others } = connections;
	const to = { Webhook: { main: [[{ node: split.name, type: 'main', index: 0 }]] } };
	const all = { ...changed, connections: { ...to, ...others }, settings: { ...workflow.settings, ...settings } };
	const id = await n8n.publish(all);
	await postStreaming(n8n.url + batch.path, { tasks });
	return { id: await firstOf(id) };
}

const END = {
	'is killed (`SIGKILL`)': async () => process.kill(-n8n.pid, 'SIGKILL'),
	'is stopped (`SIGTERM`), and the run takes longer than the grace period': async () =>
		process.kill(n8n.pid, 'SIGTERM'),
};

for (const [how, end] of Object.entries(END)) {
	it(`a single n8n that ${how} says so once it is back, and Retry starts what is written down`, async () => {
		const errors = await publishErrorWorkflow(n8n);
		const played = [];
		for (const start of [execute, executeLoop]) {
			for (const saveExecutionProgress of [false, true]) {
				const own = played.length;
				const tasks = [`quick one ${own}`, `held ${own}`, `quick three ${own}`];
				const settings = { saveExecutionProgress, errorWorkflow: errors.id };
				const { id } = await start(tasks, start === execute ? { ...ONE_BY_ONE, settings } : settings);
				// n8n executes no error workflow if the node had run before, as in a loop.
				const isLoop = start === executeLoop;
				// Only a loop has the first result in an execution of the node by itself, which n8n can have saved.
				played.push({ tasks, id, isTold: !isLoop, isFirstKept: isLoop && saveExecutionProgress });
				await startOf(n8n, played.length * 2);
			}
		}
		const before = played.map(({ tasks }) => countsOf(tasks));
		const runs = played.map(({ tasks }) => n8n.service.starts.find((start) => start.task === tasks[1]));
		const { log } = n8n;
		await until('the log has all threads', () => runs.every(({ threadId }) => log().includes(threadId)));
		await end();
		assert.deepEqual(await Promise.all(runs.map(closingOf)), Array(runs.length).fill('aborted'));
		const { pid, log: newLog } = await startN8n({ ...n8n.instance, port: Number(new URL(n8n.url).port) });
		Object.assign(n8n, { pid, log: newLog });

		await until('the error workflow has heard of each execution that it is executed for', async () => {
			const heard = await errors.received();
			return played.every(({ id, isTold }) => heard.has(id) || !isTold);
		});
		await sleep(5_000);
		const said = await errors.received();
		const texts = JSON.stringify([...said.values()]);
		assert.ok(runs.every(({ threadId }) => !texts.includes(threadId)));
		n8n.service.release();
		const ends = played.map(async ({ tasks, id, isTold, isFirstKept }, index) => {
			const { status } = await n8n.ended(id);
			const { customData } = await n8n.call('GET', `/executions/${id}`);
			const retried = await n8n.retry(id);
			assert.equal(retried.status, 'success', retried.error?.message);
			assert.deepEqual([status, said.has(id)], ['crashed', isTold]);
			// The thread is only in the log.
			assert.ok(!customData?.thread_ids?.includes(runs[index].threadId));
			assert.deepEqual(before[index], [1, 1, 0]);
			assert.deepEqual(startsSince(before[index], tasks), [isFirstKept ? 0 : 1, 1, 1]);
		});
		await Promise.all(ends);
	});
}
