// Jobs of a person in the editor of a real n8n, from the first click to what is read at the end. Each leaves screenshots in
// test/e2e/screenshots.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { closingOf, example, startOf, withParameters, workflowFor } from './instance.mjs';
import { credentials, editor, folder, openAlone, RUN, typeNameOf } from './shared-editor.mjs';
import { n8n } from './shared.mjs';

const CHEAPEST = 'Find the three cheapest books of the shop';

/** Opens the form of a node whose input the two nodes before it make, once they are executed. */
async function openWithInput(items) {
	const tasks = withParameters(workflowFor('batch'), { Tasks: { jsonOutput: JSON.stringify({ items }) } });
	const [trigger, list, split, run] = withParameters(tasks, {
		'One Item per Task': { fieldToSplitOut: 'items', options: {} },
	}).nodes;
	const added = { ...run, type: typeNameOf(RUN), parameters: {}, credentials, onError: undefined };
	const { [RUN]: _, ...connections } = tasks.connections;
	const workflow = { name: 'Items', nodes: [trigger, list, split, added], connections, settings: {} };
	await editor.openWorkflow((await n8n.createWorkflow(workflow)).id);
	await editor.openNode(RUN);
}

/** Executes the open node, and gives the cells of its output as the panel shows them, row by row. */
async function executeToTable() {
	await editor.at('node-execute-button').click();
	await editor.at('node-run-status-success').waitFor();
	await editor.at('radio-button-table', editor.outputPanel).click();
	const rows = editor.outputPanel.locator('tbody tr');
	await rows.first().waitFor();
	return await rows.evaluateAll((all) => all.map(({ cells }) => [...cells].map(({ innerText }) => innerText.trim())));
}

const hints = () => editor.at('node-hint', editor.outputPanel);

it('five URLs become rows that have the name of their item, and the cost is shown before the click', async () => {
	const shops = ['Paris', 'Lyon', 'Nantes', 'Lille', 'Nice'];
	await openWithInput(shops.map((shop) => ({ shop, url: `https://example.com/${shop}` })));
	await editor.choose('operation', 'Run and Get Rows');
	await editor.fill('query', 'Find the three cheapest books of {{ $json.url }}');
	await editor.fill('name', 'title');
	await editor.choose('include', 'All');
	assert.equal(await hints().count(), 0);
	await editor.page.getByText('Execute previous nodes').first().click();
	const cost = hints().getByText("For a single run, turn on 'Execute Once' in 'Settings'");
	await cost.waitFor();
	const lines = await cost.evaluate((text) => text.offsetHeight / parseFloat(getComputedStyle(text).lineHeight));
	assert.ok(lines < 3.5, `${lines} lines`);
	assert.equal(n8n.service.starts.length, 0);
	await editor.shoot(folder, 'five-urls-before');
	const rows = await executeToTable();
	await editor.shoot(folder, 'five-urls');
	assert.deepEqual(
		rows.map(([shop]) => shop),
		shops.flatMap((shop) => [shop, shop, shop]),
	);
	assert.equal(n8n.service.starts.length, shops.length);
});

it('a tool is added to an AI agent, which writes the task and calls it', async () => {
	const { nodes, connections, ...workflow } = example('agent-with-tool');
	const { [RUN]: _, ...others } = connections;
	const kept = nodes.filter(({ name, type }) => name !== RUN && !type.endsWith('.stickyNote'));
	await editor.openWorkflow((await n8n.createWorkflow({ ...workflow, nodes: kept, connections: others })).id);
	await editor.fitCanvas();
	const tools = editor.page.locator('[data-test-id="canvas-node-input-handle"][data-connection-type="ai_tool"]');
	await editor.at('canvas-handle-plus', tools).click();
	await editor.at('node-creator-search-bar').fill('run automation');
	await editor.pick(`${RUN} Tool`);
	await editor.at('from-ai-override-button').first().click();
	await editor.shoot(folder, 'tool');
	await editor.closeNode();
	await editor.openChat();
	await editor.say(`call ${JSON.stringify({ Task: CHEAPEST })}`);
	await editor.chat
		.getByText(/^The tool said: /)
		.first()
		.waitFor();
	await editor.succeeded('AI Agent');
	await editor.shoot(folder, 'tool-in-chat');
	assert.deepEqual(
		n8n.service.starts.map(({ task }) => task),
		[CHEAPEST],
	);
});

it('a JSON Schema from another tool becomes columns', async () => {
	const schema = {
		$defs: { Book: { type: 'object', properties: { name: { type: 'string' }, price: { type: 'number' } } } },
		type: 'object',
		properties: { books: { type: 'array', items: { $ref: '#/$defs/Book' } } },
	};
	await openAlone(RUN, { operation: 'rows', query: CHEAPEST });
	await editor.choose('columnsFrom', 'From JSON Schema');
	await editor.shoot(folder, 'json-schema-before');
	await editor.fill('jsonSchema', JSON.stringify(schema, null, 2));
	const rows = await executeToTable();
	await editor.shoot(folder, 'json-schema');
	assert.deepEqual(
		rows.map(([, price]) => price),
		['23.21', '26.08', '30.54'],
	);
});

it('a run of ten minutes is stopped, and the console has its thread', async () => {
	await openAlone(RUN, { query: 'slow 600' });
	const isThread = (message) => message.text().includes(n8n.service.starts[0]?.threadId);
	const line = editor.page.waitForEvent('console', isThread);
	await editor.at('node-execute-button').click();
	assert.match((await line).text(), /Run Automation.*thread/);
	await editor.shoot(folder, 'running');
	await editor.at('ndv-stop-execution-button').click();
	assert.equal(await closingOf(await startOf(n8n)), 'aborted');
	await editor.at('node-execute-button').getByText('Execute step').waitFor();
	await editor.shoot(folder, 'stopped');
	assert.equal(n8n.service.starts.length, 1);
});

it('a failed run is continued by its thread ID, and a hint says to clear it', async () => {
	await openAlone(RUN, { query: 'failed' });
	await editor.at('node-execute-button').click();
	await editor.at('node-error-message', editor.outputPanel).waitFor();
	await editor.shoot(folder, 'failed');
	const [, threadId] = /Thread ID: (\S+)/.exec(await editor.outputPanel.innerText());
	await editor.fill('threadId', threadId);
	await editor.fill('query', 'quick try once more');
	await editor.at('node-execute-button').click();
	await hints().filter({ hasText: "Continued an earlier thread. Clear 'Thread ID'" }).waitFor();
	await editor.shoot(folder, 'continued');
	const [first, second] = n8n.service.starts;
	assert.deepEqual([threadId, second.body.thread_id], [first.threadId, first.threadId]);
});
