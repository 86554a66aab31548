/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import type { INode } from 'n8n-workflow';

import { BROWSER_AUTOMATION, RUN_AUTOMATION, runNode } from '../engine/run-node';
import { events } from '../engine/serve-stream';
import { fuzz } from '../unit/fuzz';

/** What the service does with one start; whether it surely did not happen, and how its run ended. */
interface Answer {
	respond(response: ServerResponse, threadId: string): void;
	isRefused?: boolean;
	isRestartable?: boolean;
	/** Whether the node succeeds, both if it waits for the run and if it only starts it. */
	isSuccess?: boolean;
}

const stream = (response: ServerResponse, threadId: string, ...chunks: unknown[]) =>
	response.writeHead(200, { 'content-type': 'text/event-stream', 'x-thread-id': threadId }).write(events(...chunks));
const refuse = (status: number): Answer => ({
	respond: (response) => response.writeHead(status).end('{"detail":"refused"}'),
	isRefused: true,
});

const ANSWERS: Record<string, Answer> = {
	completed: {
		respond: (response, id) => void (stream(response, id, { type: 'finish' }), response.end('data: [DONE]\n\n')),
		isSuccess: true,
	},
	failed: {
		respond: (response, id) => void (stream(response, id, { type: 'error', errorText: 'failed' }), response.end()),
		isRestartable: true,
	},
	aborted: {
		respond: (response, id) => void (stream(response, id, { type: 'abort' }), response.end()),
		isRestartable: true,
	},
	'waiting for an approval': {
		respond: (response, id) =>
			void (stream(
				response,
				id,
				{ type: 'tool-input-available', toolCallId: 'c', toolName: 'pay', input: {} },
				{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' },
				{ type: 'finish' },
			),
			response.end()),
	},
	interrupted: { respond: (response, id) => void (stream(response, id), response.end()) },
	broken: {
		respond: (response, id) =>
			void response
				.writeHead(200, { 'content-type': 'text/event-stream', 'x-thread-id': id })
				.write(': keep-alive\n\n', () => response.destroy()),
	},
	'reset before the headers': { respond: (response) => void response.destroy() },
	'500': { respond: (response, id) => void response.writeHead(500, { 'x-thread-id': id }).end() },
	'500 without a thread': { respond: (response) => void response.writeHead(500).end() },
	'408': { respond: (response) => void response.writeHead(408).end() },
	'503 with a thread': { respond: (response, id) => void response.writeHead(503, { 'x-thread-id': id }).end() },
	'400': refuse(400),
	'401': refuse(401),
	'429': refuse(429),
	'503': refuse(503),
	'529': refuse(529),
};

let server: Server;
let url: string;
/** What the service does with each start of an item, by the task; the last answer counts for all further starts. */
let script: string[][];
/** The threads of the starts that the service received for each item; empty for one that it refused. */
let starts: string[][];

beforeAll(async () => {
	server = createServer((request, response) => {
		let body = '';
		request.on('data', (bytes: Buffer) => (body += bytes.toString()));
		request.on('end', () => {
			const item = Number((JSON.parse(body) as { query: string }).query);
			const answer = ANSWERS[script[item][Math.min(starts[item].length, script[item].length - 1)]];
			const threadId = `thread-${item}-${starts[item].length}`;
			starts[item].push(answer.isRefused ? '' : threadId);
			answer.respond(response, threadId);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
	server.closeAllConnections();
	server.close();
});

/** Runs Run Automation on the engine, with one item for each list of answers. */
async function run(answers: string[][], settings: Partial<INode>, options: Record<string, unknown> = {}) {
	script = answers;
	starts = answers.map(() => []);
	return await runNode(
		RUN_AUTOMATION,
		{ baseUrl: url, automationUrl: url, apiKey: 'some-api-key' },
		{ query: '={{ String($json.item) }}', options: options as never },
		{
			input: answers.map((_, item) => ({ json: { item } })),
			node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1, ...settings },
		},
	);
}

const everything = ({ items, errorItems, error }: Awaited<ReturnType<typeof run>>) =>
	JSON.stringify([items, errorItems, error?.message, error?.description, error?.context]);

const refused = Object.keys(ANSWERS).filter((name) => ANSWERS[name].isRefused);
const uncertain = Object.keys(ANSWERS).filter((name) => !ANSWERS[name].isRefused && !ANSWERS[name].isSuccess);

describe('with Retry On Fail at three tries', () => {
	it.each(uncertain)('a start that is %s is sent once, and its error is returned on every try', async (name) => {
		const ran = await run([[name, 'completed']], {});
		expect(starts).toEqual([['thread-0-0']]);
		expect(ran.error?.context.data).toHaveProperty('thread_id');
		const description = ran.error!.description!;
		expect(description.match(/Thread ID: /g) ?? []).toHaveLength(description.includes('thread-0-0') ? 1 : 0);
	});

	it.each(refused)('a start that is refused with %s is sent again', async (name) => {
		const { items, error } = await run([[name, 'completed']], {});
		expect(starts).toEqual([['', 'thread-0-1']]);
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ status: 'completed', thread_id: 'thread-0-1' });
	});

	it.each(['failed', 'aborted'])('Also Restart Failed Runs starts a run again that %s', async (name) => {
		const { items } = await run([[name, 'completed']], {}, { restartFailed: true });
		expect(starts).toEqual([['thread-0-0', 'thread-0-1']]);
		expect(items[0].json.thread_id).toBe('thread-0-1');
	});

	it.each(uncertain.filter((name) => !ANSWERS[name].isRestartable))(
		'Also Restart Failed Runs starts no run again that is %s',
		async (name) => {
			await run([[name, 'completed']], {}, { restartFailed: true });
			expect(starts).toEqual([['thread-0-0']]);
		},
	);

	it('the results of other items are returned again and not paid for again', async () => {
		const { items } = await run([['completed'], ['429', 'completed'], ['completed']], {});
		expect(starts.map(({ length }) => length)).toEqual([1, 2, 1]);
		expect(items.map(({ json }) => json.thread_id)).toEqual(['thread-0-0', 'thread-1-1', 'thread-2-0']);
	});

	it('an error item at the front, for which n8n tries the node again, starts nothing again', async () => {
		const { items } = await run([['failed'], ['completed']], { onError: 'continueRegularOutput' });
		expect(starts.map(({ length }) => length)).toEqual([1, 1]);
		expect(items.map(({ json }) => json.error ?? json.status)).toEqual(['failed', 'completed']);
	});

	it('the memory is neither saved with the execution nor seen by an expression', async () => {
		const { run: execution } = await run([['completed']], {});
		const { contextData } = execution.data.executionData!;
		expect(Object.keys(contextData['node:Tested Node'])).toEqual([]);
		expect(JSON.stringify(contextData)).toBe('{"node:Tested Node":{}}');
	});

	it('no start of Browser Automation is sent twice unless it was refused', async () => {
		for (const [answer, count] of [
			['500', 1],
			['reset before the headers', 1],
			['429', 3],
		] as const) {
			script = [[answer]];
			starts = [[]];
			await runNode(
				BROWSER_AUTOMATION,
				{ baseUrl: url, automationUrl: url, apiKey: 'some-api-key' },
				{ resource: 'automationRun', operation: 'start', query: '0' },
				{ node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } },
			);
			expect({ answer, starts: starts[0].length }).toEqual({ answer, starts: count });
		}
	});

	it('whatever happens, no item is started twice unless it was refused or the option allows it', async () => {
		const answer = fc.array(fc.constantFrom(...Object.keys(ANSWERS)), { minLength: 1, maxLength: 3 });
		const settings = fc.record({
			onError: fc.constantFrom(
				'stopWorkflow' as const,
				'continueRegularOutput' as const,
				'continueErrorOutput' as const,
			),
			maxTries: fc.integer({ min: 2, max: 4 }),
			retryOnFail: fc.boolean(),
		});
		const options = fc.record({
			restartFailed: fc.boolean(),
			parallelRuns: fc.integer({ min: 1, max: 6 }),
			ifIncomplete: fc.constantFrom('error', 'partial'),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.array(answer, { minLength: 1, maxLength: 20 }),
				settings,
				options,
				async (answers, node, chosen) => {
					const ran = await run(answers, node, chosen);
					const known = everything(ran);
					for (const [item, sent] of starts.entries()) {
						for (const [index, threadId] of sent.entries()) {
							const name = answers[item][Math.min(index, answers[item].length - 1)];
							const { isRefused, isRestartable } = ANSWERS[name];
							const isLast = index === sent.length - 1;
							const mayStartAgain = isRefused || (chosen.restartFailed && isRestartable);
							expect({ name, ok: isLast || mayStartAgain === true }).toEqual({ name, ok: true });
							const hasThread =
								threadId !== '' && !['reset before the headers', '408', '500 without a thread'].includes(name);
							if (isLast && hasThread) expect(known).toContain(threadId);
						}
					}
				},
			),
			fuzz(60),
		);
	});
});
