// One measurement of one way to read a stream, in a process of its own.
import { DefaultChatTransport, readUIMessageStream } from 'ai';
import { createParser } from 'eventsource-parser';
import { createReadStream, readFileSync } from 'node:fs';
import { answer } from '../lib/child.mjs';
import { median, peakMemory, timed } from '../lib/figures.mjs';
import { loadStreamLibrary } from '../lib/stream-library.mjs';

const { RunReader } = loadStreamLibrary();

/** Each takes the bytes block by block and gives the message, where it makes one. */
const readers = {
	discard: () => ({ write() {}, end() {} }),
	'eventsource-parser': () => {
		const decoder = new TextDecoder();
		const parser = createParser({
			onEvent: ({ data }) => {
				if (data !== '[DONE]') JSON.parse(data);
			},
		});
		return {
			write: (bytes) => parser.feed(decoder.decode(bytes, { stream: true })),
			end: () => parser.feed(decoder.decode()),
		};
	},
	'stream/': () => {
		const reader = new RunReader();
		return { write: (bytes) => reader.write(bytes), end: () => reader.finish({ kind: 'ended' }).message };
	},
	ai: () => {
		class Transport extends DefaultChatTransport {
			read = (bytes) => this.processResponseStream(bytes);
		}
		let controller;
		const stream = new Transport().read(new ReadableStream({ start: (given) => (controller = given) }));
		const last = (async () => {
			let message;
			for await (message of readUIMessageStream({ stream }));
			return message;
		})();
		return {
			write: (bytes) => controller.enqueue(bytes),
			end: async () => {
				controller.close();
				return await last;
			},
		};
	},
};

const BLOCK = 64 * 1024;

/** Milliseconds. */
const WARM_UP = 500;
const SAMPLE = 100;
const SAMPLES = 3;

function cut(bytes, onePerBlock) {
	const blocks = [];
	for (let from = 0; from < bytes.length; from += blocks.at(-1).length) {
		const to = onePerBlock ? bytes.indexOf('\n\n', from) + 2 : from + BLOCK;
		blocks.push(bytes.subarray(from, to));
	}
	return blocks;
}

/** What is to be timed: the whole reading of a stream that is in memory. */
function readingOf(reader, file, onePerBlock) {
	const bytes = readFileSync(file);
	if (reader === 'JSON.parse') {
		const events = bytes.toString().split('\n\n').slice(0, -2);
		// Copies: strings of their own, and not views of one text.
		const payloads = events.map((event) => Buffer.from(event.slice('data: '.length)).toString());
		return () => {
			for (const payload of payloads) JSON.parse(payload);
		};
	}
	const blocks = cut(bytes, onePerBlock);
	return async () => {
		const { write, end } = readers[reader]();
		for (const block of blocks) write(block);
		await end();
	};
}

/** The mean of one reading, of readings that take a tenth of a second together: a single short one cannot be timed. */
async function time({ reader, file, onePerBlock }) {
	const read = readingOf(reader, file, onePerBlock);
	const repeatFor = async (milliseconds) => {
		let readings = 0;
		const { wall, cpu } = await timed(async () => {
			const end = performance.now() + milliseconds;
			do {
				await read();
				readings++;
			} while (performance.now() < end);
		});
		return { wall: wall / readings, cpu: cpu / readings };
	};
	await repeatFor(WARM_UP);
	const results = [];
	for (let i = 0; i < SAMPLES; i++) results.push(await repeatFor(SAMPLE));
	return { wall: median(results.map(({ wall }) => wall)), cpu: median(results.map(({ cpu }) => cpu)) };
}

async function memory({ reader, file }) {
	const { write, end } = readers[reader]();
	for await (const block of createReadStream(file, { highWaterMark: BLOCK })) write(block);
	const message = await end();
	const peak = peakMemory();
	return { peak, messageBytes: message ? Buffer.byteLength(JSON.stringify(message)) : 0 };
}

answer((input) => (input.measure === 'time' ? time(input) : memory(input)));
