import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What an agent writes: words with punctuation, now and then a line end or a quotation mark. */
const WORDS =
	'The page lists three cheaper offers, sorted by price; the second one "ships today".\nI open it next '.match(
		/\S+\s/g,
	);

/** One or two words, as models send them. `foreign` puts a character outside Latin-1 into every tenth delta. */
function delta(index, foreign) {
	const words = WORDS[index % WORDS.length] + (index % 3 === 0 ? WORDS[(index * 7 + 3) % WORDS.length] : '');
	return foreign && index % 10 === 0 ? `${words}– ` : words;
}

/** One step of an agent in 1,000 chunks: 110 deltas of reasoning, 600 of text, 200 of a tool's input, 90 others. */
function* step(number, foreign) {
	yield { type: 'start-step' };
	const id = `${number}`;
	yield { type: 'reasoning-start', id };
	for (let i = 0; i < 110; i++) yield { type: 'reasoning-delta', id, delta: delta(i, foreign) };
	yield { type: 'reasoning-end', id };
	yield { type: 'text-start', id };
	for (let i = 0; i < 600; i++) {
		yield { type: 'text-delta', id, delta: delta(i, foreign) };
		if (i % 8 === 0) yield { type: 'data-progress', id: 'progress', data: { done: i, of: 600 } };
	}
	yield { type: 'text-end', id };
	const toolCallId = `call-${number}`;
	yield { type: 'tool-input-start', toolCallId, toolName: 'fill' };
	const input = { rows: Array.from({ length: 100 }, (_, row) => ({ name: `Offer ${row}`, price: row * 1.5 })) };
	const json = JSON.stringify(input);
	for (let i = 0; i < 200; i++) {
		const [from, to] = [i, i + 1].map((part) => Math.round((json.length * part) / 200));
		yield { type: 'tool-input-delta', toolCallId, inputTextDelta: json.slice(from, to) };
	}
	yield { type: 'tool-input-available', toolCallId, toolName: 'fill', input };
	yield { type: 'tool-output-available', toolCallId, output: { rows: 100 } };
	for (let i = 0; i < 5; i++) {
		yield { type: 'source-url', sourceId: `${number}-${i}`, url: `https://shop.example/offers/${i}`, title: 'Offer' };
	}
	yield { type: 'finish-step' };
}

/** The chunks of a run of so many steps; with its start and its end, a few more than 1,000 for each step. */
export function* run(steps, { foreign = false } = {}) {
	yield { type: 'start', messageId: 'message' };
	for (let i = 0; i < steps; i++) yield* step(i, foreign);
	yield { type: 'finish', finishReason: 'stop' };
}

/** Server-sent events as the service writes them. */
export function* events(chunks) {
	for (const chunk of chunks) yield `data: ${JSON.stringify(chunk)}\n\n`;
	yield 'data: [DONE]\n\n';
}

/**
 * Renders a stream into a file, so that no measurement pays for the writing of it.
 *
 * @param {Iterable<string>} texts
 * @returns {{ file: string, bytes: number, remove: () => void }}
 */
export function render(texts) {
	const folder = mkdtempSync(join(tmpdir(), 'bench-'));
	const file = join(folder, 'stream');
	const body = Buffer.concat(Array.from(texts, (text) => Buffer.from(text)));
	writeFileSync(file, body);
	return { file, bytes: body.length, remove: () => rmSync(folder, { recursive: true }) };
}
