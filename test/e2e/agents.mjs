import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { fetchN8n } from '../../demo/lib/fetch.mjs';

// What a node has as the tool of a model: its credential, fields that the model fills in, and columns.

export const credentials = { browserAutomationApi: { id: 'browserAutomation', name: 'Browser Automation' } };
export const fromModel = (name) => `={{ $fromAI('${name}', 'What the tool should do', 'string') }}`;
const types = Object.entries({ name: 'text', price: 'number' });
export const columns = { column: types.map(([name, type]) => ({ name, type })) };

/** Stores an agent of n8n's own with these tools: `post` sends to one of its paths, and `chat` gives what n8n shows for it. */
export async function createAgent(n8n, name, tools) {
	const agents = `/projects/${(await n8n.call('GET', '/projects/personal')).id}/agents/v2`;
	const settings = { model: 'deepseek/deepseek-chat', credential: 'agentModel', instructions: 'Use the tool' };
	const { id } = await n8n.call('POST', agents, { name, schema: { name, ...settings, tools } });
	const headers = { 'content-type': 'application/json', cookie: n8n.cookie };
	const post = async (path, payload, signal) => {
		const request = { method: 'POST', headers, body: JSON.stringify(payload), signal };
		return await fetchN8n(`${n8n.url}/rest${agents}/${id}/${path}`, request);
	};
	const chat = async (path, payload) => {
		const { body } = await post(path, payload);
		const shown = [];
		for await (const line of createInterface({ input: Readable.fromWeb(body) }))
			if (line.startsWith('data: ')) shown.push(JSON.parse(line.slice('data: '.length)));
		return shown;
	};
	return { post, chat };
}
