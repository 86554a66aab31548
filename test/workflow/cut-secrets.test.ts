import type { INodeParameters } from 'n8n-workflow';

import { everythingOf } from '../engine/run-node';
import { events, runStream, textChunks } from '../engine/serve-stream';

// Long quotes of the service are cut: a secret that begins before the cut and ends behind it could not be masked afterwards.
const UNSEEN = 'kEy-5f3a9cb1d27e48f6a0c1';

const columns = { column: [{ name: 'age', type: 'number' }] };
const rows = { operation: 'rows', columns };
const call = { type: 'tool-input-available', toolCallId: 'c', toolName: 'pay', input: {} };
const asked = { type: 'tool-approval-request', toolCallId: 'c', approvalId: 'a' };

/** What a service may send with the key in it, and the number of characters after which it is cut. */
const QUOTES: Array<[string, number, INodeParameters, (text: string) => unknown[]]> = [
	['a value of a row', 100, rows, (text) => textChunks(JSON.stringify({ rows: [{ age: text }] }))],
	['a type of a chunk', 200, { options: { simplify: false } }, (text) => [{ type: text }]],
	['why a run failed', 4000, {}, (text) => [{ type: 'error', errorText: text }]],
	['why a task is not done', 2000, rows, (text) => textChunks(JSON.stringify({ not_done: text, rows: [] }))],
	['what a tool asks for', 300, {}, (text) => [{ ...call, input: { text } }, asked]],
];

it('a key that was pasted with the word Bearer is masked where the service repeats the key alone', async () => {
	const body = events({ type: 'error', errorText: `Not for ${UNSEEN}` });
	const { error } = await runStream(body, {}, { credentials: { apiKey: ` Bearer ${UNSEEN} ` } });
	expect(error!.message).toBe('Run failed: Not for ***');
});

it('keeps no key in a failure for later attempts, which may have another credential', async () => {
	const body = events(...textChunks(`It says ${UNSEEN}`), { type: 'error', errorText: `Not for ${UNSEEN}` });
	const { run } = await runStream(body, {}, { credentials: { apiKey: UNSEEN } });
	const memory = everythingOf(Object.values(run.data.executionData!.contextData));
	expect(memory).toContain('Run failed: Not for ***');
	expect(memory).not.toContain(UNSEEN);
});

it.each(QUOTES)('a secret in %s is masked before the text is cut', async (_name, limit, form, chunksOf) => {
	for (const before of [limit - 24, limit - 12, limit - 2, limit]) {
		// Blanks would be cut off at the end.
		const chunks = chunksOf('.'.repeat(before) + UNSEEN);
		const extra = { credentials: { apiKey: UNSEEN }, node: { onError: 'continueRegularOutput' as const } };
		const { items, hints } = await runStream([...chunks, { type: 'finish' }], form, extra);
		// Without the filling, a failure shows what is left in one line.
		const told = JSON.stringify([items[0].json, hints]).replace(/\.{50,}/g, '(many)');
		expect(told).toContain('(many)');
		expect(told).not.toContain(UNSEEN.slice(0, 4));
	}
});

// S6. Masking 8 MB of escapes stopped n8n's only thread for 20 seconds.
it.each<[string, (text: string) => unknown[]]>([
	['an error', (text) => [{ type: 'error', errorText: text }]],
	['a type of a chunk', (text) => [{ type: text }, { type: 'finish' }]],
	[
		'tools',
		(text) => [
			{ ...call, toolName: 'pay' },
			{ type: 'tool-output-error', toolCallId: 'c', errorText: text },
			{ type: 'data-x', data: text },
			{ type: 'finish' },
		],
	],
])('no more of %s is masked than a person may see', async (_name, chunksOf) => {
	const form = { options: { live: ['text', 'tools', 'data'] } };
	const body = events(...chunksOf(`${UNSEEN} ${'%2525252525'.repeat(400_000)}`));
	const { chunks, error, hints } = await runStream(body, form, { streaming: true });
	expect(JSON.stringify([chunks, error?.message, hints]).length).toBeLessThan(20_000);
});
