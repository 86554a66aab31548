import type { INodeParameters } from 'n8n-workflow';

import { continued } from '../engine/run-node';
import { events, finish, runStream, streamHeaders, textChunks, type StartAnswer } from '../engine/serve-stream';
import { canaryStreams } from '../faults/canary-streams';

const CANARY = 'canary-5f3a9c';
const DIGITS = '98765432109876543210';
const columns = { column: [{ name: 'age', type: 'number' }] };
const rows = { operation: 'rows', columns, options: { ifRowsInvalid: 'validOnly' } };
const partial = { options: { ifIncomplete: 'partial' } };

const POLICIES: Array<[string, object]> = [
	['for production', { version: 2, production: true, manual: false }],
	['of version 1', { version: 1, policy: 'non-manual' }],
	['that is off', { version: 2, production: false, manual: false }],
];
const REDACTED = { redaction: POLICIES[0][1] } as never;

const agesOf = (second: string) => [...textChunks(`{"rows":[{"age":1},{"age":${second}}]}`), finish];
const done = textChunks('Done');
const failed = { type: 'error', errorText: `Blocked by ${CANARY}` };
const file = { type: 'file', mediaType: 'image/png' };

/** Runs that end in every way that shows hints, each with a value that a policy keeps from people. */
const RUNS: Array<[string, INodeParameters, unknown[], string]> = [
	['a row that does not fit', rows, agesOf(`"${CANARY}"`), 'returned. Invalid values: 1'],
	['a number with too many digits', rows, agesOf(DIGITS), 'returned. Invalid values: 1'],
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
		for (const form of [partial, rows, { operation: 'raw', output: 'chunks' }])
			for (const extra of [{}, continued]) {
				const { hints, run } = await runStream(body, form, { ...extra, runtimeData: REDACTED });
				const { resultData, executionData } = run.data;
				const tasks = Object.values(resultData.runData).flat();
				const left = [hints, resultData.metadata, executionData?.contextData, tasks.map((task) => task.metadata)];
				expect(JSON.stringify(left)).not.toContain(CANARY);
			}
	},
);

it('the name of a column that an expression defines is in no hint of rows under a policy of redaction', async () => {
	const form = { ...rows, columns: { column: [{ name: 'age' }, { name: `={{ "${CANARY}" }}`, type: 'number' }] } };
	const text = JSON.stringify({ rows: [{}, { age: 'a', [CANARY]: 'x' }] });
	const { hints } = await runStream([...textChunks(text), finish], form, { runtimeData: REDACTED });
	expect(hints.map(({ message }) => message)).toContain('No row has a value for 2 of the columns');
	expect(JSON.stringify(hints)).not.toContain(CANARY);
});

it('the reason of a failed item is in the hint, masked, escaped and short, but under a policy of redaction only the count', async () => {
	const errorText = `<b>No</b>, my-secret-key ${'x'.repeat(200)}`;
	const hintWith = async (more: object) => {
		const extra = { ...continued, credentials: { apiKey: 'my-secret-key' }, ...more };
		return (await runStream([{ type: 'error', errorText }], {}, extra)).hints.map(({ message }) => message);
	};
	const [shown] = await hintWith({});
	expect(shown).toMatch(/^1 of 1 items failed. \[item 0\]: Run failed: &lt;b&gt;No&lt;\/b&gt;, \*\*\* x+…$/);
	expect(shown.replace(/&\w+;/g, '<').slice('1 of 1 items failed. [item 0]: '.length)).toHaveLength(120);
	expect(await hintWith({ runtimeData: REDACTED })).toEqual(['1 of 1 items failed']);
});

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
