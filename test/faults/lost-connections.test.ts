/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import type { ServerResponse } from 'node:http';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { RUN_AUTOMATION, runAutomation, runNode, type Extra, type NodeRunOptions } from '../engine/run-node';
import { events, finish, textChunks } from '../engine/serve-stream';
import { usePauses } from '../support/clock';
import { letRead } from '../support/let-read';
import { useLog } from '../support/log';
import { serve } from '../support/serve';
import { storedFile, useStoredFiles } from '../support/stored-files';
import { within } from '../support/within';

const clock = usePauses();
useStoredFiles();

const ROWS = '{"rows":[{"a":1}]}';
const LOST = /^The connection was lost, and your reply was not received completely\./;
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
const refuses =
	(status: number, headers = {}): Reply =>
	(response) =>
		response.writeHead(status, { 'content-type': 'application/json', ...headers }).end('{"message":"Not now"}');
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
	const given = { ifConnectionLost: 'continueInThread', ...options };
	const parameters = { query: '0 Do it', ...ROWS_FORM, ...form, options: given } as INodeParameters;
	const ran = await runAutomation(server.target, parameters, extra);
	const { status, text: said, runs, thread_id: threadId } = (ran.error?.context.data ?? {}) as IDataObject;
	return { ...ran, starts, rows: ran.items.map(({ json: row }) => row), kept: { status, text: said, runs, threadId } };
}

const hintsOf = ({ hints }: { hints: Array<{ message: string }> }) => hints.map(({ message }) => message);

describe('a run whose connection was lost', () => {
	const stream = `${events({ type: 'start' }, ...textChunks(ROWS), finish)}data: [DONE]\n\n`;
	const [opened, delta] = textChunks(ROWS);
	const behindRows = events({ type: 'start' }, opened, delta).trimEnd().length;
	const placeOf = (piece: string) => stream.indexOf(piece);

	it.each<[string, number, number]>([
		['before its first byte', 0, 2],
		['in its first field', 3, 2],
		['in its first chunk', placeOf('start"') + 2, 2],
		['behind its first line', placeOf('\n') + 1, 2],
		['between two chunks', placeOf('\n\n') + 2, 2],
		['before the text', placeOf(JSON.stringify(ROWS).slice(1, -1)), 2],
		['in the text', placeOf('\\"rows') + 4, 2],
		['behind the text', placeOf(']}') + 2, 2],
		['before the end of the chunk with the text', behindRows - 1, 2],
		['behind the chunk with the text', behindRows, 2],
		['in the chunk that ends the run', placeOf('finish') + 3, 2],
		['before the last line', placeOf('data: [DONE]'), 1],
		['in the last line', placeOf('[DONE]') + 2, 1],
	])(
		'continues in its thread if the stream is cut %s, unless the run said how it ended',
		async (_where, place, count) => {
			const reply: Reply = (response, start) => cutText(response, start, stream.slice(0, place));
			const { rows, starts, error } = await runCut([reply, says(ROWS)]);
			expect(error?.message).toBeUndefined();
			expect(rows).toEqual([{ a: 1 }]);
			const threads = starts.map(({ query, thread_id }) => (LOST.test(query) ? thread_id : 'first'));
			expect(threads).toEqual(['first', 'thread-0'].slice(0, count));
		},
	);
});

describe('a follow-up after a lost connection', () => {
	it('repeats the task behind what the agent has to know, and returns what all runs brought', async () => {
		const source = { type: 'source-url', sourceId: 's', url: 'https://shop', title: 'Shop' };
		const { starts, rows, hints } = await runCut(
			[cut({ type: 'start' }, source, ...text), says('All done.')],
			{ checkDone: false },
			{ operation: 'result', query: 'Order it' },
		);
		expect(starts.map(({ thread_id }) => thread_id)).toEqual([undefined, 'thread-0']);
		expect(starts[1].query).toMatch(LOST);
		expect(starts[1].query).toMatch(/and why\.\n\nOrder it$/);
		expect(rows).toMatchObject([{ text: 'All done.', status: 'completed', sources: [{ title: 'Shop' }] }]);
		expect(hintsOf({ hints })).toEqual(['Billed follow-up runs after a lost connection: 1']);
	});

	it('is one of at most as many as Max Follow-Ups says, together with those for rows', async () => {
		const always = await runCut([cut(...text)]);
		expect(always.starts).toHaveLength(3);
		expect(always.kept).toMatchObject({ status: 'interrupted', text: Array(3).fill(text[1].delta).join('\n\n') });
		expect(always.kept.runs).toHaveLength(3);
		const misfit = says('{"rows":[{"a":"x"}]}');
		const mixed = await runCut([cut(...text), misfit, says(ROWS)], { ifRowsInvalid: 'correction' });
		expect(mixed.rows).toEqual([{ a: 1 }]);
		expect(hintsOf(mixed)).toHaveLength(2);
		const turned = await runCut([misfit, cut(...text), says(ROWS)], { ifRowsInvalid: 'correction' });
		expect(turned.starts.map(({ query }) => query.slice(0, 4))).toEqual(['0 Do', 'Your', 'The ']);
		expect(turned.rows).toEqual([{ a: 1 }]);
		const spent = await runCut([misfit, cut(...text), says(ROWS)], { ifRowsInvalid: 'correction', followUps: 1 });
		expect(spent.starts).toHaveLength(2);
		expect((await runCut([cut(...text), says(ROWS)], { followUps: 0 })).starts).toHaveLength(1);
	});

	const large: Reply = (response, start) =>
		response.writeHead(200, headersOf(itemOf(start))).write(events(...textChunks('x'.repeat(2000))));
	const noStream: Reply = (response, start) =>
		response.writeHead(200, headersOf(itemOf(start))).end('{"error":"Out of order"}');
	it.each<[string, Reply, IDataObject]>([
		['by default', cut(...text), { ifConnectionLost: 'stop' }],
		['before the headers', reset, {}],
		['if the response names no thread', (response, start) => cutText(response, start, events(...text), true), {}],
		['after an error', cut(...text, { type: 'error', errorText: 'Out of credits' }), {}],
		['after an abort', cut(...text, { type: 'abort' }), {}],
		['after the finish', cut(...text, finish), {}],
		['if an approval was open', cut(...PAY), {}],
		['at the limit of size', large, { maxResponseSize: 0.001 }],
		['after not_done', says('{"rows":[],"not_done":"A captcha"}'), {}],
		['if the service says why it sends no stream', noStream, {}],
	])('is not started %s', async (_when, reply, options) => {
		const { starts, error } = await runCut([reply, says(ROWS)], options);
		expect(starts).toHaveLength(1);
		expect(error?.message).toMatchSnapshot();
	});

	it.each<[string, IDataObject, number]>([
		['not after the total limit', { totalTimeout: 40 }, 1],
		['after the idle limit', { idleTimeout: 40 }, 2],
	])('is started %s', async (_when, options, count) => {
		const silent: Reply = (response, start) => {
			response.writeHead(200, headersOf(itemOf(start))).write(events(...text));
			// The node notices a limit within a second.
			void letRead().then(() => clock.pass(41));
		};
		const { starts, error } = await runCut([silent, says(ROWS)], options);
		expect(starts).toHaveLength(count);
		// Nor is it left to Retry.
		expect(String(error?.description)).not.toContain("'Retry execution'");
	});

	it.each([409, 423, 425])('is sent again while its thread is still at work: %i', async (status) => {
		const log = useLog();
		const again = await runCut([cut(...text), refuses(status), refuses(status), says(ROWS)], { followUps: 1 });
		expect(log.lines()).toEqual(['requested 0', 'requested 0', 'started 0', 'started 0']);
		expect(again.rows).toEqual([{ a: 1 }]);
		expect(again.starts).toHaveLength(4);
		expect(hintsOf(again)).toEqual(['Billed follow-up runs after a lost connection: 1']);
	});

	it.each([
		// After pauses of 5, 10, 20, 40, 60 and 60 seconds.
		['once the total limit of the run is over', 200, 7],
		['once half an hour is over, if the run has no limit', 0, 33],
	])('is not sent again %s, and the error says why', async (_when, totalTimeout, count) => {
		const { starts, error, kept } = await runCut([cut(...text), refuses(409)], { totalTimeout });
		expect(starts).toHaveLength(count);
		expect(error?.message).toBe('Not now');
		expect(kept).toEqual({ status: 'interrupted', text: text[1].delta, threadId: 'thread-0', runs: undefined });
	});

	it('is not sent if the time limit of the workflow is over before the pause is', async () => {
		const workflowSettings = { executionTimeout: 5 };
		const { starts, error, kept } = await runCut([cut(...text), says(ROWS)], {}, {}, { workflowSettings });
		expect(error?.message).toMatch(/connection/);
		expect(starts).toHaveLength(1);
		expect(kept).toMatchObject({ status: 'interrupted', text: text[1].delta, threadId: 'thread-0' });
	});

	it('counts as broken without a response, and the partial result is returned if the form says so', async () => {
		const { starts, rows } = await runCut([cut(...text), reset, says(ROWS)]);
		expect([starts.length, rows]).toEqual([3, [{ a: 1 }]]);
		const returned = { ifIncomplete: 'partial', checkDone: false };
		const partial = await runCut([cut(...text), reset], returned, { operation: 'result' });
		expect(partial.starts).toHaveLength(3);
		expect(partial.rows).toMatchObject([{ status: 'interrupted', text: text[1].delta, thread_id: 'thread-0' }]);
		const error = await runCut([cut(...text), reset]);
		expect(error.kept.text).toBe(text[1].delta);
		expect(error.kept.runs).toMatchObject(Array(3).fill({ status: 'interrupted', thread_id: 'thread-0' }));
	});

	it('waits for a busy service as any start, and is not sent once that time is over', async () => {
		const busy = refuses(429, { 'retry-after': '5' });
		expect((await runCut([cut(...text), busy, says(ROWS)])).rows).toEqual([{ a: 1 }]);
		const spent = await runCut([cut(...text), refuses(429, { 'retry-after': '600' }), says(ROWS)]);
		expect([spent.starts.length, spent.error?.message]).toEqual([2, 'Not now']);
	});

	it('is started for each item by itself, and not after another item has stopped the node', async () => {
		const input = [{ place: 0 }, { place: 1 }];
		const query = '={{ $json.place }}';
		const both = await runCut([cut(...text), says(ROWS)], { parallelRuns: 2 }, { query }, { input });
		expect([both.rows, both.starts.length]).toEqual([[{ a: 1 }, { a: 1 }], 4]);
		const second: Reply = (response, start) =>
			(itemOf(start) === '0' ? whole({ type: 'error', errorText: 'Out of credits' }) : cut(...text))(response, start);
		const { starts, error } = await runCut([second, says(ROWS)], { parallelRuns: 2 }, { query }, { input });
		expect([starts.length, error?.message]).toEqual([2, 'Out of credits']);
	});

	it('gets links of its own to the files, and the data anew', async () => {
		const starts: Start[] = [];
		// A link tells the second in which it was made.
		const later: Reply = (response, start) => void setTimeout(() => cut(...text)(response, start), 1100);
		const server = await serveCut([later, says('Done.')], starts);
		const data = await storedFile('Invoice 17', { fileName: 'invoice.txt' });
		const options = { ifConnectionLost: 'continueInThread', agentFiles: 'data', agentData: 'from' };
		const input = [{ json: { from: 'Ann' }, binary: { data } }];
		await runNode(RUN_AUTOMATION, server.target, { query: 'Upload it', options }, { input });
		expect(starts).toHaveLength(2);
		const links = starts.map(({ query }) => /https?:\/\/\S+token=\S+/.exec(query)?.[0]);
		expect(links).not.toContain(undefined);
		expect(links[1]).not.toBe(links[0]);
		expect(starts[1].query).toMatch(/and why\.\n\nUpload it\n\nFiles for this task[^]*\n\nData for this task[^]*"Ann"/);
	});

	it('is shown in a chat below one line, with a filter of its own', async () => {
		const replies = [cut(...text, ...textChunks('{"rows": [', '2')), says(`Found it. ${ROWS}`)];
		const { chunks } = await runCut(replies, {}, {}, { streaming: true });
		const shown = chunks.map(({ content }) => content).filter(Boolean);
		expect(shown.map((content) => content!.trim())).toEqual([
			'I opened the shop.',
			'> Connection lost. Continuing in the same thread',
			'Found it.',
		]);
	});

	it('is not started once the execution is stopped', async () => {
		let stop: (value?: unknown) => void;
		const cancelWhen = new Promise((resolve) => (stop = resolve));
		const onPause = jest.fn(() => stop());
		clock.onPause(onPause);
		const { starts, status } = await runCut([cut(...text), says(ROWS)], {}, {}, { cancelWhen });
		expect(status).toBe('canceled');
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(starts).toHaveLength(1);
		// Nor does the node wait any longer.
		onPause.mockClear();
		await new Promise((resolve) => setTimeout(resolve, 100));
		expect(onPause).not.toHaveBeenCalled();
	});

	it('is started once as a tool', async () => {
		const { starts } = await runCut([cut(...text)], {}, {}, { settings: { type: `${RUN_AUTOMATION}Tool` } });
		expect(starts).toHaveLength(2);
	});
});

describe('Retry in the executions list', () => {
	/** Four items: a run that was cut, one that failed, one that completed, one that is not started. */
	const first: Record<string, Reply> = {
		0: cut({ type: 'start' }, ...text),
		1: whole({ type: 'error', errorText: 'Out of credits' }),
		2: says(ROWS),
	};
	const replies: Reply[] = [(response, start) => first[itemOf(start)](response, start), says(ROWS)];
	const input = [0, 1, 2].map((place) => ({ json: { place } }));

	async function retried(before: IDataObject, after: IDataObject) {
		const starts: Start[] = [];
		const server = await serveCut(replies, starts);
		const run = async (options: IDataObject, extra: NodeRunOptions) => {
			const given = { parallelRuns: 3, ...options };
			const form = { query: '={{ $json.place }}', ...ROWS_FORM, options: given } as INodeParameters;
			return await runNode(RUN_AUTOMATION, server.target, form, { input, ...extra });
		};
		const failed = await run({ followUps: 0, ...before }, { mode: 'trigger' });
		const count = starts.length;
		const { items, error } = await run(after, { retryOf: failed.run });
		const advice = failed.error?.description;
		return { advice, items, error, firstStarts: starts.slice(0, count), starts: starts.slice(count) };
	}
	const asks = { ifConnectionLost: 'continueInThread' };

	it('continues the thread of a run whose connection was lost, once the limit allows it', async () => {
		const { advice, items, starts, firstStarts } = await retried(asks, asks);
		expect(firstStarts).toHaveLength(3);
		expect(advice).toMatchSnapshot();
		const told = starts.map(({ query, thread_id }) => [LOST.test(query), thread_id]).toSorted();
		expect(told).toEqual([
			[false, undefined],
			[true, 'thread-0'],
		]);
		expect(items.map(({ json: row }) => row)).toEqual([{ a: 1 }, { a: 1 }, { a: 1 }]);
	});

	it('does so if the option is turned on before it, and starts again without the option', async () => {
		const turnedOn = await retried({}, asks);
		expect(turnedOn.advice).not.toContain('continues');
		expect(turnedOn.starts.filter(({ thread_id }) => thread_id)).toHaveLength(1);
		expect(turnedOn.starts).toHaveLength(2);
		const turnedOff = await retried(asks, {});
		expect(turnedOff.starts.map(({ thread_id }) => thread_id)).toEqual([undefined, undefined]);
	});

	it('continues in the thread with a later attempt of Retry On Fail, too, after a service that was busy for too long', async () => {
		const starts: Start[] = [];
		const server = await serveCut([cut(...text), refuses(429, { 'retry-after': '300' }), says(ROWS)], starts);
		const formWith = (followUps: number) => ({ query: '0 Do it', ...ROWS_FORM, options: { ...asks, followUps } });
		const failed = await runNode(RUN_AUTOMATION, server.target, formWith(0), { mode: 'trigger' });
		const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const retry = runNode(RUN_AUTOMATION, server.target, formWith(1), { retryOf: failed.run, node });
		const { items } = await within(20, 'Retry', retry);
		expect(items.map(({ json: row }) => row)).toEqual([{ a: 1 }]);
		expect(starts.map(({ thread_id }) => thread_id)).toEqual([undefined, 'thread-0', 'thread-0']);
	});

	/** Executes a run whose correction gets no response, and retries it. */
	async function correctedInRetry(runtimeData: NodeRunOptions['runtimeData'] = {}) {
		const starts: Start[] = [];
		const server = await serveCut([says('{"rows":[{"a":"x"}]}'), reset, says(ROWS)], starts);
		const options = { ...asks, ifRowsInvalid: 'correction', followUps: 1 };
		const form = { query: '0 Do it', ...ROWS_FORM, options };
		const failed = await runNode(RUN_AUTOMATION, server.target, form, { mode: 'trigger', runtimeData });
		const { items } = await runNode(RUN_AUTOMATION, server.target, form, { retryOf: failed.run, runtimeData });
		return { advice: failed.error?.description, items, threads: starts.map(({ thread_id }) => thread_id) };
	}

	it('continues the thread of a correction that got no response, although the follow-ups of its execution are used up', async () => {
		const { advice, items, threads } = await correctedInRetry();
		expect(threads).toEqual([undefined, 'thread-0', 'thread-0']);
		expect(advice).toContain('continues the run');
		expect(items.map(({ json: row }) => row)).toEqual([{ a: 1 }]);
	});

	it('does not promise it under a policy of redaction, where nothing is saved, and starts a new run', async () => {
		const { advice, threads } = await correctedInRetry({ redaction: { version: 2, production: true, manual: true } });
		expect(advice).not.toContain('continue');
		expect(threads).toEqual([undefined, 'thread-0', undefined]);
	});
});
