// Run Automation in a chat of a real n8n, and what is left of a run after Stop. What a chat is sent is in test/workflow, what it
// shows during a run in editor.test.mjs, and a webhook that streams in queue.test.mjs.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { assertStops, example, startOf, textOf, until, withParameters, workflowFor } from './instance.mjs';
import { n8n, publishChat } from './shared.mjs';

/** The chat of the example. */
const chat = await publishChat(example('chat-with-follow-ups'));

it('the messages of a session continue its thread, and those of another start one of their own', async () => {
	const sessionId = randomUUID();
	await chat.say('quick first', sessionId);
	await n8n.lastExecution(chat.id);
	const chunks = await chat.say('quick second', sessionId);
	await n8n.lastExecution(chat.id);
	// A start that is refused does not lose the thread.
	await chat.say('status 500', sessionId);
	await n8n.lastExecution(chat.id);
	await chat.say('quick third', sessionId);
	await chat.say('quick other');

	const threads = n8n.service.starts.map(({ body }) => body.thread_id);
	const { threadId } = n8n.service.starts[0];
	assert.deepEqual(threads, [undefined, threadId, threadId, threadId, undefined]);
	assert.match(textOf(chunks), /Earlier in this thread: quick first/);
});

for (const [name, task, reason] of [
	['fails', 'failed now', 'Run failed: The site blocked the agent'],
	['stops early', 'incomplete now', "The run stopped early because it reached the model's length limit"],
	['waits for approval', 'approval now', 'The run is waiting for approval of payInvoice'],
]) {
	it(`a run that ${name} says so in the chat, and the next message continues its thread`, async () => {
		const sessionId = randomUUID();
		const chunks = await chat.say(task, sessionId);
		const { status } = await n8n.lastExecution(chat.id);
		const shown = chunks.map(({ content }) => content ?? '').join('');
		assert.match(shown, /^Done: now\./);
		assert.equal(status, 'success');
		assert.ok(!chunks.some(({ type }) => type === 'error'));
		// The reason once, then what the next message does.
		assert.equal(shown.split(reason).length - 1, 1, shown);
		assert.match(shown, /\nYour next message continues the same thread\.$/);
		await chat.say('quick yes, go on', sessionId);
		const [first, second] = n8n.service.starts;
		assert.equal(second.body.thread_id, first.threadId);
	});
}

for (const [name, executionTimeout] of [['Stop'], ['a workflow time-out', 30]]) {
	it(`${name} closes the connection of a run, and the thread stays in the execution`, async () => {
		// Nothing else closes the connection.
		const options = { idleTimeout: 0, totalTimeout: 0 };
		const workflow = withParameters(workflowFor('one-run'), { 'Run Automation': { query: 'hang', options } });
		const settings = { ...workflow.settings, executionTimeout };
		const { id } = await n8n.createWorkflow({ ...workflow, settings });
		const executionId = await n8n.start(id);
		const run = await startOf(n8n);
		await until('the thread is in the log', () => n8n.log().includes(run.threadId));
		await assertStops(n8n, executionId, run, { hasLimit: executionTimeout !== undefined });
		assert.equal(await n8n.threadOf(executionId), run.threadId);
	});
}
