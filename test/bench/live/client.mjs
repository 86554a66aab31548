// Tells how long each text of a run was on its way, in a process of its own.
import { request } from 'node:http';
import { answer } from '../lib/child.mjs';
import { runNode } from '../lib/workflow.mjs';

/** Each calls back with every text as it arrives. */
const ways = {
	socket: async (url, onText) =>
		await new Promise((resolve, reject) => {
			const call = request(`${url}/api/anything/start`, { method: 'POST' }, (response) => {
				response.on('data', onText).on('end', resolve);
			});
			call.on('error', reject).end('{}');
		}),
	discard: async (url, onText) => await runNode('discard', url, { url }, { onBytes: onText }),
	runAutomation: async (url, onText) => {
		const onLiveChunk = ({ content }) => onText(content ?? '');
		await runNode('runAutomation', url, { query: 'x', operation: 'result' }, { streaming: true, onLiveChunk });
	},
};

answer(async ({ way, url }) => {
	const delays = [];
	await ways[way](url, (text) => {
		const now = process.hrtime.bigint();
		for (const [, sent] of String(text).matchAll(/<(\d+)>/g)) delays.push(Number(now - BigInt(sent)) / 1e6);
	});
	return delays;
});
