import { parsePartialJson as parseWithAi } from 'ai';
import * as fc from 'fast-check';
import { parsePartialJson } from '../../nodes/RunAutomation/stream/partial-json';
import { fuzz } from './fuzz';
import { jsonObject } from './stream-arbitraries';

/** A text that ends within a number, at its sign or in its exponent: there the versions of the AI SDK differ. */
const ENDS_IN_SIGN_OR_EXPONENT = /(-|[\d.]e[-+]?\d*)$/;

const json = fc.letrec((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4 },
		fc.constantFrom(null, true, false, '', '\\', '\n\u0001"', '{"', -0.5, 1e-7),
		fc.string({ unit: 'binary' }),
		// In an object the AI SDK reads 1e+21 as 1 until a value after it has begun.
		fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !String(number).includes('e+')),
		fc.integer(),
		fc.array(tie('value'), { maxLength: 4 }),
		jsonObject(
			// In a key, the AI SDK takes an escaped quotation mark for the end.
			fc.string().filter((key) => key !== '__proto__' && key !== 'constructor' && !key.includes('"')),
			tie('value'),
		),
	),
})).value;

describe('the beginning of a JSON text', () => {
	it('is read as the AI SDK reads it, wherever it is cut', async () => {
		// In percent: half of all numbers of floating point between 0 and 1 are next to nothing.
		const share = fc.integer({ min: 0, max: 100 });
		await fc.assert(
			fc.asyncProperty(json, fc.constantFrom(undefined, 2), share, async (value, indent, percent) => {
				const text = JSON.stringify(value, null, indent);
				const beginning = text.slice(0, Math.round((text.length * percent) / 100));
				fc.pre(beginning === text || !ENDS_IN_SIGN_OR_EXPONENT.test(beginning));
				expect(parsePartialJson(beginning)).toEqual((await parseWithAi(beginning)).value);
			}),
			fuzz(),
		);
	});

	const beginnings = ['{"a":"x\\u00', '{"a":"x\\\\u00', '[tr', '{"a":n', '{"a', '', 'nonsense'];
	it.each(beginnings)('is read from %s as the AI SDK reads it', async (beginning) => {
		expect(parsePartialJson(beginning)).toEqual((await parseWithAi(beginning)).value);
	});

	it.each([
		['[-', []],
		['[0,-', [0]],
		['{"a":-', {}],
		['[1.5e', [1.5]],
		['[1.5e+', [1.5]],
		['[1.5e+2', [150]],
		['[1e12', [1e12]],
		['[x1', []],
		['{"a":1.5e-2', { a: 0.015 }],
		['{"a":1e+21,"', { a: 1e21 }],
		['"a" 1', undefined],
		['1, 2', undefined],
	])('is read from %s up to the last whole part of a number', (beginning, value) => {
		expect(parsePartialJson(beginning)).toEqual(value);
	});

	const hostile = ['{"a":1,"__proto__":{"b":2}}', '{"a":1,"__proto__":{"b":2', '{"a":1,"\\u005f_proto__":{"b":2'];
	it.each(hostile)('is read from %s without a prototype', (beginning) => {
		expect(Object.keys(parsePartialJson(beginning) as object)).toEqual(['a']);
	});
});
