import type { INodeParameters } from 'n8n-workflow';

import { continued } from '../engine/run-node';
import { events, finish, runStream, streamHeaders, textChunks, type StartAnswer } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { canaryStreams } from '../faults/canary-streams';

const CANARY = 'canary-5f3a9c';
const DIGITS = '98765432109876543210';
const columns = { column: [{ name: 'age', type: 'number' }] };
const rows = { operation: 'rows', columns, options: { ifRowsInvalid: 'validOnly' } };
const partial = { options: { ifIncomplete: 'partial' } };

const POLICIES: Array<[string, object]> = [
	['for production', { version: 2, production: true, manual: false }],
	['for manual executions', { version: 2, production: false, manual: true }],
	['of version 1', { version: 1, policy: 'non-manual' }],
	['that is off', { version: 2, production: false, manual: false }],
	['of version 1 that is off', { version: 1, policy: 'none' }],
];

const agesOf = (second: string) => [...textChunks(`{"rows":[{"age":1},{"age":${second}}]}`), finish];
const MISFIT = 'Row 2: &quot;age&quot; must be a number';
const done = textChunks('Done');
const failed = { type: 'error', errorText: `Blocked by ${CANARY}` };
const file = { type: 'file', mediaType: 'image/png' };

/** Runs that end in every way that shows hints, each with a value that a policy keeps from people. */
const RUNS: Array<[string, INodeParameters, unknown[], string]> = [
	['a row that does not fit', rows, agesOf(`"${CANARY}"`), `returned. ${MISFIT}`],
	['a number with too many digits', rows, agesOf(DIGITS), `returned. ${MISFIT} that can be stored exactly`],
	['a partial result', partial, [...done, failed], 'Partial result: failed'],
	['a lost file', {}, [...done, { ...file, url: `data:;name=${CANARY};base64,@@` }, finish], 'Missing files: 1'],
];

describe.each(POLICIES)('under a policy of redaction %s', (_policy, redaction) => {
	it.each(RUNS)('hints of %s have no value', async (_name, form, chunks, hint) => {
		const runtimeData = { redaction } as never;
		const { hints, run } = await runStream(chunks, form, { runtimeData });
		const shown = hints.map(({ message }) => message);
		expect(shown).toContainEqual(expect.stringMatching(`${hint}$`));
		const visible = JSON.stringify([hints, run.data.resultData.metadata]);
		for (const value of [CANARY, DIGITS]) expect(visible).not.toContain(value);
	});
});

it.each(canaryStreams(CANARY))(
	'stores no value of a chunk of type %s outside of items and errors, if data are redacted',
	async (_type, body) => {
		const runtimeData = { redaction: POLICIES[0][1] } as never;
		for (const form of [partial, rows, { operation: 'raw', output: 'chunks' }])
			for (const extra of [{}, continued]) {
				const { hints, run } = await runStream(body, form, { ...extra, runtimeData });
				const { resultData, executionData } = run.data;
				const tasks = Object.values(resultData.runData).flat();
				const left = [hints, resultData.metadata, executionData?.contextData, tasks.map((task) => task.metadata)];
				expect(JSON.stringify(left)).not.toContain(CANARY);
			}
	},
);

const CHOICES = `={{ "DE0012345678, ${CANARY}" }}`;
const columnOf = (change: object) => ({ columns: { column: [{ name: 'age' }, { name: 'iban', ...change }] } });
const REDACTED = { redaction: POLICIES[0][1] } as never;

// Expressions may put values into what people define.
it.each<[string, INodeParameters, object, string]>([
	[
		'choices',
		columnOf({ type: 'choice', choices: CHOICES }),
		{ iban: 'x' },
		'Row 2: column 2 must be one of 2 choices',
	],
	[
		'a name',
		columnOf({ name: `={{ "${CANARY}" }}`, type: 'number' }),
		{ [CANARY]: 'x' },
		'Row 2: column 2 must be a number',
	],
	[
		'an example',
		{ columnsFrom: 'example', jsonExample: `={{ { "${CANARY}": { "a": 1 } } }}` },
		{ [CANARY]: { a: 'x' } },
		'Row 2: column 1 must be a number',
	],
	[
		'fixed choices',
		columnOf({ type: 'choice', choices: 'DE0012345678' }),
		{ iban: 'x' },
		'Row 2: &quot;iban&quot; must be one of 1 choice',
	],
])('%s are in no hint of rows under a policy of redaction', async (_what, form, row, hint) => {
	const text = JSON.stringify({ rows: [{ age: null }, { age: 'a', ...row }].map((one, index) => (index ? one : {})) });
	const { hints } = await runStream([...textChunks(text), finish], { ...rows, ...form }, { runtimeData: REDACTED });
	expect(hints.map(({ message }) => message)).toContainEqual(expect.stringContaining(hint));
	expect(JSON.stringify(hints)).not.toMatch(RegExp(`${CANARY}|DE0012345678`));
});

const schema = { type: 'object', properties: { [CANARY]: { type: 'number', minimum: 1 } } };
const SCHEMA = { columnsFrom: 'schema', jsonSchema: `=${JSON.stringify(schema)}{{ "" }}` };
const NAMED = { include: 'selectedOtherFields', fieldsToInclude: `={{ "${CANARY}" }}` };
it.each<[string, INodeParameters, string]>([
	['a rule of a schema', SCHEMA, 'sent to the agent, but not checked: 1'],
	['a replaced field', { ...columnOf({ name: `={{ "${CANARY}" }}` }), include: 'allOtherFields' }, 'columns: 1'],
	['a field that is missing', NAMED, 'Some input items lack a field'],
])('the name of %s is in no hint of the form under a policy of redaction', async (_what, form, hint) => {
	const input = [{ [CANARY]: 1 }, { other: 1 }];
	const body = [...textChunks(`{"rows":[{"age":1,"${CANARY}":5}]}`), finish];
	const { hints } = await runStream(body, { ...rows, ...form }, { input, runtimeData: REDACTED });
	expect(hints.map(({ message }) => message)).toContainEqual(expect.stringContaining(hint));
	expect(JSON.stringify(hints)).not.toContain(CANARY);
});

// S16. Its path may have values, too.
it.each([`threads/${THREAD}?token=${CANARY}`, `${CANARY}/threads/${THREAD}`, `threads/${THREAD}#${CANARY}`])(
	'a run in the background has no link under a policy of redaction: %s',
	async (path) => {
		const url = `https://app.example.com/${path}`;
		const runtimeData = { redaction: POLICIES[0][1] } as never;
		const answer: StartAnswer = (_query, response) =>
			void response.writeHead(202).end(JSON.stringify({ thread_id: THREAD, url }));
		const { hints, items } = await runStream(answer, { operation: 'background' }, { runtimeData });
		expect(items[0].json.url).toBe(url);
		expect(hints[0].message).toBe(`The run continues in the background: its thread is ${THREAD}`);
	},
);

it.each(['https://api@evil.example/', 'https://api.example.com:x@evil.example/threads/1'])(
	'a link with a user name is in no hint: %s',
	async (url) => {
		const answer: StartAnswer = (_query, response) =>
			void response.writeHead(202).end(JSON.stringify({ thread_id: THREAD, url }));
		const { hints } = await runStream(answer, { operation: 'background' });
		expect(hints[0].message).toBe(`The run continues in the background: its thread is ${THREAD}`);
	},
);

it('a thread whose ID is the key stands in no hint and in no custom data', async () => {
	const ID = '8f14e45f-ceea-467f-9575-0000005f3a9c';
	const answer: StartAnswer = (_query, response) =>
		void response.writeHead(200, streamHeaders(ID)).end(events(...done, { type: 'abort' }));
	const { hints, run, items } = await runStream(answer, partial, { credentials: { apiKey: ID } });
	expect(items[0].json.thread_id).toBe(ID);
	expect(JSON.stringify(hints)).not.toContain(ID);
	const { metadata, runData } = run.data.resultData;
	expect(JSON.stringify([metadata, runData['Tested Node'].map((one) => one.metadata)])).not.toContain(ID);
	expect(JSON.stringify(metadata)).toContain('***');
});
