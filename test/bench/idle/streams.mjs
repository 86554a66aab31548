// What streams cost a process while the service is silent.
import { setTimeout as sleep } from 'node:timers/promises';
import { answer } from '../lib/child.mjs';
import { loadEngine, RUN_AUTOMATION } from '../lib/engine.mjs';
import { startService } from '../lib/service.mjs';

/** Milliseconds for a look at the processor. */
const WATCH = 5000;

/** Milliseconds after which everything of a stopped run is gone: a watchdog looks once a second. */
const AFTERWARDS = 2000;

function holdings() {
	globalThis.gc();
	const { heapUsed, external, rss } = process.memoryUsage();
	const resources = process.getActiveResourcesInfo();
	const countOf = (type) => resources.filter((resource) => resource === type).length;
	return { used: heapUsed + external, resident: rss, sockets: countOf('TCPSocketWrap'), timers: countOf('Timeout') };
}

const difference = (one, other) => Object.fromEntries(Object.keys(one).map((key) => [key, one[key] - other[key]]));

/**
 * @param {{ executions: number, runs: number }} input how many at a time, and how many runs in each
 */
async function hold({ executions, runs }) {
	const server = await startService();
	const { runNode, stop } = await loadEngine();
	const execute = async (count, task, options) => {
		const node = {
			type: RUN_AUTOMATION,
			parameters: { operation: 'result', query: task, options: { parallelRuns: count } },
		};
		await runNode(
			node,
			server.target,
			Array.from({ length: count }, () => ({})),
			options,
		);
	};
	await execute(20, '50');
	await sleep(AFTERWARDS);

	const before = holdings();
	let cancel;
	const cancelWhen = new Promise((resolve) => (cancel = resolve));
	const begun = server.next('begun', executions * runs);
	const closed = server.next('closed', executions * runs);
	for (let i = 0; i < executions; i++) execute(runs, 'silent', { cancelWhen }).catch(() => {});
	await begun;
	await sleep(AFTERWARDS);
	const during = difference(holdings(), before);

	const cpu = process.cpuUsage();
	await sleep(WATCH);
	const { user, system } = process.cpuUsage(cpu);
	cancel();
	await closed;
	await sleep(AFTERWARDS);
	const { sockets, timers } = difference(holdings(), before);
	server.stop();
	await stop();
	return { ...during, processor: (user + system) / 1000 / WATCH, left: { sockets, timers } };
}

answer(hold);
