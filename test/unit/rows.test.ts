import fc from 'fast-check';

import type { RowsInReply } from '../../nodes/RunAutomation/reply/read-rows';
import { each } from '../support/each';
import { formatOf, NUMBER, TEXT, rowsIn } from '../support/rows-format';
import { fuzz } from './fuzz';

const fence = (content: string, language = 'json') => `\`\`\`${language}\n${content}\n\`\`\``;
const nested = (levels: number, inner = '') => '['.repeat(levels) + inner + ']'.repeat(levels);
const NO_JSON = 'The reply contains no JSON with rows';
const NO_LIST = 'The JSON in the reply has no rows in a list named "rows"';
const INVALID = 'The JSON in the reply is incomplete or invalid';
const CUT = `${INVALID}: it ends before it is complete`;
const NOT_JSON = `${INVALID}: it is not JSON`;
const TWICE = `${INVALID}: an object in it has a key twice`;
const LEFT_OUT =
	'Only the last complete list of rows in the reply is returned. The reply has another one, or JSON that is incomplete';

/** What the texts of a reply are, with columns `a` and `b` of any type. */
const read = (...texts: string[]): RowsInReply => rowsIn(texts, formatOf({ a: {}, b: {} }));
const valuesOf = ({ rows, problems }: RowsInReply) => (problems.length > 0 ? problems : rows.map(({ a }) => a));

describe('the rows in a text', () => {
	it.each<[string, unknown[]]>([
		...each(['{"rows": [{"a": 1}]}', fence('{"rows": [{"a": 1}]}'), '```json\n{"rows": [{"a": 1}]}```'], [1]),
		...each(['```json\n{"rows": [{"a": 1}]}', `<answer>{"rows": [{"a": 1}]}</answer>`], [1]),
		...each(['[Result: {"rows": [{"a": 1}]}]', 'See [1] and - [ ] this {x}: {"rows": [{"a": 1}]}. Bye'], [1]),
		...each(['{"rows": [{"a": 1}], "page": 3}', '[{"a": 1}]', '{"a": 1}', 'So: {"a": 1}, and left, {happy}.'], [1]),
		...each(['A [5" disk]: {"rows": [{"a": 1}]}', '\uFEFF{"rows": [{"a": 1}]}'], [1]),
		...each(['{"rows": [{"a": 1}]}\n{"rows": []}', '{"rows": [{"a": 1}]}\n[]', '[{"a": 1}]\n{"rows": []}'], [1]),
		...each(['{"rows": []}', fence('[]'), ' [] ', '{"not_done": null}'], []),
		['{"a": 1}\r\n\r\n{"a": 2}\n', [1, 2]],
		['[{"a": "]"}, {"a": "```"}, {"a": "x\\ny\tz"}]', [']', '```', 'x\ny\tz']],
		// Whole structures: the outer list counts, and a column may have the name of the list.
		['{"meta": {"rows": [{"a": 1}]}, "rows": [{"a": 2}]}', [2]],
		['{"rows": [{"a": 2}], "meta": {"rows": [{"a": 1}]}}', [2]],
		['{"rows": [{"a": {"rows": [{"a": 1}]}}]}', [{ rows: [{ a: 1 }] }]],
	])('are read from %j', (text, values) => {
		expect(valuesOf(read(text))).toEqual(values);
		expect(read(text).leftOut).toBeUndefined();
	});

	it.each<[string, unknown[]]>([
		[`${fence('{"rows": [{"a": 0}]}')}\nCorrected: {"rows": [{"a": 1}, {"a": 2}]}`, [1, 2]],
		[`${fence('[{"a": 1}]')} or [{"a": 2}].`, [2]],
		[`${fence('{"rows": []}')} I left out {"a": 9}`, []],
		['{"a": 1} and {"a": 2}', [2]],
		// Damaged JSON, and a complete form behind it.
		[`${fence('{"rows": [{"a": 1}, {"a": 2')}\n${fence('{"rows": [{"a": 3}]}')}`, [3]],
		...each(['Sizes {"S" sold out, M.\n{"rows": [{"a": 1}]}', 'It has {"a": "Lam\n{"rows": [{"a": 1}]}'], [1]),
		...each(['{"rows": [{"a": 1}, …]}\n{"rows": [{"a": 2}]}', '{"a": "b\\_c"}\nOr: {"rows": [{"a": 2}]}'], [2]),
		['{"rows": [{"a": 1}]} The format was: {"rows": [{"a": <a>}, …]}', [1]],
	])('are the last complete list with rows, and a sentence says that others are left out, in %j', (text, values) => {
		expect([valuesOf(read(text)), read(text).leftOut]).toEqual([values, LEFT_OUT]);
	});

	it('are told without a sentence if another list is the same', () =>
		expect(read(`${fence('{"rows": [{"a": 1}]}')} Again: [{"a":1}]`)).toMatchObject({ leftOut: undefined }));

	it.each<[string, string]>([
		...each(['', 'I could not find it [1].\n- [ ] open', 'null', '5', 'I closed the page :]', nested(104)], NO_JSON),
		...each(['{"data": [{"b1": 1}]}', '{"output": {"rows": [{"a": 1}]}}', '{"rows": 5}', '{"offers": []}'], NO_LIST),
		// A single object is the row only if no other JSON follows it.
		['{"a": 1}\n{"c": 2}', NO_LIST],
		...each(['{"rows": [{"a": 1}, {"a', '[{"a": 1}, {"a": 2}', '{"a": 1}\n{"a": 2}\n{"a', '{"a": 1}\n{', '['], CUT),
		...each(['{"rows": [{"a": 1}]}\nNow all: {"rows": [{"a": 1}, {"a": 2', '{"rows": [{"a": 1}], "b": ['], CUT),
		...each(['{"rows": [{"a": 1}, {"a": 2\n{"rows": []}', '{"rows": [{"a": 1}, {"a": 2\n{"a": 3}'], CUT),
		[`${fence('[{"a": 1}, {"a')}\n${fence('{"a": 2}')}`, CUT],
		...each(['[{"a": 1},]', '{"rows": [{"a": 1}, {"a": NaN}]}', '{"rows": [{"a": 1}, ...]}'], NOT_JSON),
		['{"rows": [{"a": 1}\n{"a": 2}]}', `${INVALID}: it is wrong in line 2, column 1`],
		...each(['{"a": 2}]', '{"a": 1},', '[{"a": 1}]}'], `${INVALID}: a part of it is missing`),
		...each(['{"rows": [{"a": 1}], "rows": []}', '{"rows": [{"a": 5, "a": null}]}'], TWICE),
		[`{"rows": [{"a": ${nested(104)}}]}`, `${INVALID}: it is nested too deeply`],
	])('are not read from %j', (text, problem) => {
		expect(read(text)).toMatchObject({ rows: [], problems: [problem], isUsable: false });
	});

	it('are not taken out of a cut list whose rows have a column "rows"', () => {
		const format = formatOf({ rows: {}, x: {} });
		expect(rowsIn(['{"rows": [{"rows": [{"x": 1}]}, {"rows"'], format).problems).toEqual([CUT]);
		expect(rowsIn(['{"rows": [{"rows": [1], "x": 2}]}'], format).rows).toEqual([{ rows: [1], x: 2 }]);
	});

	it('are never fewer than written without a word, wherever a reply is cut', () => {
		const text = fc.string().map((part) => `x${part}`);
		const rows = fc.array(fc.record({ a: fc.oneof(text, fc.integer()) }), { minLength: 1, maxLength: 4 });
		const write = fc.constantFrom<(list: object[]) => string>(
			(list) => JSON.stringify({ rows: list }),
			(list) => JSON.stringify(list, null, 2),
			(list) => fence(JSON.stringify({ rows: list }, null, 2)),
			(list) => list.map((row) => JSON.stringify(row)).join('\n'),
		);
		fc.assert(
			fc.property(rows, write, fc.nat(), fc.constantFrom('', 'Rows:\n'), (list, written, at, before) => {
				const reply = before + written(list);
				expect(read(reply)).toMatchObject({ rows: list, problems: [], leftOut: undefined });
				const cut = read(reply.slice(0, at % reply.length));
				const isWhole = cut.problems.length === 0 && cut.rows.length === list.length;
				// Between two lines, nothing shows that others would have followed.
				const isBetween = written(list) === list.map((row) => JSON.stringify(row)).join('\n');
				if (!isWhole && !isBetween) expect(cut.problems).not.toEqual([]);
			}),
			fuzz(),
		);
	});
});

const A = fence('{"rows": [{"a": 1}]}');
it.each<[string[], object]>([
	[[A, 'I have closed the page [1] :]'], { rows: [{ a: 1, b: null }], leftOut: undefined }],
	[['[]', A, 'Done.', 'Bye'], { rows: [{ a: 1, b: null }], leftOut: undefined }],
	[[A, fence('{"rows": [{"a": 2}]}')], { rows: [{ a: 2, b: null }], leftOut: LEFT_OUT }],
	[[A, 'Returned as {"rows": [...]}'], { rows: [{ a: 1, b: null }], leftOut: LEFT_OUT }],
	[[A, '[{"a": 1}, {"a'], { rows: [], problems: [CUT] }],
	[['{"a": 1}', '[{"a": 1}, {"a'], { rows: [], problems: [CUT] }],
	[['{"rows": [{"a": 1}, {"a', '{"a": 2}'], { rows: [], problems: [CUT] }],
	[['[{"a": 1}, {"a', A], { rows: [{ a: 1, b: null }], leftOut: LEFT_OUT }],
	[['A', 'B'], { rows: [], problems: [NO_JSON] }],
	[[], { rows: [], problems: [NO_JSON] }],
])('the rows in several texts are those of the last one with rows in %j', (texts, expected) =>
	expect(read(...texts)).toMatchObject(expected),
);

describe('the rows of a list', () => {
	const format = formatOf({ name: TEXT, price: NUMBER }, { required: ['name'] });
	const lamp = { name: 'Lamp', price: 1 };
	const readList = (list: unknown, of = format) =>
		rowsIn([typeof list === 'string' ? list : JSON.stringify({ rows: list })], of);

	it.each<[unknown, object[]]>([
		[[{ x: 1, price: 1, name: 'Lamp' }], [lamp]],
		[[{ name: 'Lamp' }], [{ name: 'Lamp', price: null }]],
		['[{"name": 12345678901234567890, "price": 1}]', [{ name: '12345678901234567890', price: 1 }]],
		['[{"name": 1.10, "price": 1}]', [{ name: '1.10', price: 1 }]],
		[[{ Name: 'Lamp', PRICE: 1 }], [lamp]],
	])('have the columns in their order: %j', (list, rows) => {
		expect(readList(list)).toMatchObject({ rows, problems: [], isUsable: true });
		for (const row of readList(list).rows) expect(Object.keys(row)).toEqual(['name', 'price']);
	});

	it.each<[unknown, string[]]>([
		...each([[{ name: null, price: 1 }], [{ name: ' ', price: 1 }]], ['Row 1: "name" is required, but has no value']),
		[[{ name: 'Lamp', cost: 1 }], ['Row 1: "price" is missing, but there is "cost"']],
		[
			[lamp, { name: true, price: 'x' }],
			['Row 2: "name" is true. Expected "string"', 'Row 2: "price" is "x". Expected "number"'],
		],
		[[lamp, 'Desk'], ['Row 2: must be an object, but is "Desk"']],
	])('name each problem with the value in %j', (list, problems) => expect(readList(list).problems).toEqual(problems));

	it.each<[object[], object]>([
		[[lamp, { name: [] }], { rows: [lamp], isUsable: true }],
		[[{ name: [] }], { rows: [], isUsable: false }],
		[[lamp, { name: '' }], { rows: [lamp], cause: 'required' }],
		[[{ name: 'A', price: '12345678901234567890' }], { rows: [], cause: 'digits' }],
	])('are the valid ones of %j', (list, expected) => expect(readList(list)).toMatchObject(expected));

	it('are exactly one if one is wanted', () => {
		const single = formatOf({ name: TEXT, price: NUMBER }, {}, true);
		expect(readList([lamp, lamp], single).problems).toEqual(['Expected exactly one row, but the reply has 2 rows']);
		expect(readList([lamp], single)).toMatchObject({ rows: [lamp], problems: [] });
		expect(readList([{ name: null, price: null }], single).rows).toEqual([{ name: null, price: null }]);
	});

	it('are none if no row has a value, and keep rows without values among others', () => {
		const optional = formatOf({ name: TEXT, price: NUMBER });
		const blank = { name: null, price: null };
		expect(readList([blank, {}, { name: ' ' }], optional)).toMatchObject({ rows: [], problems: [] });
		expect(readList([lamp, {}, lamp], optional).rows).toEqual([lamp, blank, lamp]);
	});

	it('may be very many, or have very many problems', () => {
		const many = Array.from({ length: 40_000 }, (_, index) => JSON.stringify({ name: `${index}`, price: 1 }));
		expect(readList(many.join('\n')).rows).toHaveLength(40_000);
		const list = formatOf({ a: { type: 'array', items: NUMBER } });
		const problems = readList([{ a: Array.from({ length: 200_000 }, () => true) }], list).problems;
		expect(problems[0]).toBe('Row 1: "a[0]" is true. Expected "number"');
	});
});

it('any text is read without an exception, and each row has the columns with their types', () => {
	const soup = fc
		.array(fc.constantFrom(...'{}[]":,\\\n`~a1 '.split(''), '```', '"a":', '{"a":1}', 'null', '__proto__', '{"rows":['))
		.map((pieces) => pieces.join(''));
	const value = fc.oneof(
		fc.constantFrom<unknown>(null, true, 1.5, 1e21, 'x', '', ' 1.5', '2026-01-31', 'https://x/', '[x](https://x/)'),
		fc.jsonValue(),
	);
	const json = fc.array(fc.record({ a: value }), { maxLength: 3 }).map((rows) => JSON.stringify({ rows }));
	const types = fc.constantFrom('string', 'number', 'boolean', 'array', 'object');
	let found = 0;
	fc.assert(
		fc.property(fc.oneof(soup, fc.string(), fc.json(), json, json), types, fc.boolean(), (reply, type, isSingle) => {
			const { rows, problems, isUsable } = rowsIn([reply], formatOf({ a: { type } as never }, {}, isSingle));
			expect(isUsable).toBe(rows.length > 0 || problems.length === 0);
			for (const { a } of rows) {
				if (a !== null) expect(Array.isArray(a) ? 'array' : typeof a).toBe(type);
				found++;
			}
			for (const problem of problems)
				expect(problem).toMatch(/^(Row \d+: (must be an object, |"a[^]*" )|The |Expected )/);
		}),
		fuzz(1000),
	);
	expect(found).toBeGreaterThan(50);
});
