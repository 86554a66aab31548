import type { INodeProperties } from 'n8n-workflow';

import { type Field, optionsField, labelsOf } from '../../nodes/shared/form/fields';
import * as form from '../../nodes/shared/form/read';
import { readThreadId } from '../../nodes/shared/form/read-start';
import { each } from '../support/each';
import { failureOf } from '../support/failure-of';

const ID = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';
const text: Field = { displayName: 'Task', default: '' };
const choices = { Parts: 'parts', Chunks: 'chunks', 'Custom API Call': '__CUSTOM_API_CALL__' };
const options = Object.entries(choices).map(([name, value]) => ({ name, value }));
const list: Field = { displayName: 'Output', default: 'parts', options };
const chunksList = { ...list, default: ['chunks'] };
const count: Field = { displayName: 'Limit', default: 20, typeOptions: { minValue: 0 } };
const flag: Field = { displayName: 'Simplify', default: true };

it('the label of a field is found by the names that the service may have for it', () => {
	const field: INodeProperties = { displayName: 'Thread ID', name: 'threadId', type: 'string', default: '' };
	const renamed = { ...field, displayName: 'Task', name: 'query' };
	const model: INodeProperties = { ...field, displayName: 'Model', name: 'model' };
	expect(labelsOf([field, optionsField([renamed, model])])).toEqual({
		...{ threadId: "'Thread ID'", thread_id: "'Thread ID'", query: "'Task' under 'Options'" },
		model: "'Model' under 'Options'",
	});
});

const asText = (value: unknown) => form.readText(text, value);
const asStored = (value: unknown) => form.readText(text, value, value);
const asRequired = (value: unknown) => form.readRequiredText(text, value);
const asChoice = (value: unknown) => form.readChoice(list, value);
const asOpenChoice = (value: unknown) => form.readOpenChoice(list, value);
const asFixedChoice = (value: unknown) => form.readChoice({ ...list, noDataExpression: true }, value);
const asChoices = (value: unknown) => form.readChoices(list, value);
const asChunks = (value: unknown) => form.readChoices(chunksList, value);
const asNumber = (value: unknown) => form.readNumber(count, value);
const asWholeNumber = (value: unknown) =>
	form.readNumber({ ...count, typeOptions: { minValue: 2, numberPrecision: 0 } }, value);
const asSwitch = (value: unknown) => form.readSwitch(flag, value);
const asJsonObject = (value: unknown) => form.readJsonObject(text, value);
const asThreadId = (value: unknown) => readThreadId(text, value);

const OTHER = '11111111-1111-1111-1111-111111111111';
const APP = 'https://app.example.com';

it.each<[value: unknown, read: (value: unknown) => unknown, expected: unknown]>([
	...each([undefined, null], asText, ''),
	['  a ', asText, 'a'],
	// vertesia/llumiverse#462: half an emoji.
	['nice\ud83d', asText, 'nice\ufffd'],
	// n8n PR #3266: dates of Luxon and of JavaScript.
	[{ toISO: () => '2026-01-31T09:00:00.000+01:00' }, asText, '2026-01-31T09:00:00.000+01:00'],
	[new Date(0), asText, '1970-01-01T00:00:00.000Z'],
	[' a ', asRequired, 'a'],
	// n8n#18163: a label from an expression or a model. n8n#17147: an empty cell of a table.
	...[asChoice, asOpenChoice].flatMap((read) => [
		...each(['chunks', 'Chunks', ' CHUNKS\u00a0'], read, 'chunks'),
		...each([undefined, null, ' '], read, 'parts'),
	]),
	[' other ', asOpenChoice, 'other'],
	[['parts'], asChoices, ['parts']],
	...each(['parts, chunks', '["Parts", "chunks"]'], asChoices, ['parts', 'chunks']),
	[[], asChoices, []],
	...each([undefined, ' ', null], asChunks, ['chunks']),
	...each([undefined, null, '', ' '], asNumber, 20),
	[' 7 ', asNumber, 7],
	['0.500', asNumber, 0.5],
	[0, asNumber, 0],
	...each([undefined, '', '1', ' true\n'], asSwitch, true),
	// atdatabases#142: databases return 1 and 0.
	...each([false, 'False', 0], asSwitch, false),
	...each([undefined, ' '], asJsonObject, {}),
	...each(['{"a":1}', { a: 1 }], asJsonObject, { a: 1 }),
	// Its text is well-formed.
	...each(['{"a": "x\ud83d"}', String.raw`{"a": "x\ud83d"}`, { a: 'x\ud83d' }], asJsonObject, { a: 'x\ufffd' }),
	['{"id": "12345678901234567890"}', asJsonObject, { id: '12345678901234567890' }],
	['{"a": 0.12345678901234567890}', asJsonObject, { a: 0.12345678901234568 }],
	['{"a": 1e20, "b": "x\\"9007199254740993"}', asJsonObject, { a: 1e20, b: 'x"9007199254740993' }],
	['', asThreadId, ''],
	...each([ID, `${APP}/threads/${ID}?tab=1`, `http://localhost:1/${ID}`, `${APP}/?thread=${ID}`], asThreadId, ID),
	...each([`${APP}/t/${ID}/runs?run=${OTHER}`, `${APP}/${OTHER}/${ID}`, `${APP}/w/${OTHER}?id=${ID}`], asThreadId, ID),
	...each([ID.toUpperCase(), `http://localhost:1/${ID}/${ID.toUpperCase()}`], asThreadId, ID.toUpperCase()),
])('takes %p by %p as %p', (value, read, expected) => expect(read(value)).toEqual(expected));

const NO_CHOICE = "'Output' is not one of its choices";
const EXPRESSION = "'Task' contains an expression that is not evaluated";
const NO_NUMBER = "'Limit' must be a number of at least 0";
const TOO_LARGE = "'Task' contains a number that is too large";
const NOT_WHOLE = "'Limit' must be a whole number of at least 2";
it.each<[value: unknown, read: (value: unknown) => unknown, problem: string | RegExp]>([
	...each([{}, [], true, false, Number.NaN, Infinity, () => 1], asText, "'Task' must be text"),
	...each([new Date('x'), { toISO: () => null }], asText, "'Task' is not a valid date"),
	...each(['{{ $json.url }}', 'see {{$json.url}}', '{{\n$now }}'], asStored, EXPRESSION),
	[' ', asRequired, "'Task' is empty"],
	...each(['Part', 5, '{{ "parts" }}'], asChoice, NO_CHOICE),
	['__CUSTOM_API_CALL__', asChoice, "'Custom API Call' is not supported in this node"],
	...each(['Chunks', '', null], asFixedChoice, NO_CHOICE),
	...each([5, ['parts', 'x'], [null], {}, 'x'], asChoices, NO_CHOICE),
	// Numeral-js#533: a number that can be read in two ways, or is no decimal.
	...each(['1.800', '0x10', '1e3', '1,5', 'x', true, [5], {}, -1, Number.NaN, Infinity], asNumber, NO_NUMBER),
	...each([2.5, 1], asWholeNumber, NOT_WHOLE),
	...each([2, 'yes', 'constructor', [1], {}, []], asSwitch, "'Simplify' must be true or false"),
	// n8n#22023: what is wrong in it, and where.
	...each(['x', '{"a":1,}', '{"a":1 // one\n}'], asJsonObject, /^'Task' is not valid: .*(JSON|position|line)/),
	...each(['[]', 5, [], 'null'], asJsonObject, "'Task' must be a JSON object"),
	// A number that would be sent as another one.
	...each(
		['{"id": 12345678901234567890}', '{"a": [{"b": -9007199254740993}]}', '{"a": 1e999}'],
		asJsonObject,
		TOO_LARGE,
	),
	...each(['x', `${ID}x`, `see ${ID}`, `ftp://app.example.com/${ID}`], asThreadId, "'Task' is not valid"),
	...each([`${ID}${OTHER}`, `${ID}, ${OTHER}`], asThreadId, "'Task' contains more than one ID"),
])('rejects %p by %p, naming the field: %s', (value, read, problem) => expect(() => read(value)).toThrow(problem));

const asNamed = (displayName: string) => (value: unknown) => form.readText({ ...text, displayName }, value);
const mapOne = (name: string) => `Map a single text field, such as {{ $json.${name} }}, not a whole item or list`;
it.each<[value: unknown, read: (value: unknown) => unknown, advice: string]>([
	[{}, asNamed('Task'), mapOne('task')],
	[{}, asNamed('Mailbox ID'), mapOne('mailbox_id')],
	[{}, asNamed('Agent Model'), mapOne('agent_model')],
	...each(['Part', 5, '{{ "parts" }}'], asChoice, "Choose one of 'Parts' (parts), 'Chunks' (chunks)"),
	[-1, asNumber, 'Correct this field. Its default is 20'],
])('rejects %p by %p with the advice %j', (value, read, advice) => {
	expect(failureOf(() => read(value))).toMatchObject({ advice, cause: 'input' });
});

// just-prompt PR #19, n8n#7443: lists from expressions, models and people.
it.each<[unknown, string[]]>([
	...each(['new, used,, new', "['new', 'used']", '"new",\n"used"'], ['new', 'used']),
	['new\nused, or nearly,\n', ['new', 'used, or nearly']],
	['["new","us\\"ed"]', ['new', 'us"ed']],
	['"new", \'a, b\'', ['new', 'a, b']],
	["5\" screen, '90s music, '80s", ['5" screen', "'90s music", "'80s"]],
	...each([['a', 'a\u00a0', 5, null]], ['a', '5']),
	['Gro\u0308\u00dfe, Gr\u00f6\u00dfe', ['Gr\u00f6\u00dfe']],
	["['first name'], ['a, b'].c, lines[0].sku", ["['first name']", "['a, b'].c", 'lines[0].sku']],
	// openstreetmap/id-tagging-schema#2898, ximu3/vnite#441, aehlke/tag-it#316: the comma of a Chinese keyboard.
	['\u65b0\uff0c\u65e7, new', ['\u65b0', '\u65e7', 'new']],
	['"\u65b0\uff0c\u65e7"\uff0c\u5f20\u3001\u738b', ['\u65b0\uff0c\u65e7', '\u5f20\u3001\u738b']],
])('a list is read from %p', (value, expected) => expect(form.readEntries(text, value)).toEqual(expected));

// ZenRows/zenrows-mcp#23, n8n#17981: what models write for a parameter that they do not need.
it.each([
	...each(['null', 'None', ' "undefined" ', '""'], ''),
	[`"${ID}"`, ID],
	['`deep`', 'deep'],
	['none of it', 'none of it'],
	[5, 5],
])('as a tool, %p is %p', (value, expected) => {
	expect(form.fromModel({ ...text, name: 'model' }, value, '={{ $fromAI("model") }}')).toBe(expected);
});

it('as a tool, a choice, what the form itself says, and the quotes of a task are no words for nothing', () => {
	const named = (name: string) => ({ ...text, name });
	const none = { ...named('ifNoRows'), options: [{ name: 'No Items', value: 'none' }] };
	expect(form.fromModel(none, 'none', '={{ 1 }}')).toBe('none');
	expect(form.fromModel(named('reasoningEffort'), 'none', 'none')).toBe('none');
	expect(form.fromModel(named('searchQuery'), '"lamps"', '={{ 1 }}')).toBe('"lamps"');
	const long = 'a'.repeat(8e6);
	expect(form.fromModel(named('model'), `"${long}"`, '={{ 1 }}')).toBe(long);
});
