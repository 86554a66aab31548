import { onEngine } from './lib/engine.mjs';
import { duration, kilobytes, megabytes, memoryInUse, timed } from './lib/figures.mjs';
import { measureOnEngine } from './lib/measure.mjs';

const SECONDS = 2;

/** Fewer items if few run at a time: all of them would take minutes. */
const POINTS = [
	{ parallelRuns: 1, items: 5 },
	{ parallelRuns: 5, items: 25 },
	{ parallelRuns: 10, items: 100 },
	{ parallelRuns: 20, items: 200 },
	{ parallelRuns: 50, items: 200 },
];

const MEMORY = { parallelRuns: 20, items: 200, milliseconds: 500, sampleEvery: 50 };

/** One execution with many items; the memory is looked at whenever so many further runs have begun. */
export const measurement = async ({ items, parallelRuns, milliseconds = SECONDS * 1000, sampleEvery }) =>
	await onEngine(async ({ runTask, server }) => {
		const execute = async (count, time) => {
			const results = await runTask(`run ${time} 100`, { items: count, parallelRuns });
			if (results.some(({ json }) => json.status !== 'completed')) throw new Error('Not all runs were completed');
		};
		// Code that is not warm is no property of many runs.
		await execute(2 * parallelRuns, 50);
		const samples = [];
		for (let begun = sampleEvery; begun <= items; begun += sampleEvery) {
			void server.next('begun', begun).then(() => samples.push(memoryInUse()));
		}
		const time = await timed(async () => await execute(items, milliseconds));
		return { ...time, samples };
	});

export const title = 'Runs in parallel';

export async function run() {
	const rows = [];
	for (const { parallelRuns, items } of POINTS) {
		const { wall, cpu } = await measureOnEngine(import.meta.url, { parallelRuns, items });
		const ideal = Math.ceil(items / parallelRuns) * SECONDS * 1000;
		const efficiency = `${((100 * ideal) / wall).toFixed(1)} %`;
		rows.push([parallelRuns, items, duration(ideal), duration(wall), efficiency, duration(cpu / items)]);
	}
	const { samples } = await measureOnEngine(import.meta.url, MEMORY);
	const growth = (kind) => (samples.at(-1)[kind] - samples[0][kind]) / (MEMORY.items - MEMORY.sampleEvery);
	return [
		`One execution of Run Automation with runs that take the service ${SECONDS} s each. The ideal time is that of the \
service alone.`,
		[['Runs in Parallel', 'Runs', 'Ideal', 'Time', 'Of the ideal', 'Processor for each run'], ...rows],
		`Memory over an execution of ${MEMORY.items} runs, ${MEMORY.parallelRuns} at a time, after a garbage collection. \
What each run adds is its item in the output, which n8n keeps to the end of the execution.`,
		[
			['Runs started', 'In use', 'Resident set'],
			...samples.map(({ used, resident }, i) => [(i + 1) * MEMORY.sampleEvery, megabytes(used), megabytes(resident)]),
			['For each run from the first row to the last', kilobytes(growth('used')), kilobytes(growth('resident'))],
		],
	];
}
