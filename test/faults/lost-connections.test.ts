/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import type { ServerResponse } from 'node:http';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { asTool, runAutomation, type Extra } from '../engine/run-node';
import { events, finish, textChunks } from '../engine/serve-stream';
import { usePauses } from '../support/clock';
import { letRead } from '../support/let-read';
import { serve } from '../support/serve';
import { useStoredFiles } from '../support/stored-files';
import { threadOf } from '../engine/thread-of';

const clock = usePauses();
useStoredFiles();

const ROWS = '{"rows":[{"a":1}]}';
const ROWS_FORM = {
	operation: 'rows',
	columnsFrom: 'fields',
	columns: { column: [{ name: 'a', type: 'number', description: '', required: false }] },
};

/** One start as the service receives it. */
interface Start {
	query: string;
	thread_id?: string;
	/** How many starts of its item were received before. */
	index: number;
}

/** What the service does with a start. */
type Reply = (response: ServerResponse, start: Start) => unknown;

const headersOf = (item: string) => ({
	'content-type': 'text/event-stream',
	'x-thread-id': threadOf(`thread-${item}`),
});
const itemOf = ({ query, thread_id }: Start) => thread_id?.replace(/^thread-/, '') ?? /^\d+/.exec(query)?.[0] ?? '0';

/** Sends a part of a stream and breaks the connection. */
const cut =
	(...chunks: unknown[]): Reply =>
	(response, start) =>
		cutText(response, start, events(...chunks));
function cutText(response: ServerResponse, start: Start, text: string, isNameless = false): void {
	response.writeHead(200, isNameless ? { 'content-type': 'text/event-stream' } : headersOf(itemOf(start)));
	response.flushHeaders();
	const destroy = async () => {
		await letRead();
		response.destroy();
	};
	response.write(text.length ? text : ':', () => void destroy());
}
const whole =
	(...chunks: unknown[]): Reply =>
	(response, start) =>
		response.writeHead(200, headersOf(itemOf(start))).end(`${events(...chunks)}data: [DONE]\n\n`);
const says = (text: string) => whole({ type: 'start' }, ...textChunks(text), finish);
const reset: Reply = (response) => response.destroy();
const text = textChunks('I opened the shop. ');
const PAY = [
	{ type: 'tool-input-available', toolCallId: 'call', toolName: 'pay', input: { amount: 500 } },
	{ type: 'tool-approval-request', approvalId: 'approval', toolCallId: 'call' },
];

/** Collects starts, and does with each start of an item what is written down; the last reply counts for all further ones. */
const serveCut = async (replies: Reply[], starts: Start[]) =>
	await serve((_request, response, sent) => {
		const body = JSON.parse(sent) as Start;
		const start = { ...body, index: starts.filter((one) => itemOf(one) === itemOf(body)).length };
		starts.push(start);
		replies[Math.min(start.index, replies.length - 1)](response, start);
	});

/** Runs items against a service that does with each start of an item what is written down. */
async function runCut(replies: Reply[], options: IDataObject = {}, form: INodeParameters = {}, extra: Extra = {}) {
	const starts: Start[] = [];
	const server = await serveCut(replies, starts);
	const parameters = { query: '0 Do it', ...ROWS_FORM, ...form, options } as INodeParameters;
	const ran = await runAutomation(server.target, parameters, extra);
	const { status, text: said, runs, thread_id: threadId } = (ran.error?.context.data ?? {}) as IDataObject;
	return { ...ran, starts, rows: ran.items.map(({ json: row }) => row), kept: { status, text: said, runs, threadId } };
}

describe('a run whose connection was lost', () => {
	const stream = `${events({ type: 'start' }, ...textChunks(ROWS), finish)}data: [DONE]\n\n`;
	const [opened, delta] = textChunks(ROWS);
	const behindRows = events({ type: 'start' }, opened, delta).trimEnd().length;
	const placeOf = (piece: string) => stream.indexOf(piece);

	it.each<[string, number, boolean]>([
		['before its first byte', 0, false],
		['in its first field', 3, false],
		['in its first chunk', placeOf('start"') + 2, false],
		['behind its first line', placeOf('\n') + 1, false],
		['between two chunks', placeOf('\n\n') + 2, false],
		['before the text', placeOf(JSON.stringify(ROWS).slice(1, -1)), false],
		['in the text', placeOf('\\"rows') + 4, false],
		['behind the text', placeOf(']}') + 2, false],
		['before the end of the chunk with the text', behindRows - 1, false],
		['behind the chunk with the text', behindRows, false],
		['in the chunk that ends the run', placeOf('finish') + 3, false],
		['before the last line', placeOf('data: [DONE]'), true],
		['in the last line', placeOf('[DONE]') + 2, true],
	])('is no result if the stream is cut %s, unless the run said how it ended', async (_where, place, isComplete) => {
		const reply: Reply = (response, start) => cutText(response, start, stream.slice(0, place));
		const { rows, starts, kept } = await runCut([reply, says(ROWS)]);
		expect(starts).toHaveLength(1);
		expect(rows).toEqual(isComplete ? [{ a: 1 }] : []);
		expect(kept).toMatchObject(
			isComplete ? {} : { status: 'interrupted', threadId: '8f14e45f-ceea-467f-9575-000000000000' },
		);
	});

	it('keeps the text so far', async () => {
		expect((await runCut([cut(...text)])).kept).toMatchObject({ status: 'interrupted', text: text[1].delta });
	});

	const large: Reply = (response, start) =>
		response.writeHead(200, headersOf(itemOf(start))).write(events(...textChunks('x'.repeat(2000))));
	const noStream: Reply = (response, start) =>
		response.writeHead(200, headersOf(itemOf(start))).end('{"error":"Out of order"}');
	it.each<[string, Reply, IDataObject]>([
		['during the run', cut(...text), {}],
		['before the headers', reset, {}],
		['if the response names no thread', (response, start) => cutText(response, start, events(...text), true), {}],
		['after an error', cut(...text, { type: 'error', errorText: 'Out of credits' }), {}],
		['after an abort', cut(...text, { type: 'abort' }), {}],
		['after the finish', cut(...text, finish), {}],
		['if an approval was open', cut(...PAY), {}],
		['at the limit of size', large, { maxResponseSize: 0.001 }],
		['after not_done', says('{"rows":[],"not_done":"A captcha"}'), {}],
		['if the service says why it sends no stream', noStream, {}],
	])('says why, and starts no other run: %s', async (_when, reply, options) => {
		const { starts, error } = await runCut([reply, says(ROWS)], options);
		expect(starts).toHaveLength(1);
		expect(error?.message).toMatchSnapshot();
	});

	// BerriAI/litellm#40578: an error of a gateway, with rows in a draft before it.
	it.each<[string, Extra]>([
		['a node', {}],
		['a tool', asTool],
	])('returns no rows before an error of a gateway, as %s', async (_as, extra) => {
		for (const line of [
			'data: {"error":{"message":"Upstream model overloaded"}}',
			'event: error\ndata: Upstream model overloaded',
		])
			for (const draft of ['', events(...textChunks(ROWS))]) {
				const reply: Reply = (response, start) =>
					response.writeHead(200, headersOf(itemOf(start))).end(`${draft}${line}\n\ndata: [DONE]\n\n`);
				const { rows, starts, error } = await runCut([reply], {}, {}, extra);
				expect(starts).toHaveLength(1);
				expect(rows).toEqual([]);
				expect(error?.message).toMatch(/^Upstream model overloaded/);
			}
	});

	it.each<[string, IDataObject]>([
		['the total limit', { totalTimeout: 40 }],
		['the idle limit', { idleTimeout: 40 }],
	])('starts no other run after %s', async (_when, options) => {
		const silent: Reply = (response, start) => {
			response.writeHead(200, headersOf(itemOf(start))).write(events(...text));
			// The node notices a limit within a second.
			void letRead().then(() => clock.pass(41));
		};
		const { starts, error } = await runCut([silent, says(ROWS)], options);
		expect(starts).toHaveLength(1);
		expect(error?.message).toMatch(/40 seconds/);
		expect(String(error?.description)).not.toContain("'Retry execution'");
	});
});
