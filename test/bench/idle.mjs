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

/** Milliseconds until what happens at the beginning or after the end of a run is over. */
const AFTERWARDS = 2000;

/** What streams cost a process while the service is silent. */
export const measurement = async ({ executions, runs }) =>
	await onEngine(async ({ runTask, server }) => {
		await runTask('run 50 10', { items: 20, parallelRuns: 20 });
		await sleep(AFTERWARDS);

		const before = memoryInUse();
		const begun = server.next('begun', executions * runs);
		for (let i = 0; i < executions; i++) {
			runTask('silent', { items: runs, parallelRuns: runs }).catch(() => {});
		}
		await begun;
		await sleep(AFTERWARDS);
		const { resident, used } = memoryInUse();

		const cpu = process.cpuUsage();
		await sleep(WATCH);
		const { user, system } = process.cpuUsage(cpu);
		const processor = (user + system) / 1000 / WATCH;
		return { resident: resident - before.resident, used: used - before.used, processor };
	});

export const title = 'Idle streams, and the size of workers';

export async function run() {
	const rows = [];
	for (const { executions, runs } of POINTS) {
		const { resident, used, processor } = await measureOnEngine(import.meta.url, { executions, runs });
		const memory = [megabytes(resident), megabytes(used), kilobytes(used / executions / runs)];
		rows.push([count(executions), count(runs), ...memory, `${(100 * processor).toFixed(1)} %`]);
	}
	return [
		`Streams without data, held open by one process: what they need in addition to n8n itself. \
A processor is 100 %.`,
		[['Executions at a time', 'Runs in each', 'Resident set', 'In use', 'For each stream', 'Processor'], ...rows],
		`To size a worker, take what n8n takes at rest, the resident set of the row with as many executions as the worker takes at a \
time (\`n8n worker --concurrency\`, 10 if nothing is set), and the messages of its runs (the table of memory under \
[Reading](#reading-and-folding-a-stream)). Runs cost little, executions of n8n more.`,
	];
}
