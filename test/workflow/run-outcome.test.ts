import { sleep, type INodeParameters } from 'n8n-workflow';

import { operationOf, RUN_AUTOMATION, runAutomation } from '../engine/run-node';
import { events, serveStream, streamHeaders } from '../engine/serve-stream';

type Extra = Parameters<typeof runAutomation>[2];

/** Runs one start whose response is this stream. */
async function run(body: string, form: INodeParameters = {}, extra: Extra = {}) {
	const server = await serveStream(() => body);
	try {
		return await runAutomation(server.target, { query: 'thread-1', ...form }, extra);
	} finally {
		await server.stop();
	}
}

const partial = { options: { ifIncomplete: 'partial' } };
const asTool: Extra = { settings: { type: `${RUN_AUTOMATION}Tool` } };
const text = (delta: string, id = '1') => [
	{ type: 'text-start', id },
	{ type: 'text-delta', id, delta },
	{ type: 'text-end', id },
];
const finish = (finishReason: string) => ({ type: 'finish', finishReason });
const call = { type: 'tool-input-available', toolCallId: 'call-1', toolName: 'pay', input: { amount: 5 } };
const ask = { type: 'tool-approval-request', approvalId: 'ask-1', toolCallId: 'call-1', reason: 'More than 3 EUR' };

describe('the reason with which a run finished', () => {
	it.each([
		['error', 'failed', 'The run failed and gave no reason'],
		['length', 'incomplete', /length limit/],
		['content-filter', 'incomplete', /content filter/],
		['interrupted', 'incomplete', /interrupted/],
	])('%s makes it %s, for the workflow and for an agent', async (finishReason, status, reason) => {
		const body = events(...text('Half an answer'), finish(finishReason));
		const { error } = await run(body);
		expect(error?.message).toMatch(reason);
		expect(error?.context.data).toMatchObject({ status, text: 'Half an answer', finish_reason: finishReason });
		const { items } = await run(body, partial);
		expect(items[0].json).toMatchObject({
			status,
			text: 'Half an answer',
			reason: expect.stringMatching(reason) as string,
		});
		const told = await run(body, {}, asTool);
		expect(told.error?.message).toMatch(/Text so far: "Half an answer"$/);
	});

	it.each(['stop', 'tool-calls', 'other', 'unknown'])('%s leaves it completed', async (finishReason) => {
		const { items } = await run(events(...text('An answer'), finish(finishReason)), { simplify: false });
		expect(items[0].json).toMatchObject({ status: 'completed', warnings: [] });
	});

	it('that is about tool calls warns of one without an output', async () => {
		const { items } = await run(events(call, finish('tool-calls')), { simplify: false });
		expect(items[0].json).toMatchObject({
			status: 'completed',
			warnings: ['The run ended without the output of "pay"'],
		});
	});
});

describe('a run that waits for a person', () => {
	const body = events(...text('May I pay?'), call, ask, finish('tool-calls'));
	const approvals = [
		{ approval_id: 'ask-1', tool: 'pay', tool_call_id: 'call-1', input: { amount: 5 }, reason: 'More than 3 EUR' },
	];
	const asked = 'The run is waiting for approval of pay {"amount":5} (More than 3 EUR)';

	it('is an error that says what is asked and how to answer', async () => {
		const { error } = await run(body);
		expect(error?.message).toBe(asked);
		expect(error?.description).toMatch(/^Run again with this Thread ID.*Thread ID: thread-1$/);
		expect(error?.context.data).toMatchObject({ status: 'needs_approval', approvals });
	});

	it('is a partial result with its approvals', async () => {
		const { items } = await run(body, partial);
		expect(items[0].json).toMatchObject({ status: 'needs_approval', reason: asked, approvals });
		const { items: all } = await run(body, { ...partial, simplify: false });
		expect((all[0].json.tools as object[])[0]).toMatchObject({ name: 'pay', approval_id: 'ask-1' });
	});

	it('is told to an agent', async () => {
		expect((await run(body, {}, asTool)).error?.message).toMatch(/waiting for approval of pay.*Thread ID: thread-1/);
		const { items } = await run(body, partial, asTool);
		expect(items[0].json).toMatchObject({ status: 'needs_approval', reason: asked, approvals, thread_id: 'thread-1' });
	});
});

it('nothing is downloaded or stored for an agent', async () => {
	const file = { type: 'file', url: 'data:text/plain,secret', mediaType: 'text/plain' };
	const { items } = await run(events(file, ...text('Done'), finish('stop')), {}, asTool);
	expect(items[0]).toEqual({
		json: { text: 'Done', thread_id: 'thread-1', status: 'completed' },
		pairedItem: { item: 0 },
	});
});

describe('the text', () => {
	const step = { type: 'start-step' };
	it.each([
		['of the last step counts', [step, ...text('First'), step, ...text('Last')], 'Last'],
		['is not replaced by a blank one', [step, ...text('The price is 5.'), step, ...text(' \n')], 'The price is 5.'],
		[
			'has a paragraph for each text of a step',
			[step, ...text('I look.'), ...text('It is 5.', '2')],
			'I look.\n\nIt is 5.',
		],
		['keeps its own line breaks', [step, ...text('\n- a\n- b\n')], '\n- a\n- b\n'],
	])('%s', async (_name, chunks, expected) => {
		const { items } = await run(events(...chunks, finish('stop')));
		expect(items[0].json.text).toBe(expected);
	});
});

it.each(['result', 'message', 'parts', 'chunks'])(
	'every item of the operation %s says why a run is not complete',
	async (operation) => {
		const body = events(...text('a'), { type: 'error', errorText: 'The site blocked the agent' });
		const { items } = await run(body, { ...operationOf(operation), ...partial });
		for (const { json } of items) {
			expect(json).toMatchObject({ status: 'failed', reason: 'The site blocked the agent', thread_id: 'thread-1' });
		}
	},
);

it('the result lists each source once, and what the service tells of the run', async () => {
	const source = { type: 'source-url', sourceId: 's1', url: 'https://x', title: 'X' };
	const usage = { type: 'message-metadata', messageMetadata: { usage: { tokens: 7 }, cost: 0.02 } };
	const body = events(source, { ...source, sourceId: 's2' }, usage, finish('stop'));
	const { items } = await run(body, { simplify: false });
	expect(items[0].json.sources).toEqual([{ type: 'source-url', source_id: 's1', url: 'https://x', title: 'X' }]);
	expect(items[0].json.metadata).toEqual({ usage: { tokens: 7 }, cost: 0.02 });
	expect((await run(body)).items[0].json.sources).toEqual([{ title: 'X', url: 'https://x' }]);
});

describe('a chat', () => {
	const contents = ({ chunks }: Awaited<ReturnType<typeof run>>) =>
		chunks.filter(({ type }) => type === 'item').map(({ content }) => content);

	it('is told the reason also if the workflow continues', async () => {
		const ran = await run(
			events({ type: 'error', errorText: 'The site blocked the agent' }),
			{},
			{
				streaming: true,
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(contents(ran)).toEqual(['\n> The site blocked the agent\n\n']);
		expect(ran.chunks.at(-1)?.type).toBe('end');
	});

	it('shows several lines in one quote, and nothing that is not there', async () => {
		const body = events(
			{ type: 'tool-input-available', toolCallId: '1', toolName: 'a\nb', input: {} },
			{ type: 'data-progress' },
			finish('stop'),
		);
		const ran = await run(body, { options: { live: ['tools', 'data'] } }, { streaming: true });
		expect(contents(ran)).toEqual(['\n> Tool: a\n> b\n\n', '\n> progress: null\n\n']);
	});
});

describe('the response to a start', () => {
	it('in the background is returned with all its fields', async () => {
		const body = JSON.stringify({ thread_id: 't', url: 'https://x/t', status: 'queued', position: 3 });
		const { items } = await run(body, { operation: 'background' });
		expect(items[0].json).toEqual({ thread_id: 't', url: 'https://x/t', status: 'queued', position: 3 });
	});
});

describe('a run that has finished', () => {
	/** Runs a start whose connection stays open after the stream, while time passes quickly. */
	async function runOpen(first: string, later = '', options: INodeParameters = {}) {
		const now = Date.now.bind(Date);
		let ahead = 0;
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
		const server = await serveStream(
			() => '',
			() => {},
			(response, query) => {
				response.writeHead(200, streamHeaders(query)).write(`${first}: keep-alive\n\n${later}`);
				void sleep(200).then(() => (ahead = 10_500));
			},
		);
		try {
			return await runAutomation(server.target, { query: 'thread-1', simplify: false, options });
		} finally {
			clock.mockRestore();
			await server.stop();
		}
	}

	it('is complete 10 s after its last chunk, with a warning, if the connection stays open', async () => {
		const { items } = await runOpen(events(...text('Done'), finish('stop')));
		expect(items[0].json).toMatchObject({
			status: 'completed',
			text: 'Done',
			warnings: ['The run finished, but the service did not end the stream. The connection was closed'],
		});
	});

	it('is open again after a new start', async () => {
		const { error } = await runOpen(events(...text('Done'), finish('stop')), events({ type: 'start' }), {
			idleTimeout: 3,
		});
		expect(error?.context.data).toMatchObject({ status: 'timed_out' });
	});
});

it('a 202 to a streamed start keeps the thread ID of its body', async () => {
	const server = await serveStream(
		() => '',
		() => {},
		(response) => response.writeHead(202, { 'content-type': 'application/json' }).end('{"thread_id":"from-the-body"}'),
	);
	const { error, run: execution } = await runAutomation(server.target, { query: 'thread-1' });
	await server.stop();
	expect(execution.data.resultData.metadata).toEqual({ thread_ids: 'from-the-body' });
	expect(error?.context.data).toMatchObject({ thread_id: 'from-the-body' });
	expect(error?.description).toMatch(/Thread ID: from-the-body$/);
});

it('a thread that a failed start in the background names is in the custom data, too', async () => {
	const server = await serveStream(
		() => '',
		() => {},
		(response) => response.writeHead(500, { 'x-thread-id': 'from-the-header' }).end(),
	);
	const { run: execution } = await runAutomation(server.target, { query: 'thread-1', operation: 'background' });
	await server.stop();
	expect(execution.data.resultData.metadata).toEqual({ thread_ids: 'from-the-header' });
});
