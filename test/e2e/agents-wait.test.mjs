// The example with a tool for n8n's own Agents, in two settings of n8n: a run of more than 120 seconds, after which an agent cancels a
// workflow that it has called, is started once, and its result reaches the agent.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchN8n } from '../../demo/lib/fetch.mjs';
import { createAgent } from './agents.mjs';
import { startChatModel } from './chat-model.mjs';
import { example, nodeOf, startInstance, startOf, until } from './instance.mjs';

const CANCELED_AFTER_MS = 120_000;
const stops = [];
after(async () => {
	for (const stop of stops) await stop();
});

/** An n8n with an agent that has the example as its tool, and a mock service that leaves the callback to the test. */
async function startAgent(env) {
	const model = await startChatModel();
	const data = { apiKey: 'any', url: model.url };
	const n8n = await startInstance({
		env,
		credentials: [{ id: 'agentModel', name: 'DeepSeek', type: 'deepSeekApi', data }],
	});
	stops.push(async () => {
		await n8n.stop();
		model.stop();
	});
	const workflow = example('tool-that-waits');
	const { parameters } = nodeOf(workflow, 'Start in Background');
	parameters.query = parameters.query.replace('POST', 'post');
	const { id: workflowId } = await n8n.createWorkflow(workflow);
	const { chat } = await createAgent(n8n, 'Agent', [{ type: 'workflow', workflowId, workflow: workflow.name }]);
	return { n8n, model, workflowId, chat };
}

/** Sends the result to the one run of an agent, later than an agent waits for a workflow, and waits for the end of the execution. */
async function sendLate({ n8n, workflowId }, result) {
	await sleep(CANCELED_AFTER_MS + 2_000);
	const [, url] = / to (http\S+)/.exec((await startOf(n8n)).body.query);
	const headers = { 'content-type': 'application/json' };
	const response = await fetchN8n(url, { method: 'POST', headers, body: JSON.stringify({ result }) });
	assert.ok(response.ok, await response.text());
	assert.equal((await n8n.lastExecution(workflowId)).status, 'success');
}
const RESULT = 'Three books were found';
const call = { message: 'call {"Task":"quick one"}' };

describe('a tool of an agent that waits for a webhook', { concurrency: true }, () => {
	it('suspends the agent, and returns the result of one run once a person presses Check for the result', async () => {
		const agent = await startAgent({});
		const { payload } = (await agent.chat('chat', call)).find(({ type }) => type === 'tool-call-suspended');
		const { runId, toolCallId, input } = payload;
		const { value } = input.components.find(({ label }) => label === 'Check for the result');
		await sendLate(agent, RESULT);
		const shown = await agent.chat('chat/resume', { runId, toolCallId, resumeData: { type: 'button', value } });
		assert.ok(JSON.stringify(shown.find(({ type }) => type === 'tool-result')).includes(RESULT), JSON.stringify(shown));
		assert.equal(agent.n8n.service.starts.length, 1);
	});

	it('wakes the agent with the result of one run if background tasks are enabled', async () => {
		const agent = await startAgent({ N8N_AGENTS_BACKGROUND_TASKS_ENABLED: 'true' });
		await agent.chat('chat', call);
		await sendLate(agent, RESULT);
		await until('the model gets the result', () => JSON.stringify(agent.model.requests).includes(RESULT));
		assert.equal(agent.n8n.service.starts.length, 1);
	});
});
