/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import axios from 'axios';
import { sleep } from 'n8n-workflow';
import { runAutomation } from '../engine/run-node';
import { startService, type Service } from '../service/service';

const THREAD = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';

let service: Service;
beforeAll(async () => {
	service = await startService();
});
beforeEach(() => service.reset());
afterEach(() => expect(service.violations).toEqual([]));
afterAll(async () => await service.stop());

const run = (query: string, options = {}, extra: Parameters<typeof runAutomation>[2] = {}) =>
	runAutomation(service, { query, options }, extra);

describe('a detached start', () => {
	const start = (query: string, parameters = {}) =>
		runAutomation(service, { query, operation: 'background', ...parameters });

	it('returns thread, link and status', async () => {
		const { items, error } = await start('quick Book a table');
		expect(error).toBeUndefined();
		const { threadId } = service.starts[0];
		expect(items).toEqual([
			{
				json: { thread_id: threadId, url: expect.stringContaining(threadId) as string, status: 'started' },
				pairedItem: { item: 0 },
			},
		]);
		expect(service.starts[0].body).toEqual({ query: 'quick Book a table', detach: true });
		expect(service.starts[0].headers).toMatchObject({
			authorization: `Bearer ${service.apiKey}`,
			'content-type': 'application/json',
		});
	});

	it('takes the thread ID from the header if the body lacks it', async () => {
		const { items } = await start('noid');
		expect(items[0].json).toMatchObject({ thread_id: service.starts[0].threadId, status: 'started' });
	});

	it('continues a thread', async () => {
		const { items } = await start('quick again', { threadId: THREAD });
		expect(items[0].json.thread_id).toBe(THREAD);
		expect(service.starts[0].body.thread_id).toBe(THREAD);
	});

	it.each([
		['html', 'The service returned a web page titled "Bad gateway" (status 502)'],
		['json', 'The service returned application/json instead of a thread ID (status 200)'],
		['message', 'The task was refused: The site is on the block list'],
	])('whose response is %s is an error', async (query, message) => {
		const { error, items } = await start(query);
		expect(items).toEqual([]);
		expect(error?.message).toBe(message);
	});
});

describe('a streamed run', () => {
	it('returns one simplified item', async () => {
		const { items, error } = await run('Find three headlines');
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		const [{ json, pairedItem }] = items;
		expect(pairedItem).toEqual({ item: 0 });
		expect(Object.keys(json)).toEqual(['text', 'status', 'thread_id', 'sources', 'files', 'data']);
		expect(json).toMatchObject({ thread_id: service.starts[0].threadId, status: 'completed' });
		for (const source of json.sources as object[]) expect(Object.keys(source)).toEqual(['title', 'url']);
		expect(json.text).toContain('Find three headlines');
		expect(service.starts[0].body).toEqual({ query: 'Find three headlines' });
	});

	it('has every field without Simplify', async () => {
		const { items } = await runAutomation(service, { query: 'Find three headlines', simplify: false });
		const everything = 'text,status,thread_id,sources,files,data,tools,approvals,metadata,finish_reason,warnings';
		expect(Object.keys(items[0].json).join()).toBe(everything);
		expect(items[0].json).toMatchObject({ finish_reason: 'stop', warnings: [], approvals: [] });
	});

	it('returns the whole message', async () => {
		const { items } = await runAutomation(service, { operation: 'raw', query: 'quick hello' });
		expect(items).toEqual([
			{
				json: {
					thread_id: service.starts[0].threadId,
					status: 'completed',
					message: expect.objectContaining({
						role: 'assistant',
						parts: expect.arrayContaining([{ type: 'text', text: 'Done: hello.', state: 'done' }]) as unknown[],
					}) as object,
					warnings: [],
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it('sends the options that are set, and no others', async () => {
		const { items } = await runAutomation(service, {
			query: 'echo',
			threadId: THREAD,
			options: { model: 'big', reasoningEffort: 'high', version: 'v2' },
		});
		expect(items[0].json.thread_id).toBe(THREAD);
		expect(JSON.parse(items[0].json.text as string)).toEqual({
			query: 'echo',
			thread_id: THREAD,
			model: 'big',
			reasoningEffort: 'high',
			version: 'v2',
		});
	});

	it.each(['lines', 'nofinish', 'open', 'headless'])('is complete when played as %s', async (query) => {
		const { items, error } = await run(`${query} task`);
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ status: 'completed', text: 'Done: task.' });
		if (query === 'headless') expect(items[0].json.thread_id).toBeNull();
		if (query === 'open') expect(await service.starts[0].closed).toBe('finished');
	});

	it('survives what cannot be read', async () => {
		const { items, hints } = await runAutomation(service, { query: 'garbage task', simplify: false });
		expect(hints).toEqual([]);
		expect(items[0].json).toMatchObject({ status: 'completed', text: 'Done: task.' });
		expect(items[0].json.warnings).toEqual(
			expect.arrayContaining([
				'Skipped an empty data line',
				'Skipped a data line that is not a chunk: "42"',
				'Skipped a chunk of the unknown type "hologram-start"',
				'Skipped a chunk of type "text-delta": no part with the id "orphan" was started',
			]),
		);
	});
});

describe('an incomplete run', () => {
	const cases = [
		['failed task', 'failed', 'The site blocked the agent'],
		['aborted task', 'aborted', 'Stopped by the operator'],
		['cut task', 'interrupted', 'The connection to the service broke during the run (connection reset)'],
		['ended task', 'interrupted', 'The connection closed before the run finished'],
		['hang task', 'timed_out', 'The service sent no data for 0.5 seconds (Limit: Idle Timeout)'],
	] as const;

	it.each(cases)('%s throws, with everything that is known', async (query, status, message) => {
		const { error, items } = await run(query, { idleTimeout: 0.5 });
		expect(items).toEqual([]);
		const { threadId } = service.starts[0];
		expect(error).toMatchObject({ name: 'NodeApiError', message });
		expect(error?.description).toMatch(new RegExp(`Thread ID: ${threadId}$`));
		expect(error?.description).not.toContain(message);
		expect(error?.context).toMatchObject({
			itemIndex: 0,
			data: { thread_id: threadId, status, text: 'Done: task.' },
		});
		expect(service.starts).toHaveLength(1);
	});

	it.each(cases)('%s is returned if partial results are chosen', async (query, status, reason) => {
		const { error, items } = await run(query, { idleTimeout: 0.5, ifIncomplete: 'partial' });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		const { json } = items[0];
		expect(json).toMatchObject({ thread_id: service.starts[0].threadId, status, text: 'Done: task.' });
		expect(json.reason).toBe(reason);
		// n8n would take an item with a field "error" for a failed one, and would start the paid run again on retry.
		expect(json).not.toHaveProperty('error');
	});

	it.each(cases)('%s becomes an error item if the workflow continues', async (query, status, message) => {
		const { items } = await run(query, { idleTimeout: 0.5 }, { settings: { onError: 'continueRegularOutput' } });
		const { threadId } = service.starts[0];
		expect(items).toEqual([
			{
				json: {
					error: message,
					details: expect.objectContaining({ thread_id: threadId, status, text: 'Done: task.' }) as object,
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it('reaches the error output with its details', async () => {
		const { items, errorItems } = await run(
			'={{ $json.task }}',
			{},
			{
				input: [{ task: 'quick one' }, { task: 'failed two' }, { task: 'quick three' }],
				settings: { onError: 'continueErrorOutput' },
			},
		);
		expect(items.map(({ json, pairedItem }) => [json.text, pairedItem])).toEqual([
			['Done: one.', { item: 0 }],
			['Done: three.', { item: 2 }],
		]);
		expect(errorItems).toHaveLength(1);
		expect(errorItems[0].pairedItem).toEqual({ item: 1 });
		const { threadId } = service.starts[1];
		expect(errorItems[0].json.error).toMatchObject({
			message: 'The site blocked the agent',
			details: { thread_id: threadId, status: 'failed', text: 'Done: two.' },
		});
	});
});

describe('time limits', () => {
	it('any byte counts as data', async () => {
		const { items } = await run('slow 1', { idleTimeout: 0.5 });
		expect(items[0].json.status).toBe('completed');
	});

	it.each([
		['trickle', { totalTimeout: 0.5 }, 'The run took longer than Limit: Total Timeout (0.5 seconds)'],
		['silent', { idleTimeout: 0.5 }, 'The service sent no data for 0.5 seconds (Limit: Idle Timeout)'],
		['mute', { idleTimeout: 0.5 }, 'The service sent no data for 0.5 seconds (Limit: Idle Timeout)'],
	])('%s ends at %o, and its connection is closed', async (query, options, message) => {
		const { error } = await run(query, options);
		expect(error?.message).toBe(message);
		expect(error?.context.data).toMatchObject({ status: 'timed_out' });
		expect(await service.starts[0].closed).toBe('aborted');
		expect(service.starts).toHaveLength(1);
	});

	it("the time-out of n8n's own client never fires first", async () => {
		// n8n sets 300 s there for every request that says nothing else; the test cannot wait that long.
		const usual = axios.defaults.timeout;
		const quiet = createServer((_request, response) => {
			void sleep(600)
				.then(() => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders())
				.then(async () => await sleep(600))
				.then(() => response.end('data: {"type":"finish"}\n\n'));
		});
		await new Promise<void>((resolve) => quiet.listen(0, '127.0.0.1', resolve));
		const url = `http://127.0.0.1:${(quiet.address() as AddressInfo).port}`;
		axios.defaults.timeout = 300;
		const { items, error } = await runAutomation(
			{ baseUrl: url, automationUrl: url, apiKey: 'some-key' },
			{ query: 'x' },
		);
		axios.defaults.timeout = usual;
		quiet.close();
		expect(error).toBeUndefined();
		expect(items[0].json.status).toBe('completed');
	});

	it('0 means no limit', async () => {
		const { items } = await run('slow 1', { idleTimeout: 0, totalTimeout: 0 });
		expect(items[0].json.status).toBe('completed');
	});
});

describe('several items', () => {
	const input = [{ task: 'quick one' }, { task: 'failed two' }, { task: 'quick three' }];

	it('start one run each, in order', async () => {
		const { items } = await run('={{ $json.task }}', {}, { input: [input[0], input[2]] });
		expect(items.map(({ json, pairedItem }) => [json.text, pairedItem])).toEqual([
			['Done: one.', { item: 0 }],
			['Done: three.', { item: 1 }],
		]);
		expect(service.starts.map(({ body }) => body.query)).toEqual(['quick one', 'quick three']);
	});

	it('stop at the first that fails, and the error lists every run that was started', async () => {
		const { error } = await run('={{ $json.task }}', {}, { input });
		expect(service.starts.map(({ body }) => body.query)).toEqual(['quick one', 'failed two']);
		const [first, second] = service.starts.map(({ threadId }) => threadId);
		expect(error?.message).toBe('The site blocked the agent');
		expect(error?.context).toMatchObject({
			itemIndex: 1,
			data: {
				thread_id: second,
				runs: [
					{ item: 0, status: 'completed', thread_id: first },
					{ item: 1, status: 'failed', thread_id: second },
				],
			},
		});
		expect(error?.description).toContain(
			'1 of 2 runs succeeded, but their results are dropped. To keep them next time, set On Error to Continue (using error output). Items not started: 1',
		);
	});

	it('none is started if one of them has bad input', async () => {
		const { error } = await runAutomation(
			service,
			{ query: 'quick', threadId: '={{ $json.thread }}' },
			{ input: [{ thread: THREAD }, { thread: 'nonsense' }] },
		);
		expect(error?.message).toBe('Thread ID is not valid');
		expect(error?.context.itemIndex).toBe(1);
		expect(service.requests).toHaveLength(0);
	});

	it('bad input does not affect other items if the workflow continues', async () => {
		const { items } = await run(
			'={{ $json.task }}',
			{},
			{
				input: [{ task: ' ' }, { task: 'quick two' }],
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(items[0]).toEqual({ json: { error: 'Task is empty' }, pairedItem: { item: 0 } });
		expect(items[1].json.text).toBe('Done: two.');
	});
});

describe('input that is refused before anything is sent', () => {
	it.each([
		['an empty task', { query: '  ' }, 'Task is empty'],
		['a thread ID that is not a UUID', { query: 'quick', threadId: 'abc' }, 'Thread ID is not valid'],
		[
			'an idle timeout below 0',
			{ query: 'quick', options: { idleTimeout: -1 } },
			'Limit: Idle Timeout (Seconds) must be a number of at least 0',
		],
		[
			'a total timeout that is not a number',
			{ query: 'quick', options: { totalTimeout: 'soon' } },
			'Limit: Total Timeout (Seconds) must be a number of at least 0',
		],
	])('%s', async (_name, parameters, message) => {
		const { error } = await runAutomation(service, parameters);
		expect(error).toMatchObject({ name: 'NodeOperationError', message, context: { itemIndex: 0 } });
		expect(error?.description).toMatch(/^(Enter|Map|Correct) /);
		expect(service.requests).toHaveLength(0);
	});

	it.each([
		['', 'Automation URL is empty'],
		['127.0.0.1:1', 'Automation URL does not start with https://'],
		['http://automation.example.com', 'Automation URL starts with http://, so the API key would be sent unencrypted'],
		['ftp://automation.example.com', 'Automation URL starts with ftp://'],
		['https://user:pass@automation.example.com', 'Automation URL contains a user name or a password'],
	])('the address "%s"', async (automationUrl, message) => {
		const { error } = await runAutomation(
			{ ...service, baseUrl: service.baseUrl, apiKey: service.apiKey, automationUrl },
			{ query: 'quick' },
		);
		expect(error?.message).toContain(message);
		expect(error?.name).toBe('NodeOperationError');
	});

	it('but a trailing slash and a path prefix are fine', async () => {
		const { items } = await runAutomation(
			{ baseUrl: service.baseUrl, apiKey: service.apiKey, automationUrl: ` ${service.automationUrl}// ` },
			{ query: 'quick' },
		);
		expect(items[0].json.status).toBe('completed');
	});
});

describe('responses that are not a stream', () => {
	it.each([
		['status 403', 'Status 403 as asked (status_403)', '403'],
		['status 429', 'Status 429 as asked (status_429)', '429'],
		['status 529', 'Overloaded (overloaded_error)', '529'],
		['html', 'The service returned a web page titled "Bad gateway" (status 502)', '502'],
		['page', 'The service returned a web page titled "Welcome" (status 200)', '200'],
		['json', 'The service returned application/json instead of the output of a run (status 200)', '200'],
		['empty500', 'The service returned error 500 without a reason', '500'],
		['message', 'The task was refused: The site is on the block list', '400'],
	])('%s', async (query, message, httpCode) => {
		const { error } = await run(query);
		expect(error).toMatchObject({ name: 'NodeApiError', message, httpCode });
		expect(error?.description).toMatch(/^.{20,}/);
		expect(error?.description).not.toContain(message);
		expect(service.starts).toHaveLength(1);
	});

	it('429 tells when to try again', async () => {
		const { error } = await run('status 429');
		expect(error?.description).toMatch(/Try again in 7 seconds, at \d{4}-\d\d-\d\dT/);
	});

	it('404 tells that the thread may be unknown, and names the address if there is no thread', async () => {
		const threadId = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';
		const { error } = await runAutomation(service, { query: 'status 404', threadId });
		expect(error?.description).toMatch(/^Check the Thread ID/);
		expect((await run('status 404')).error?.description).toMatch(/^Nothing responds at the Automation URL/);
	});

	it('a retired version shows the reason of the server', async () => {
		const { error } = await run('quick', { version: 'v1' });
		expect(error?.message).toBe('Version v1 has been retired. Omit version or use v2. (unsupported_version)');
		expect(service.starts).toHaveLength(0);
	});

	it('a wrong key is sent once', async () => {
		const { error } = await runAutomation(
			{ baseUrl: service.baseUrl, automationUrl: service.automationUrl, apiKey: 'wrong-key-0000' },
			{ query: 'quick' },
		);
		expect(error).toMatchObject({ message: 'Invalid or missing API key', httpCode: '401' });
		expect(service.unauthorized).toBe(1);
		expect(JSON.stringify(error)).not.toContain('wrong-key-0000');
	});

	it('a redirect is not followed: the key and the start reach no other host', async () => {
		const received: string[] = [];
		const other = createServer((request, response) => {
			received.push(String(request.headers.authorization));
			response.end();
		});
		await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
		const { error } = await run(`redirect http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
		other.close();
		expect(received).toEqual([]);
		expect(error?.message).toBe('The service redirected to another address');
		expect(error?.description).toContain('Enter the final URL');
		expect(service.starts).toHaveLength(1);
	});

	it('a connection that is reset before the headers is not tried again', async () => {
		const { error } = await run('reset');
		expect(error).toMatchObject({
			name: 'NodeApiError',
			context: { data: { thread_id: null, status: 'interrupted' } },
		});
		expect(error?.description).toContain('The run may have started');
		expect(service.starts).toHaveLength(1);
	});

	it('a service that does not respond', async () => {
		const { error } = await runAutomation(
			{ baseUrl: 'http://127.0.0.1:9', automationUrl: 'http://127.0.0.1:9', apiKey: 'key-0000' },
			{ query: 'quick' },
		);
		expect(error?.message).toBe('No response from the service: connection refused');
		expect(error?.description).toContain('No run was started');
		expect(error?.context.data).toBeUndefined();
	});
});

describe('secrets', () => {
	it('the key is in no error, even if the server repeats it', async () => {
		const { error } = await run('secretive');
		expect(error?.message).toContain('Upstream refused');
		expect(JSON.stringify({ ...error, message: error?.message, stack: error?.stack })).not.toContain(service.apiKey);
	});
});

describe('the Stop button', () => {
	it.each(['hang', 'silent', 'trickle', 'mute'])(
		'closes the connection of %s at once, and starts no further run',
		async (query) => {
			const stopped = service.waitForStart().then(async (start) => {
				await sleep(200);
				return start;
			});
			await run(
				query,
				{ ifIncomplete: 'partial' },
				{ cancelWhen: stopped, input: [{}, {}], settings: { onError: 'continueRegularOutput' } },
			);
			const start = await stopped;
			const before = Date.now();
			expect(await start.closed).toBe('aborted');
			expect(Date.now() - before).toBeLessThan(5000);
			await sleep(100);
			expect(service.starts).toHaveLength(1);
		},
	);
});
