import { measureOnEngine } from '../lib/engine.mjs';
import { duration, kilobytes, megabytes } from '../lib/figures.mjs';
import { table } from '../lib/report.mjs';

const RUNS = new URL('./runs.mjs', import.meta.url);
const SECONDS = 2;

/** Fewer items where few are done at a time: all of them would take minutes. */
const POINTS = [
	{ parallel: 1, items: 5 },
	{ parallel: 5, items: 25 },
	{ parallel: 10, items: 100 },
	{ parallel: 20, items: 200 },
	{ parallel: 50, items: 200 },
];

const MEMORY = { parallel: 20, items: 200, milliseconds: 500, sampleEvery: 50 };

export const title = 'Runs in parallel';

export async function run() {
	const rows = [];
	for (const { parallel, items } of POINTS) {
		const { wall, cpu } = await measureOnEngine(RUNS, { parallel, items, milliseconds: SECONDS * 1000 });
		const ideal = Math.ceil(items / parallel) * SECONDS * 1000;
		const efficiency = `${((100 * ideal) / wall).toFixed(1)} %`;
		rows.push([parallel, items, duration(ideal), duration(wall), efficiency, duration(cpu / items)]);
	}
	const { samples } = await measureOnEngine(RUNS, MEMORY);
	const growth = (kind) => (samples.at(-1)[kind] - samples[0][kind]) / (MEMORY.items - MEMORY.sampleEvery);
	return [
		`One execution of Run Automation on runs that take the service ${SECONDS} s each. The ideal is nothing but those \
${SECONDS} s, so \
many at a time.`,
		table(['Runs in Parallel', 'Runs', 'Ideal', 'Time', 'Of the ideal', 'Processor for each run'], rows),
		`Memory over an execution of ${MEMORY.items} runs, ${MEMORY.parallel} at a time, after a garbage collection. \
What each run adds is \
its item in the output, which n8n keeps to the end of the execution.`,
		table(
			['When so many have begun', 'In use', 'Resident set'],
			[
				...samples.map(({ used, resident }, i) => [(i + 1) * MEMORY.sampleEvery, megabytes(used), megabytes(resident)]),
				['For each run from the first row to the last', kilobytes(growth('used')), kilobytes(growth('resident'))],
			],
		),
	];
}
