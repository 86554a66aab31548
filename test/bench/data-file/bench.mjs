import { measure } from '../lib/child.mjs';
import { duration, median, megabytes, times } from '../lib/figures.mjs';
import { table } from '../lib/report.mjs';
import { events, render } from '../lib/streams.mjs';

const READER = new URL('./reader.mjs', import.meta.url);
const ROUNDS = 5;
const SIZES = [5e6, 50e6];

export const title = 'A file in one line';

async function rowFor(size) {
	const url = `data:application/pdf;base64,${'QmFzZTY0'.repeat(size / 8)}`;
	const stream = render(events([{ type: 'file', mediaType: 'application/pdf', url }, { type: 'finish' }]));
	try {
		const [discarded, read] = [[], []];
		for (let round = 0; round < ROUNDS; round++) {
			discarded.push(await measure(READER, { file: stream.file, discard: true }));
			read.push(await measure(READER, { file: stream.file }));
		}
		if (read.some(({ characters }) => characters !== url.length)) throw new Error('The file did not arrive whole');
		const middle = (results, kind) => median(results.map((result) => result[kind]));
		const above = middle(read, 'peak') - middle(discarded, 'peak');
		return [megabytes(size), duration(middle(read, 'wall')), megabytes(above), times(above / size)];
	} finally {
		stream.remove();
	}
}

export async function run() {
	const rows = [];
	for (const size of SIZES) rows.push(await rowFor(size));
	return [
		`A file as a \`data:\` URL in one \`data:\` line, read from disk in blocks of 64 kB by \`stream/\`. Memory is the peak \
of the resident set above that of the same process discarding the bytes. Cold; medians of ${ROUNDS} processes.`,
		table(['File', 'Time', 'Peak above', '÷ size of the file'], rows),
		`Two copies exist at one time: the pieces as they are received, and the line that they are joined to, from which \
the value is cut. The rest is garbage that V8 has not collected at that moment.`,
	];
}
