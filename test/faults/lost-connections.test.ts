import type { IDataObject } from 'n8n-workflow';

import { asTool, type Extra } from '../engine/run-node';
import { events, finish, runStream, streamHeaders, textChunks, type StartAnswer } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { usePauses } from '../support/clock';
import { letRead } from '../support/let-read';

usePauses();

const HEADERS = streamHeaders(THREAD);
const ROWS = '{"rows":[{"a":1}]}';
const ROWS_FORM = { operation: 'rows', columns: { column: [{ name: 'a', type: 'number' }] } };

/** Sends a part of a stream and breaks the connection. */
const cutAt =
	(part: string, isNameless = false): StartAnswer =>
	(_task, response) => {
		response.writeHead(200, isNameless ? { 'content-type': 'text/event-stream' } : HEADERS).flushHeaders();
		response.write(part || ':', () => void letRead().then(() => response.destroy()));
	};
const cut = (...chunks: unknown[]) => cutAt(events(...chunks));
const whole = (reply: string) => `${events({ type: 'start' }, ...textChunks(reply), finish)}data: [DONE]\n\n`;
const text = textChunks('I opened the shop. ');
const PAY = [
	{ type: 'tool-input-available', toolCallId: 'call', toolName: 'pay', input: { amount: 500 } },
	{ type: 'tool-approval-request', approvalId: 'approval', toolCallId: 'call' },
];

/** Runs an item against a service that responds so to its start, and with rows to any other. */
async function runCut(first: string | StartAnswer, options: IDataObject = {}, extra: Extra = {}) {
	let starts = 0;
	const answer: StartAnswer = (...start) => {
		if (starts++) return whole(ROWS);
		return typeof first === 'string' ? first : first(...start);
	};
	const ran = await runStream(answer, { ...ROWS_FORM, options } as never, extra);
	return { ...ran, starts, rows: ran.items.map(({ json }) => json), kept: ran.error?.context.data };
}

describe('a run whose connection was lost', () => {
	const stream = whole(ROWS);
	const [opened, delta] = textChunks(ROWS);
	const behindRows = events({ type: 'start' }, opened, delta).trimEnd().length;
	const placeOf = (piece: string) => stream.indexOf(piece);

	it.each<[string, number, boolean]>([
		['before its first byte', 0, false],
		['in its first chunk', placeOf('start"') + 2, false],
		['in the text', placeOf('\\"rows') + 4, false],
		['behind the text', placeOf(']}') + 2, false],
		['behind the chunk with the text', behindRows, false],
		['in the chunk that ends the run', placeOf('finish') + 3, false],
		['before the last line', placeOf('data: [DONE]'), true],
		['in the last line', placeOf('[DONE]') + 2, true],
	])('is no result if the stream is cut %s, unless the run said how it ended', async (_where, place, isComplete) => {
		const { rows, starts, kept } = await runCut(cutAt(stream.slice(0, place)));
		expect([starts, rows]).toEqual([1, isComplete ? [{ a: 1 }] : []]);
		if (isComplete) expect(kept).toBeUndefined();
		else expect(kept).toMatchObject({ status: 'interrupted', thread_id: THREAD });
	});

	it.each<[string, string | StartAnswer]>([
		['during the run', cut(...text)],
		['before the headers', (_, response) => void response.destroy()],
		['if the response names no thread', cutAt(events(...text), true)],
		['after an error', cut(...text, { type: 'error', errorText: 'Out of credits' })],
		['after an abort', cut(...text, { type: 'abort' })],
		['if an approval was open', cut(...PAY)],
		['after not_done', whole('{"rows":[],"not_done":"A captcha"}')],
		['if the service says why it sends no stream', '{"error":"Out of order"}'],
	])('says why, and starts no other run: %s', async (_when, reply) => {
		const { starts, error } = await runCut(reply);
		expect(starts).toBe(1);
		expect(error?.message).toMatchSnapshot();
	});

	// BerriAI/litellm#40578: an error of a gateway, with rows in a draft before it.
	it.each<[string, Extra]>([
		['a node', {}],
		['a tool', asTool],
	])('returns no rows before an error of a gateway, as %s', async (_as, extra) => {
		const message = 'Upstream model overloaded';
		for (const line of [`data: {"error":{"message":"${message}"}}`, `event: error\ndata: ${message}`])
			for (const draft of ['', events(...textChunks(ROWS))]) {
				const { rows, starts, error } = await runCut(`${draft}${line}\n\ndata: [DONE]\n\n`, {}, extra);
				// An AI agent gets a billed failure as a result.
				const reason = extra === asTool ? rows[0].error : error?.message;
				expect([starts, reason]).toEqual([1, expect.stringMatching(`^Run failed: ${message}`)]);
				expect(rows).toHaveLength(extra === asTool ? 1 : 0);
			}
	});
});
