// One measurement of one tool input, in a process of its own.
import { answer } from '../lib/child.mjs';
import { median, timed } from '../lib/figures.mjs';
import { loadStreamLibrary } from '../lib/stream-library.mjs';

const { RunReader } = loadStreamLibrary();

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
		const { MessageFold } = loadStreamLibrary('message');
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
