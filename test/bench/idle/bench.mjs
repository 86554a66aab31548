import { measureOnEngine } from '../lib/engine.mjs';
import { count, kilobytes, megabytes } from '../lib/figures.mjs';
import { table } from '../lib/report.mjs';

const STREAMS = new URL('./streams.mjs', import.meta.url);

/** So many executions at a time, with so many runs in each. */
const POINTS = [
	{ executions: 1, runs: 100 },
	{ executions: 1, runs: 1000 },
	{ executions: 1, runs: 1 },
	{ executions: 10, runs: 1 },
	{ executions: 40, runs: 1 },
];

export const title = 'Idle streams, and the size of workers';

export async function run() {
	const rows = [];
	for (const { executions, runs } of POINTS) {
		const held = await measureOnEngine(STREAMS, { executions, runs });
		const streams = executions * runs;
		rows.push([
			count(executions),
			count(runs),
			megabytes(held.resident),
			megabytes(held.used),
			kilobytes(held.used / streams),
			(held.sockets / streams).toFixed(2),
			(held.timers / streams).toFixed(2),
			`${(100 * held.processor).toFixed(1)} %`,
			`${held.left.sockets} and ${held.left.timers}`,
		]);
	}
	return [
		`Streams on which nothing comes for the time being, held open by one process: what they take beside n8n itself. Sockets and \
timers of Node are counted while they are open and after all executions were stopped. A processor is 100 %.`,
		table(
			[
				'Executions at a time',
				'Runs in each',
				'Resident set',
				'In use',
				'For each stream',
				'Sockets for each',
				'Timers for each',
				'Processor',
				'Sockets and timers left',
			],
			rows,
		),
		`To size a worker, take what n8n takes at rest, the resident set of the row with as many executions as the worker takes at a \
time (\`n8n worker --concurrency\`, 10 where nothing is set), and the messages of its runs (the table of memory under \
[Reading](#reading-and-folding-a-stream)). Runs cost little, executions of n8n more.`,
	];
}
