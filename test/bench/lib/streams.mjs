import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What an agent writes: words with punctuation, now and then a line end or a quotation mark. */
const WORDS =
	'The page lists three cheaper offers, sorted by price; the second one "ships today".\nI open it next '.match(
		/\S+\s/g,
	);

/** One or two words, as models send them. */
const delta = (index) => WORDS[index % WORDS.length] + (index % 3 === 0 ? WORDS[(index * 7 + 3) % WORDS.length] : '');

/** A text in so many pieces of the same length. */
const cut = (text, pieces) =>
	Array.from({ length: pieces }, (_, i) =>
		text.slice(...[i, i + 1].map((part) => Math.round((text.length * part) / pieces))),
	);

/** One step of an agent in 1,000 chunks: 110 deltas of reasoning, 600 of text, 200 of a tool's input, 90 others. */
function* step(number) {
	yield { type: 'start-step' };
	const id = `${number}`;
	yield { type: 'reasoning-start', id };
	for (let i = 0; i < 110; i++) yield { type: 'reasoning-delta', id, delta: delta(i) };
	yield { type: 'reasoning-end', id };
	yield { type: 'text-start', id };
	for (let i = 0; i < 600; i++) {
		yield { type: 'text-delta', id, delta: delta(i) };
		if (i % 8 === 0) yield { type: 'data-progress', id: 'progress', data: { done: i, of: 600 } };
	}
	yield { type: 'text-end', id };
	const toolCallId = `call-${number}`;
	yield { type: 'tool-input-start', toolCallId, toolName: 'fill' };
	const input = { rows: Array.from({ length: 100 }, (_, row) => ({ name: `Offer ${row}`, price: row * 1.5 })) };
	const json = JSON.stringify(input);
	yield* cut(json, 200).map((inputTextDelta) => ({ type: 'tool-input-delta', toolCallId, inputTextDelta }));
	yield { type: 'tool-input-available', toolCallId, toolName: 'fill', input };
	yield { type: 'tool-output-available', toolCallId, output: { rows: 100 } };
	for (let i = 0; i < 5; i++) {
		yield { type: 'source-url', sourceId: `${number}-${i}`, url: `https://shop.example/offers/${i}`, title: 'Offer' };
	}
	yield { type: 'finish-step' };
}

/** The chunks of a run of so many steps; with its start and its end, a few more than 1,000 for each step. */
export function* run(steps) {
	yield { type: 'start', messageId: 'message' };
	for (let i = 0; i < steps; i++) yield* step(i);
	yield { type: 'finish', finishReason: 'stop' };
}

/** A file of so many bytes as a `data:` URL in one line. */
export function* file(bytes) {
	const url = `data:application/pdf;base64,${'QmFzZTY0'.repeat(bytes / 8)}`;
	yield { type: 'file', mediaType: 'application/pdf', url };
	yield { type: 'finish' };
}

/**
 * Writes a stream into a file, as the service sends it, so that no measurement pays for the writing of it.
 *
 * @param {Iterable<object>} chunks
 * @returns {{ file: string, bytes: number, chunks: number, remove: () => void }}
 */
export function render(chunks) {
	const folder = mkdtempSync(join(tmpdir(), 'bench-'));
	const path = join(folder, 'stream');
	const events = Array.from(chunks, (chunk) => Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`));
	const body = Buffer.concat([...events, Buffer.from('data: [DONE]\n\n')]);
	writeFileSync(path, body);
	return { file: path, bytes: body.length, chunks: events.length, remove: () => rmSync(folder, { recursive: true }) };
}

/** What it takes to parse the payloads of such a file, and nothing else: the limit for every reader. */
export function parsingOf(path) {
	const events = readFileSync(path, 'utf8').split('\n\n').slice(0, -2);
	// Copies: strings of their own, and not views of one text.
	const payloads = events.map((event) => Buffer.from(event.slice('data: '.length)).toString());
	return () => {
		for (const payload of payloads) JSON.parse(payload);
	};
}
