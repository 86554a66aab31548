import { measure } from '../lib/child.mjs';
import { count, duration, median, times } from '../lib/figures.mjs';
import { table } from '../lib/report.mjs';

const READERS = new URL('./readers.mjs', import.meta.url);
const ROUNDS = 5;
const DELTAS = [16, 16_000];

const WAYS = {
	'**Folding** of the chunks into the message': 'fold',
	'`JSON.parse` of the payloads alone': 'JSON.parse',
	'**`stream/`**: reading and folding': 'stream/',
};

export const title = 'One tool input in many deltas';

export async function run() {
	const rows = [];
	for (const [row, way] of Object.entries(WAYS)) {
		const [few, many] = [[], []];
		for (let round = 0; round < ROUNDS; round++) {
			few.push(await measure(READERS, { way, deltas: DELTAS[0] }));
			many.push(await measure(READERS, { way, deltas: DELTAS[1] }));
		}
		const middle = (results, kind) => median(results.map((result) => result[kind]));
		const ratio = (kind) => times(median(many.map((result, i) => result[kind] / few[i][kind])));
		rows.push([row, duration(middle(few, 'wall')), duration(middle(many, 'wall')), ratio('wall'), ratio('cpu')]);
	}
	return [
		`64 kB of input for one tool call, parsed once at the end and not at each delta, as \`ai\` does, whose time grows with \
the square of their number. Warm; medians of ${ROUNDS} processes.`,
		table(['', ...DELTAS.map((deltas) => `${count(deltas)} deltas`), 'Ratio, time', 'Ratio, processor'], rows),
		`In 16 deltas, all work together takes less than splitting 16,000 lines, each with a payload of 85 bytes. \
\`JSON.parse\` of these payloads alone, which other readers have to pay, grows more than \`stream/\` does, \
because it parses of each delta only what differs from the one before. What is left grows with the number of \
deltas, not with its square.`,
	];
}
