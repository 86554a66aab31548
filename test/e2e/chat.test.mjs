// Run Automation in a chat and behind a webhook that streams, in a real n8n, and what is left of a run after Stop.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import {
	assertLive,
	assertStops,
	example,
	postStreaming,
	streamingWebhook,
	textOf,
	until,
	withParameters,
} from './instance.mjs';
import { n8n, publishChat } from './shared.mjs';

const NODE = 'Run Automation';

/** The chat of the example. */
const chat = await publishChat(example('chat-with-follow-ups'));

it('the text is received during the run, between begin and end', async () => {
	const { status, chunks } = await chat.say('slow 2');
	assert.equal(status, 200);
	await assertLive(chunks, n8n.service.starts[0], 10);
});

it('every chunk names the node, the item and the run', async () => {
	const { chunks } = await chat.say('quick');
	const named = chunks.map(({ metadata: { nodeName, itemIndex, runIndex } }) => ({ nodeName, itemIndex, runIndex }));
	assert.deepEqual(
		named,
		chunks.map(() => ({ nodeName: NODE, itemIndex: 0, runIndex: 0 })),
	);
});

it('the steps of the agent are shown if the example asks for them', async () => {
	const { chunks } = await chat.say('Find the three cheapest offers');
	assert.match(textOf(chunks), /> Tool: \w+/);
});

it('a chat that asks for rows shows the text of the reply, and not its JSON', async () => {
	const column = [{ name: 'name', type: 'text' }];
	const { say, id } = await publishChat(
		withParameters(example('chat-with-follow-ups'), { [NODE]: { operation: 'rows', columns: { column } } }),
	);
	const { chunks } = await say('Find the two cheapest offers');
	assert.match(textOf(chunks), /2 offers fit the task\.\s*$/);
	const { items } = await n8n.lastExecution(id);
	assert.equal(items(NODE).length, 2);
});

it('the messages of a session continue its thread, and those of another start one of their own', async () => {
	const sessionId = randomUUID();
	await chat.say('quick first', sessionId);
	await n8n.lastExecution(chat.id);
	const { chunks } = await chat.say('quick second', sessionId);
	await n8n.lastExecution(chat.id);
	await chat.say('quick third', sessionId);
	await chat.say('quick other');

	const { starts } = n8n.service;
	const { threadId } = starts[0];
	assert.deepEqual(
		starts.map(({ body }) => body.thread_id),
		[undefined, threadId, threadId, undefined],
	);
	assert.match(textOf(chunks), /Earlier in this thread: quick first/);
});

it('a run that fails shows its reason in the chat, and the next message continues its thread', async () => {
	const sessionId = randomUUID();
	const { chunks } = await chat.say('failed now', sessionId);
	const { status, error } = await n8n.lastExecution(chat.id);
	assert.match(textOf(chunks), /^Done: now\./);
	assert.deepEqual(
		chunks.slice(-2).map(({ type }) => type),
		['end', 'error'],
	);
	assert.match(chunks.at(-1).content, /^The site blocked the agent\b.*Your next message/);
	assert.equal(status, 'error');
	assert.match(error.message, /^The site blocked the agent/);

	await chat.say('status 500', sessionId);
	await chat.say('quick again', sessionId);
	const [failed, refused, next] = n8n.service.starts;
	assert.equal(refused.body.thread_id, failed.threadId);
	assert.equal(next.body.thread_id, failed.threadId);
});

for (const [name, task, reason] of [
	['stops early', 'incomplete now', /> The run stopped early because it reached the length limit/],
	['waits for approval', 'approval now', /> The run is waiting for approval of payInvoice {"amount":5}/],
]) {
	it(`a run that ${name} says so in the chat, and the next message continues its thread`, async () => {
		const sessionId = randomUUID();
		const { chunks } = await chat.say(task, sessionId);
		await n8n.lastExecution(chat.id);
		assert.match(textOf(chunks), /^Done: now\./);
		assert.match(textOf(chunks), reason);
		assert.match(chunks.at(-1).content, /Your next message continues the same thread/);
		await chat.say('quick yes, go on', sessionId);
		const [first, second] = n8n.service.starts;
		assert.equal(second.body.thread_id, first.threadId);
	});
}

it('a message that the service refuses tells the reason in the chat', async () => {
	const { chunks } = await chat.say('message');
	assert.equal(chunks.at(-1).type, 'error');
	assert.match(chunks.at(-1).content, /^The task was refused: The site is on the block list\b.*Your next message/);
});

it('no one starts a run without signing in', async () => {
	const response = await fetch(chat.url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ action: 'sendMessage', sessionId: randomUUID(), chatInput: 'quick' }),
	});
	assert.equal(response.status, 401, await response.text());
	assert.equal(n8n.service.starts.length, 0);
});

it('a webhook in streaming mode gets the text of parallel runs, each under its item', async () => {
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
	assert.ok(position(2, 'begin') < position(0, 'end'), 'the runs were not parallel');
});

it('the stream of an item ends if the workflow continues after an error', async () => {
	const { workflow, path } = streamingWebhook({ onError: 'continueErrorOutput' });
	await n8n.publish(workflow);
	const { chunks } = await postStreaming(n8n.url + path, { tasks: ['failed one', 'quick two'] });
	const ends = chunks.filter(({ type }) => type === 'end').map(({ metadata }) => metadata.itemIndex);
	assert.deepEqual(ends.sort(), [0, 1]);
	assert.ok(!chunks.some(({ type }) => type === 'error'));
});

const failures = [
	['a run that fails', 'failed now', /^The site blocked the agent\b/],
	['a run that is cut off', 'cut now', /connection .*broke/i],
	['a run that stops early', 'incomplete now', /^The run stopped early\b.*length limit/],
	['a run that waits for approval', 'approval now', /^The run is waiting for approval of payInvoice {"amount":5}/],
	['a run that the service refuses', 'message', /^The task was refused: The site is on the block list/],
];

for (const [name, task, reason] of failures) {
	it(`the error chunk of ${name} starts with the reason if the workflow stops`, async () => {
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
	it(`Stop closes the connection of a run ${name}, and the thread stays in the execution`, async (t) => {
		const { id } = await n8n.createWorkflow(withParameters(example('scheduled-run'), { [NODE]: { query } }));
		const executionId = await n8n.start(id);
		const run = await n8n.service.waitForStart();
		await until('the thread is in the log', () => n8n.log().includes(run.threadId));
		await assertStops(n8n, executionId, run, t);
		assert.equal(await n8n.threadOf(executionId), run.threadId);
	});
}

it('a workflow time-out closes the connection of a run, and the thread stays in the execution', async (t) => {
	const workflow = withParameters(example('scheduled-run'), { [NODE]: { query: 'hang' } });
	const { id } = await n8n.createWorkflow({ ...workflow, settings: { ...workflow.settings, executionTimeout: 4 } });
	const executionId = await n8n.start(id);
	const run = await n8n.service.waitForStart();
	assert.equal(await run.closed, 'aborted');
	assert.equal((await n8n.ended(executionId)).status, 'canceled');
	assert.equal(await n8n.threadOf(executionId), run.threadId);
	assert.equal(n8n.service.starts.length, 1);
	t.diagnostic(`closed ${run.closedAt - run.startedAt} ms after the start, with a time-out of 4 s`);
});
