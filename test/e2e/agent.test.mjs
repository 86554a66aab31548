// n8n's AI Agent uses the nodes as tools, with a chat model on loopback.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { example, withParameters } from './instance.mjs';
import { model, n8n, publishChat } from './shared.mjs';

const TOOL = 'Run Automation';

/** The chat of the example. */
const chat = await publishChat(example('agent-with-tool'));

/** Lets the agent call its tool, and gives what the tool told it. */
async function callTool(input, { talk = chat, sessionId } = {}) {
	const { chunks } = await talk.say(`call ${JSON.stringify(input)}`, sessionId);
	const execution = await n8n.lastExecution(talk.id);
	const last = model.requests.at(-1).messages.at(-1);
	assert.equal(last.role, 'tool', JSON.stringify(last));
	return { told: JSON.parse(last.content), content: last.content, chunks, execution };
}

it('the model is told what the tool does and which fields to fill in', async () => {
	await chat.say('hello');
	await n8n.lastExecution(chat.id);
	const [{ function: tool }] = model.requests[0].tools;
	assert.equal(tool.name, 'Run_Automation');
	assert.match(tool.description, /task on the web.+takes minutes and costs money/);
	assert.deepEqual(Object.keys(tool.parameters.properties), ['Task', 'Thread_ID']);
	assert.deepEqual(tool.parameters.required, ['Task']);
	assert.equal(n8n.service.starts.length, 0);
});

it('without a description of its own the tool has the one of the node', async () => {
	const workflow = example('agent-with-tool');
	const { parameters } = workflow.nodes.find(({ name }) => name === TOOL);
	delete parameters.descriptionType;
	delete parameters.toolDescription;
	const { id, say } = await publishChat(workflow);
	await say('hello');
	await n8n.lastExecution(id);
	assert.match(model.requests[0].tools[0].function.description, /web agent a task/);
});

it('the agent gets text, thread and status, and nothing else', async () => {
	const { told, chunks } = await callTool({ Task: 'Find the three cheapest offers' });
	const [{ threadId, body }] = n8n.service.starts;
	assert.equal(body.query, 'Find the three cheapest offers');
	assert.equal(told.length, 1);
	assert.deepEqual(Object.keys(told[0]).sort(), ['status', 'text', 'thread_id']);
	assert.deepEqual([told[0].thread_id, told[0].status], [threadId, 'completed']);
	assert.match(told[0].text, /3 offers fit the task/);
	const answer = chunks.filter(({ metadata, type }) => type === 'item' && metadata.nodeName === 'AI Agent');
	assert.match(answer.map(({ content }) => content).join(''), /^The tool said: /);
});

it('a long text is cut to what an agent has room for', async () => {
	const { told, content } = await callTool({ Task: 'huge 20000' });
	assert.ok(content.length < 40_000, `${content.length} characters`);
	assert.ok(told[0].thread_id && told[0].status === 'completed');
});

it('the agent can continue a thread', async () => {
	const sessionId = randomUUID();
	const { told } = await callTool({ Task: 'quick first' }, { sessionId });
	await callTool({ Task: 'quick second', Thread_ID: told[0].thread_id }, { sessionId });
	assert.equal(n8n.service.starts[1].body.thread_id, n8n.service.starts[0].threadId);
});

it('a run in the background returns its thread and link to the agent', async () => {
	const talk = await publishChat(withParameters(example('agent-with-tool'), { [TOOL]: { operation: 'background' } }));
	const { told } = await callTool({ Task: 'quick' }, { talk });
	assert.deepEqual([told[0].status, told[0].thread_id], ['started', n8n.service.starts[0].threadId]);
	assert.ok(told[0].url);
});

it('the agent gets rows, which are asked for again if they do not fit', async () => {
	const column = [
		{ name: 'name', type: 'text' },
		{ name: 'price', type: 'number' },
	];
	const form = { operation: 'rows', columns: { column } };
	const fussy = await publishChat(withParameters(example('agent-with-tool'), { [TOOL]: form }));
	const task = 'Find the two cheapest offers with the first price as shown';
	const { told } = await callTool({ Task: task }, { talk: fussy });
	assert.match(told[0].error, /^Row 1: "price" must be a number, but is "€ 4\.20"/);
	assert.equal(n8n.service.starts.length, 1);

	const options = { ifRowsDoNotFit: 'askAgain' };
	const patient = await publishChat(withParameters(example('agent-with-tool'), { [TOOL]: { ...form, options } }));
	const again = await callTool({ Task: task }, { talk: patient });
	const [, first, second] = n8n.service.starts;
	const rows = [
		{ name: 'Beeswax Candle', price: 4.2 },
		{ name: 'Cork Coasters, Set of 6', price: 6.5 },
	];
	assert.deepEqual(again.told, [{ rows, thread_id: first.threadId, status: 'completed' }]);
	assert.deepEqual([second.body.thread_id, n8n.service.starts.length], [first.threadId, 3]);
});

const failures = [
	['a run that fails', 'failed the thing', /^The site blocked the agent\..+(Change the task|continue the thread)/],
	['a run that is aborted', 'aborted the thing', /Stopped by the operator/],
	['a run that is cut off', 'cut the thing', /\w+.*thread/i],
	['a run that stops early', 'incomplete the thing', /^The run stopped early.+length limit.+Thread ID/],
	['a run that waits for approval', 'approval the thing', /^The run is waiting for approval of payInvoice.+approve/],
	['a task that the service refuses', 'message', /^The task was refused.+block list/],
	['a service that is overloaded', 'status 529', /^Overloaded.+\./],
];

for (const [name, task, reason] of failures) {
	it(`the agent is told the reason of ${name}, and what to do`, async (t) => {
		const { told, execution } = await callTool({ Task: task });
		assert.deepEqual(Object.keys(told[0]), ['error']);
		assert.match(told[0].error, reason);
		assert.ok(told[0].error.split('. ').length > 1, `only a reason: ${told[0].error}`);
		assert.equal(execution.status, 'success', 'the agent did not continue');
		assert.equal(n8n.service.starts.length, 1, 'it was started again');
		if (task.startsWith('cut')) assert.ok(told[0].error.includes(n8n.service.starts[0].threadId), told[0].error);
		t.diagnostic(told[0].error);
	});
}

it('if the tool continues on an error, the agent gets reason, thread and status, and nothing else', async () => {
	const workflow = example('agent-with-tool');
	workflow.nodes.find(({ name }) => name === TOOL).onError = 'continueRegularOutput';
	const { told } = await callTool({ Task: 'failed the thing' }, { talk: await publishChat(workflow) });
	const [{ threadId }] = n8n.service.starts;
	assert.match(told[0].error, /^The site blocked the agent/);
	assert.deepEqual(told, [{ error: told[0].error, thread_id: threadId, status: 'failed' }]);
});

it('a wrong thread ID starts nothing and is explained', async () => {
	const { told } = await callTool({ Task: 'quick', Thread_ID: 'the last one' });
	assert.match(told[0].error, /^Thread ID is not /);
	assert.equal(n8n.service.starts.length, 0);
});

it('who waits in the chat sees the run while the tool works', async () => {
	const { chunks } = await callTool({ Task: 'slow 1' });
	const own = chunks.filter(({ metadata }) => metadata.nodeName === TOOL);
	assert.deepEqual([own[0].type, own.at(-1).type], ['begin', 'end']);
	assert.ok(own[1].at < n8n.service.starts[0].closedAt, 'nothing came before the end of the run');
});

/** The example with an operation of the node Browser Automation as its tool. */
function withOperation(parameters) {
	const workflow = example('agent-with-tool');
	const tool = workflow.nodes.find(({ name }) => name === TOOL);
	tool.type = 'n8n-nodes-browser-automation.browserAutomationTool';
	tool.parameters = { descriptionType: 'auto', ...parameters };
	return workflow;
}

it('the agent searches the web with the other node', async () => {
	const query = '={{ $fromAI("Query", "What to look for", "string") }}';
	const talk = await publishChat(
		withOperation({ resource: 'web', operation: 'search', searchQuery: query, splitIntoItems: true, options: {} }),
	);
	const { told } = await callTool({ Query: 'example shop' }, { talk });
	assert.equal(told.length, 3);
	assert.match(told[0].name, /example shop/);
});

it('the agent is told why an operation of the other node failed, and what to do', async (t) => {
	const sessionId = '={{ $fromAI("Session", "ID of the session", "string") }}';
	const talk = await publishChat(withOperation({ resource: 'session', operation: 'getScript', sessionId }));
	const { told } = await callTool({ Session: 'nowhere' }, { talk });
	assert.match(told[0].error, /^Session not found\. \w+/);
	t.diagnostic(told[0].error);
});

it('an agent gets the value of a secret only if the user allows it', async () => {
	const SECRET = 'value-of-model-key';
	const name = '={{ $fromAI("Name", "Name of the secret", "string") }}';
	const read = { resource: 'secret', operation: 'get', name, namespace: 'llm_provider' };
	const withheld = await callTool({ Name: 'MODEL_KEY' }, { talk: await publishChat(withOperation(read)) });
	assert.match(withheld.told[0].error, /^This secret is withheld from AI agents\. \w+/);
	assert.equal(n8n.service.requests.length, 0);
	assert.ok(!JSON.stringify(model.requests).includes(SECRET));

	const allowed = await callTool(
		{ Name: 'MODEL_KEY' },
		{ talk: await publishChat(withOperation({ ...read, allowAgent: true })) },
	);
	assert.ok(allowed.content.includes(SECRET), allowed.content);
});
