import { onEngine } from './lib/engine.mjs';
import { duration, timed } from './lib/figures.mjs';
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

/** One execution with many items. */
export const measurement = async ({ items, parallelRuns }) =>
	await onEngine(async ({ runTask }) => {
		const execute = async (count, milliseconds) => {
			const results = await runTask(`run ${milliseconds} 100`, { items: count, parallelRuns });
			if (results.some(({ json }) => json.status !== 'completed')) throw new Error('Not all runs were completed');
		};
		// Code that is not warm is no property of many runs.
		await execute(2 * parallelRuns, 50);
		return await timed(async () => await execute(items, SECONDS * 1000));
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
	return [
		`One execution of Run Automation with runs that take the service ${SECONDS} s each. The ideal time is that of the \
service alone.`,
		[['Runs in Parallel', 'Runs', 'Ideal', 'Time', 'Of the ideal', 'Processor for each run'], ...rows],
	];
}
