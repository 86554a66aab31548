// Run Automation in a chat and behind a webhook that streams, in a real n8n, and what is left of a run after Stop.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { example, postStreaming, startInstance, streamingWebhook, textOf, until, withParameters } from './instance.mjs';

const NODE = 'Run Automation';
const TRIGGER = 'When Chat Message Received';
let n8n;

before(
	async () => {
		n8n = await startInstance();
		await publishChat(example('chat-with-follow-ups'));
	},
	{ timeout: 600_000 },
);

after(async () => await n8n?.stop());

beforeEach(() => n8n.service.reset());

/** The address of a chat or a webhook, by the node that listens. */
const addressOf = ({ webhookId, type }) =>
	`${n8n.url}/webhook/${webhookId}${type.endsWith('.chatTrigger') ? '/chat' : ''}`;

let chatUrl;
let chatId;

async function publishChat(workflow) {
	chatId = await n8n.publish(workflow);
	chatUrl = addressOf(workflow.nodes.find(({ name }) => name === TRIGGER));
}

/** Sends a message as the chat window does, and reads the answer while it comes. */
async function say(chatInput, { sessionId = randomUUID(), url = chatUrl } = {}) {
	return await postStreaming(url, { action: 'sendMessage', sessionId, chatInput }, { cookie: n8n.cookie });
}

test('the text arrives while the run goes on, between begin and end', async () => {
	const { status, chunks } = await say('slow 2');
	assert.equal(status, 200);
	assert.deepEqual([chunks[0].type, chunks.at(-1).type], ['begin', 'end']);
	const items = chunks.slice(1, -1);
	assert.ok(items.every(({ type }) => type === 'item'));
	assert.match(textOf(chunks), /^tick-1 tick-2 .*tick-10$/);

	const [start] = n8n.service.starts;
	await start.closed;
	const early = items.filter(({ at }) => at < start.closedAt);
	assert.ok(early.length >= 5, `${early.length} of ${items.length} chunks came before the run ended`);
	assert.ok(items[0].at < items[4].at, 'all came at once');
});

test('every chunk names the node, the item and the run', async () => {
	const { chunks } = await say('quick');
	const named = chunks.map(({ metadata: { nodeName, itemIndex, runIndex } }) => ({ nodeName, itemIndex, runIndex }));
	assert.deepEqual(
		named,
		chunks.map(() => ({ nodeName: NODE, itemIndex: 0, runIndex: 0 })),
	);
});

test('the steps of the agent are shown where the example asks for them', async () => {
	const { chunks } = await say('Find the three cheapest offers');
	assert.match(textOf(chunks), /> Tool: \w+/);
});

test('the second message of a session continues the thread of the first', async () => {
	const sessionId = randomUUID();
	await say('quick first', { sessionId });
	await n8n.lastExecution(chatId);
	const { chunks } = await say('quick second', { sessionId });
	await n8n.lastExecution(chatId);
	await say('quick third', { sessionId });

	const [first, second, third] = n8n.service.starts;
	assert.equal(first.body.thread_id, undefined);
	assert.equal(second.body.thread_id, first.threadId);
	assert.equal(third.body.thread_id, first.threadId);
	assert.match(textOf(chunks), /Earlier in this thread: quick first/);
});

test('another session has a thread of its own', async () => {
	await say('quick one');
	await say('quick two');
	const [one, two] = n8n.service.starts;
	assert.deepEqual([one.body.thread_id, two.body.thread_id], [undefined, undefined]);
	assert.notEqual(one.threadId, two.threadId);
});

test('a run that fails tells its reason in the chat, and the next message goes on with its thread', async () => {
	const sessionId = randomUUID();
	const { chunks } = await say('failed now', { sessionId });
	const { status, error } = await n8n.lastExecution(chatId);
	assert.match(textOf(chunks), /^Done: now\./);
	assert.deepEqual(
		chunks.slice(-2).map(({ type }) => type),
		['end', 'error'],
	);
	assert.match(chunks.at(-1).content, /^The site blocked the agent\. Your next message/);
	assert.equal(status, 'error');
	assert.match(error.message, /^The site blocked the agent/);

	await say('status 500', { sessionId });
	await say('quick again', { sessionId });
	const [failed, refused, next] = n8n.service.starts;
	assert.equal(refused.body.thread_id, failed.threadId);
	assert.equal(next.body.thread_id, failed.threadId);
});

test('a message that the service refuses tells the reason in the chat', async () => {
	const { chunks } = await say('message');
	assert.equal(chunks.at(-1).type, 'error');
	assert.match(
		chunks.at(-1).content,
		/^The task was refused: The site is on the block list\. Your next message starts a new thread/,
	);
});

test('nobody starts a run without logging in', async () => {
	const response = await fetch(chatUrl, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ action: 'sendMessage', sessionId: randomUUID(), chatInput: 'quick' }),
	});
	assert.equal(response.status, 401, await response.text());
	assert.equal(n8n.service.starts.length, 0);
});

test('a webhook in streaming mode gets the text of parallel runs, each under its item', async () => {
	const { workflow, path } = streamingWebhook();
	await n8n.publish(workflow);
	const { status, chunks } = await postStreaming(n8n.url + path, { tasks: ['slow 1', 'quick two', 'slow 1'] });
	assert.equal(status, 200);
	const of = (index) => chunks.filter(({ metadata }) => metadata.itemIndex === index);
	for (const index of [0, 1, 2]) {
		assert.deepEqual([of(index)[0].type, of(index).at(-1).type], ['begin', 'end']);
		assert.match(textOf(of(index)), index === 1 ? /^Done: two/ : /^tick-1 .*tick-5$/);
	}
	const position = (index, type) =>
		chunks.findIndex((chunk) => chunk.metadata.itemIndex === index && chunk.type === type);
	assert.ok(position(2, 'begin') < position(0, 'end'), 'the runs did not go on at the same time');
});

test('where the workflow goes on after an error, the stream of the item ends', async () => {
	const { workflow, path } = streamingWebhook({ onError: 'continueErrorOutput' });
	await n8n.publish(workflow);
	const { chunks } = await postStreaming(n8n.url + path, { tasks: ['failed one', 'quick two'] });
	const ends = chunks.filter(({ type }) => type === 'end').map(({ metadata }) => metadata.itemIndex);
	assert.deepEqual(ends.sort(), [0, 1]);
	assert.ok(!chunks.some(({ type }) => type === 'error'));
});

const failures = [
	['a run that fails', 'failed now', /^The site blocked the agent\. /],
	['a run that is cut off', 'cut now', /^The connection to the service broke during the run/],
	['a run that the service refuses', 'message', /^The task was refused: The site is on the block list/],
];

for (const [name, task, reason] of failures) {
	test(`where the workflow stops, the error chunk of ${name} starts with the reason`, async () => {
		const { workflow, path } = streamingWebhook();
		await n8n.publish(workflow);
		const { chunks } = await postStreaming(n8n.url + path, { tasks: [task] });
		assert.equal(chunks.at(-1).type, 'error');
		assert.match(chunks.at(-1).content, reason);
		assert.ok(!chunks.some(({ type }) => type === 'end'));
		if (name !== 'a run that the service refuses')
			assert.ok(chunks.at(-1).content.includes(n8n.service.starts[0].threadId));
	});
}

for (const [name, query] of [
	['that is silent', 'hang'],
	['that talks on', 'slow 60'],
]) {
	test(`Stop closes the connection of a run ${name}, and the thread stays in the execution`, async (t) => {
		const { id } = await n8n.createWorkflow(withParameters(example('scheduled-run'), { [NODE]: { query } }));
		const executionId = await n8n.start(id);
		const start = await n8n.service.waitForStart();
		await until('the thread is in the log', () => n8n.log().includes(start.threadId));
		const stopped = Date.now();
		await n8n.call('POST', `/executions/${executionId}/stop`);
		assert.equal(await start.closed, 'aborted');
		const took = start.closedAt - stopped;
		assert.ok(took < 5_000, `${took} ms`);

		const execution = await n8n.ended(executionId);
		assert.equal(execution.status, 'canceled');
		assert.equal(await n8n.threadOf(executionId), start.threadId);
		t.diagnostic(`closed ${took} ms after Stop`);
	});
}

test('a workflow time-out closes the connection of a run, and the thread stays in the execution', async (t) => {
	const workflow = withParameters(example('scheduled-run'), { [NODE]: { query: 'hang' } });
	const { id } = await n8n.createWorkflow({ ...workflow, settings: { ...workflow.settings, executionTimeout: 4 } });
	const executionId = await n8n.start(id);
	const start = await n8n.service.waitForStart();
	assert.equal(await start.closed, 'aborted');
	const execution = await n8n.ended(executionId);
	assert.equal(execution.status, 'canceled');
	assert.equal(await n8n.threadOf(executionId), start.threadId);
	assert.equal(n8n.service.starts.length, 1);
	t.diagnostic(`closed ${start.closedAt - start.startedAt} ms after the start, with a time-out of 4 s`);
});

test('a silent run gives a sign of life before a proxy cuts the connection', async (t) => {
	const { workflow, path } = streamingWebhook();
	await n8n.publish(withParameters(workflow, { [NODE]: { options: { idleTimeout: 32 } } }));
	const answer = await postStreaming(n8n.url + path, { tasks: ['silent'] });
	// Recent versions of n8n send signs of life themselves, though less often.
	const chunks = answer.chunks.filter(({ type }) => type !== 'keepalive');
	assert.deepEqual(
		chunks.map(({ type }) => type),
		['begin', 'item', 'error'],
	);
	assert.equal(chunks[1].content, '');
	const quiet = chunks[1].at - chunks[0].at;
	assert.ok(quiet < 60_000, `${quiet} ms without a sign`);
	t.diagnostic(`a sign of life after ${quiet} ms; then: ${chunks[2].content}`);
});
