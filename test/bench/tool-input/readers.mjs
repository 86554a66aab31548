// One measurement of one tool input, in a process of its own.
import { buildSync } from 'esbuild';
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answer } from '../lib/child.mjs';
import { median, timed } from '../lib/figures.mjs';

const require = createRequire(import.meta.url);
const { RunReader } = require('../../../dist/nodes/RunAutomation/stream/index.js');

/** The fold by itself, which the built package does not give out. */
function loadFold() {
	const folder = mkdtempSync(join(tmpdir(), 'bench-'));
	const entry = fileURLToPath(new URL('../../../nodes/RunAutomation/stream/message.ts', import.meta.url));
	const outfile = join(folder, 'message.cjs');
	buildSync({ entryPoints: [entry], bundle: true, format: 'cjs', platform: 'node', outfile });
	const { MessageFold } = require(outfile);
	rmSync(folder, { recursive: true });
	return MessageFold;
}

function* chunksOf(deltas) {
	const toolCallId = 'call';
	const json = JSON.stringify({ text: 'The page lists three cheaper offers. '.repeat(1750).slice(0, 64_000 - 11) });
	yield { type: 'start', messageId: 'message' };
	yield { type: 'tool-input-start', toolCallId, toolName: 'write' };
	for (let i = 0; i < deltas; i++) {
		const [from, to] = [i, i + 1].map((part) => Math.round((json.length * part) / deltas));
		yield { type: 'tool-input-delta', toolCallId, inputTextDelta: json.slice(from, to) };
	}
}

function check({ parts: [{ input }] }) {
	if (input.text.length !== 64_000 - 11) throw new Error('The input is not complete');
}

const ways = {
	fold: (chunks) => {
		const MessageFold = loadFold();
		return () => {
			const fold = new MessageFold();
			for (const chunk of chunks) fold.apply(chunk);
			check(fold.message());
		};
	},
	'JSON.parse': (chunks) => {
		const payloads = chunks.map((chunk) => JSON.stringify(chunk));
		return () => {
			for (const payload of payloads) JSON.parse(payload);
		};
	},
	'stream/': (chunks) => {
		const bytes = Buffer.from(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
		return () => {
			const reader = new RunReader();
			for (let from = 0; from < bytes.length; from += 65_536) reader.write(bytes.subarray(from, from + 65_536));
			check(reader.finish({ kind: 'ended' }).message);
		};
	},
};

answer(async ({ way, deltas }) => {
	const action = ways[way]([...chunksOf(deltas)]);
	const results = [];
	for (let i = 0; i < 300; i++) results.push(await timed(action));
	const middle = (kind) => median(results.slice(100).map((result) => result[kind]));
	return { wall: middle('wall'), cpu: middle('cpu') };
});
