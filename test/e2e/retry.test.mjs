// Retry On Fail at three tries in a real n8n: whatever calls the node, a run that may have started is not started again.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { example, withParameters } from './instance.mjs';
import { assertRow, RETRY } from './rows.mjs';
import { model, n8n, publishChat } from './shared.mjs';

const NODE = 'Run Automation';

/** A workflow whose node Run Automation is tried three times. */
function withRetries(workflow) {
	Object.assign(
		workflow.nodes.find(({ name }) => name === NODE),
		RETRY,
	);
	return workflow;
}

/** Plays one task, and a start that is refused, and asserts that the table has a row of it. */
async function play(name, task, call) {
	const shown = await call(task);
	const starts = n8n.service.starts.length;
	const [{ threadId }] = n8n.service.starts;
	n8n.service.reset();
	await call('status 429');
	assertRow(name, { tries: n8n.service.starts.length, starts, shown, threadId });
	assert.deepEqual([starts, n8n.service.starts.length], [1, 3]);
}

/** The example with an agent, with *Start* of Browser Automation as its tool. */
function withStart() {
	const workflow = example('agent-with-tool');
	const tool = workflow.nodes.find(({ name }) => name === NODE);
	const query = '={{ $fromAI("Task", "What to do", "string") }}';
	tool.type = 'n8n-nodes-browser-automation.browserAutomationTool';
	tool.parameters = { descriptionType: 'auto', resource: 'automationRun', operation: 'start', query };
	return workflow;
}

const withRun = () => example('agent-with-tool');

for (const [name, make, task, typeVersion] of [
	['Tool of the AI Agent, a run fails', withRun, 'failed the thing', 3.1],
	['Tool of an AI Agent of version 2, a run fails', withRun, 'failed the thing', 2.2],
	['Tool of the AI Agent, _Start_ of Browser Automation, response `500`', withStart, 'empty500', 3.1],
	['Tool of an AI Agent of version 2, _Start_ of Browser Automation, response `500`', withStart, 'empty500', 2.2],
]) {
	it(name, async () => {
		const workflow = withRetries(make());
		workflow.nodes.find(({ type }) => type.endsWith('.agent')).typeVersion = typeVersion;
		const { id, say } = await publishChat(workflow);
		await play(name, task, async (Task) => {
			await say(`call ${JSON.stringify({ Task })}`);
			const { status, errorOf } = await n8n.lastExecution(id);
			assert.equal(status, 'success');
			const { content } = model.requests.at(-1).messages.at(-1);
			// This agent drops the errors of all its tools.
			if (content === '') return `Only in the execution: ${errorOf(NODE).message}`;
			return JSON.parse(content)[0].error;
		});
	});
}

it('Retry in the list of executions is a new execution, and starts the run anew', async () => {
	const workflow = withRetries(withParameters(example('scheduled-run'), { [NODE]: { query: 'failed the thing' } }));
	const { id } = await n8n.createWorkflow(workflow);
	const { id: executionId, status } = await n8n.execute(id);
	assert.equal(status, 'error');
	assert.equal(n8n.service.starts.length, 1);
	await n8n.call('POST', `/executions/${executionId}/retry`, { loadWorkflow: false });
	await n8n.service.waitForStart(2);
	await n8n.lastExecution(id);
	assert.equal(n8n.service.starts.length, 2);
});
