// Where n8n lets a model call the nodes without the AI Agent of a workflow: n8n's own Agents, which run a tool without an execution.
// They are used through the interfaces that n8n's screens use.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fetchN8n } from '../../demo/lib/fetch.mjs';
import { columns, credentials, fromModel } from './agents.mjs';
import { model, n8n } from './shared.mjs';

/**
 * Stores an agent of n8n's own with one node as its tool, and gives a function that lets the model call the tool: it returns what n8n
 * tells the model, and what it shows in the chat.
 */
async function agentWith(name, nodeType, nodeParameters) {
	const type = `n8n-nodes-browser-automation.${nodeType}`;
	const node = { nodeType: type, nodeTypeVersion: 1, nodeParameters, credentials };
	const settings = { model: 'deepseek/deepseek-chat', credential: 'agentModel', instructions: 'Use the tool' };
	const agents = `/projects/${(await n8n.call('GET', '/projects/personal')).id}/agents/v2`;
	const schema = { name, ...settings, tools: [{ type: 'node', name, node }] };
	const { id } = await n8n.call('POST', agents, { name, schema });
	const headers = { 'content-type': 'application/json', cookie: n8n.cookie };
	return async (input) => {
		const body = JSON.stringify({ message: `call ${JSON.stringify(input)}` });
		const response = await fetchN8n(`${n8n.url}/rest${agents}/${id}/chat`, { method: 'POST', headers, body });
		const events = (await response.text()).match(/(?<=^data: ).+/gm).map((line) => JSON.parse(line));
		const { role, content } = model.requests.at(-1).messages.at(-1);
		assert.equal(role, 'tool', JSON.stringify(events));
		return { content, shown: events.find((event) => event.type === 'tool-result') };
	};
}

const runTool = async (parameters = {}) =>
	await agentWith('Run Automation', 'runAutomationTool', { query: fromModel('Task'), ...parameters });
const webTool = async (name, parameters) => await agentWith(name, 'browserAutomationTool', parameters);

/** The data of the items that a tool gave to the model. */
const itemsIn = (content) => JSON.parse(content).data.map(({ json }) => json);

it("an agent of n8n's own gets the result of a run, and the fields to fill in", async () => {
	const { content } = await (await runTool())({ Task: 'quick one' });
	const [{ threadId, task }, ...others] = n8n.service.starts;
	assert.deepEqual([task, others], ['quick one', []]);
	assert.deepEqual(itemsIn(content), [{ text: 'Done: one.', thread_id: threadId, status: 'completed' }]);
	const [{ function: tool }] = model.requests[0].tools;
	assert.deepEqual([tool.name, Object.keys(tool.parameters.properties)], ['Run_Automation', ['Task']]);
	// n8n does not send it what the node says of itself: the reference tells to put it into the instructions.
	assert.doesNotMatch(tool.description, /costs money/);
});

it('it gets the rows of a run', async () => {
	const callTool = await runTool({ operation: 'rows', columns });
	const [{ rows, status }] = itemsIn((await callTool({ Task: 'Find the three cheapest books' })).content);
	assert.deepEqual([rows.map(Object.keys), status], [Array(3).fill(['name', 'price']), 'completed']);
});

it('it starts a run in the background, with either node, and asks for the result with the thread', async () => {
	const callTool = await runTool({ operation: 'background' });
	const [started] = itemsIn((await callTool({ Task: 'quick two' })).content);
	const [{ threadId, detached }] = n8n.service.starts;
	assert.deepEqual([started.thread_id, started.status, detached], [threadId, 'started', true]);

	const ask = await runTool({ threadId: fromModel('Thread_ID') });
	await ask({ Task: 'quick and the result?', Thread_ID: threadId });
	assert.equal(n8n.service.starts[1].body.thread_id, threadId);

	const start = await webTool('Start', { resource: 'automationRun', operation: 'start', query: fromModel('Task') });
	const { content } = await start({ Task: 'quick three' });
	assert.deepEqual([n8n.service.starts.length, n8n.service.starts[2].detached], [3, true]);
	assert.ok(content.includes(n8n.service.starts[2].threadId), content);
});

for (const [name, task, expected, starts] of [
	['failed', 'failed two', /Run failed: The site blocked the agent.+Thread ID: .+Text so far: \\"Done: two\./, 1],
	['was refused', 'status 429', /Status 429 as asked.+Try again/, 1],
	['has no task', '', /Task'? is empty/, 0],
]) {
	it(`it learns why a run ${name}, and no run is started a second time`, async () => {
		const { content, shown } = await (await runTool())({ Task: task });
		assert.match(content, expected);
		// A billed failure is a result: older agents show nothing of a tool that throws.
		assert.equal(Boolean(shown.isError), name !== 'failed');
		assert.equal(n8n.service.starts.length, starts);
	});
}
