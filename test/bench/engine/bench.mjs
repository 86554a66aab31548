import { measure } from '../lib/child.mjs';
import { count, duration, median, times } from '../lib/figures.mjs';
import { table } from '../lib/report.mjs';
import { startServer } from '../lib/server.mjs';
import { events, render, run as chunksOf } from '../lib/streams.mjs';

const CLIENT = new URL('./client.mjs', import.meta.url);
const SERVER = new URL('./server.mjs', import.meta.url);
const ROUNDS = 3;

const WAYS = {
	'`JSON.parse` of the payloads alone, no network': 'JSON.parse',
	"n8n's HTTP client, bytes discarded": 'discard',
	'**Run Automation**, with the message': 'runAutomation',
};

const SIZES = [
	{ label: '1 k', steps: 1, runs: 20 },
	{ label: '10 k', steps: 10, runs: 10 },
	{ label: '100 k', steps: 100, runs: 5 },
	{ label: '1 M', steps: 1000, runs: 2 },
];

export const title = 'A stream through the node';

async function rowsFor({ label, steps, runs }) {
	const stream = render(events(chunksOf(steps)));
	const server = await startServer(SERVER, { file: stream.file });
	try {
		const results = Object.fromEntries(Object.keys(WAYS).map((row) => [row, []]));
		for (let round = 0; round < ROUNDS; round++) {
			for (const [row, way] of Object.entries(WAYS)) {
				const input = { way, runs, file: stream.file, url: server.url };
				results[row].push(await measure(CLIENT, input, { execArgv: ['--import', 'tsx'] }));
			}
		}
		const [limit] = Object.values(results);
		return Object.entries(results).map(([row, rounds]) => {
			const middle = (kind) => median(rounds.map((result) => result[kind]));
			const ratio = (kind) => times(median(rounds.map((result, i) => result[kind] / limit[i][kind])));
			const wall = middle('wall');
			const rates = [count(stream.bytes / 1e3 / wall), count((steps * 1e6) / wall)];
			return [label, row, duration(wall), duration(middle('cpu')), ratio('wall'), ratio('cpu'), ...rates];
		});
	} finally {
		server.stop();
		stream.remove();
	}
}

export async function run() {
	const rows = [];
	for (const size of SIZES) rows.push(...(await rowsFor(size)));
	return [
		`The same streams, served from memory by another process over loopback, read by the node in a workflow on n8n's own \
engine: time from the start of the workflow to its end. Warm; medians of ${ROUNDS} processes.`,
		table(['Chunks', 'Way', 'Time', 'Processor', '÷ limit, time', '÷ limit, processor', 'MB/s', 'Chunks/s'], rows),
		`The time of a short stream is mostly that of the workflow and the request, which n8n itself takes.`,
	];
}
