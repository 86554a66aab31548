import { measure } from '../lib/child.mjs';
import { count, duration, median, percentile } from '../lib/figures.mjs';
import { table } from '../lib/report.mjs';
import { startServer } from '../lib/server.mjs';

const CLIENT = new URL('./client.mjs', import.meta.url);
const SERVER = new URL('./server.mjs', import.meta.url);
const ROUNDS = 3;
const CHUNKS = 1000;
const PAUSE = 3;

const WAYS = {
	'`data` event of `node:http` (the socket)': 'socket',
	"n8n's HTTP client": 'discard',
	'**Run Automation**: `sendChunk`': 'runAutomation',
};

export const title = 'From the first byte to the live chunk';

export async function run() {
	const server = await startServer(SERVER, { chunks: CHUNKS, pause: PAUSE });
	const delays = Object.fromEntries(Object.keys(WAYS).map((row) => [row, []]));
	try {
		for (let round = 0; round < ROUNDS; round++) {
			for (const [row, way] of Object.entries(WAYS)) {
				const input = { way, url: server.url };
				const measured = await measure(CLIENT, input, { execArgv: ['--import', 'tsx'] });
				if (measured.length !== CHUNKS) throw new Error(`${measured.length} of ${CHUNKS} texts have arrived`);
				delays[row].push(...measured);
			}
		}
	} finally {
		server.stop();
	}
	const figures = (values) => [median(values), percentile(values, 0.99)];
	const [bare, ...others] = Object.keys(WAYS);
	const atSocket = figures(delays[bare]);
	const rows = others.map((row) => {
		const delay = figures(delays[row]);
		return [row, ...delay.map(duration), ...delay.map((value, i) => duration(value - atSocket[i]))];
	});
	rows.unshift([bare, ...atSocket.map(duration), '', '']);
	return [
		`A server in another process writes a text every ${PAUSE} ms; how long until it is here. What the node adds is the \
difference to the bare socket. ${count(ROUNDS * CHUNKS)} texts each.`,
		table(['Arrival', 'Median', '99th percentile', 'Added, median', 'Added, 99th percentile'], rows),
	];
}
