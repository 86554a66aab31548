import fc from 'fast-check';

import { WithoutJson } from '../../nodes/RunAutomation/output/without-json';
import type { ColumnType } from '../../nodes/RunAutomation/rows/column';
import { findJson } from '../../nodes/RunAutomation/rows/find-json';
import { followUpTask, rowsInstruction } from '../../nodes/RunAutomation/rows/instruction';
import { readRows } from '../../nodes/RunAutomation/rows/read-rows';
import { readValue } from '../../nodes/RunAutomation/rows/value';

const fence = (content: string, language = 'json') => `\`\`\`${language}\n${content}\n\`\`\``;
const NO_JSON = 'The reply contains no JSON';
const INVALID = 'The JSON in the reply is incomplete or invalid';
const SEVERAL = 'The reply contains more than one JSON object or list';

describe('the JSON in a reply', () => {
	it.each([
		['bare', '{"a": 1}', { a: 1 }],
		['an empty list that is the whole text', ' [] ', []],
		['in a code fence', `Here:\n${fence('{"a": 1}')}\nDone.`, { a: 1 }],
		['in a fence of one line', 'Here:\n```json {"a": 1} ```', { a: 1 }],
		['in a fence that closes in its last line', '```json\n{"a": 1}```', { a: 1 }],
		['in a fence that is not closed', '```json\n{"a": 1}', { a: 1 }],
		['in the last of two fences', `${fence('{"a": 0}')}\n${fence('{"a": 1}', '')}`, { a: 1 }],
		['before a fence in another language', `${fence('{"a": 1}')}\n${fence('ls -la', 'bash')}`, { a: 1 }],
		['before a fence with a list of another kind', `${fence('{"a": 1}')}\n${fence('if [ -f a ]', 'bash')}`, { a: 1 }],
		['of which a text has backticks', fence('{"a": "```"}'), { a: '```' }],
		['with words around it', 'See [1] and - [ ] this: {"a": 1} (a {good} [one](https://x)).', { a: 1 }],
		['before a comma of the sentence', 'I saw {"a": 1}, and left, {happy}.', { a: 1 }],
		['as a list of objects among words', 'Rows: [{"a": 1}, {"a": "]"}]. Done.', [{ a: 1 }, { a: ']' }]],
		['as JSON Lines', '{"a": 1}\r\n\r\n{"a": 2}\r\n', [{ a: 1 }, { a: 2 }]],
		['as JSON Lines in a fence', fence('{"a": 1}\n{"a": 2}', 'jsonl'), [{ a: 1 }, { a: 2 }]],
	])('is found %s', (_name, text, json) => {
		expect(findJson(text)).toEqual({ json });
	});

	it.each([
		['', NO_JSON],
		['I could not find it [1].\n- [ ] open', NO_JSON],
		['null', NO_JSON],
		['[1] and [[2]]', NO_JSON],
		['[{50 offers},]', INVALID],
		['[{"a": 1}, {"a": 2},]', INVALID],
		['[{"a": 1}, {"a": ', INVALID],
		['"a": 1}, {"a": 2}]', INVALID],
		['a } {"a": 1}', INVALID],
		['a ] {"a": 1}', INVALID],
		['Rows: "rows" : \n [{"a": 1}]', INVALID],
		['"b",  {"a": 1}', INVALID],
		['{"a": 1} , "b"', INVALID],
		['{"a": 1},  {', INVALID],
		['{"a": 1},', INVALID],
		[`${fence('{"a": 0}')}\n\`\`\`json\n[{"a": 1}, {"a`, INVALID],
		[`${fence('{"a": 0}')}\n\`\`\`json\n`, INVALID],
		['{"a": 1} and {"a": 2}', SEVERAL],
		['{"a": 1}\n{"a": 2}\n{"a"', SEVERAL],
	])('is not read from %j', (text, problem) => {
		expect(findJson(text)).toEqual({ problem });
	});

	const json = fc
		.tuple(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1 }), fc.constantFrom(0, 2), fc.boolean())
		.map(([rows, indent, isWrapped]) => JSON.stringify(isWrapped ? { rows } : rows, null, indent))
		.filter((text) => !text.includes('__proto__') && /[{]/.test(text));
	const frame = fc
		.constantFrom('#', 'Rows:\n#\nDone.', 'Rows:\n```json\n#\n```', '```\n#\n```\nDone.')
		.map((text) => text.split('#'));

	it('is read as a whole, and never a piece of it if its end or its beginning is missing', () => {
		fc.assert(
			fc.property(json, frame, fc.nat(), (text, [before, after], position) => {
				expect(findJson(before + text + after).json).toEqual(JSON.parse(text));
				const cut = 1 + (position % (text.length - 1));
				expect(findJson(before + text.slice(0, cut)).json).toBeUndefined();
				expect(findJson(before + text.slice(0, cut) + after).json).toBeUndefined();
				expect(findJson(text.slice(cut) + after).json).toBeUndefined();
			}),
		);
	});
});

it('any text is read without an exception, and every row that is found has the columns', () => {
	const soup = fc.array(fc.constantFrom(...'{}[]":,\\\n`a1 '.split(''), '```', '"a":', '{"a":1}', 'null', '__proto__'));
	const text = fc.oneof(
		soup.map((pieces) => pieces.join('')),
		fc.string(),
		fc.json(),
	);
	fc.assert(
		fc.property(text, fc.constantFrom<ColumnType>('text', 'number', 'list'), fc.boolean(), (reply, type, isSingle) => {
			const columns = [{ name: 'a', type, isRequired: false, description: '' }];
			for (const row of readRows(reply, { columns, isSingle }).rows) expect(Object.keys(row)).toEqual(['a']);
		}),
	);
});

describe('a value', () => {
	const numbers = ['12.90 EUR', '', '1e5', '007', '12345678901234567890', '123.456', '1.234', '12.345.678', '1,234'];
	const impossible = ['2026-02-29', '2026-13-01', '2026-00-10', '2026-01-32', '2026-01-31T24:00', '2026-01-31T25:00'];
	const times = ['2026-01-31T09:60', '2026-01-31T09:30:61', '2026-01-31T09:30+24:00', '2026-01-31T09:30+02:60'];
	const noDates = ['2026-01-31T', 'on 2026-01-31', '2026-01-31.', '2026-01-31 09:30', '03.05.2026', 1769817600];

	it.each<[ColumnType, unknown[]]>([
		['text', [5]],
		['number', [...numbers, Infinity, true]],
		['boolean', ['yes', 1]],
		['date', [...impossible, ...times, ...noDates]],
		['list', ['a, b']],
		['object', [['a']]],
	])('of a column of type %s is none of %j', (type, values) => {
		for (const value of values) expect([value, readValue(value, type)]).toEqual([value, undefined]);
	});

	it.each<[ColumnType, unknown[]]>([
		['text', ['Lamp', '']],
		['number', [12.5]],
		['boolean', [false]],
		['date', ['2026-01-31', '2024-02-29', '0001-02-28', '2026-01-31T09:30', '2026-01-31T09:30:15.123+02:00']],
		['date', ['2026-01-31T09:30:00Z']],
		['list', [['a']]],
		['object', [{ a: 1 }]],
	])('of a column of type %s is each of %j', (type, values) => {
		for (const value of values) expect(readValue(value, type)).toEqual(value);
	});

	const texts = ['0.125', '120', '1.2345', '1234.567', '9007199254740991'];
	it.each<[ColumnType, string, unknown]>([
		...texts.map((text): [ColumnType, string, number] => ['number', text, Number(text)]),
		['number', ' -12.50 ', -12.5],
		['boolean', 'true', true],
		['boolean', 'false', false],
		['date', ' 2026-01-31T23:59:60 ', '2026-01-31T23:59:60'],
	])('of a column of type %s is read from %j as %j', (type, text, expected) => {
		expect(readValue(text, type)).toEqual(expected);
	});
});

describe('the rows in a reply', () => {
	const column = (name: string, type: ColumnType = 'text', isRequired = false) => {
		return { name, type, isRequired, description: '' };
	};
	const lamp = { name: 'Lamp', price: 1 };
	const columns = [column('name', 'text', true), column('price', 'number')];
	const read = (reply: unknown, isSingle = false) =>
		readRows(typeof reply === 'string' ? reply : JSON.stringify(reply), { columns, isSingle });

	it.each<[string, unknown, object[]]>([
		['in "rows"', { rows: [lamp] }, [lamp]],
		['in a list', [lamp], [lamp]],
		['as an object of its own', lamp, [lamp]],
		['without keys that are no columns', [{ x: 1, price: 1, name: 'Lamp' }], [lamp]],
		['with null for a column that is missing', [{ name: 'Lamp' }], [{ name: 'Lamp', price: null }]],
		['as an object with some of the columns', { name: 'Lamp' }, [{ name: 'Lamp', price: null }]],
		['even if there are none', { rows: [] }, []],
	])('are found %s', (_name, reply, rows) => {
		const found = read(reply);
		expect(found).toEqual({ rows, problems: [], isUsable: true });
		for (const row of found.rows) expect(Object.keys(row)).toEqual(['name', 'price']);
	});

	it.each<[unknown, string[]]>([
		[[{ name: null, price: 1 }], ['Row 1: "name" is required, but has no value']],
		[[{ name: 'Lamp', cost: 1 }], ['Row 1: "price" is missing, but there is "cost"']],
		[
			[{ name: 5, price: 'x' }],
			['Row 1: "name" must be text, but is 5', 'Row 1: "price" must be a number, but is "x"'],
		],
		[[lamp, 'Desk'], ['Row 2: must be an object, but is "Desk"']],
		[{ name: 'Lamp', rows: [] }, ['Row 1: "price" is missing, but there is "rows"']],
		[{ rows: 5 }, ['The JSON in the reply has no list named "rows"']],
		[{ offers: [] }, ['The JSON in the reply has no list named "rows"']],
		['Nothing', [NO_JSON]],
	])('do not fit in %j', (reply, problems) => {
		expect(read(reply).problems).toEqual(problems);
	});

	it.each<[object[], boolean, object]>([
		[[lamp, lamp], true, { problems: ['There must be exactly one row, but there are 2'], isUsable: false }],
		[[lamp], true, { rows: [lamp], isUsable: true }],
		[[lamp, { name: 1 }], false, { rows: [lamp], isUsable: true }],
		[[{ name: 1 }], false, { rows: [], isUsable: false }],
	])('can be %j, of one that is wanted (%s) and without those that do not fit', (reply, isSingle, expected) => {
		expect(read(reply, isSingle)).toMatchObject(expected);
	});

	it('may be called like what every object has', () => {
		const columns = [column('constructor'), column('rows', 'list')];
		const { rows, problems } = readRows('{"rows": [{"constructor": "x", "rows": [1]}, {}]}', {
			columns,
			isSingle: false,
		});
		const empty = { constructor: null, rows: null };
		expect([rows, problems]).toEqual([[{ constructor: 'x', rows: [1] }, empty], []]);
	});

	it.each<[ColumnType, string]>([
		['boolean', 'true or false'],
		['date', 'a date in ISO 8601'],
		['list', 'a list'],
		['object', 'an object'],
	])('say what a column of type %s must be', (type, expected) => {
		const { problems } = readRows('[{"a": "x"}]', { columns: [column('a', type)], isSingle: false });
		expect(problems).toEqual([`Row 1: "a" must be ${expected}, but is "x"`]);
	});

	it('are described to the agent to the letter', () => {
		const types: ColumnType[] = ['text', 'number', 'boolean', 'date', 'list', 'object'];
		const described = { ...column('n "1"', 'text', true), description: ' Full  name\n of it ' };
		const text = (isSingle: boolean) =>
			rowsInstruction({ columns: [described, ...types.map((type) => column(type, type))], isSingle });
		expect(text(false))
			.toBe(`When you are done, reply with one JSON code block and write nothing after it. The JSON is one object: {"rows": [...]}.
Each row is an object with exactly these keys, in this order:
- "n \\"1\\"" (text, required): Full name of it
- "text" (text)
- "number" (number)
- "boolean" (true or false)
- "date" (date)
- "list" (list)
- "object" (object)
Return one row for each result.
Write numbers without units and without thousands separators, dates in ISO 8601 (2026-01-31 or 2026-01-31T09:30:00Z), and null for a value that you did not find. If there are no results, return {"rows": []}.`);
		expect(text(true)).toBe(text(false).replace('Return one row for each result.', 'Return exactly one row.'));
	});

	it('that do not fit are listed in a follow-up, up to a number', () => {
		const problems = Array.from({ length: 25 }, (_, index) => `Row ${index}`);
		const task = followUpTask(problems, { columns, isSingle: false });
		const [listed, again] = task.split('\nReply');
		expect(listed).toMatch(/^Your last reply does not fit:\n- Row 0\n[^]*\n- Row 19\n- and 5 more$/);
		expect(again).toBe(` again with all rows, corrected.\n\n${rowsInstruction({ columns, isSingle: false })}`);
	});
});

describe('the text that a chat shows of a reply', () => {
	const show = (pieces: string[]) => {
		const filter = new WithoutJson();
		const [first, second] = [1, 2].map(() => pieces.map((piece) => filter.push(piece)).join('') + filter.end());
		expect(second).toBe(first);
		return first;
	};

	it.each([
		[`Found two.\n${fence('{"rows": [{"a": "}"}]}')}\nDone.`, 'Found two.\n\nDone.'],
		['Here: { "rows": [{"a": "\\"}"}]} Done.', 'Here:  Done.'],
		['[{"": 1}] [ {"a": 1} ] [link](https://x) [1] {x} `code` Done', '  [link](https://x) [1] {x} `code` Done'],
		['An open [', 'An open ['],
		['```json\n{"rows": [``', ''],
		['{"a": "\\', ''],
	])('%j is %j, however it is cut', (text, expected) => {
		expect(show([text])).toBe(expected);
		expect(show([...text])).toBe(expected);
		for (let cut = 1; cut < text.length; cut++) expect(show([text.slice(0, cut), text.slice(cut)])).toBe(expected);
	});

	it('is held back only where JSON may begin', () => {
		const filter = new WithoutJson();
		expect(filter.push('See [1], {x} and `')).toBe('See [1], {x} and ');
	});
});
