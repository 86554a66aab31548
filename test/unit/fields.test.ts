import type { INodeProperties } from 'n8n-workflow';

import type { Field } from '../../nodes/shared/form/fields';
import {
	fromModel,
	labelsOf,
	readChoice,
	readChoices,
	readEntries,
	readJsonObject,
	readNumber,
	readOpenChoice,
	readOptionalNumber,
	readRequiredText,
	readSwitch,
	readText,
	readThreadId,
	rejectLeftover,
} from '../../nodes/shared/form/read';
import { optionsField } from '../../nodes/shared/form/fields';
import { valueAt } from '../../nodes/shared/nested';
import { growthOf } from '../support/growth';

const ID = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';
const text: Field = { displayName: 'Task', default: '' };
const list: Field = {
	displayName: 'Output',
	default: 'parts',
	options: [
		{ name: 'Parts', value: 'parts' },
		{ name: 'Chunks', value: 'chunks' },
		{ name: 'Custom API Call', value: '__CUSTOM_API_CALL__' },
	],
};
const count: Field = { displayName: 'Limit', default: 20, typeOptions: { minValue: 0 } };
const flag: Field = { displayName: 'Simplify', default: true };

it('the label of a field is found by the names that the service may have for it', () => {
	const field: INodeProperties = { displayName: 'Thread ID', name: 'threadId', type: 'string', default: '' };
	const renamed = { ...field, displayName: 'Task', routing: { send: { property: '{{query}}' } } };
	const model: INodeProperties = { displayName: 'Model', name: 'model', type: 'string', default: '' };
	const values = [{ displayName: 'Agent', name: 'values', values: [model] }];
	const group: INodeProperties = {
		...{ displayName: 'Agent', name: 'agent', type: 'fixedCollection', default: {} },
		options: values,
	};
	expect(labelsOf([field, optionsField([renamed, group])])).toEqual({
		...{ threadId: "'Thread ID'", thread_id: "'Thread ID'", query: "'Task'" },
		model: "'Model' under 'Agent'",
	});
});

describe('a text field', () => {
	it.each([
		[undefined, ''],
		[null, ''],
		['  a ', 'a'],
		[0, '0'],
		[BigInt('12345678901234567890'), '12345678901234567890'],
		// vertesia/llumiverse#462: half an emoji.
		['nice\ud83d', 'nice\ufffd'],
		// n8n PR #3266: dates of Luxon and of JavaScript.
		[{ toISO: () => '2026-01-31T09:00:00.000+01:00' }, '2026-01-31T09:00:00.000+01:00'],
		[new Date(0), '1970-01-01T00:00:00.000Z'],
	])('takes %p as %p', (value, expected) => expect(readText(text, value)).toBe(expected));

	it.each([{}, [], true, false, Number.NaN, Infinity, () => 1])('rejects %p, naming the field', (value) => {
		expect(() => readText(text, value)).toThrow("'Task' must be text");
	});

	it.each([new Date('x'), { toISO: () => null }])('rejects the invalid date %p', (value) => {
		expect(() => readText(text, value)).toThrow("'Task' is not a valid date");
	});

	it.each([
		['Task', '{{ $json.task }}'],
		['Mailbox ID', '{{ $json.mailbox_id }}'],
		['Agent Model', '{{ $json.agent_model }}'],
	])('has an example of its own in the advice: %s', (displayName, example) => {
		const advice = `Map a single text field, such as ${example}, not a whole item or list`;
		const failure = expect.objectContaining({ advice }) as object;
		expect(() => readText({ ...text, displayName }, {})).toThrow(expect.objectContaining({ failure }) as Error);
	});

	it.each(['{{ $json.url }}', 'see {{$json.url}}', '{{\n$now }}'])('rejects %p that is stored as it is', (stored) => {
		expect(() => readText(text, stored, stored)).toThrow("'Task' contains an expression that is not evaluated");
	});

	it.each(['={{ $json.url }}', 'Write {{name}}', 'Costs {{ 5 }} $', '={{ "{{" }} $json }}'])(
		'takes what is evaluated, or has no reference to data: %p',
		(stored) => expect(readText(text, 'evaluated', stored)).toBe('evaluated'),
	);

	it('takes evaluated text with braces, because a service or a person wrote them', () => {
		expect(readText(text, 'literally {{ $json }}', "={{ '{{' }} $json }}")).toBe('literally {{ $json }}');
	});

	it('rejects no value if it is required', () => {
		expect(readRequiredText(text, ' a ')).toBe('a');
		expect(() => readRequiredText(text, ' ')).toThrow("'Task' is empty");
	});
});

describe('a list', () => {
	it.each(['Part', 5, '{{ "parts" }}'])('rejects %p, naming field and choices', (value) => {
		expect(() => readChoice(list, value)).toThrow("'Output' is not one of its choices");
		try {
			readChoice(list, value);
		} catch (caught) {
			const { failure } = caught as { failure: unknown };
			expect(failure).toMatchObject({ advice: "Choose one of 'Parts' (parts), 'Chunks' (chunks)", cause: 'input' });
		}
	});

	it('leads from Custom API Call to the HTTP Request node', () => {
		expect(() => readChoice(list, '__CUSTOM_API_CALL__')).toThrow("'Custom API Call' is not supported in this node");
	});

	// n8n#18163: a label from an expression or a model. n8n#17147: an empty cell of a table.
	it.each([
		['chunks', 'chunks'],
		['Chunks', 'chunks'],
		[' CHUNKS\u00a0', 'chunks'],
		[undefined, 'parts'],
		[null, 'parts'],
		[' ', 'parts'],
	])('takes %p as %p', (value, expected) => {
		expect(readChoice(list, value)).toBe(expected);
		expect(readOpenChoice(list, value)).toBe(expected);
	});

	it('has further values if its set of choices is open, and exactly its own if it takes no expression', () => {
		expect(readOpenChoice(list, ' other ')).toBe('other');
		for (const value of ['Chunks', '', null]) {
			expect(() => readChoice({ ...list, noDataExpression: true }, value)).toThrow(
				"'Output' is not one of its choices",
			);
		}
	});

	it.each([5, ['parts', 'x'], [null], {}, 'x'])('of several choices rejects %p', (value) => {
		expect(() => readChoices(list, value)).toThrow("'Output' is not one of its choices");
	});

	it('takes several choices, also as text', () => {
		expect(readChoices({ ...list, default: ['chunks'] }, undefined)).toEqual(['chunks']);
		expect(readChoices(list, ['parts'])).toEqual(['parts']);
		expect(readChoices(list, 'parts, chunks')).toEqual(['parts', 'chunks']);
		expect(readChoices(list, '["Parts", "chunks"]')).toEqual(['parts', 'chunks']);
		expect(readChoices(list, [])).toEqual([]);
		for (const empty of [' ', null]) expect(readChoices({ ...list, default: ['chunks'] }, empty)).toEqual(['chunks']);
	});
});

describe('a number', () => {
	it.each([
		[undefined, 20],
		[null, 20],
		['', 20],
		[' ', 20],
		[' 7 ', 7],
		['0.500', 0.5],
		[0, 0],
	])('takes %p as %p', (value, expected) => {
		expect(readNumber(count, value)).toBe(expected);
	});

	// Numeral-js#533: a number that can be read in two ways, or is no decimal.
	it.each(['1.800', '0x10', '1e3', '1,5', 'x', true, [5], {}, -1, Number.NaN, Infinity])(
		'rejects %p, naming the field',
		(value) => {
			expect(() => readNumber(count, value)).toThrow("'Limit' must be a number of at least 0");
		},
	);

	it('says in which ways a number can be read', () => {
		const message = "'Limit' must be a number of at least 0: 1.800 may mean 1800 or 1.8";
		expect(() => readNumber(count, ' 1.800')).toThrow(message);
	});

	it('rejects a fraction, or less than its least value, as the form would', () => {
		const field = { ...count, typeOptions: { minValue: 2, numberPrecision: 0 } };
		expect(() => readNumber(field, 2.5)).toThrow("'Limit' must be a whole number of at least 2");
		expect(() => readNumber(field, 1)).toThrow("'Limit' must be a whole number of at least 2");
		expect(readNumber(count, 2.5)).toBe(2.5);
	});

	it.each<[Field['default'], string]>([
		[20, 'Correct this field. Its default is 20'],
		['', 'Correct this field, or remove it'],
	])('with the default %j says so in the advice', (value, advice) => {
		const failure = expect.objectContaining({ advice }) as object;
		expect(() => readNumber({ ...count, default: value }, -1)).toThrow(expect.objectContaining({ failure }) as Error);
	});

	it.each([undefined, null, ''])('without a default is not set by %p, and is not sent', (value) => {
		const field: Field = { ...count, default: '' };
		expect(readOptionalNumber(field, value)).toBeUndefined();
		expect([readOptionalNumber(field, 5), readOptionalNumber(count, undefined)]).toEqual([5, 20]);
	});
});

describe('a switch', () => {
	it.each([
		[undefined, true],
		['', true],
		[false, false],
		['False', false],
		// atdatabases#142: databases return 1 and 0.
		[0, false],
		['1', true],
		[' true\n', true],
	])('takes %p as %p', (value, expected) => expect(readSwitch(flag, value)).toBe(expected));

	it.each([2, 'yes', 'constructor', [1], {}, []])('rejects %p, naming the field', (value) => {
		expect(() => readSwitch(flag, value)).toThrow("'Simplify' must be true or false");
	});
});

describe('a JSON object', () => {
	it.each([
		[undefined, {}],
		[' ', {}],
		['{"a":1}', { a: 1 }],
		[{ a: 1 }, { a: 1 }],
	])('is read from %p', (value, expected) => expect(readJsonObject(text, value)).toEqual(expected));

	// n8n#22023.
	it.each(['x', '{"a":1,}', '{"a":1 // one\n}'])('is rejected with what is wrong in it and where: %p', (value) => {
		expect(() => readJsonObject(text, value)).toThrow(/^'Task' is not valid: .*(JSON|position|line)/);
	});

	it('has well-formed text', () => {
		const expected = { a: ['nice\ufffd'] };
		for (const value of ['{"a": ["nice\ud83d"]}', String.raw`{"a": ["nice\ud83d"]}`, { a: ['nice\ud83d'] }]) {
			expect(readJsonObject(text, value)).toEqual(expected);
		}
	});

	it.each(['[]', 5, [], 'null'])('is not %p', (value) => {
		expect(() => readJsonObject(text, value)).toThrow("'Task' must be a JSON object");
	});

	it.each(['{"id": 12345678901234567890}', '{"a": [{"b": -9007199254740993}]}', '{"a": 1e999}'])(
		'is rejected if a number in it would be sent as another one: %p',
		(value) => expect(() => readJsonObject(text, value)).toThrow("'Task' contains a number that is too large"),
	);

	it.each([
		'{"id": "12345678901234567890"}',
		'{"a": 0.12345678901234567890}',
		'{"a": 1e20, "b": "x\\"9007199254740993"}',
	])('is read from %p, whose numbers keep their value', (value) =>
		expect(readJsonObject(text, value)).toEqual(JSON.parse(value)),
	);
});

describe('a thread ID', () => {
	it.each([
		['', ''],
		[ID, ID],
		[ID.toUpperCase(), ID.toUpperCase()],
		[`https://app.example.com/threads/${ID}?tab=1`, ID],
		[`http://localhost:1/${ID}`, ID],
		[`http://localhost:1/${ID}/${ID.toUpperCase()}`, ID.toUpperCase()],
		[`https://app.example.com/t/${ID}/runs?run=11111111-1111-1111-1111-111111111111`, ID],
		[`https://app.example.com/11111111-1111-1111-1111-111111111111/${ID}`, ID],
		[`https://app.example.com/?thread=${ID}`, ID],
		[`https://app.example.com/w/11111111-1111-1111-1111-111111111111?id=${ID}`, ID],
		[`https://app.example.com/w/11111111-1111-1111-1111-111111111111#/threads/${ID}`, ID],
		[`https://app.example.com/threads/${ID}?tab=11111111-1111-1111-1111-111111111111`, ID],
	])('is read from %p', (value, expected) => expect(readThreadId(text, value)).toBe(expected));

	it.each([
		...['x', `${ID}x`, `see ${ID}`, `ftp://app.example.com/${ID}`, `xhttps://app.example.com/${ID}`],
		'https://app.example.com/threads/5',
	])('is not %p', (value) => expect(() => readThreadId(text, value)).toThrow("'Task' is not valid"));

	it.each([`${ID}11111111-1111-1111-1111-111111111111`, `${ID}, 11111111-1111-1111-1111-111111111111`])(
		'is rejected if there are several: %p',
		(value) => {
			expect(() => readThreadId(text, value)).toThrow("'Task' contains more than one ID");
		},
	);
});

// just-prompt PR #19, n8n#7443: lists from expressions, models and people.
it.each<[unknown, string[]]>([
	['new, used,, new', ['new', 'used']],
	['new\nused, or nearly,\n', ['new', 'used, or nearly']],
	['["new","us\\"ed"]', ['new', 'us"ed']],
	['[1.50, true]', ['1.50', 'true']],
	["['new', 'used']", ['new', 'used']],
	['"new", \'a, b\'', ['new', 'a, b']],
	['"new",\n"used"', ['new', 'used']],
	["5\" screen, '90s music, '80s", ['5" screen', "'90s music", "'80s"]],
	[
		['a', 'a\u00a0', 5, null],
		['a', '5'],
	],
	['Gro\u0308\u00dfe, Gr\u00f6\u00dfe', ['Gr\u00f6\u00dfe']],
	["['first name'], ['a, b'].c, lines[0].sku", ["['first name']", "['a, b'].c", 'lines[0].sku']],
	// openstreetmap/id-tagging-schema#2898, ximu3/vnite#441, aehlke/tag-it#316: the comma of a Chinese keyboard.
	['\u65b0\uff0c\u65e7, new', ['\u65b0', '\u65e7', 'new']],
	['"\u65b0\uff0c\u65e7"\uff0c\u5f20\u3001\u738b', ['\u65b0\uff0c\u65e7', '\u5f20\u3001\u738b']],
	['\u65b0\uff0c\n\u65e7', ['\u65b0', '\u65e7']],
])('a list is read from %p', (value, expected) => expect(readEntries(text, value)).toEqual(expected));

// ZenRows/zenrows-mcp#23, n8n#17981: what models write for a parameter that they do not need.
it.each([
	['null', ''],
	['None', ''],
	[' "undefined" ', ''],
	['""', ''],
	[`"${ID}"`, ID],
	['`deep`', 'deep'],
	['none of it', 'none of it'],
	[5, 5],
])('as a tool, %p is %p', (value, expected) => {
	expect(fromModel({ ...text, name: 'model' }, value, '={{ $fromAI("model") }}')).toBe(expected);
});

it('as a tool, a choice, what the form itself says, and the quotes of a task are no words for nothing', () => {
	const named = (name: string) => ({ ...text, name });
	const none = { ...named('ifNoRows'), options: [{ name: 'No Items', value: 'none' }] };
	expect(fromModel(none, 'none', '={{ 1 }}')).toBe('none');
	expect(fromModel(named('reasoningEffort'), 'none', 'none')).toBe('none');
	expect(fromModel(named('searchQuery'), '"lamps"', '={{ 1 }}')).toBe('"lamps"');
});

// n8n#23215: "DELETE /secrets/undefined".
it.each([
	['undefined', "={{ '' + $json.id }}", true],
	['sec_undefined', '=sec_{{ $json.id }}', true],
	['null', '={{ $json.id }}', true],
	['[object Object]', '={{ $json.id }}', true],
	['Price of undefined', "={{ 'Price of ' + $json.x }}", false],
	['on Invalid DateTime', "=on {{ DateTime.fromISO('31.01.2026').toFormat('d') }}", false],
])('what an expression left is rejected: %p', (value, stored, isId) => {
	expect(() => rejectLeftover(text, value, stored, isId)).toThrow(/^'Task' contains "[^"]+" instead of a value$/);
});

it.each([
	['undefined', 'undefined', true],
	['nullable', '={{ $json.id }}', true],
	['undefinedness', "={{ 'a' + $json.x }}", false],
	['Why is x undefined?', '={{ $json.question }}', false],
	['Why is x undefined?', "={{ $('On Form').first().json['my question'] ?? $json.q }}", false],
	['undefined lamp', "=undefined {{ $json.a + '' }}", false],
])('a word that is meant is not: %p', (value, stored, isId) => {
	expect(() => rejectLeftover(text, value, stored, isId)).not.toThrow();
});

const written = [
	',',
	'"',
	"',",
	'",',
	"['",
	'["a"]',
	'[',
	' ',
	'[object ',
	'undefined',
	'thread',
	'thread/',
	'?run=',
	'.a',
	'\\',
];
it.each(written)('a field is read in time that grows with its text alone, among many of %j', (piece) => {
	const look = (size: number) => {
		for (const start of ['', "['a", '"', 'https://a.example/']) {
			const many = `${start}${piece.repeat(size)}x`;
			readEntries(text, many);
			valueAt({ a: 1 }, many);
			expect(() => readThreadId(text, many)).toThrow();
			expect(() => rejectLeftover(text, `${many} undefined`, '={{ 1 }}', true)).toThrow();
		}
	};
	expect(growthOf(look, 4000 / piece.length)).toBeLessThan(24);
});
