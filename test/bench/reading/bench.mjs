import { measure } from '../lib/child.mjs';
import { count, duration, median, megabytes, times } from '../lib/figures.mjs';
import { table } from '../lib/report.mjs';
import { events, render, run as chunksOf } from '../lib/streams.mjs';

const READERS = new URL('./readers.mjs', import.meta.url);
const ROUNDS = 5;

/** The limit for a reader that hands every chunk over as an object, what a user would take instead, and ours. */
const LIMIT = '`JSON.parse` of the payloads alone';
const READER_OF = {
	[LIMIT]: 'JSON.parse',
	'`eventsource-parser` and `JSON.parse`': 'eventsource-parser',
	'**`stream/`**, with the message': 'stream/',
	'`readUIMessageStream` of `ai`, with the message': 'ai',
};

const SIZES = [
	{ label: '1 k', steps: 1, withAi: true },
	{ label: '10 k', steps: 10, withAi: true },
	{ label: '100 k', steps: 100 },
	{ label: '1 M', steps: 1000 },
	{ label: '100 k, one block each', steps: 100, onePerBlock: true },
	{ label: '100 k, not Latin-1', steps: 100, foreign: true },
];

export const title = 'Reading and folding a stream';

/** The contenders take turns, and each ratio is one of neighbours in time, so that a busy moment meets all of them. */
async function timeRows({ label, steps, withAi, onePerBlock }, { file, bytes }) {
	const results = {};
	for (let round = 0; round < ROUNDS; round++) {
		for (const [row, reader] of Object.entries(READER_OF)) {
			if (reader === 'ai' && (!withAi || round > 0)) continue;
			(results[row] ??= []).push(await measure(READERS, { measure: 'time', reader, file, onePerBlock }));
		}
	}
	return Object.entries(results).map(([row, rounds]) => {
		const middle = (kind) => median(rounds.map((result) => result[kind]));
		const ratio = (kind) => times(median(rounds.map((result, i) => result[kind] / results[LIMIT][i][kind])));
		const wall = middle('wall');
		const rates = [count(bytes / 1e3 / wall), count((steps * 1e6) / wall)];
		return [label, row, duration(wall), duration(middle('cpu')), ratio('wall'), ratio('cpu'), ...rates];
	});
}

async function memoryRows({ label, withAi }, { file, bytes }) {
	const peaks = async (reader) => {
		const results = [];
		for (let i = 0; i < 3; i++) results.push(await measure(READERS, { measure: 'memory', reader, file }));
		return { peak: median(results.map(({ peak }) => peak)), messageBytes: results[0].messageBytes };
	};
	const { peak: discarding } = await peaks('discard');
	const rows = [];
	for (const [row, reader] of Object.entries(READER_OF)) {
		if (reader === 'JSON.parse' || (reader === 'ai' && !withAi)) continue;
		const { peak, messageBytes } = await peaks(reader);
		const above = peak - discarding;
		const message = messageBytes ? [megabytes(messageBytes), megabytes(above - messageBytes)] : ['none kept', ''];
		rows.push([label, row, megabytes(bytes), megabytes(above), ...message]);
	}
	return rows;
}

export async function run() {
	const times = [];
	const memory = [];
	for (const size of SIZES) {
		const stream = render(events(chunksOf(size.steps, size)));
		try {
			times.push(...(await timeRows(size, stream)));
			if (!size.onePerBlock) memory.push(...(await memoryRows(size, stream)));
		} finally {
			stream.remove();
		}
	}
	return [
		`A run of an agent: 60 % text, 11 % reasoning, 20 % tool input and 9 % others, about 68 bytes a chunk, in blocks of \
64 kB as a fast network delivers them (or each chunk in a block of its own, as an agent writes). The bytes are in memory, \
the code is warm. Medians of ${ROUNDS} processes each; \`ai\` in one, because its time grows with the square of the length.`,
		table(['Chunks', 'Reader', 'Time', 'Processor', '÷ limit, time', '÷ limit, processor', 'MB/s', 'Chunks/s'], times),
		`Memory: the peak of the resident set above that of the same process discarding the bytes, which come from a file in \
blocks of 64 kB. Medians of 3 processes. The size of a message is that of its JSON.`,
		table(['Chunks', 'Reader', 'Stream', 'Peak above', 'Message', 'Above the message'], memory),
		`Time grows with the length of the stream, memory with the message and not with the number of chunks. If each \
chunk comes in a block of its own, each also costs a decoding and a parser call, as with \
\`eventsource-parser\`.`,
	];
}
