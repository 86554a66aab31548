// n8n's AI Agent uses the nodes as tools, with a chat model on loopback. What a tool returns, and how it words an error, is
// in test/workflow.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { example, nodeOf, RETRY, textOf, watchHeld } from './instance.mjs';
import { model, n8n, publishChat } from './shared.mjs';

const TOOL = 'Run Automation';
const FAILED = 'failed the thing';

/** The chat of the example. */
const chat = await publishChat(example('agent-with-tool'));

/** Lets the agent call its tool, and gives what the tool told it. */
async function callTool(input, { talk = chat, sessionId, ...options } = {}) {
	const chunks = await talk.say(`call ${JSON.stringify(input)}`, sessionId, options);
	const execution = await n8n.lastExecution(talk.id);
	const { role, content } = model.requests.at(-1).messages.at(-1);
	assert.equal(role, 'tool', content);
	// Agents of versions 1 and 2 drop the errors of all their tools.
	return { told: content && JSON.parse(content), chunks, execution };
}

/** The example with other settings of its tool. */
function withSettings(settings, workflow = example('agent-with-tool')) {
	Object.assign(nodeOf(workflow, TOOL), settings);
	return workflow;
}

/** The example with an operation of the node Browser Automation as its tool. */
const withOperation = (parameters) =>
	withSettings({
		type: 'n8n-nodes-browser-automation.browserAutomationTool',
		parameters: { descriptionType: 'auto', ...parameters },
	});

it('the model learns what the tool does and which fields to fill in', async () => {
	await chat.say('hello');
	await n8n.lastExecution(chat.id);
	const [{ function: tool }] = model.requests[0].tools;
	assert.equal(tool.name, 'Run_Automation');
	assert.match(tool.description, /task on the web.+takes minutes and costs money/);
	assert.deepEqual(Object.keys(tool.parameters.properties), ['Task', 'Thread_ID']);
	assert.deepEqual(tool.parameters.required, ['Task']);
	assert.equal(n8n.service.starts.length, 0);
});

it('the agent gets text, thread, status, sources and files by name, and can continue the thread', async () => {
	const sessionId = randomUUID();
	const { told, chunks } = await callTool({ Task: 'Find the three cheapest books, with a picture' }, { sessionId });
	await callTool({ Task: 'quick second', Thread_ID: told[0].thread_id }, { sessionId });
	const [{ threadId, task }, second] = n8n.service.starts;
	assert.equal(task, 'Find the three cheapest books, with a picture');
	assert.match(told[0].text, /3 books fit the task/);
	const { text, sources, files } = told[0];
	assert.deepEqual(told, [{ text, thread_id: threadId, status: 'completed', sources, files }]);
	assert.deepEqual([sources.length, files], [1, [{ filename: 'file-0', media_type: 'image/png', size: 70 }]]);
	const answer = chunks.filter(({ metadata, type }) => type === 'item' && metadata.nodeName === 'AI Agent');
	assert.match(answer.map(({ content }) => content).join(''), /^The tool said: /);
	assert.equal(second.body.thread_id, threadId);
});

it('who waits in the chat sees the run while the tool works', async () => {
	const chunks = await watchHeld(n8n, async (onChunk) => (await callTool({ Task: 'held' }, { onChunk })).chunks);
	const own = chunks.filter(({ metadata }) => metadata.nodeName === TOOL);
	assert.deepEqual([own[0].type, own.at(-1).type], ['begin', 'end']);
	assert.match(textOf(own), /^tick-1 .*tick-10$/);
});

it('the agent searches the web with the other node, whose description the model gets', async () => {
	const searchQuery = '={{ $fromAI("Query", "What to look for", "string") }}';
	const talk = await publishChat(withOperation({ resource: 'web', operation: 'search', searchQuery }));
	const { told } = await callTool({ Query: 'example shop' }, { talk });
	assert.equal(told.length, 3);
	assert.match(told[0].name, /example shop/);
	assert.match(model.requests[0].tools[0].function.description, /Search/i);
});

const query = '={{ $fromAI("Task", "What to do", "string") }}';
const withStart = () => withOperation({ resource: 'automationRun', operation: 'start', query });

for (const [make, Task, typeVersion] of [
	[withSettings, FAILED, 3.1],
	[withSettings, FAILED, 2.2],
	[withSettings, FAILED, 1.7],
	[withStart, 'empty500', 3.1],
	[withStart, 'empty500', 2.2],
]) {
	it(`with Retry On Fail, an AI Agent of version ${typeVersion} starts a run once that may be billed, and reads why it failed: ${Task}`, async () => {
		const workflow = withSettings(RETRY, make());
		nodeOf(workflow, 'AI Agent').typeVersion = typeVersion;
		const talk = await publishChat(workflow);
		const { told, execution } = await callTool({ Task }, { talk });
		const [{ threadId }, ...others] = n8n.service.starts;
		assert.deepEqual([execution.status, others], ['success', []]);
		if (Task === FAILED) {
			const [{ error }] = told;
			assert.deepEqual(told, [{ error, thread_id: threadId, status: 'failed' }]);
			const advice =
				'Call this tool again with this thread ID to continue where the run stopped. The new run is billed';
			const text = `Thread ID: ${threadId}. Text so far: "Done: the thing."`;
			assert.equal(error, `Run failed: The site blocked the agent. ${advice}. ${text}`);
		}
		n8n.service.reset();
		await callTool({ Task: 'status 429' }, { talk });
		assert.equal(n8n.service.starts.length, 3);
	});
}
