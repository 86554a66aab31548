/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- test code, never shipped */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { compileFunction } from 'node:vm';
import type * as reading from '../../nodes/RunAutomation/run/read-run';

// What reading a stream costs beside the limit for every reader that gives chunks: `JSON.parse` of the payloads alone.

/** The reader in the built file that is shipped, which does not export it. */
function loadShipped(): typeof reading.RunReader {
	const file = path.resolve('dist/nodes/RunAutomation/execute/batch.js');
	const code = `${readFileSync(file, 'utf8')}\nreturn RunReader;`;
	const load = compileFunction(code, ['require', 'exports'], { filename: file });
	return (load as (...values: unknown[]) => typeof reading.RunReader)(createRequire(file), {});
}

const RunReader = loadShipped();
const READING = { operation: 'raw', knowsLinks: false, keepsChunks: false, maxBytes: Infinity };

const ROUNDS = 5;
const BLOCK = 64 * 1024;
/** Milliseconds of one measurement: a single short reading cannot be timed. */
const SAMPLE = 300;

type Chunk = Record<string, unknown>;

const WORDS = 'The page lists three cheaper offers, sorted by price; the second "ships today".\nI open it'.split(' ');
const delta = (index: number) => `${WORDS[index % WORDS.length]} `;

/** One step of an agent in about 1,000 chunks: reasoning, text, and the input of a tool. */
function step(number: number): Chunk[] {
	const id = `${number}`;
	const deltas = (type: string, count: number) =>
		Array.from({ length: count }, (_, i) => ({ type, id, delta: delta(i) }));
	const tool = { toolCallId: `call-${number}`, toolName: 'fill' };
	const input = { rows: Array.from({ length: 100 }, (_, row) => ({ name: `Offer ${row}`, price: row * 1.5 })) };
	const pieces = JSON.stringify(input).match(/.{1,16}/g)!;
	return [
		{ type: 'reasoning-start', id },
		...deltas('reasoning-delta', 110),
		{ type: 'text-start', id },
		...deltas('text-delta', 680),
		{ type: 'tool-input-start', ...tool },
		...pieces.map((inputTextDelta) => ({ type: 'tool-input-delta', ...tool, inputTextDelta })),
		{ type: 'tool-input-available', ...tool, input },
	];
}

const run = (steps: number): Chunk[] => [
	{ type: 'start', messageId: 'message' },
	...Array.from({ length: steps }, (_, number) => step(number)).flat(),
	{ type: 'finish', finishReason: 'stop' },
];

const STREAMS = [1, 10, 100].map((steps): [name: string, chunks: Chunk[]] => [`${steps},000 chunks`, run(steps)]);

/** Milliseconds of one reading. */
function timeOf(read: () => void): number {
	const start = performance.now();
	let count = 0;
	for (; count === 0 || performance.now() < start + SAMPLE; count++) read();
	return (performance.now() - start) / count;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** A row: how long both take, in turns, so that a busy moment meets both. */
function measure(name: string, chunks: Chunk[]) {
	// Copies: strings of their own, and not views of one text.
	const payloads = chunks.map((chunk) => Buffer.from(JSON.stringify(chunk)).toString());
	const bytes = Buffer.from([...payloads, '[DONE]'].map((payload) => `data: ${payload}\n\n`).join(''));
	const starts = Array.from({ length: Math.ceil(bytes.length / BLOCK) }, (_, i) => i * BLOCK);
	const blocks = starts.map((start) => bytes.subarray(start, start + BLOCK));
	const parse = () => payloads.forEach((payload) => JSON.parse(payload) as unknown);
	const read = () => {
		const reader = new RunReader(READING as never, { quote: String } as never);
		for (const block of blocks) reader.write(block);
		reader.end();
		if (!reader.finish().message) throw new Error('No message');
	};
	// The code is to be warm.
	for (const action of [parse, read]) timeOf(action);
	const times = Array.from({ length: ROUNDS }, () => [timeOf(parse), timeOf(read)]);
	const medianOf = (value: (time: number[]) => number) => median(times.map(value));
	return {
		Stream: name,
		'JSON.parse alone': `${medianOf(([limit]) => limit).toFixed(1)} ms`,
		Reading: `${medianOf(([, ours]) => ours).toFixed(1)} ms`,
		Ratio: medianOf(([limit, ours]) => ours / limit).toFixed(2),
	};
}

console.table(STREAMS.map(([name, chunks]) => measure(name, chunks)));
