// One measurement of one way to get through a stream, in a process of its own.
import { readFileSync } from 'node:fs';
import { answer } from '../lib/child.mjs';
import { median, timed } from '../lib/figures.mjs';
import { runNode } from '../lib/workflow.mjs';

const ways = {
	'JSON.parse': ({ file }) => {
		const events = readFileSync(file, 'utf8').split('\n\n').slice(0, -2);
		const payloads = events.map((event) => Buffer.from(event.slice('data: '.length)).toString());
		return () => {
			for (const payload of payloads) JSON.parse(payload);
		};
	},
	discard: ({ url }) => {
		return async () => await runNode('discard', url, { url });
	},
	runAutomation: ({ url }) => {
		const parameters = { query: 'x', operation: 'message', options: { maxResponseSize: 1000 } };
		return async () => {
			const result = await runNode('runAutomation', url, parameters);
			const [{ json }] = result.items('Node');
			if (json.status !== 'completed') throw new Error(`The run is ${json.status}`);
		};
	},
};

answer(async ({ way, runs, ...input }) => {
	const action = ways[way](input);
	const results = [];
	for (let i = 0; i < runs + 1; i++) results.push(await timed(action));
	const middle = (kind) => median(results.slice(1).map((result) => result[kind]));
	return { wall: middle('wall'), cpu: middle('cpu') };
});
