// A workflow that offers both nodes as tools over MCP, and a real client of it.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fetchN8n } from '../../demo/lib/fetch.mjs';
import { demo } from '../../demo/lib/paths.mjs';
import { columns, credentials, fromModel } from './agents.mjs';
import { nodeOf, PATIENCE_MS, until } from './instance.mjs';

const require = createRequire(join(demo, 'package.json'));
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');

const TRIGGER = 'MCP Server Trigger';
const query = fromModel('Task');

/** The tools of the workflow by their names. */
const tools = {
	'Run Task': ['runAutomationTool', { query, threadId: "={{ $fromAI('Thread_ID', 'To continue', 'string', '') }}" }],
	'Get Rows': ['runAutomationTool', { operation: 'rows', query, columns }],
	'Search Web': ['browserAutomationTool', { resource: 'web', operation: 'search', searchQuery: fromModel('Query') }],
};

/** A workflow with these tools, whose trigger has an address of its own. */
function workflowWithTools() {
	const trigger = { name: TRIGGER, type: '@n8n/n8n-nodes-langchain.mcpTrigger', typeVersion: 2.1 };
	const nodes = Object.entries(tools).map(([name, [type, parameters]]) => {
		return { name, type: `n8n-nodes-browser-automation.${type}`, typeVersion: 1, parameters, credentials };
	});
	const toTrigger = { ai_tool: [[{ node: TRIGGER, type: 'ai_tool', index: 0 }]] };
	return {
		name: 'Tools over MCP',
		nodes: [{ ...trigger, parameters: { authentication: 'none' } }, ...nodes].map((node) => {
			return { id: randomUUID(), position: [0, 0], ...node };
		}),
		connections: Object.fromEntries(nodes.map(({ name }) => [name, toTrigger])),
		settings: {},
	};
}

/**
 * Publishes a workflow with tools, and connects a client to it, which proves itself with a token. `call` returns what a tool answers:
 * `{ content, isError }`.
 */
export async function publishMcp(n8n, { workflow = workflowWithTools(), token } = {}) {
	const path = randomUUID();
	const trigger = nodeOf(workflow, TRIGGER);
	Object.assign(trigger, { webhookId: path, parameters: { ...trigger.parameters, path } });
	const workflowId = await n8n.publish(workflow);
	const url = new URL(`${n8n.url}/mcp/${path}`);
	const client = new Client({ name: 'test', version: '1.0.0' });
	await until(`${url} is registered`, async () => {
		const { status, body } = await fetchN8n(url, { method: 'POST', body: '{}' });
		await body.cancel();
		return status !== 404;
	});
	// A connection of its own for each request: n8n closes idle ones.
	const headers = { connection: 'close', ...(token && { authorization: `Bearer ${token}` }) };
	await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
	const call = async (name, input, options) => {
		const patient = { timeout: PATIENCE_MS, ...options };
		const { content, isError } = await client.callTool({ name, arguments: input }, undefined, patient);
		return { content: content.map(({ text }) => text).join('\n'), isError };
	};
	return { workflowId, client, call };
}
