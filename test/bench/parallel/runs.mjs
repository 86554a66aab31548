// One execution of Run Automation with many items, some of them at a time.
import { answer } from '../lib/child.mjs';
import { loadEngine, RUN_AUTOMATION } from '../lib/engine.mjs';
import { timed } from '../lib/figures.mjs';
import { startService } from '../lib/service.mjs';

/** Bytes that are in use after a garbage collection, and those that the process has. */
function memory() {
	globalThis.gc();
	const { heapUsed, external, rss } = process.memoryUsage();
	return { used: heapUsed + external, resident: rss };
}

/**
 * @param {{ items: number, parallel: number, milliseconds: number, sampleEvery?: number }} input how long a run takes; after
 * how many runs that began the memory is looked at
 */
async function measureRuns({ items, parallel, milliseconds, sampleEvery }) {
	const server = await startService();
	const { runNode, stop } = await loadEngine();
	const execute = async (count, task) => {
		const node = {
			type: RUN_AUTOMATION,
			parameters: { operation: 'result', query: task, options: { parallelRuns: parallel } },
		};
		const put = await runNode(
			node,
			server.target,
			Array.from({ length: count }, () => ({})),
		);
		if (put.some(({ json }) => json.status !== 'completed')) throw new Error('not all runs were completed');
	};
	// Code that is not warm is no property of many runs.
	await execute(2 * parallel, '50');

	const samples = [];
	for (let begun = sampleEvery; begun <= items; begun += sampleEvery) {
		void server.next('begun', begun).then(() => samples.push(memory()));
	}
	const time = await timed(() => execute(items, String(milliseconds)));
	server.stop();
	await stop();
	return { ...time, samples };
}

answer(measureRuns);
