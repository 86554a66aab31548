import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Extra } from '../engine/run-node';
import { finish, runStream, textChunks } from '../engine/serve-stream';

// Replies that people reported elsewhere, each with the report that shows it, or with none for a reply that must go on to be read.

const column = (name: string, type = 'text') => ({ name, type });
const columns = [column('name'), column('price', 'number'), column('tags', 'list')];

/** Runs an operation whose agent writes a text in each of its steps. */
const run = async (texts: string[], form: INodeParameters, extra: Extra = {}) => {
	const steps = texts.flatMap((text, index) => [{ type: 'start-step' }, ...textChunks(text, String(index))]);
	const ran = await runStream([...steps, finish], form, extra);
	return { ...ran, hints: ran.hints.map(({ message }) => message) };
};

/** The rows, without values that are null; else why there are none. */
async function readRows(texts: string[], form: INodeParameters = {}) {
	const { items, error, hints } = await run(texts, { operation: 'rows', columns: { column: columns }, ...form });
	const rows = items.map(({ json }) => Object.entries(json).filter(([, value]) => value !== null));
	return { rows: error ? error.message : rows.map((row) => Object.fromEntries(row) as IDataObject), hints };
}

const fence = (text: string) => `\`\`\`json\n${text}\n\`\`\``;
const rowsOf = (...rows: object[]) => fence(JSON.stringify({ rows }));
const lamp = { name: 'Lamp', price: 12.5 };
const desk = { name: 'Desk', price: 99 };
const none = { name: null, price: null };
const LAMP = rowsOf(lamp);
const DESK = rowsOf(desk);
const BOTH = rowsOf(lamp, desk);
const CUT = '```json\n{"rows": [{"name": "Lamp", "price": 12.5}, {"name": "De';
const CUT_SHORT = '```json\n{"rows": [{"name": "Lamp", "price": 12.5';
const INVALID = 'The JSON in the reply is incomplete or invalid';
const LACKS = (row: number) =>
	`${INVALID}: it ends before it is complete (row ${row}), and the last list lacks its rows`;
const LACKS_IN = `${INVALID}: it ends before it is complete, and the last list lacks its rows`;
const NO_ROWS = 'The JSON in the reply has no rows in a list named "rows"';
const IN_LINES = (first: number, last: number) =>
	`The reply contains more than one list of rows: the first begins in line ${first}, and the last in line ${last} of its text`;
const CALL = '{"name": "browser_click", "arguments": {"ref": "e1"}}';
const ENDS_IN_CALL = 'The reply ends in a tool call that is written as text';
const cite = '\uE200cite\uE202turn0search0\uE202turn1search2\uE201';

type Case = [report: string, reply: string | string[], rows: object[] | string, form?: INodeParameters];

const single = { rows: 'one' };

const CASES: Case[] = [
	// R1: what a list that was cut off has, and the last list lacks
	['DFIR-Companion#188', `${CUT}\n\`\`\`\n${DESK}`, LACKS(2)],
	['DFIR-Companion#188', [CUT, DESK], LACKS(2)],
	['DFIR-Companion#188', [CUT_SHORT, 'I go on.', DESK], LACKS(1)],
	[
		'DFIR-Companion#188',
		'{"rows": [{"name": "Lamp", "price": 12.5}, {"na\n{"rows": [{"name": "Desk", "price": 99}]}',
		`${INVALID}: expected ":" after the name in line 2, column 3 (row 2), and the last list lacks its rows`,
	],
	['DFIR-Companion#188', [CUT.replace('{"rows": ', ''), DESK], LACKS(2)],
	...['nul', '9', '1e', ''].map((end): Case => {
		const cut = `${CUT}sk", "price": ${end}`;
		return [
			'DFIR-Companion#188',
			[cut, DESK],
			expect.stringContaining('and the last list lacks its rows') as unknown as string,
		];
	}),
	['DFIR-Companion#188', [CUT.replace('rows', 'Rows').replace('name', 'Name'), DESK], LACKS_IN],
	['DFIR-Companion#188', [CUT, rowsOf(lamp, { name: 'Chair', price: 3 })], LACKS(2)],
	['DFIR-Companion#188', ['{"rows": [{"name": "Cha', LAMP], LACKS(1)],
	...[{ Rows: [lamp] }, { rows: JSON.stringify([lamp]) }, { output: { rows: [lamp] } }].map(
		(json): Case => ['DFIR-Companion#188', [JSON.stringify(json).replace(/}$/, ', "not_d'), DESK], LACKS_IN],
	),
	['', [`${CUT}sk", "price": 9`, BOTH], [lamp, desk]],
	['', [CUT.replace('12.5', '"12.50"'), BOTH], [lamp, desk]],
	[
		'',
		[`${CUT}sk", "tags": ["a", "b`, rowsOf(lamp, { ...desk, tags: ['a', 'bc'] })],
		[lamp, { ...desk, tags: ['a', 'bc'] }],
	],
	['', [CUT, BOTH], [lamp, desk]],
	['', [CUT_SHORT, BOTH], [lamp, desk]],
	['', `${CUT}\n\`\`\`\nAgain, in full:\n${rowsOf(desk, { price: 12.5, name: 'Lamp' })}`, [desk, lamp]],
	// R2: thoughts
	...['think', 'thinking', 'thought', 'reasoning', 'THINKING', 'seed:think', 'analysis'].map(
		(name): Case => [
			'qwen-code#10791',
			`<${name}>If stopped: {"rows": [], "not_done": "a captcha"}</${name}>\n${LAMP}`,
			[lamp],
		],
	),
	['qwen-code#10791', `\n<think>\n</think>\n<thinking>{"rows": []}</thinking>\n\n${LAMP}`, [lamp]],
	['qwen-code#10791', `[THINK]I write {"not_done": "a captcha"} if stopped[/THINK]${LAMP}`, [lamp]],
	['qwen-code#10791', `◁think▷{"not_done": "a captcha"}◁/think▷${LAMP}`, [lamp]],
	['qwen-code#10791', `<thinking type="deep">{"not_done": "a captcha"}</thinking>${LAMP}`, [lamp]],
	['gaia#3945', `I could add {"not_done": "a captcha"}.\n</think>\n\n${LAMP}`, [lamp]],
	['ollama#18044', `So {"rows": [], "not_done": "a captcha"}? No.</thinking>\n${LAMP}`, [lamp]],
	['gaia#3945', `<think>\n</think>\nI could add {"not_done": "a captcha"}.\n</think>\n\n${LAMP}`, [lamp]],
	['', `{"not_done": "a captcha"} is before \`</think>\`\n${LAMP}`, 'Task not done: a captcha'],
	// R3: citations
	['meclaw#569', `Found${cite}.\n${rowsOf({ name: `Lamp${cite}`, price: `12.5${cite}` })}`, [lamp]],
	['opencodex#3150', fence(`{"rows": [{"name": "Lamp", "price": 12.5${cite}}]}`), [lamp]],
	['opencodex#3150', fence('{"rows": [{"name": "Lamp\\ue200cite\\ue202turn0search0\\ue201", "price": 12.5}]}'), [lamp]],
	// R4: tool calls
	['oh-my-pi#8495', `<tool_call>${CALL}</tool_call>\n${LAMP}`, [lamp]],
	['oh-my-pi#8495', [`<tool_call>\n${CALL}\n</tool_call>`, LAMP], [lamp]],
	['oh-my-pi#8495', `<tool_call>${CALL}</tool_call>`, ENDS_IN_CALL],
	['oh-my-pi#8495', `${LAMP}\n<tool_call>\n${CALL}`, ENDS_IN_CALL],
	[
		'claude-code#64179',
		`${LAMP}\nNext page.\n<invoke name="browser_click">\n<parameter name="ref">e1</parameter>\n</invoke>`,
		ENDS_IN_CALL,
	],
	[
		'oh-my-pi#8495',
		`${LAMP}\n<|tool_call_begin|>functions.click:0<|tool_call_argument_begin|>{}<|tool_call_end|>`,
		ENDS_IN_CALL,
	],
	['oh-my-pi#8495', '<|python_tag|>{"name": "browser_click", "parameters": {}}', ENDS_IN_CALL],
	['', `The format is \`<tool_call>${CALL}</tool_call>\`.\n${LAMP}`, [lamp]],
	['', rowsOf({ name: '<tool_call>{}</tool_call>', price: 1 }), [{ name: '<tool_call>{}</tool_call>', price: 1 }]],
	// R5: rows without values
	['browser-use#2430', '{"rows":[{"name":null,"price":null},{}]}', []],
	['browser-use#2430', rowsOf({}), []],
	['browser-use#2430', rowsOf({ name: '', price: null, tags: [] }, none), []],
	['browser-use#2430', rowsOf({}, {}), 'The run found no rows', { options: { ifNoRows: 'error' } }],
	['browser-use#2430', rowsOf(lamp, {}), [lamp]],
	['browser-use#2430', rowsOf({ name: null, tags: [null] }), []],
	['', rowsOf(lamp, none, desk), [lamp, {}, desk]],
	['', rowsOf(lamp, none), [lamp, {}]],
	['', rowsOf(none), [{}], single],
	['', rowsOf(lamp, {}), [lamp], single],
	// R6: a row of dots
	['json_repair#43', rowsOf(lamp, { name: '...', price: null }), 'Row 2: has only dots, so rows are missing'],
	['json_repair#43', rowsOf(lamp, { name: '…', price: '…' }), 'Row 2: has only dots, so rows are missing'],
	['json_repair#43', rowsOf(lamp, { name: '[...]', tags: ['...'] }), 'Row 2: has only dots, so rows are missing'],
	...[{ name: '. . .' }, { name: '⋯' }, { name: '...', tags: [{ a: '...' }] }].map(
		(row): Case => ['json_repair#43', rowsOf(lamp, row), 'Row 2: has only dots, so rows are missing'],
	),
	['', rowsOf(lamp, { name: '...', price: 5 }), [lamp, { name: '...', price: 5 }]],
	// R7: a name twice
	[
		'lossless-json#244',
		`{"rows": [${JSON.stringify(lamp)}], "rows": []}`,
		`${INVALID}: it has a name twice, with different values, in line 1, column 42`,
	],
	[
		'lossless-json#244',
		fence('{"rows": [{"name": "Lamp", "price": 5, "price": null}]}'),
		`${INVALID}: it has a name twice, with different values, in line 1, column 40 (row 1)`,
	],
	[
		'lossless-json#244',
		'[{"name": "Lamp", "tags": [{"a": 1, "a": 2}]}]',
		`${INVALID}: it has a name twice, with different values, in line 1, column 37 (row 1)`,
	],
	['', '{"rows": [{"name": "Lamp", "price": 12.5, "name": "Lamp", "price": 12.50}]}', [lamp]],
	// R9: an object more around the list
	['n8n#20029', `{"output": ${JSON.stringify({ rows: [lamp] })}}`, [lamp]],
	['pflow#598', `[{"json": {"result": {"pages": 1, "rows": [${JSON.stringify(lamp)}]}}}]`, [lamp]],
	['n8n#20029', JSON.stringify({ output: JSON.stringify({ rows: [lamp] }) }), [lamp]],
	['n8n#20029', '{"output": {"rows": []}}', []],
	['n8n#20029', '{"output": {"rows": [], "not_done": "a captcha"}}', 'Task not done: a captcha'],
	['n8n#20029', `{"a": {"rows": [${JSON.stringify(lamp)}]}, "b": {"rows": [${JSON.stringify(desk)}]}}`, IN_LINES(1, 1)],
	['n8n#20029', JSON.stringify({ rows: { rows: [lamp] } }), [lamp]],
	['n8n#20029', JSON.stringify({ Output: { ok: true, ROWS: [lamp] }, sources: [{ url: 'https://a' }] }), [lamp]],
	['pflow#598', fence('{"output": {"rows": []}, "page": 1, "sources": ["https://a"]}'), []],
	['pflow#598', fence('{"output": {"rows": []}, "not_done": "a captcha"}'), 'Task not done: a captcha'],
	['pflow#598', JSON.stringify({ output: { rows: [lamp] }, not_done: 'a captcha' }), 'Task not done: a captcha'],
	...['{"output": {"rows": [{"id": 1}]}}', '{"a": {"result": {"rows": [{"id": 1}]}}, "items": [{"b": 2}]}'].map(
		(reply): Case => ['n8n#20029', reply, 'Row 1: "name" is missing, but there is "id", and 2 more'],
	),
	[
		'pflow#598',
		JSON.stringify({ output: { rows: [{ output: 'x' }] } }),
		[{ output: 'x' }],
		{ columns: { column: [column('output')] } },
	],
	[
		'pflow#598',
		JSON.stringify({ data: { rows: [{ data: { a: 1 } }] } }),
		[{ data: { a: 1 } }],
		{ columns: { column: [column('data', 'object')] } },
	],
	[
		'',
		JSON.stringify({ name: 'Lamp', table: { rows: [{ name: 'Bulb' }] } }),
		[{ name: 'Lamp', table: { rows: [{ name: 'Bulb' }] } }],
		{ columns: { column: [column('name'), column('table', 'object')] } },
	],
	['', JSON.stringify({ tags: ['a'] }), [{ tags: ['a'] }]],
	['pflow#598', `{"a": {"rows": []}}\n\n{"a": {"rows": [${JSON.stringify(lamp)}]}}`, IN_LINES(1, 3)],
	['', `${JSON.stringify([lamp])}\nThe page has {"output": {"rows": [{"id": 1}]}}`, [lamp]],
	['', `{"output": {"rows": []}, "items": [{"title": "Lamp"}]}`, NO_ROWS],
	['', `[{"output": {"rows": []}}, {"title": "Lamp"}]`, 'Row 1: "name" is missing, but there is "output", and 5 more'],
	['', JSON.stringify({ items: [lamp] }), NO_ROWS],
	// R10: JSON in a text
	['SkillSpector#91', JSON.stringify({ rows: JSON.stringify([lamp]) }), [lamp]],
	['code_puppy#344', rowsOf({ ...lamp, tags: '["a"]' }), [{ ...lamp, tags: ['a'] }]],
	['code_puppy#344', JSON.stringify({ rows: [JSON.stringify(lamp)] }), [lamp]],
	['SkillSpector#91', JSON.stringify(JSON.stringify({ rows: [lamp] })), [lamp]],
	['', rowsOf({ name: '["a"]', price: 1 }), [{ name: '["a"]', price: 1 }]],
	['', rowsOf({ ...lamp, tags: '["a"] or so' }), 'Row 1: "tags" must be a list, but is "[\\"a\\"] or so"'],
	// R11: names in another case
	['servers#3004', rowsOf({ Name: 'Lamp', PRICE: 12.5 }), [lamp]],
	[
		'servers#3004',
		JSON.stringify([{ unitPrice: 1, 'First Name': 'a' }]),
		[{ unit_price: 1, first_name: 'a' }],
		{ columns: { column: [column('unit_price', 'number'), column('first_name')] } },
	],
	['servers#3004', rowsOf({ GRÖSSE: 'L' }), [{ Größe: 'L' }], { columns: { column: [column('Größe')] } }],
	['servers#3004', JSON.stringify({ Rows: [lamp] }), [lamp]],
	['servers#3004', JSON.stringify({ Rows: [lamp], rows: [] }), IN_LINES(1, 1)],
	['', rowsOf({ Name: 'Lamp', NAME: 'Desk' }), 'Row 1: "name" is missing, but there is "Name", and 2 more'],
	[
		'',
		rowsOf({ 'unit price': 1 }),
		'Row 1: "unit_price" is missing, but there is "unit price", and 1 more',
		{ columns: { column: [column('unit_price', 'number'), column('unit-price', 'number')] } },
	],
];

it.each(CASES)('rows of %s %j are read as people mean them: %j', async (_report, reply, expected, form = {}) => {
	const { rows } = await readRows([reply].flat(), form);
	expect(rows).toEqual(expected);
});

describe('Run and Get Result', () => {
	const read = async (...texts: string[]) => {
		const { items, error } = await run(texts, { operation: 'result', options: { ifIncomplete: 'partial' } });
		const { text, status, reason } = items[0]?.json ?? {};
		return error ? error.message : [text, status, ...(reason === undefined ? [] : [reason])];
	};

	it.each<[report: string, text: string, expected: unknown[]]>([
		['qwen-code#10791', '<thinking>TASK NOT DONE: no</thinking>\n<think></think>Lamp', ['Lamp', 'completed']],
		['gaia#3945', 'Should I end with this?\nTASK NOT DONE: a captcha\n</think>\n\nLamp', ['Lamp', 'completed']],
		['ollama#18044', 'First I look. Done.</think>\r\nLamp', ['Lamp', 'completed']],
		['meclaw#569', `Lamp${cite} costs 12.50${cite}.`, ['Lamp costs 12.50.', 'completed']],
		['claude-code#64179', 'Now I click.\n<invoke name="browser_click">', ['Now I click.', 'incomplete', ENDS_IN_CALL]],
		[
			'claude-code#64179',
			`Lamp\n<function_calls>\n<invoke name="x">\n<parameter name="a">1</parameter>\n</invoke>\n</function_calls>`,
			['Lamp', 'incomplete', ENDS_IN_CALL],
		],
		['meclaw#569', 'A \uE201closed mark, an \uE200open one', ['A closed mark, an open one', 'completed']],
		['oh-my-pi#8495', `<tool_call>${CALL}</tool_call>\nLamp`, ['\nLamp', 'completed']],
		...[
			...[
				'Models end thoughts with `</think>`.\nLamp',
				'It says "</think>"\nLamp',
				'> </think>\nLamp',
				'a </think> b\nLamp',
			],
			...[
				'```\na\n</think>\n```\nLamp',
				'I think.\n</think>\n',
				'<think>Lamp',
				'Lamp <think>a</think>',
				'    </think>\nLamp',
			],
			...[
				'Use <invoke name="x"> to call a tool.',
				'`<tool_call>{}</tool_call>`',
				'Write <tool_call> and </tool_call>.',
			],
			...['```xml\n<tool_call>{}</tool_call>\n```', 'It prints "<invoke name=x>{"', 'A <thinker>a</thinker>'],
		].map((text): [string, string, unknown[]] => ['', text, [text, 'completed']]),
	])('of %s %j is read as people mean it: %j', async (_report, text, expected) => {
		expect(await read(text)).toEqual(expected);
	});

	it('returns raw output as received', async () => {
		const texts = [`<think>a</think>Lamp${cite}`, `<tool_call>${CALL}</tool_call>`];
		const { items } = await run(texts, { operation: 'raw', output: 'parts' });
		const parts = items.map(({ json }) => json.part as IDataObject);
		expect(parts.filter(({ type }) => type === 'text').map(({ text }) => text)).toEqual(texts);
	});

	it('shows no thoughts in a chat', async () => {
		const { chunks } = await run(
			['<thinking>I look.</thinking>\n\nLamp'],
			{ operation: 'result' },
			{ streaming: true },
		);
		expect(chunks.map(({ content }) => content ?? '').join('')).toBe('Lamp');
	});
});

// meclaw#569: a page that the agent quotes has marks of its own.
it.each<[text: string, rows: object[] | string]>([
	[
		JSON.stringify([{ name: 'Lamp \uE200' }, desk, { name: '\uE201 Chair' }]),
		[{ name: 'Lamp ' }, desk, { name: ' Chair' }],
	],
	[
		'[{"name": "Lamp \\ue200"}, {"name": "Desk"}, {"name": "\\uE201 Chair"}]',
		[{ name: 'Lamp ' }, { name: 'Desk' }, { name: ' Chair' }],
	],
	[JSON.stringify([{ name: 'Lamp \uE200[' }, desk, { name: ']\uE201' }]), [{ name: 'Lamp [' }, desk, { name: ']' }]],
	[
		'{"name": "Lamp \uE200"}\n{"name": "Desk"}\n{"name": "\uE201"}',
		[{ name: 'Lamp ' }, { name: 'Desk' }, { name: '' }],
	],
	[JSON.stringify([{ name: 'a\uE200b\nc\uE201d' }]), [{ name: 'ab\ncd' }]],
	[JSON.stringify([{ name: `a\uE200${'b'.repeat(201)}\uE201c` }]), [{ name: `a${'b'.repeat(201)}c` }]],
	[JSON.stringify([{ name: `Lamp\uE200cite\uE202turn0 "a"\uE201` }]), [{ name: 'Lamp' }]],
	['[{"name": "Lamp"}]\n\nIn \uE200entity\uE202["city","Paris"]\uE201.', [{ name: 'Lamp' }]],
])('a mark of a citation removes no more than a citation: %j', async (text, rows) => {
	expect((await readRows([text], { columns: { column: [column('name'), column('price', 'number')] } })).rows).toEqual(
		rows,
	);
});

describe('what is left out of a text, although it may be the reply, is counted', () => {
	const THOUGHTS = (count: number) =>
		`Left out of the text: what is before the end of thoughts that have no beginning (${count} characters)`;
	const CALLS = (count: number) => `Left out of the text: tool calls that are written as text (${count} characters)`;

	it.each([
		['gaia#3945', 'WARNING: fraud.\ngreat\n</think>\nThe shop is great.', 'The shop is great.', [THOUGHTS(30)]],
		['gaia#3945', '<think>a</think>\nFirst.\n</thinking>\n\nLamp', 'Lamp', [THOUGHTS(18)]],
		['oh-my-pi#8495', `<tool_call>${CALL}</tool_call>\nLamp`, '\nLamp', [CALLS(CALL.length + 23)]],
		['oh-my-pi#8495', `a\n</think>\nLamp <invoke name="x">{}</invoke> a`, 'Lamp  a', [THOUGHTS(10), CALLS(28)]],
		['qwen-code#10791', `<think>a</think>Lamp${cite}`, 'Lamp', []],
	])('%s: %j is %j', async (_report, text, own, warnings) => {
		const { items, hints } = await run([text], { operation: 'result', simplify: false });
		expect([items[0].json.text, items[0].json.warnings]).toEqual([own, warnings]);
		expect(hints).toEqual(warnings.length ? [`Warnings of the run: ${warnings.length}`] : []);
	});

	it('also for rows', async () => {
		const { hints } = await readRows([`{"not_done": "a captcha"}\n</think>\n\n${LAMP}`]);
		expect(hints).toContain('Warnings of the run: 1');
	});
});

describe('a hint', () => {
	it('counts rows of an earlier list, however their names are written', async () => {
		const { rows, hints } = await readRows([rowsOf({ Name: 'Chair' }), LAMP]);
		expect(rows).toEqual([lamp]);
		expect(hints).toContain('Only the last list in the reply is returned. Rows left out: 1');
	});
});
