import { DefaultChatTransport, readUIMessageStream } from 'ai';
import { createParser } from 'eventsource-parser';
import { createReadStream, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { megabytes, middle, peakMemory, takeTurns, timed, TIMES, timesOf } from './lib/figures.mjs';
import { measure } from './lib/measure.mjs';
import { file, parsingOf, render, run as agentRun } from './lib/streams.mjs';

/** The limit for a reader that hands every chunk over as an object, what a user would take instead, and ours. */
const LIMIT = '`JSON.parse` of the payloads alone';
const AI = '`readUIMessageStream` of `ai`, with the message';
const READER_OF = {
	[LIMIT]: 'JSON.parse',
	'`eventsource-parser` and `JSON.parse`': 'eventsource-parser',
	'**`stream/`**, with the message': 'stream/',
	[AI]: 'ai',
};

const STREAMS = [
	{ label: '1 k', chunks: () => agentRun(1), withAi: true },
	{ label: '10 k', chunks: () => agentRun(10), withAi: true },
	{ label: '100 k', chunks: () => agentRun(100) },
	{ label: '1 M', chunks: () => agentRun(1000) },
	{ label: '100 k, one block each', chunks: () => agentRun(100), onePerBlock: true },
	{ label: '2, one of them a file of 50 MB', chunks: () => file(50e6) },
];

const ROUNDS = 5;
const BLOCK = 64 * 1024;

/** Milliseconds. */
const WARM_UP = 500;
const SAMPLE = 300;

/** Where the stream library is compiled to: not in a measuring process, as its memory is measured. */
const LIBRARY = fileURLToPath(new URL('../../node_modules/.cache/bench/stream.cjs', import.meta.url));
const loadStreamLibrary = () => createRequire(import.meta.url)(LIBRARY);

/** Each takes the bytes block by block and gives the message, if it makes one. */
const readers = {
	discard: () => ({ write() {}, end() {} }),
	'eventsource-parser': () => {
		const decoder = new TextDecoder();
		const parser = createParser({ onEvent: ({ data }) => data === '[DONE]' || JSON.parse(data) });
		return {
			write: (bytes) => parser.feed(decoder.decode(bytes, { stream: true })),
			end: () => parser.feed(decoder.decode()),
		};
	},
	'stream/': ({ RunReader }) => {
		const reader = new RunReader();
		return {
			write: (bytes) => reader.write(bytes),
			end: () => {
				reader.end();
				return reader.finish().message;
			},
		};
	},
	ai: () => {
		let controller;
		const bytes = new ReadableStream({ start: (given) => (controller = given) });
		const stream = new DefaultChatTransport().processResponseStream(bytes);
		const last = (async () => {
			let message;
			for await (message of readUIMessageStream({ stream }));
			return message;
		})();
		return {
			write: (block) => controller.enqueue(block),
			end: async () => {
				controller.close();
				return await last;
			},
		};
	},
};

function cut(bytes, onePerBlock) {
	const blocks = [];
	for (let from = 0; from < bytes.length; from += blocks.at(-1).length) {
		const to = onePerBlock ? bytes.indexOf('\n\n', from) + 2 : from + BLOCK;
		blocks.push(bytes.subarray(from, to));
	}
	return blocks;
}

/** What is to be timed: the whole reading of a stream that is in memory. */
function readingOf(reader, path, onePerBlock) {
	if (reader === 'JSON.parse') return parsingOf(path);
	const blocks = cut(readFileSync(path), onePerBlock);
	const library = loadStreamLibrary();
	return async () => {
		const { write, end } = readers[reader](library);
		for (const block of blocks) write(block);
		await end();
	};
}

/** The mean of one reading, of readings that take some time together: a single short one cannot be timed. */
async function time({ reader, path, onePerBlock }) {
	const read = readingOf(reader, path, onePerBlock);
	let readings = 0;
	const repeatFor = async (milliseconds) => {
		const end = performance.now() + milliseconds;
		for (readings = 0; readings === 0 || performance.now() < end; readings++) await read();
	};
	await repeatFor(WARM_UP);
	const { wall, cpu } = await timed(async () => await repeatFor(SAMPLE));
	return { wall: wall / readings, cpu: cpu / readings };
}

async function memory({ reader, path }) {
	const { write, end } = readers[reader](loadStreamLibrary());
	for await (const block of createReadStream(path, { highWaterMark: BLOCK })) write(block);
	const message = await end();
	// The peak first: the JSON is not part of it.
	return { peak: peakMemory(), messageBytes: message ? Buffer.byteLength(JSON.stringify(message)) : 0 };
}

export const measurement = (input) => (input.isMemory ? memory(input) : time(input));

async function timeRows({ label, withAi, onePerBlock }, stream) {
	const timeOf = async (row) =>
		await measure(import.meta.url, { reader: READER_OF[row], path: stream.file, onePerBlock });
	const results = await takeTurns(Object.keys(READER_OF).slice(0, -1), ROUNDS, timeOf);
	if (withAi) results[AI] = [await timeOf(AI)];
	return Object.entries(results).map(([row, rounds]) => [label, row, ...timesOf(rounds, results[LIMIT], stream)]);
}

async function memoryRows({ label, withAi }, { file: path, bytes }) {
	const measureOne = async (reader) => await measure(import.meta.url, { isMemory: true, reader, path });
	const contenders = Object.entries(READER_OF).slice(2, withAi ? undefined : -1);
	const results = await takeTurns(['discard', ...contenders.map(([, reader]) => reader)], 3, measureOne);
	return contenders.map(([row, reader]) => {
		const [{ messageBytes }] = results[reader];
		const above = middle(results[reader], 'peak') - middle(results.discard, 'peak');
		return [label, row, ...[bytes, above, messageBytes, above - messageBytes].map(megabytes)];
	});
}

export const title = 'Reading and folding a stream';

export async function run() {
	const { build } = await import('rolldown');
	const input = 'nodes/RunAutomation/stream/index.ts';
	await build({ input, platform: 'node', output: { format: 'cjs', file: LIBRARY } });
	const times = [];
	const memories = [];
	for (const given of STREAMS) {
		const stream = render(given.chunks());
		try {
			times.push(...(await timeRows(given, stream)));
			if (!given.onePerBlock) memories.push(...(await memoryRows(given, stream)));
		} finally {
			stream.remove();
		}
	}
	return [
		`A run of an agent: 60 % text, 11 % reasoning, 20 % tool input and 9 % others, about 68 bytes a chunk, in blocks of \
64 kB as a fast network delivers them (or each chunk in a block of its own, as an agent writes). The bytes are in memory, \
the code is warm. Medians of ${ROUNDS} processes each; \`ai\` in one, because its time grows with the square of the length.`,
		[['Chunks', 'Reader', ...TIMES], ...times],
		`Memory: the peak of the resident set above that of the same process discarding the bytes, which are read from disk in \
blocks of 64 kB. Medians of 3 processes. The size of a message is that of its JSON.`,
		[['Chunks', 'Reader', 'Stream', 'Peak above', 'Message', 'Above the message'], ...memories],
		`Time grows with the length of the stream, memory with the message and not with the number of chunks. If each \
chunk is received in a block of its own, each also costs a decoding and a parser call, as with \`eventsource-parser\`. The \
input of a tool is parsed once at its end and not at each delta, and of each delta only what differs from the one before. \
Of a file, two copies exist at one time: the pieces as they are received, and the line that they are joined to, from which \
the value is cut.`,
	];
}
