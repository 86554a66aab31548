/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runAutomation, type Extra } from '../engine/run-node';
import { events, textChunks } from '../engine/serve-stream';
import { letRead } from '../support/let-read';
import { serve } from '../support/serve';
import { pass, restoreClock } from './clock';

afterEach(restoreClock);

const finish = { type: 'finish', finishReason: 'stop' };
const ROWS = '{"rows":[{"a":1}]}';
const LOST = /^The connection was lost and your reply did not arrive whole\./;
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

const headersOf = (item: string) => ({ 'content-type': 'text/event-stream', 'x-thread-id': `thread-${item}` });
const itemOf = ({ query, thread_id }: Start) => thread_id?.replace(/^thread-/, '') ?? /^\d+/.exec(query)?.[0] ?? '0';

/** Lets the node wait out a pause once it has noticed what happened. */
let passing: NodeJS.Timeout | undefined;
function passSoon(): void {
	clearTimeout(passing);
	passing = setTimeout(() => pass(61), 60);
}

/** Sends a part of a stream and breaks the connection. */
const cut =
	(...chunks: unknown[]): Reply =>
	(response, start) =>
		cutText(response, start, events(...chunks));
function cutText(response: ServerResponse, start: Start, text: string | Uint8Array, isNameless = false): void {
	response.writeHead(200, isNameless ? { 'content-type': 'text/event-stream' } : headersOf(itemOf(start)));
	response.flushHeaders();
	const destroy = async () => {
		await letRead();
		response.destroy();
		passSoon();
	};
	response.write(text.length ? text : ':', () => void destroy());
}
const whole =
	(...chunks: unknown[]): Reply =>
	(response, start) =>
		response.writeHead(200, headersOf(itemOf(start))).end(`${events(...chunks)}data: [DONE]\n\n`);
const says = (text: string) => whole({ type: 'start' }, ...textChunks(text), finish);
const refuses =
	(status: number, headers = {}): Reply =>
	(response) => {
		response.writeHead(status, { 'content-type': 'application/json', ...headers }).end('{"message":"Not now"}');
		passSoon();
	};
const reset: Reply = (response) => {
	response.destroy();
	passSoon();
};
const text = textChunks('I opened the shop. ');

/** Runs items against a service that does with each start of an item what is written down; the last reply counts for all further ones. */
async function runCut(replies: Reply[], options: IDataObject = {}, form: INodeParameters = {}, extra: Extra = {}) {
	const starts: Start[] = [];
	const server = await serve(async (request, response) => {
		const body = (await json(request)) as Start;
		const start = { ...body, index: starts.filter((one) => itemOf(one) === itemOf(body)).length };
		starts.push(start);
		replies[Math.min(start.index, replies.length - 1)](response, start);
	});
	const given = { ifConnectionBreaks: 'askInThread', ...options };
	const parameters = { query: '0 Do it', ...ROWS_FORM, ...form, options: given } as INodeParameters;
	const ran = await runAutomation(server.target, parameters, extra).finally(server.stop);
	const { status, text: said, runs, thread_id: threadId } = (ran.error?.context.data ?? {}) as IDataObject;
	return { ...ran, starts, rows: ran.items.map(({ json: row }) => row), kept: { status, text: said, runs, threadId } };
}

const hintsOf = ({ hints }: { hints: Array<{ message: string }> }) => hints.map(({ message }) => message);

describe('a run whose connection was lost', () => {
	it('goes on in its thread, wherever the stream is cut', async () => {
		const stream = `${events({ type: 'start' }, ...textChunks(ROWS), finish)}data: [DONE]\n\n`;
		const bytes = Buffer.from(stream);
		const places = Array.from(bytes, (_, place) => place);
		const reply: Reply = (response, start) => {
			if (start.index) return says(ROWS)(response, start);
			cutText(response, start, bytes.subarray(0, Number(itemOf(start))));
		};
		const input = places.map((place) => ({ place }));
		const { rows, starts } = await runCut(
			[reply, says(ROWS)],
			{ parallelRuns: places.length },
			{ query: '={{ $json.place }}' },
			{ input },
		);
		expect(rows).toEqual(places.map(() => ({ a: 1 })));
		const asked = new Set(starts.filter(({ query }) => LOST.test(query)).map(({ thread_id }) => thread_id));
		const [opened, delta] = textChunks(ROWS);
		const behindRows = events({ type: 'start' }, opened, delta).trimEnd().length;
		expect(places.filter((place) => asked.has(`thread-${place}`))).toEqual(
			places.filter((place) => place < behindRows),
		);
		expect(places.length).toBeGreaterThan(200);
		expect(starts).toHaveLength(places.length + behindRows);
	});
});
