import * as fc from 'fast-check';
import { createDataLineReader } from '../../nodes/RunAutomation/stream/data-lines';
import corpus from '../corpus/sse.json';
import { fuzz } from './fuzz';

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

	test('characters, and bytes that are none, are read alike however they are cut', () => {
		const character = fc.constantFrom('data: ', 'a', 'é', '–', '😀', '\uFEFF', '\n').map((text) => Buffer.from(text));
		const bytes = fc.oneof(
			{ weight: 4, arbitrary: character },
			{ weight: 1, arbitrary: fc.uint8Array({ maxLength: 3 }).map((raw) => Buffer.from(raw)) },
		);
		fc.assert(
			fc.property(fc.array(fc.array(bytes, { maxLength: 6 }), { maxLength: 8 }), fc.nat(5), (parts, every) => {
				const body = Buffer.concat([Buffer.from('data: '), ...parts.flat()]);
				const decoded = Buffer.from(new TextDecoder().decode(body));
				const lines = (pieces: Buffer[]) => read(pieces).flat();
				expect(lines(cut(body, { every: every + 1 }))).toEqual(lines([decoded]));
				const pieces = parts.map((part) => Buffer.concat(part));
				expect(lines([Buffer.from('data: '), ...pieces])).toEqual(lines([decoded]));
			}),
			fuzz(1000),
		);
	});
});
