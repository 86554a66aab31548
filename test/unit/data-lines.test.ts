import { createDataLineReader } from '../../nodes/RunAutomation/stream/data-lines';
import corpus from '../corpus/sse.json';

type Split = number[] | { every: number };
interface Entry {
	id: string;
	bytes: string;
	splits: Split[];
	expected: string[];
	expectedWithFlush?: string[];
	dataLines?: string[];
}
const entries = corpus.entries as unknown as Entry[];

function cut(bytes: Buffer, split: Split): Buffer[] {
	const offsets = Array.isArray(split)
		? split
		: Array.from({ length: Math.floor(bytes.length / split.every) }, (_, i) => (i + 1) * split.every);
	return [0, ...offsets].map((from, i) => bytes.subarray(from, offsets[i] ?? bytes.length));
}

/** The lines of every event, in order. */
function read(pieces: Buffer[]): string[][] {
	const events: string[][] = [[]];
	const reader = createDataLineReader({
		onLine: (value) => events.at(-1)!.push(value),
		onEventEnd: () => events.push([]),
		onUnknownField: () => {},
	});
	for (const piece of pieces) reader.write(piece);
	reader.end();
	return events.filter((lines) => lines.length > 0);
}

describe('the data lines of a byte stream', () => {
	describe.each(entries.map((entry) => [entry.id, entry] as const))('%s', (_id, entry) => {
		test.each(entry.splits.map((split) => [JSON.stringify(split), split] as const))('cut at %s', (_name, split) => {
			const events = read(cut(Buffer.from(entry.bytes, 'base64'), split));
			const expected = entry.expectedWithFlush ?? entry.expected;
			expect(events.map((lines) => lines.join('\n'))).toEqual(expected);
			expect(events.flat()).toEqual(entry.dataLines ?? expected);
		});
	});

	test('a line is handed over as soon as its end has arrived, without a blank line', () => {
		const lines: string[] = [];
		const reader = createDataLineReader({
			onLine: (value) => lines.push(value),
			onEventEnd: () => {},
			onUnknownField: () => {},
		});
		const write = (text: string) => {
			reader.write(Buffer.from(text));
			return lines.splice(0);
		};
		expect(write('data: a\n')).toEqual(['a']);
		expect(write('data: b\r')).toEqual(['b']);
		expect(write('\ndata: c')).toEqual([]);
		expect(write('\ndata: d\ndata: e\ndata: f')).toEqual(['c', 'd', 'e']);
		reader.end();
		expect(lines).toEqual(['f']);
	});
});
