import { readJson } from '../../nodes/shared/json';
import { shapeOf, TYPES, type ColumnType } from '../../nodes/RunAutomation/reply/types';

interface Case {
	fits: unknown;
	doesNotFit: unknown;
	/** A value of a JSON example that makes a column of the type; undefined if none does. */
	example: unknown;
}

// A type without a case does not compile.
const CASES: Record<ColumnType, Case> = {
	boolean: { fits: true, doesNotFit: 'yes', example: false },
	choice: { fits: 'new', doesNotFit: 'old', example: undefined },
	date: { fits: '2026-01-31', doesNotFit: '31.01.2026', example: '2026-01-31T09:30:00Z' },
	link: { fits: 'https://example.com/a', doesNotFit: '/a', example: 'https://example.com' },
	list: { fits: ['a'], doesNotFit: 'a, b', example: [] },
	number: { fits: 1.5, doesNotFit: '1.5 EUR', example: 24.9 },
	object: { fits: { a: 1 }, doesNotFit: ['a'], example: {} },
	text: { fits: 'Lamp', doesNotFit: true, example: 'Lamp' },
};

const jsonOf = (value: unknown) => readJson(JSON.stringify(value)).json!;
const cases = Object.entries(CASES) as Array<[ColumnType, Case]>;

it('every type has a case', () => expect(Object.keys(CASES)).toEqual(Object.keys(TYPES)));

describe.each(cases)('a column of type %s', (type, { fits, doesNotFit, example }) => {
	it('takes a value that fits, and no other', () => {
		const shape = { type, choices: ['new', 'used'] };
		expect(TYPES[type].read(jsonOf(fits), shape)).toEqual(fits);
		expect(TYPES[type].read(jsonOf(doesNotFit), shape)).toBeUndefined();
	});

	it('is made by a JSON example, unless that cannot tell', () => {
		const refuse = (path: string) => new Error(path);
		const made = cases.filter(([, { example: given }]) => {
			return given !== undefined && shapeOf(jsonOf(given), 'a', refuse).type === type;
		});
		expect(made.map(([name]) => name)).toEqual(example === undefined ? [] : [type]);
	});
});
