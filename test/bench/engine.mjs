import { onEngine } from './lib/engine.mjs';
import { middle, takeTurns, timed, TIMES, timesOf } from './lib/figures.mjs';
import { measureOnEngine } from './lib/measure.mjs';
import { parsingOf, render, run as agentRun } from './lib/streams.mjs';

const ROUNDS = 3;

const LIMIT = '`JSON.parse` of the payloads alone, no network';
const WAY_OF = {
	[LIMIT]: 'JSON.parse',
	"n8n's HTTP client, bytes discarded": 'discard',
	'**Run Automation**, with the message': 'runAutomation',
};

const SIZES = [
	{ label: '1 k', steps: 1, runs: 20 },
	{ label: '10 k', steps: 10, runs: 10 },
	{ label: '100 k', steps: 100, runs: 5 },
	{ label: '1 M', steps: 1000, runs: 2 },
];

export const measurement = async ({ way, runs, file }) =>
	await onEngine(async ({ runTask, discard }) => {
		const task = `file ${file}`;
		const action = {
			'JSON.parse': parsingOf(file),
			discard: async () => await discard(task),
			runAutomation: async () => {
				const [{ json }] = await runTask(task, { operation: 'raw', maxResponseSize: 1000 });
				if (json.status !== 'completed') throw new Error(`The run is ${json.status}`);
			},
		}[way];
		await action();
		const { [way]: results } = await takeTurns([way], runs, async () => await timed(action));
		return { wall: middle(results, 'wall'), cpu: middle(results, 'cpu') };
	});

export const title = 'A stream through the node';

export async function run() {
	const rows = [];
	for (const { label, steps, runs } of SIZES) {
		const stream = render(agentRun(steps));
		const measureOne = async (row) =>
			await measureOnEngine(import.meta.url, { way: WAY_OF[row], runs, file: stream.file });
		const results = await takeTurns(Object.keys(WAY_OF), ROUNDS, measureOne).finally(stream.remove);
		for (const [row, rounds] of Object.entries(results)) {
			rows.push([label, row, ...timesOf(rounds, results[LIMIT], stream)]);
		}
	}
	return [
		`The same streams, served from memory by another process over loopback, read by the node in a workflow on n8n's own \
engine: time from the start of the workflow to its end. Warm; medians of ${ROUNDS} processes.`,
		[['Chunks', 'Way', ...TIMES], ...rows],
		`The time of a short stream is mostly that of the workflow and the request, which n8n itself takes.`,
	];
}
