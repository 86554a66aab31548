import { parsePartialJson as parseWithAi } from 'ai';
import * as fc from 'fast-check';
import { parsePartialJson } from '../../nodes/RunAutomation/stream/partial-json';

describe('the beginning of a JSON text', () => {
	test('is read as the AI SDK reads it, wherever it is cut', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.json({ maxDepth: 4 }),
				fc.constantFrom(undefined, 2),
				fc.double({ min: 0, max: 1, noNaN: true }),
				async (json, indent, share) => {
					const text = JSON.stringify(JSON.parse(json), null, indent);
					const beginning = text.slice(0, Math.round(text.length * share));
					expect(parsePartialJson(beginning)).toEqual((await parseWithAi(beginning)).value);
				},
			),
			{ numRuns: 500 },
		);
	});

	test.each([
		'{"a":"x\\',
		'{"a":"x\\u00',
		'{"a":"\\u0041',
		'[1,-',
		'[1.',
		'[1e',
		'[tr',
		'{"a":n',
		'{"a":{',
		'[[1],',
		'{"a',
		'',
		' ',
		'nonsense',
		'"a',
	])('%s', async (beginning) => {
		expect(parsePartialJson(beginning)).toEqual((await parseWithAi(beginning)).value);
	});
});
