import * as fc from 'fast-check';
import { createChunkParser, parseChunk } from '../../nodes/RunAutomation/stream/chunk';
import { fuzz } from './fuzz';

const key = fc.constantFrom('type', 'id', 'delta', 'inputTextDelta', '0', '__proto__', 'a":"b', 'a"delta', ' ', '');
const shortText = fc.oneof(
	fc.string({ maxLength: 3 }),
	fc.string({ unit: 'grapheme', maxLength: 20 }),
	fc.constantFrom('x', 'foo, ', '":"', ',"delta":', '\\', '"', '}', '"}'),
	fc.constantFrom('\n', '\u0000', '\ud800', '\u2028', ' \n ', '__proto__'),
);
const value = fc.oneof({ weight: 4, arbitrary: shortText }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) });
const type = fc.oneof({ weight: 5, arbitrary: fc.constantFrom('text-delta', 'data-delta') }, shortText);

/** A payload as some server writes it: keys in any order and twice, with or without spaces, escaped or not. */
const written = (fields: Array<[string, unknown]>, [comma, colon]: readonly string[], isAscii: boolean) => {
	const text = fields.map(([name, field]) => `${JSON.stringify(name)}${colon}${JSON.stringify(field)}`).join(comma);
	const json = `{${text}}`;
	const escape = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
	return isAscii ? json.replace(/[^\0-\x7f]/g, escape) : json;
};
const style = fc.constantFrom([',', ':'], [', ', ': '], [' ,', ' :']);

/** Payloads of which many differ only in their last value, and some are broken there. */
const stream = fc
	.array(
		fc.tuple(
			fc.oneof(
				fc.tuple(type, shortText).map(([name, id]) => Object.entries<unknown>({ type: name, id })),
				fc.array(fc.tuple(key, value), { maxLength: 3 }),
			),
			key,
			style,
			fc.boolean(),
			fc.array(fc.tuple(value, fc.constantFrom('', '', '', ' ', '}', '"}', ',"type":1}', '\n', 'x')), { maxLength: 4 }),
		),
		{ maxLength: 4 },
	)
	.map((runs) =>
		runs.flatMap(([fields, last, gaps, isAscii, values]) =>
			values.map(([lastValue, tail]) => written([...fields, [last, lastValue]], gaps, isAscii) + tail),
		),
	);

const withKeys = (value: unknown): unknown =>
	typeof value === 'object' && value !== null
		? Object.entries(value).map(([name, inner]) => [name, withKeys(inner)])
		: value;

/** Pairs that a careless parser takes for alike; too rare to be met by chance each time. */
const FOUND = [
	['{"type":"a-delta","delta":"x"}', '{"type":"a-delta","delta":"x"x'],
	['{"type":"a-delta","delta":"x"}', '{"type":"a-delta","delta":"}'],
	['{"delta":"1","type":"a-delta","delta":"x"}', '{"delta":"1","type":"a-delta","delta":"y"}'],
	['{"type":"a-delta","id":"x","0":"x"}', '{"type":"a-delta","id":"x","0":"y"}'],
	['{"type":"a-delta","id":"x","i\\u0064":"x"}', '{"type":"a-delta","id":"x","i\\u0064":"y"}'],
	...[
		'{"a\\"delta":"x","type":"a-delta","delta":"x","a\\"delta":',
		'{"type":"a-delta","k":"0","a":"0",",\\"k":"x","a":"q,","k":',
	].map((start) => [`${start}"x"}`, `${start}"y"}`]),
	['{"type":"a-delta","delta":"x","__proto__":"x"}', '{"type":"a-delta","delta":"x","__proto__":"y"}'],
].map((pair): [string[]] => [pair]);

describe('the parser of a stream', () => {
	it('returns what each payload returns by itself', () => {
		fc.assert(
			fc.property(stream, (payloads) => {
				const parse = createChunkParser();
				const chunks = payloads.map((payload) => parse(payload));
				// Compared at the end: chunks must share nothing.
				expect(chunks.map(withKeys)).toEqual(payloads.map((payload) => withKeys(parseChunk(payload))));
			}),
			{ ...fuzz({ runs: 2000 }), examples: FOUND },
		);
	});

	it.each([
		['as it is', (text: string) => `{"type":"file","mediaType":"a/b","url":"${text}"}`],
		['with an escape', (text: string) => `{"type":"file","mediaType":"a/b","url":"${text}\\n"}`],
		['after an escaped quotation mark', (text: string) => `{"type":"file","mediaType":"a/b","url":"a\\"${text}"}`],
		['before another field', (text: string) => `{"type":"file","url":"${text}","mediaType":"a/b"}`],
		['inside an object', (text: string) => `{"type":"data-file","data":{"url":"${text}"}}`],
		['in a list', (text: string) => `{"type":"data-file","data":["${text}"]}`],
		['with a prototype', (text: string) => `{"type":"file","__proto__":"${text}"}`],
		['with a line end', (text: string) => `{"type":"file","mediaType":"a/b","url":"${text}\n"}`],
		['without its end', (text: string) => `{"type":"file","mediaType":"a/b","url":"${text}`],
		['with its quotation mark missing', (text: string) => `{"type":"file","mediaType":"a/b","url":${text}"}`],
	])('reads a long text %s', (_name, payloadOf) => {
		const parse = createChunkParser();
		for (const text of ['QmFzZTY0'.repeat(150_000), 'x'.repeat(1_100_000)]) {
			const chunk = parse(payloadOf(text));
			// Compared by hand: a message about texts of this length would take minutes.
			expect(JSON.stringify(chunk) === JSON.stringify(parseChunk(payloadOf(text)))).toBe(true);
		}
		expect(parse('{"type":"text-delta","id":"1","delta":"x"}')).toEqual({ type: 'text-delta', id: '1', delta: 'x' });
	});

	const delta = (value: string) => `{"type":"a-delta","delta":"${value}"}`;
	const nested = (value: string) => `{"type":"a-delta","m":{},"delta":"${value}"}`;
	const file = (size: number) => `{"type":"file","mediaType":"a/b","url":"${'x'.repeat(size)}"}`;
	const spaced = '{"type": "a-delta", "delta": "x"}';
	const whole = (...payloads: string[]): [string[], string[]] => [payloads, payloads.slice(-1)];
	it.each([
		[[delta('x'), delta('y')], []],
		[[delta('x'), delta('')], []],
		[[delta('x'), delta('x'.repeat(12))], []],
		[[delta('x'), delta('x'.repeat(13))], [`"${'x'.repeat(13)}"`]],
		[[delta('x'), delta('\\n')], ['"\\n"']],
		[[spaced, spaced], []],
		[[delta('x'), nested('x'), '{"type":"finish"}', delta('y')], []],
		[[file(1e6)], [file(0)]],
		[[file(1e6 - file(0).length)], [file(0), `"${'x'.repeat(1e6 - file(0).length)}"`]],
		[[delta('x'), `${file(1e6).slice(0, -1)},"n":1}`, delta('y')], []],
		whole(delta('x'), delta('y').slice(0, -1)),
		whole(delta('x'), '{"type":"a-delta","delta":1}'),
		whole(delta('x'), '{"type":"b-delta","delta":"y"}'),
		whole(nested('x'), nested('y')),
		whole('{"type":"a-delta","n":10}', '{"type":"a-delta","n":12}'),
		whole('{"type":"a-delta","a b":"x"}', '{"type":"a-delta","a b":"y"}'),
		whole(file(1e6 - file(0).length - 1)),
	])('parses of a payload only what it must (%#)', (payloads, parsed) => {
		const parse = createChunkParser();
		payloads.slice(0, -1).forEach((payload) => parse(payload));
		const spy = jest.spyOn(JSON, 'parse');
		parse(payloads.at(-1)!);
		const texts = spy.mock.calls.map(([text]) => text);
		spy.mockRestore();
		expect(texts.map(({ length }) => length)).toEqual(parsed.map(({ length }) => length));
		expect(texts.every((text, index) => text === parsed[index])).toBe(true);
	});

	it('hands out objects that share nothing', () => {
		const parse = createChunkParser();
		const [first, second] = [parse(delta('1'))!, parse(delta('2'))!];
		first.type = 'changed';
		expect(second).toEqual({ type: 'a-delta', delta: '2' });
		expect(parse(delta('3'))).toEqual({ type: 'a-delta', delta: '3' });
	});
});
