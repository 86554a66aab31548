// The one n8n that the tests of a process share, started when this module is loaded. Its service is new for each test.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach } from 'node:test';
import { fetchN8n } from '../../demo/lib/fetch.mjs';
import { n8nCli } from '../../demo/lib/n8n.mjs';
import { root } from '../../demo/lib/paths.mjs';
import { startChatModel } from './chat-model.mjs';
import { postStreaming, startInstance } from './instance.mjs';
import { startMailServer } from './mail-server.mjs';

/** A folder that n8n may write to. */
export const folder = mkdtempSync(join(tmpdir(), 'n8n-files-'));

/** The chat model that the credential of the example with an agent leads to. */
export const model = await startChatModel();

/** The mail server that the credential of the examples that send mail leads to. */
export const mail = await startMailServer();

/** What an MCP client sends to the example with tools for it. */
export const MCP_TOKEN = 'token-of-the-client';

/** The names of the examples. */
export const names = readdirSync(join(root, 'examples'))
	.map((file) => file.replace(/\.json$/, ''))
	.sort();

/** What n8n said when it imported the examples. */
export let imported;

const smtp = { host: '127.0.0.1', secure: false, disableStartTls: true };
export const n8n = await startInstance({
	env: { N8N_LOG_LEVEL: 'debug', N8N_RESTRICT_FILE_ACCESS_TO: folder },
	credentials: [
		{ id: 'chatModel', name: 'OpenAI', type: 'openAiApi', data: { apiKey: 'any', url: model.url } },
		// n8n's own Agents speak to this provider as n8n's chat model node does to OpenAI.
		{ id: 'agentModel', name: 'DeepSeek', type: 'deepSeekApi', data: { apiKey: 'any', url: model.url } },
		{ id: 'bearer', name: 'Bearer Auth', type: 'httpBearerAuth', data: { token: MCP_TOKEN } },
		{ id: 'smtp', name: 'SMTP', type: 'smtp', data: { ...smtp, port: mail.port } },
	],
	before: async (instance) => {
		imported = await n8nCli(instance, ['import:workflow', '--separate', `--input=${join(root, 'examples')}`]);
	},
});

/** All that n8n knows of its nodes. */
export const types = await (await fetchN8n(`${n8n.url}/types/nodes.json`, { headers: { cookie: n8n.cookie } })).json();

beforeEach(() => {
	n8n.service.reset();
	model.requests.length = 0;
	mail.mails.length = 0;
});

after(async () => {
	await n8n.stop();
	model.stop();
	mail.stop();
	rmSync(folder, { recursive: true, force: true });
});

/** Publishes a workflow with a chat at an address of its own; `say` sends a message and reads the response, with the options of `postStreaming`. */
export async function publishChat(workflow) {
	const webhookId = randomUUID();
	workflow.nodes.find(({ type }) => type.endsWith('.chatTrigger')).webhookId = webhookId;
	const id = await n8n.publish(workflow);
	const url = `${n8n.url}/webhook/${webhookId}/chat`;
	const headers = { cookie: n8n.cookie };
	const say = async (chatInput, sessionId = randomUUID(), options = {}) =>
		await postStreaming(url, { action: 'sendMessage', sessionId, chatInput }, { headers, ...options });
	return { id, say };
}
