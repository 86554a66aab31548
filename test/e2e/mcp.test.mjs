// Both nodes as tools of n8n's MCP Server Trigger, called by a real MCP client. In queue mode: queue.test.mjs.
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { closingOf, startOf } from './instance.mjs';
import { publishMcp } from './mcp.mjs';
import { n8n } from './shared.mjs';

const { workflowId, client, call } = await publishMcp(n8n);
after(async () => await client.close());

it('the client learns what each tool does, and what a run costs', async () => {
	const { tools } = await client.listTools();
	const told = Object.fromEntries(tools.map(({ name, description }) => [name, description]));
	assert.deepEqual(Object.keys(told).sort(), ['Get_Rows', 'Run_Task', 'Search_Web']);
	for (const name of ['Get_Rows', 'Run_Task']) assert.match(told[name], /takes minutes and costs money/);
	assert.match(told.Search_Web, /Search web/);
	const { inputSchema } = tools.find(({ name }) => name === 'Run_Task');
	assert.deepEqual([Object.keys(inputSchema.properties), inputSchema.required], [['Task', 'Thread_ID'], ['Task']]);
});

it('the client gets a result, rows, and what a search finds', async () => {
	const [result] = JSON.parse((await call('Run_Task', { Task: 'quick one' })).content);
	const [{ threadId }] = n8n.service.starts;
	assert.deepEqual(result, { text: 'Done: one.', thread_id: threadId, status: 'completed' });
	const [{ rows }] = JSON.parse((await call('Get_Rows', { Task: 'Find the three cheapest books' })).content);
	assert.deepEqual(rows.map(Object.keys), Array(3).fill(['name', 'price']));
	const found = JSON.parse((await call('Search_Web', { Query: 'example shop' })).content);
	assert.match(found[0].name, /example shop/);
	assert.equal(n8n.service.starts.length, 2);
});

for (const [name, Task, reason, starts] of [
	['failed', 'failed three', /Run failed: The site blocked the agent.+Thread ID: .+Text so far: \\"Done: three\./, 1],
	['was refused', 'status 402', /Status 402 as asked.+Check the plan and balance/, 1],
	['has no task', '', /Task'? is empty/, 0],
]) {
	it(`the client learns why a run ${name}`, async () => {
		const { content, isError } = await call('Run_Task', { Task });
		assert.match(content, reason);
		// A billed failure is a result: older agents show nothing of a tool that throws.
		assert.deepEqual([Boolean(isError), n8n.service.starts.length], [name !== 'failed', starts]);
		// n8n counts the call as an execution that succeeded, so that no error workflow starts.
		assert.equal((await n8n.lastExecution(workflowId)).status, 'success');
	});
}

it('a run continues and is billed after the client has given up', async () => {
	const patience = new AbortController();
	const calling = call('Run_Task', { Task: 'slow 1' }, { signal: patience.signal });
	const run = await startOf(n8n);
	patience.abort('waited long enough');
	await assert.rejects(calling, /waited long enough/);
	assert.equal(await closingOf(run), 'finished');
	assert.equal(n8n.service.starts.length, 1);
});
