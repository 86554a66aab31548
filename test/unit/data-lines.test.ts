import * as fc from 'fast-check';
import { DataLineReader } from '../../nodes/RunAutomation/run/data-lines';
import corpus from '../corpus/sse.json';
import { fuzz } from './fuzz';

type Split = number[] | { every: number };
interface Entry {
	id: string;
	bytes: string;
	splits: Split[];
	lines: string[];
}
const entries = corpus.entries as unknown as Entry[];

function cut(bytes: Buffer, split: Split): Buffer[] {
	const offsets = Array.isArray(split)
		? split
		: Array.from({ length: Math.floor(bytes.length / split.every) }, (_, i) => (i + 1) * split.every);
	return [0, ...offsets].map((from, i) => bytes.subarray(from, offsets[i] ?? bytes.length));
}

function read(pieces: Buffer[]): string[] {
	const reader = new DataLineReader();
	return [...pieces.flatMap((piece) => reader.write(piece)), ...reader.end()].map(({ data }) => data);
}

describe('the data lines of a byte stream', () => {
	it.each(entries)('are the same, however it is cut: $id', ({ bytes, splits, lines }) => {
		for (const split of splits) expect([split, read(cut(Buffer.from(bytes, 'base64'), split))]).toEqual([split, lines]);
	});

	it('hold the same characters, and marks for bytes that are none, however they are cut', () => {
		const character = fc
			.constantFrom(...['data: ', 'data', ': a', 'a', 'é', '–', '😀', '\uFEFF', '\n', '\r', '\r\n', '\0'])
			.map((text) => Buffer.from(text));
		const bytes = fc.oneof(
			{ weight: 4, arbitrary: character },
			{ weight: 1, arbitrary: fc.uint8Array({ maxLength: 3 }).map((raw) => Buffer.from(raw)) },
		);
		fc.assert(
			fc.property(fc.array(fc.array(bytes, { maxLength: 6 }), { maxLength: 8 }), fc.nat(5), (parts, every) => {
				const body = Buffer.concat([Buffer.from('data: '), ...parts.flat()]);
				const decoded = Buffer.from(new TextDecoder().decode(body));
				expect(read(cut(body, { every: every + 1 }))).toEqual(read([decoded]));
				const pieces = parts.map((part) => Buffer.concat(part));
				expect(read([Buffer.from('data: '), ...pieces])).toEqual(read([decoded]));
			}),
			fuzz(1000),
		);
	});
});
