/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { formatOf } from '../support/rows-format';
import fc from 'fast-check';

const ShwithoutThoughts = class {
	constructor(_: boolean) {}
	push(_: string): string {
		throw new Error('gone');
	}
	end(): string {
		throw new Error('gone');
	}
};
import { notDoneInText } from '../../nodes/RunAutomation/reply/not-done';
import { withoutThoughts } from '../../nodes/RunAutomation/reply/reply';
import { readRows } from '../../nodes/RunAutomation/reply/read-rows';
const TYPES: any = () => {
	throw new Error('gone');
};
import { costOf, growthOf, MAX_GROWTH } from '../support/growth';
import { fuzz } from './fuzz';

/** Characters of the smaller of two texts. The nightly check takes longer ones. */
const LENGTH = process.env.NIGHTLY ? 16_000 : 800;

// What a stranger writes is read in time that grows with its length alone.

const rowsIn = (text: string, more = {}) => {
	const columns = [{ name: 'a', type: 'text' as const, isRequired: false, description: '', ...more }];
	return readRows([text], formatOf(columns));
};

it.each([
	...['`', '~', '``` ', '{', '{"', '[{"', '[ ', '{"a":1}\n', '{"a":[', '"\\', ' ', '\n ', '} ', ' `', '[', '[a]', '* '],
	...['```json\n{"a":1}\n```\n', '- [ ] a\n', 'TASK NOT DONE:\n', '> TASK NOT DONE: a\n\n', '{"not_done":'],
	...['TASK NOT DONE [a]: b\n', 'TASK NOT DONE: [captcha] none\n', '{"not_done":"none"}\n', '[1, {"not_done":"x"}\n'],
	...['{"a\n', '{"a":{"rows":[{"not_done":"x"}],', '{"a":{"rows":', '{"rows":[', '{"a":1,"b\n}', '{"x\n{"rows":['],
	...['{": 1}, {"a\n', '[{"a":"b"},\n', '{"rows":[{"a":1}]}\n', '{"rows":[{"a":1}]} or ', '{a: ', '{rows: '],
	...[
		'{}',
		'{"rows":[],',
		'{"rows":[{"a":1}],"rows":[]} ',
		'{"a":{"rows":[{"a":1}]},',
		'[{"a":1},{"a',
		'{"A":1}\n',
		'{"a":"[1]"}\n',
	],
	...['\n[{"a": 1', '{"rows": [...]}\n', '{"a": 1,}\n', '[{"a": "\\_"}]\n\n', '\n> ```\n', '{"a": 00', '{"a": "b" , '],
])('a reply is read in time that grows with it alone, among many of %j', (piece) => {
	const look = (size: number) => {
		const text = `{"a": 1} ${piece.repeat(size)}x`;
		rowsIn(text);
		notDoneInText(text);
	};
	expect(growthOf(look, LENGTH / piece.length)).toBeLessThan(MAX_GROWTH);
});

it.each([
	...[
		'<think>',
		'</think>',
		'<think>a</think>',
		'</think>\n',
		'\uE200',
		'\uE200a\uE201',
		'\\ue200',
		'`</think>` ',
		'"<tool_call>{}',
	],
	...[
		'<tool_call>',
		'<tool_call>{}',
		'</tool_call>',
		'<invoke name="a">{}',
		'<invoke name=" ',
		'<tool_call>{}</tool_call>',
		'[TOOL_CALLS][',
		' ',
	],
])('what of a text is the reply is found in time that grows with it alone, among many of %j', (piece) => {
	const look = (size: number) => {
		const many = piece.repeat(size);
		for (const text of [
			many,
			`<think>${many}`,
			`${many}</think>\na`,
			`<invoke name="a">${many}`,
			`a <tool_call>{}${many}`,
		])
			withoutThoughts(`${text}x`);
	};
	expect(growthOf(look, LENGTH / piece.length)).toBeLessThan(MAX_GROWTH);
});

// The limit of structures protects n8n's only thread.
it('a text with more JSON than is read is not read as rows', () => {
	const { rows, problems } = rowsIn(`{"rows": [{"a": "x"}]} ${'{}'.repeat(200_000)}`);
	expect([rows, problems]).toEqual([[], ['The reply contains more than 200000 pieces of JSON']]);
});

// Nobody means 500 kB of braces: they take less than half a second of the processor, at best of three tries on a busy machine.
it.each(['{', '[', '}', '{}', '[]', '{ ', '[{', '{"', '{"a":', '[{"a":', '{}[]{"a":'])(
	'500 kB of %j are read in half a second',
	(braces) => {
		const text = braces.repeat(500_000 / braces.length);
		const tries = Array.from({ length: 3 }, () => () => costOf(() => rowsIn(text)));
		expect(tries.some((cost) => cost() < 500_000)).toBe(true);
	},
);

it('40,000 lines of JSON are rows', () => {
	expect(rowsIn('{"a": "x"}\n'.repeat(40_000)).rows).toHaveLength(40_000);
});

it('many blanks are read in time that grows with them alone', () => {
	const look = (size: number) => {
		for (const before of ['```json', '{"not_done": ""}', '"', '[']) rowsIn(`${before}${' '.repeat(size)}x`);
	};
	expect(growthOf(look, 4 * LENGTH)).toBeLessThan(MAX_GROWTH);
});

const inReasons = [' ', '[', 'all ', 'none ', '* ', '[captcha] '];
it.each(inReasons)('a reason is read in time that grows with it alone: %j', (piece) => {
	const look = (size: number) => {
		notDoneInText(`TASK NOT DONE: none ${piece.repeat(size)}x`);
		rowsIn(JSON.stringify({ rows: [{ a: 'x' }], not_done: `None ${piece.repeat(size)}x` }));
	};
	expect(growthOf(look, LENGTH / piece.length)).toBeLessThan(MAX_GROWTH);
});

it.each(['\\u0000', '0', '\\n', '\n', '{"b": 1, ', ' ', '2026-01-31 '])(
	'a value is read in time that grows with it alone: %j',
	(piece) => {
		const look = (size: number) => {
			const many = piece.repeat(size);
			for (const type of ['text', 'number', 'date', 'link', 'choice'] as const)
				for (const value of [`"${many}"`, `9${many}.0${many}1`, many])
					rowsIn(`{"rows": [{"a": ${value}}]}`, { type, choices: ['b'] });
		};
		expect(growthOf(look, LENGTH / piece.length)).toBeLessThan(MAX_GROWTH);
	},
);

const inLinks = [' ', '" ', '](', '<', 'https://', ',', ',https://a', '&amp;', '&amp', '…/', '/…', '...', ';'];
it.each(inLinks)('a link is read in time that grows with it alone, among many of %j', (piece) => {
	const look = (size: number) => {
		const text = `[a](https://x.example/${piece.repeat(size)}x)`;
		for (let time = 0; time < 50; time++) TYPES.link.read(text);
	};
	expect(growthOf(look, 500)).toBeLessThan(MAX_GROWTH);
});

it.each([' ', '`', '~', '{', '{"', '``` ', '{ ', '<', '</think>', '<think>', '\uE200'])(
	'JSON is hidden in a chat in no time among many of %j',
	(piece) => {
		const look = (size: number) => {
			for (const start of ['', '<think>']) {
				const shown = new ShwithoutThoughts(true);
				for (const char of start + piece.repeat(size)) shown.push(char);
				shown.end();
			}
		};
		expect(growthOf(look, LENGTH / piece.length)).toBeLessThan(MAX_GROWTH);
	},
);

const REPLY_PIECES = [
	'`',
	'```json\n',
	'{',
	'}',
	'[',
	']',
	'"',
	'"a"',
	':',
	',',
	'1',
	' ',
	'\n',
	'\\',
	'{"a":1}',
	'{"rows":[',
	'> ',
	'a',
];
const TAGS = [
	'<think>',
	'</think>',
	'<tool_call>',
	'</tool_call>',
	'\uE200',
	'\uE201',
	'TASK NOT DONE: ',
	'[captcha] ',
];

it('replies of any shape are read in time that grows with them alone', () => {
	const shapes = fc.array(fc.constantFrom(...REPLY_PIECES, ...TAGS), { minLength: 1, maxLength: 5 });
	fc.assert(
		fc.property(shapes, shapes, (before, repeated) => {
			const shape = repeated.join('');
			const look = (size: number) => {
				const text = `${before.join('')}${shape.repeat(size)}x`;
				rowsIn(text);
				notDoneInText(text);
				withoutThoughts(text);
			};
			expect(growthOf(look, LENGTH / shape.length)).toBeLessThan(MAX_GROWTH);
		}),
		fuzz(10),
	);
});
