import { readerOf } from '../support/reader';
import { parseJson } from '../../nodes/shared/values/json';

// What a line of a run is: a note, a part of a chunk, or a loss; and what numbers in it are.

function read(body: string, every = Infinity) {
	const reader = readerOf();
	const bytes = Buffer.from(body);
	for (let at = 0; at < bytes.length; at += every) reader.write(bytes.subarray(at, at + every));
	reader.end();
	return reader.finish();
}
const BEGIN = 'data: {"type":"text-start","id":"1"}\n\ndata: {"type":"text-delta","id":"1","delta":"Hi"}\n\n';
const END = 'data: {"type":"text-end","id":"1"}\n\ndata: {"type":"finish"}\n\n';

// sse-starlette#51
it.each([
	...['2026-11-28 13:00:05', '[PING]', 'ping 17', '2026-11-28T13:00:05.123Z', '[DONF]', '...', 'OK; still here'],
	...['[1,2]', '"a {note}"', '12.5', 'true', '[[]]', '["tick"]'],
])('a line that can be no part of a chunk is a note: %s', (line) => {
	const run = read(`${BEGIN}data: ${line}\n\n${END}`);
	expect(run).toMatchObject({ status: 'completed', warnings: [] });
	expect(run.message.parts).toMatchObject([{ text: 'Hi' }]);
});

it.each(['{"type":"text-delta","id":"1"', '"delta":"x"', 'x}', '{', '{"a":{"type":"text-delta"}}', '\0\0', 'a\uFFFDb'])(
	'a line that may be a part of a chunk is a loss: %j',
	(line) => expect(read(`${BEGIN}data: ${line}\n\n${END}`).status).toBe('incomplete'),
);

// toolhive#6102
const CUTS: Array<[string, string, string]> = [
	['between fields', '{"type":"text-delta","id":"1",\n"delta":" there"}', ' there'],
	['inside a text, whose line end counts', '{"type":"text-delta","id":"1","delta":" the\nre"}', ' the\nre'],
	['as indented JSON', '{\n  "type": "text-delta",\n  "id": "1",\n  "delta": " {th\\"ere"\n}', ' {th"ere'],
	['after a bracket in it', '{"x":{}\n,"type":"text-delta","id":"1","delta":" there"}', ' there'],
	['with a value alone in a line', '{"type":"text-delta","id":"1","x":[\n2,\n{"b":1}\n],"delta":" there"}', ' there'],
];
describe.each(CUTS)('a chunk over several lines of an event, cut %s,', (_where, chunk, delta) => {
	const event = `data: ${chunk.replaceAll('\n', '\ndata: ')}\n\n`;
	it.each([Infinity, 1, 7, 30])('is one chunk, in pieces of %d bytes', (every) => {
		const run = read(BEGIN + event + END, every);
		expect(run).toMatchObject({ status: 'completed', warnings: [], notes: [] });
		expect(run.message.parts).toMatchObject([{ text: `Hi${delta}` }]);
	});
	it('is one chunk beside others in the event', () => {
		const other = 'data: {"type":"text-delta","id":"1","delta":"!"}\n';
		const run = read(BEGIN + other + event.replace(/\n$/, other) + END);
		expect(run).toMatchObject({ status: 'completed', warnings: [] });
		expect(run.message.parts).toMatchObject([{ text: `Hi!${delta}!` }]);
	});
});

it.each([Infinity, 1, 9])('a line that is cut off takes no other with it, in pieces of %d bytes', (every) => {
	const cut = 'data: {"type":"text-delta","id":"1","del\n';
	for (const body of [BEGIN + cut + END, (BEGIN + cut + END).replaceAll('\n\n', '\n')]) {
		const run = read(body, every);
		expect(run).toMatchObject({ status: 'incomplete', reason: expect.stringContaining('(1 line)') as string });
		expect(run.message.parts).toMatchObject([{ text: 'Hi', state: 'done' }]);
	}
});

// voiden#431, adk-llm-bridge#67
it.each<[string, unknown]>([
	['{"id":174322306148984899}', { id: '174322306148984899' }],
	['[-9007199254740993,9007199254740991]', ['-9007199254740993', 9007199254740991]],
	[
		'{"a\\\\":"\\"174322306148984899","b":[174322306148984899]}',
		{ 'a\\': '"174322306148984899', b: ['174322306148984899'] },
	],
	['{"x":0.1234567890123456,"y":1e21,"z":10000000000000000}', { x: 0.1234567890123456, y: 1e21, z: 1e16 }],
	['174322306148984899', '174322306148984899'],
	['{"__proto__":174322306148984899,"b":"\\u0000"}', { b: '' }],
	['{"id":174322306148984899', undefined],
])('an integer that JavaScript cannot hold stays as it is written: %s', (json, value) => {
	expect(parseJson(json)).toEqual(value);
});

it('an integer in a chunk stays as it is written', () => {
	const run = read(`${BEGIN}data: {"type":"data-order","data":{"id":174322306148984899}}\n\n${END}`);
	expect(run.data).toEqual({ order: { id: '174322306148984899' } });
});
