import { request } from 'node:http';
import { onEngine } from './lib/engine.mjs';
import { count, duration, median, percentile, takeTurns } from './lib/figures.mjs';
import { measureOnEngine } from './lib/measure.mjs';
import { clock } from './lib/service.mjs';

const ROUNDS = 3;
/** Milliseconds between two texts. */
const PAUSE = 3;
const TASK = `run 3000 ${PAUSE}`;

const WAYS = {
	'`data` event of `node:http` (the socket)': 'socket',
	"n8n's HTTP client": 'discard',
	'**Run Automation**: `sendChunk`': 'runAutomation',
};

/** How long each text of a run was on its way. */
export const measurement = async (way) =>
	await onEngine(async ({ runTask, discard, server }) => {
		const delays = [];
		const onText = (text) => {
			const now = clock();
			for (const [, sent] of String(text).matchAll(/<([\d.]+)>/g)) delays.push(now - Number(sent));
		};
		const ways = {
			socket: async () =>
				await new Promise((resolve, reject) => {
					const call = request(server.target.automationUrl, { method: 'POST' }, (response) => {
						response.on('data', onText).on('end', resolve);
					});
					call.on('error', reject).end(JSON.stringify({ query: TASK }));
				}),
			discard: async () => await discard(TASK, onText),
			runAutomation: async () => {
				const onLiveChunk = ({ content }) => onText(content ?? '');
				await runTask(TASK, {}, { streaming: true, mode: 'manual', onLiveChunk });
			},
		};
		await ways[way]();
		return delays;
	});

export const title = 'From the first byte to the live chunk';

export async function run() {
	const measureOne = async (row) => await measureOnEngine(import.meta.url, WAYS[row]);
	const delays = await takeTurns(Object.keys(WAYS), ROUNDS, measureOne);
	const figures = Object.values(delays).map((rounds) => [median(rounds.flat()), percentile(rounds.flat(), 0.99)]);
	const rows = Object.keys(WAYS).map((row, index) => [
		row,
		...figures[index].map(duration),
		...figures[index].map((value, i) => (index === 0 ? '' : duration(value - figures[0][i]))),
	]);
	const texts = Math.min(...Object.values(delays).map((rounds) => rounds.flat().length));
	return [
		`A server in another process writes a text every ${PAUSE} ms; how long until it is received. What the node adds is the \
difference to the bare socket. At least ${count(texts)} texts each.`,
		[['Received by', 'Median', '99th percentile', 'Added, median', 'Added, 99th percentile'], ...rows],
	];
}
