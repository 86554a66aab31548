import { setTimeout as sleep } from 'node:timers/promises';
import { onEngine } from './lib/engine.mjs';
import { count, kilobytes, megabytes, memoryInUse } from './lib/figures.mjs';
import { measureOnEngine } from './lib/measure.mjs';

/** So many executions at a time, with so many runs in each. */
const POINTS = [
	{ executions: 1, runs: 100 },
	{ executions: 1, runs: 1000 },
	{ executions: 1, runs: 1 },
	{ executions: 10, runs: 1 },
	{ executions: 40, runs: 1 },
];

/** Milliseconds for a look at the processor. */
const WATCH = 5000;

/** Milliseconds after which everything of a stopped run is gone: a watchdog looks once a second. */
const AFTERWARDS = 2000;

function holdings() {
	const resources = process.getActiveResourcesInfo();
	const countOf = (type) => resources.filter((resource) => resource === type).length;
	return { ...memoryInUse(), sockets: countOf('TCPSocketWrap'), timers: countOf('Timeout') };
}

const difference = (one, other) => Object.fromEntries(Object.keys(one).map((key) => [key, one[key] - other[key]]));

/** What streams cost a process while the service is silent. */
export const measurement = async ({ executions, runs }) =>
	await onEngine(async ({ runTask, server }) => {
		await runTask('run 50 10', { items: 20, parallelRuns: 20 });
		await sleep(AFTERWARDS);

		const before = holdings();
		let cancel;
		const cancelWhen = new Promise((resolve) => (cancel = resolve));
		const begun = server.next('begun', executions * runs);
		const closed = server.next('closed', executions * runs);
		for (let i = 0; i < executions; i++) {
			runTask('silent', { items: runs, parallelRuns: runs }, { cancelWhen }).catch(() => {});
		}
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
		return { ...during, processor: (user + system) / 1000 / WATCH, left: { sockets, timers } };
	});

export const title = 'Idle streams, and the size of workers';

export async function run() {
	const rows = [];
	for (const { executions, runs } of POINTS) {
		const held = await measureOnEngine(import.meta.url, { executions, runs });
		const streams = executions * runs;
		rows.push([
			...[count(executions), count(runs), megabytes(held.resident), megabytes(held.used)],
			...[kilobytes(held.used / streams), (held.sockets / streams).toFixed(2), (held.timers / streams).toFixed(2)],
			...[`${(100 * held.processor).toFixed(1)} %`, `${held.left.sockets} and ${held.left.timers}`],
		]);
	}
	return [
		`Streams without data, held open by one process: what they need in addition to n8n itself. \
Sockets and timers of Node are counted while they are open and after all executions were stopped. A processor is 100 %.`,
		[
			[
				...['Executions at a time', 'Runs in each', 'Resident set', 'In use', 'For each stream'],
				...['Sockets for each', 'Timers for each', 'Processor', 'Sockets and timers left'],
			],
			...rows,
		],
		`To size a worker, take what n8n takes at rest, the resident set of the row with as many executions as the worker takes at a \
time (\`n8n worker --concurrency\`, 10 if nothing is set), and the messages of its runs (the table of memory under \
[Reading](#reading-and-folding-a-stream)). Runs cost little, executions of n8n more.`,
	];
}
