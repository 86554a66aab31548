import { formatOf } from '../support/rows-format';
import { readJson } from '../../nodes/shared/values/json';
import { readRows } from '../../nodes/RunAutomation/reply/read-rows';
const shapeOf: any = () => {
	throw new Error('gone');
};
const TYPES: any = () => {
	throw new Error('gone');
};
type ColumnType = any;
type RowsFormat = any;

interface Case {
	fits: unknown;
	/** Undefined if every value fits. */
	doesNotFit: unknown;
	/** A value of a JSON example that makes a column of the type; undefined if none does. */
	example: unknown;
}

// A type without a case does not compile.
const CASES: Record<ColumnType, Case> = {
	any: { fits: [1, { a: null }], doesNotFit: undefined, example: undefined },
	boolean: { fits: true, doesNotFit: 'yes', example: false },
	choice: { fits: 'new', doesNotFit: 'old', example: undefined },
	date: { fits: '2026-01-31', doesNotFit: '31.01.2026', example: '2026-01-31T09:30:00Z' },
	integer: { fits: 12, doesNotFit: 12.5, example: undefined },
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
		const others = doesNotFit === undefined ? [] : [jsonOf(doesNotFit)];
		expect(others.map((json) => TYPES[type].read(json, shape)).filter((value) => value !== undefined)).toEqual([]);
	});

	it('is made by a JSON example, unless that cannot tell', () => {
		const refuse = (path: string) => new Error(path);
		const made = cases.filter(([, { example: given }]) => {
			return given !== undefined && shapeOf([jsonOf(given)], 'a', refuse).type === type;
		});
		expect(made.map(([name]) => name)).toEqual(example === undefined ? [] : [type]);
	});
});

describe('a value as agents and pages write it', () => {
	const textColumn = { name: 'a', type: 'text' as const, description: '' };
	/** What a reply is with columns. */
	const rowsIn = (reply: string, ...columns: any[]) => readRows([reply], formatOf(columns));
	const read = (type: ColumnType, json: string, choices: string[] = []) => {
		const { rows, problems } = rowsIn(`{"rows": [{"a": ${json}}]}`, { ...textColumn, type, choices });
		return problems.length ? undefined : rows[0]!.a;
	};

	it.each<[report: string, type: ColumnType, json: string, value: unknown]>([
		['langchainjs#5160, n8n#18765', 'text', '"a\tb\r\nc"', 'a\tb\r\nc'],
		['llm-exe#147, langchain#5396', 'boolean', '"True"', true],
		['llm-exe#147, langchain#5396', 'boolean', '" FALSE\\n"', false],
		['llm-exe#147, langchain#5396', 'boolean', '"yes"', undefined],
		['whatwg/url#151', 'link', '"https://x.example/a\u200bb"', 'https://x.example/ab'],
		['ifdb#1296', 'link', '"\\ufeffhttps://x.example/\\u00ad"', 'https://x.example/'],
		['StreetComplete#3439', 'link', '"[a](\u200ehttps://x.example/\u2060a)"', 'https://x.example/a'],
		['moment/luxon#990', 'date', '"2026-01-31 09:30:00"', '2026-01-31T09:30:00'],
		['time-rs#607', 'date', '"2026-01-31T09:30:00+00"', '2026-01-31T09:30:00+00:00'],
		['gleam-lang/time#24', 'date', '"2026-01-31t09:30:00.5z"', '2026-01-31T09:30:00.5Z'],
		['time-rs#607', 'date', '"2026-01-31 09:30:00.123456 -05"', '2026-01-31T09:30:00.123456-05:00'],
		['time-rs#607', 'date', '"2026-01-31 09:30:00+24"', undefined],
		['moment/luxon#990', 'date', '"2026-02-30 09:30:00"', undefined],
		['read in the code', 'number', '12345678901234567000', 12345678901234567000],
		['JSON Schema 6.1.1', 'integer', '12.0', 12],
		['JSON Schema 6.1.1', 'integer', '"1200"', 1200],
		['JSON Schema 6.1.1', 'integer', '1.2e1', 12],
		['JSON Schema 6.1.1', 'integer', '12.01', undefined],
		['read in the code', 'integer', '12345678901234567001', undefined],
		['read in the code', 'number', '"-9007199254740992.0"', -9007199254740992],
		['read in the code', 'number', '12345678901234567001', undefined],
		['node-postgres#2080, #2936', 'text', '"a\\u0000b\u0000c"', 'abc'],
		['node-postgres#2080, #2936', 'list', '[{"a\\u0000": "b\\u0000"}]', [{ a: 'b' }]],
		['node-postgres#2080, #2936', 'text', '"a\\\\u0000"', 'a\\u0000'],
		['OpenMAIC#1493, ayunis-core#1613', 'text', '"a\\ud83d"', 'a\ufffd'],
		['mastra#21727, gbrain#2031', 'object', '{"\\ude00": "\\ud83d\\ude00"}', { '\ufffd': '😀' }],
		['knowledge-catalog#170, URLExtract#49', 'link', '"https://x.example/?a=1&amp;b=2"', 'https://x.example/?a=1&b=2'],
		[
			'Sitemap-Generator-Crawler#23',
			'link',
			'"[a](https://x.example/?a&amp;b&copy=2)"',
			'https://x.example/?a&b&copy=2',
		],
		['budget-tracker#572, PrairieLearn#135', 'number', '"\u22123.5"', -3.5],
		['grobid#980', 'number', '" \u22121.234"', undefined],
		['grobid#980', 'number', '"3\u22125"', undefined],
	])('%s: as %s, %s is %j', (_report, type, json, value) => expect(read(type, json)).toEqual(value));

	// FasterXML/jackson-core#142, strip-json-comments#64, dynamics-365-customer-engagement#3379
	it.each(['\u00a0', '\u202f', '\u3000', '\ufeff'])('may have %j between its tokens, and in it', (blank) => {
		const json = `{#"rows"#:#[\n#{"a"#:#"b${blank}c"#,#"d":#1#}#]#}`.replaceAll('#', blank);
		for (const reply of [json, `\`\`\`json\n${json}\n\`\`\``])
			expect(rowsIn(reply, textColumn)).toMatchObject({ rows: [{ a: `b${blank}c` }], problems: [] });
		expect(readJson(json).problem).toBeUndefined();
	});

	// flatten-tool#392, filenamify#40
	it.each([
		['unit\u00a0price', 'unit price'],
		['unit price', ' unit \u202fprice'],
		['Gr\u00f6\u00dfe', 'Gro\u0308\u00dfe'],
		['Gro\u0308\u00dfe', 'Gr\u00f6\u00dfe'],
	])('has the name %j of the form, whose key in the reply is %j', (name, key) => {
		const column = { name, type: 'number' as const, isRequired: true, description: '' };
		const readLike = (json: unknown) => rowsIn(JSON.stringify(json), column);
		for (const json of [{ rows: [{ [key]: 1 }] }, { [key]: 1 }, [{ [key]: 2, [name]: 1 }]])
			expect(readLike(json)).toMatchObject({ rows: [{ [name]: 1 }], problems: [] });
		expect(readLike([{ [key]: 'x' }])).toMatchObject({ invalidColumn: name });
		expect(read('choice', JSON.stringify(key), ['other', name])).toBe(name);
		expect(read('choice', JSON.stringify(key), [name, key])).toBe(key);
	});

	it('has the name of its own column, if another is called nearly the same', () => {
		const columns = ['a b', 'a\u00a0b'].map((name) => ({ name, type: 'number' as const, description: '' }));
		const { rows } = rowsIn('[{"a\u00a0b": 2, "a b": 1}, {"a b": 1}]', ...columns);
		expect(rows).toEqual([2, null].map((other) => ({ 'a b': 1, 'a\u00a0b': other })));
	});

	// langchain#36747, gpt-pilot#756, json_repair#19
	it.each([
		['{"rows": [{"a": 1},\n{"a": NaN}]}', 'expected a value in line 2, column 7 (row 2)'],
		['{"rows": [{"a": "b\\_c"}]}', 'expected another character after the backslash in line 1, column 19 (row 1)'],
		['[{"a": 1},]', 'expected a value after the comma in line 1, column 11 (row 2)'],
		['{"a": 1,}', 'expected a name in double quotes after the comma in line 1, column 9'],
		['{"rows": [{"a": "b"}, {"a": "', 'it ends before it is complete (row 2)'],
	])('is not read from %j, and the reason says what is wrong and where', (reply, problem) => {
		const problems = [`The JSON in the reply is incomplete or invalid: ${problem}`];
		expect(rowsIn(reply, textColumn)).toMatchObject({ problems });
	});
});
