/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import type { ServerResponse } from 'node:http';

import { runAutomation } from '../engine/run-node';
import { threadOf } from '../engine/thread-of';
import { events, finish, serveStream, streamHeaders, textChunks } from '../engine/serve-stream';
import { letRead } from '../support/let-read';
import { useReceived } from '../support/received';

const query = '={{ $json.task }}';

describe('Max Parallel Runs', () => {
	const onReceived = useReceived();

	it('keeps the order of items and starts each run once, as many at a time as the form says', async () => {
		const input = Array.from({ length: 12 }, (_, index) => ({ task: `task ${index}` }));
		const tasks = input.map(({ task }) => task);
		const started: string[] = [];
		const open: Array<() => void> = [];
		let [active, most] = [0, 0];
		const server = await serveStream((task, response) => {
			started.push(task);
			most = Math.max(most, ++active);
			response.once('finish', () => active--);
			open.push(() => response.writeHead(200, streamHeaders(task)).end(events(...textChunks(task), finish)));
			if (open.length % 4 > 0) return;
			// A fifth one would have time to start. The last one ends first.
			const last = open.splice(0).toReversed();
			void letRead().then(() => last.forEach((end) => end()));
		});
		const { items } = await runAutomation(server.target, { query, options: { parallelRuns: 4 } }, { input });
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(input.map((_, item) => ({ item })));
		expect(items.map(({ json }) => json.text)).toEqual(tasks);
		expect(started.toSorted()).toEqual(tasks.toSorted());
		expect(most).toBe(4);
	});

	it('reads the runs that continue to their end before it stops, and lists every thread', async () => {
		const input = ['good', 'bad', 'never'].map((task) => ({ task }));
		const opened: Record<string, ServerResponse> = {};
		const server = await serveStream((task, response) => {
			opened[task] = response.writeHead(200, streamHeaders(task));
			if (!opened.good || !opened.bad) return;
			opened.bad.end(events({ type: 'error', errorText: 'The site blocked the agent' }));
		});
		onReceived((piece) => void (piece.includes('error') && opened.good.end(events(...textChunks('Done'), finish))));
		const { error } = await runAutomation(server.target, { query, options: { parallelRuns: 2 } }, { input });
		expect((error?.context.data as { runs: unknown }).runs).toEqual([
			{ item: 0, status: 'completed', thread_id: threadOf('good') },
			{ item: 1, status: 'failed', thread_id: threadOf('bad') },
		]);
		expect(error?.message).toBe('Run failed: The site blocked the agent');
		expect(error?.description).toMatchSnapshot();
	});
});
