/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { sleep, type IDataObject, type INodeParameters } from 'n8n-workflow';
import { addThread } from '../../nodes/RunAutomation/output/record-thread';
import { operationOf, runAutomation } from '../engine/run-node';
import { events, serveStream } from '../engine/serve-stream';
import { startService, type Service } from '../service/service';

let service: Service;
beforeAll(async () => {
	service = await startService();
});
beforeEach(() => service.reset());
afterEach(() => expect(service.violations).toEqual([]));
afterAll(async () => await service.stop());

const run = (query: string, options = {}, extra: Parameters<typeof runAutomation>[2] = {}, operation = 'result') =>
	runAutomation(service, { ...operationOf(operation), query, options }, extra);

/** Runs one start whose answer is this stream. */
async function runStream(
	body: string,
	{ operation = 'result', ...options }: INodeParameters & { operation?: string } = {},
	other?: Parameters<typeof serveStream>[1],
	extra: Parameters<typeof runAutomation>[2] = {},
) {
	const server = await serveStream(() => body, other);
	try {
		return await runAutomation(server.target, { ...operationOf(operation), query: 'thread-1', options }, extra);
	} finally {
		await server.stop();
	}
}
describe('the output Parts', () => {
	it('returns one item for each part', async () => {
		const { items } = await run('quick task', {}, {}, 'parts');
		const head = { thread_id: service.starts[0].threadId, status: 'completed' };
		expect(items).toEqual([
			{ json: { ...head, part: { type: 'step-start' } }, pairedItem: { item: 0 } },
			{ json: { ...head, part: { type: 'text', text: 'Done: task.', state: 'done' } }, pairedItem: { item: 0 } },
		]);
	});

	it('returns the thread of a run without parts', async () => {
		const { items } = await runStream(events({ type: 'finish' }), { operation: 'parts' });
		expect(items).toEqual([{ json: { thread_id: 'thread-1', status: 'completed' }, pairedItem: { item: 0 } }]);
	});
});

describe('the output Chunks', () => {
	const chunks = [
		{ type: 'data-p', id: 'p', data: 1 },
		{ type: 'data-p', id: 'p', data: 2 },
		{ type: 'novelty', x: 1 },
		{ type: 'finish' },
	];

	it('returns every chunk as received', async () => {
		const { items, hints } = await runStream(events(...chunks), { operation: 'chunks' });
		expect(items.map(({ json, pairedItem }) => [json, pairedItem])).toEqual(
			chunks.map((chunk) => [{ thread_id: 'thread-1', status: 'completed', chunk }, { item: 0 }]),
		);
		expect(hints.map(({ message }) => message)).not.toContainEqual(expect.stringContaining('chunks was reached'));
	});

	it('does not mention its limit if nothing is left out', async () => {
		const { items, hints } = await runStream(events(...chunks), { operation: 'chunks', chunkLimit: chunks.length });
		expect(items).toHaveLength(chunks.length);
		expect(hints.filter(({ message }) => message.includes('chunks was reached'))).toEqual([]);
	});

	it('stops at its limit, and says so', async () => {
		const { items, hints } = await runStream(events(...chunks), { operation: 'chunks', chunkLimit: 2 });
		expect(items.map(({ json }) => json.chunk)).toEqual(chunks.slice(0, 2));
		expect(hints.map(({ message }) => message)).toContain(
			'The limit of 2 chunks was reached (thread thread-1): 2 later chunks were read but not returned',
		);
	});
});

describe('the limit for the response size', () => {
	it('closes the connection and keeps the partial result', async () => {
		const { items } = await run('huge 100000', { maxResponseSize: 0.2, ifIncomplete: 'partial' });
		const { status, reason, text: received } = items[0].json as { status: string; reason: string; text: string };
		expect(status).toBe('interrupted');
		expect(reason).toBe('The response exceeds Limit: Response Size (0.2 MB)');
		expect(received.startsWith('word-0 word-1 ')).toBe(true);
		expect(received.length).toBeLessThan(200_000);
		expect(await service.starts[0].closed).toBe('aborted');
	});
});

describe('Runs in Parallel', () => {
	const input = Array.from({ length: 12 }, (_, index) => ({
		task: index % 3 === 0 ? `slow 0.4 ${index}` : `quick ${index}`,
	}));

	it('keeps the order of items and starts each run once', async () => {
		const { items } = await run('={{ $json.task }}', { parallelRuns: 4 }, { input });
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(input.map((_, item) => ({ item })));
		expect(items[1].json.text).toBe('Done: 1.');
		expect(service.starts).toHaveLength(input.length);
		const overlaps = service.starts.filter(
			({ closedAt }, index) => (service.starts[index + 1]?.startedAt ?? Infinity) < closedAt!,
		);
		expect(overlaps.length).toBeGreaterThan(0);
	});

	it('a failing item does not affect the others if the workflow continues', async () => {
		const { items } = await run(
			'={{ $json.task }}',
			{ parallelRuns: 3 },
			{
				input: [{ task: 'quick 0' }, { task: 'failed 1' }, { task: 'quick 2' }],
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(items.map(({ json }) => json.error ?? json.text)).toEqual([
			'Done: 0.',
			'The site blocked the agent',
			'Done: 2.',
		]);
		expect(service.starts).toHaveLength(3);
	});

	it('reads the runs in progress to their end before it stops, and lists every thread', async () => {
		const { error } = await run(
			'={{ $json.task }}',
			{ parallelRuns: 2 },
			{
				input: [{ task: 'slow 0.6' }, { task: 'failed' }, { task: 'quick never' }],
			},
		);
		expect(error?.message).toBe('The site blocked the agent');
		expect(service.starts).toHaveLength(2);
		expect(await service.starts[0].closed).toBe('finished');
		const threadOf = (word: string) => service.starts.find(({ body }) => String(body.query).startsWith(word))!.threadId;
		expect((error?.context.data as { runs: unknown }).runs).toEqual([
			{ item: 0, status: 'completed', thread_id: threadOf('slow') },
			{ item: 1, status: 'failed', thread_id: threadOf('failed') },
		]);
		expect(error?.description).toContain('Items not started: 1');
	});

	it('is refused if it is not a number of runs', async () => {
		const { error } = await run('quick', { parallelRuns: 0 });
		expect(error?.message).toBe('Limit: Runs in Parallel must be a number of at least 1');
		expect(service.requests).toHaveLength(0);
	});
});

describe('if n8n streams', () => {
	const contents = (chunks: Array<{ type: string; content?: unknown }>) =>
		chunks.map(({ type, content }) => [type, content]);

	it('text goes out as it comes', async () => {
		const { chunks } = await run('slow 1', {}, { streaming: true });
		expect(contents(chunks)).toEqual([
			['begin', undefined],
			...['tick-1 ', 'tick-2 ', 'tick-3 ', 'tick-4 ', 'tick-5'].map((word) => ['item', word]),
			['end', undefined],
		]);
		// Live: the first word was sent while the service had not yet ended the run.
		await service.starts[0].closed;
		expect(chunks[1].metadata.timestamp).toBeLessThan(service.starts[0].closedAt!);
		for (const { metadata } of chunks) expect(metadata).toMatchObject({ itemIndex: 0, nodeName: 'Tested Node' });
	});

	it('tool steps and data are streamed if they are chosen', async () => {
		const { chunks } = await run('Look around', { live: ['tools', 'data'] }, { streaming: true });
		const shown = chunks.filter(({ type }) => type === 'item').map(({ content }) => content as string);
		expect(shown).toContain('\n> Tool: openPage\n\n');
		expect(shown.some((content) => /^\n> \w+ failed: /.test(content))).toBe(true);
		expect(shown.some((content) => content.startsWith('\n> progress: '))).toBe(true);
		expect(shown.some((content) => content.startsWith('\n> status: '))).toBe(true);
		expect(shown.every((content) => content.startsWith('\n> '))).toBe(true);
	});

	it('each item has its own begin and end, also in parallel', async () => {
		const { chunks } = await run(
			'={{ $json.task }}',
			{ parallelRuns: 2 },
			{
				streaming: true,
				input: [{ task: 'slow 0.4' }, { task: 'quick 1' }],
			},
		);
		for (const item of [0, 1]) {
			const own = chunks.filter(({ metadata }) => metadata.itemIndex === item).map(({ type }) => type);
			expect([own[0], own.at(-1)]).toEqual(['begin', 'end']);
		}
	});

	it('the reason of a partial result is shown if the node returns it', async () => {
		const { chunks } = await run('cut task', { ifIncomplete: 'partial' }, { streaming: true });
		expect(contents(chunks).slice(-2)).toEqual([
			['item', '\n> The connection to the service broke during the run (connection reset)\n\n'],
			['end', undefined],
		]);
	});

	it('a refused address reaches the chat with its reason', async () => {
		const { chunks } = await runAutomation(
			{ ...service, baseUrl: service.baseUrl, apiKey: service.apiKey, automationUrl: 'automation.example.com' },
			{ query: 'quick' },
			{ streaming: true },
		);
		expect(contents(chunks).at(-1)).toEqual([
			'error',
			expect.stringMatching(/^Automation URL does not start with https:\/\/\. Enter/),
		]);
	});

	it('the error of a throwing node is left to n8n', async () => {
		const { chunks } = await run('failed task', {}, { streaming: true });
		expect(contents(chunks).at(-1)).toEqual(['error', expect.stringMatching(/^The site blocked the agent\. /)]);
		expect(chunks.filter(({ type }) => type === 'end')).toHaveLength(0);
	});
});

describe('the thread ID', () => {
	const threads = ({ run: execution }: Awaited<ReturnType<typeof run>>) =>
		execution.data.resultData.metadata?.thread_ids;

	it('is in the custom data of the execution as soon as the headers are here', async () => {
		expect(threads(await run('cut task'))).toBe(service.starts[0].threadId);
	});

	it('is there for every item, the newest first', async () => {
		const ran = await run('quick', {}, { input: [{}, {}] });
		const [first, second] = service.starts.map(({ threadId }) => threadId);
		expect(threads(ran)).toBe(`${second}, ${first}`);
	});

	it('is counted if there are more than six, and the value stays short enough for n8n', async () => {
		const list = threads(await run('quick', {}, { input: Array.from({ length: 9 }, () => ({})) }))!;
		expect(list.split(', ')).toEqual([
			...service.starts
				.slice(3)
				.map(({ threadId }) => threadId)
				.reverse(),
			'+3 in the log',
		]);
		expect(list.length).toBeLessThanOrEqual(255);
	});

	it('stays there when the execution is stopped', async () => {
		const stopped = service.waitForStart().then(async (start) => {
			await sleep(200);
			return start;
		});
		expect(threads(await run('hang', {}, { cancelWhen: stopped }))).toBe((await stopped).threadId);
	});

	it('is added to those of other nodes', () => {
		expect(addThread('a, b, +2 in the log', 'c')).toBe('c, a, b, +2 in the log');
		expect(addThread('a', 'x'.repeat(300))).toBe('+2 in the log');
		expect(addThread('a, b, c, d, e, f', 'a')).toBe('a, b, c, d, e, f');
	});
});

describe('files', () => {
	const file = (url: string, mediaType: string) => ({ type: 'file', url, mediaType });
	const report = (url: string) =>
		events(
			{ type: 'text-start', id: '1' },
			file('data:text/csv;base64,YSxiCjEsMgo=', 'text/csv'),
			file('data:text/plain,caf%C3%A9', 'text/plain'),
			file(`${url}/files/report%20one.pdf?signature=1`, 'application/pdf'),
			file(`${url}/missing.png`, 'image/png'),
			file('blob:nowhere', 'image/png'),
			{ type: 'finish' },
		);

	/** Runs one start whose files are served here; tells the keys that were sent along. */
	async function runFiles(options: IDataObject) {
		const keys: unknown[] = [];
		const server = await serveStream(
			() => report(server.url),
			(request, response) => {
				keys.push(request.headers.authorization);
				if (request.url?.startsWith('/files/')) response.end('PDF bytes');
				else response.writeHead(404).end();
			},
		);
		const ran = await runAutomation(server.target, { query: 'thread-1', simplify: false, options: options as never });
		await server.stop();
		return { ...ran, keys, url: server.url, ...ran.items[0] };
	}

	it('that the stream carries become binary data, and links stay links', async () => {
		const { json, binary, keys, url } = await runFiles({});
		expect(Object.keys(binary!)).toEqual(['file_0', 'file_1']);
		expect(Buffer.from(binary!.file_0.data, 'base64').toString()).toBe('a,b\n1,2\n');
		expect(binary!.file_0).toMatchObject({ mimeType: 'text/csv', fileName: 'file-0.csv' });
		expect(json.files).toEqual([
			{ media_type: 'text/csv', filename: 'file-0.csv', size: 8, binary: 'file_0' },
			{ media_type: 'text/plain', filename: 'file-1.plain', size: 5, binary: 'file_1' },
			{ media_type: 'application/pdf', url: `${url}/files/report%20one.pdf?signature=1` },
			{ media_type: 'image/png', url: `${url}/missing.png` },
			{ media_type: 'image/png', url: 'blob:nowhere' },
		]);
		expect(keys).toEqual([]);
	});

	it('that are linked are downloaded without the key if that is asked for', async () => {
		const { json, binary, keys, url } = await runFiles({ filesProperty: 'doc', downloadLinks: true });
		expect(Object.keys(binary!)).toEqual(['doc_0', 'doc_1', 'doc_2']);
		expect(Buffer.from(binary!.doc_2.data, 'base64').toString()).toBe('PDF bytes');
		expect(binary!.doc_2).toMatchObject({ mimeType: 'application/pdf', fileName: 'report one.pdf' });
		expect((json.files as object[])[2]).toEqual({
			media_type: 'application/pdf',
			filename: 'report one.pdf',
			size: 9,
			binary: 'doc_2',
			url: `${url}/files/report%20one.pdf?signature=1`,
		});
		expect(json.warnings).toEqual([
			expect.stringMatching(/^File missing\.png was not downloaded: .*404/),
			expect.stringMatching(/^File .+ was not downloaded: its address is neither/),
		]);
		expect(keys).toEqual([undefined, undefined]);
	});

	it.each(['..%2F..%2Fetc%2Fpasswd', '..%5C..%5Cpasswd', 'etc/passwd'])(
		'have no path in their name: %s',
		async (path) => {
			const server = await serveStream(
				() => events(file(`${server.url}/${path}`, 'text/plain'), { type: 'finish' }),
				(_request, response) => response.end('x'),
			);
			const { items } = await runAutomation(server.target, { query: 'thread-1', options: { downloadLinks: true } });
			await server.stop();
			expect(items[0].binary!.file_0.fileName).toBe('passwd');
		},
	);

	const large = `data:image/png;base64,${'A'.repeat(40_000)}`;
	const failing = events(file(large, 'image/png'), { type: 'error', errorText: 'The site blocked the agent' });

	it('are never in the data of an error, which says that they are lost', async () => {
		const { error } = await runStream(failing);
		expect(JSON.stringify(error?.context).length).toBeLessThan(2000);
		expect(JSON.stringify(error?.context.data)).toContain('[image/png, 30000 bytes]');
		expect(error?.description).toContain('Its files are lost');
	});

	it('are binary data of the error item if the workflow continues', async () => {
		const { items } = await runStream(failing, {}, undefined, { settings: { onError: 'continueRegularOutput' } });
		expect(items[0].json.error).toBe('The site blocked the agent');
		expect(items[0].binary!.file_0).toMatchObject({ mimeType: 'image/png' });
		expect(items[0].json.details).toMatchObject({ files: [{ binary: 'file_0', size: 30_000 }] });
		expect(JSON.stringify(items[0].json).length).toBeLessThan(2000);
	});

	it('that hang end with the Total Timeout of the run, which is named', async () => {
		const server = await serveStream(
			() => events(file(`${server.url}/silent.txt`, 'text/plain'), { type: 'finish' }),
			(_request, response) => void response.write('x'),
		);
		const begin = Date.now();
		const { items } = await runAutomation(server.target, {
			query: 'thread-1',
			simplify: false,
			options: { downloadLinks: true, totalTimeout: 1 },
		});
		await server.stop();
		expect(Date.now() - begin).toBeLessThan(10_000);
		expect(items[0].json).toMatchObject({
			status: 'completed',
			warnings: ['File silent.txt was not downloaded: it took longer than Limit: Total Timeout'],
		});
	});

	it('are bounded in size together, and the connection of one that is too large is closed', async () => {
		let closed!: (value: boolean) => void;
		const isClosed = new Promise<boolean>((resolve) => (closed = resolve));
		const server = await serveStream(
			() =>
				events(
					file(`data:text/plain,${'a'.repeat(3000)}`, 'text/plain'),
					file(`data:text/plain,${'b'.repeat(3000)}`, 'text/plain'),
					file(`${server.url}/endless.txt`, 'text/plain'),
					file(`${server.url}/2000.txt`, 'text/plain'),
					file('data:text/plain,small', 'text/plain'),
					{ type: 'finish' },
				),
			(request, response) => {
				if (request.url === '/2000.txt') return void response.end('x'.repeat(2000));
				const more = () => void (response.destroyed || (response.write('x'.repeat(1000)) && setImmediate(more)));
				response.on('drain', more).on('close', () => closed(true));
				more();
			},
		);
		const options = { filesProperty: 'doc', maxResponseSize: 0.0075, downloadLinks: true };
		const { items } = await runAutomation(server.target, { query: 'thread-1', simplify: false, options });
		expect(Object.keys(items[0].binary!)).toEqual(['doc_0', 'doc_1', 'doc_4']);
		expect(items[0].json.warnings).toEqual([
			'File endless.txt was not downloaded: it exceeds Limit: Response Size',
			'File 2000.txt was not downloaded: it exceeds Limit: Response Size',
		]);
		expect(await isClosed).toBe(true);
		await server.stop();
	});

	it('stop being fetched when the execution is stopped', async () => {
		let closed!: (value: boolean) => void;
		let asked!: (value: unknown) => void;
		const isClosed = new Promise<boolean>((resolve) => (closed = resolve));
		const isAsked = new Promise((resolve) => (asked = resolve));
		const server = await serveStream(
			() => events(file(`${server.url}/silent.txt`, 'text/plain'), { type: 'finish' }),
			(_request, response) => {
				response.on('close', () => closed(true));
				response.write('x');
				asked(undefined);
			},
		);
		const parameters = { query: 'thread-1', options: { downloadLinks: true } };
		await runAutomation(server.target, parameters, { cancelWhen: isAsked.then(async () => await sleep(100)) });
		expect(await isClosed).toBe(true);
		await server.stop();
	});
});

describe('hints after the run', () => {
	it('a run in the background has its link', async () => {
		const { hints } = await runAutomation(service, { query: 'quick', operation: 'background' });
		expect(hints[0]).toMatchObject({ type: 'info', location: 'outputPane' });
		expect(hints[0].message).toContain(
			`href="${service.automationUrl.replace('/automation', '')}/app/threads/${service.starts[0].threadId}"`,
		);
	});

	it('a partial result is told, with the reason', async () => {
		const { hints } = await run('cut', { ifIncomplete: 'partial' });
		expect(hints.map(({ message }) => message)).toEqual([
			`Partial result (thread ${service.starts[0].threadId}): The connection to the service broke during the run (connection reset)`,
		]);
	});

	it('what a stream or a server wrote is not HTML there', async () => {
		const { hints } = await runStream(events({ type: 'error', errorText: '<img src="https://x"> & <a>' }), {
			ifIncomplete: 'partial',
		});
		expect(hints[0].message).toContain('&lt;img src=&quot;https://x&quot;&gt; &amp; &lt;a&gt;');
	});

	it.each([
		['https://x/a%2Fb?c="d"', '<a href="https://x/a%2Fb?c=&quot;d&quot;" target="_blank">'],
		['https://x/\ud800', '<a href="https://x/\ud800'],
		['javascript:alert(1)', 'its thread is thread-1'],
		['https://', 'its thread is thread-1'],
	])('the link %j of a thread is the one the service gave, if it is one', async (link, expected) => {
		const { hints, items } = await runStream(JSON.stringify({ thread_id: 'thread-1', url: link }), {
			operation: 'background',
		});
		expect(items[0].json.thread_id).toBe('thread-1');
		expect(hints[0].message).toContain(expected);
	});

	it('more than 20 runs are counted', async () => {
		const { hints } = await run('quick', { parallelRuns: 8 }, { input: Array.from({ length: 21 }, () => ({})) });
		expect(hints.map(({ message }) => message)).toEqual(['21 runs were started']);
	});

	it('many become a few', async () => {
		const { hints } = await runAutomation(
			service,
			{ query: 'quick', operation: 'background' },
			{ input: Array.from({ length: 9 }, () => ({})) },
		);
		expect(hints).toHaveLength(6);
		expect(hints.at(-1)?.message).toBe('4 more hints are not shown');
	});
});

describe('as a tool of an AI agent', () => {
	const asTool = { type: 'n8n-nodes-browser-automation.runAutomationTool' };

	it('the response is lean', async () => {
		const { items } = await run('Look around', {}, { settings: asTool });
		expect(items[0].json).toEqual({
			text: expect.stringContaining('Look around') as string,
			thread_id: service.starts[0].threadId,
			status: 'completed',
		});
	});

	it('and bounded in size', async () => {
		const { items } = await run('huge 5000', {}, { settings: asTool });
		const answer = items[0].json.text as string;
		expect(answer.length).toBeLessThan(20_100);
		expect(answer).toMatch(/… \(\d+ characters in all\)$/);
	});

	it.each(['message', 'parts', 'chunks'])('also if the operation is %s', async (operation) => {
		const { items } = await run('huge 5000', {}, { settings: asTool }, operation);
		expect(items).toHaveLength(1);
		expect(Object.keys(items[0].json)).toEqual(['text', 'thread_id', 'status']);
		expect(JSON.stringify(items[0].json).length).toBeLessThan(20_300);
	});

	it('the message of an error tells the agent what to do', async () => {
		const { error } = await run('failed', {}, { settings: asTool });
		expect(error?.message).toMatch(
			/^The site blocked the agent\. .*Change the task.*Thread ID: .*Text so far: "Done: failed\."$/,
		);
	});
});

it('anyone who watches a run cannot end it', async () => {
	const unhandled: unknown[] = [];
	const listener = (reason: unknown) => void unhandled.push(reason);
	process.on('unhandledRejection', listener);
	const { items } = await run(
		'quick task',
		{},
		{
			streaming: true,
			onLiveChunk: () => {
				throw new Error('the viewer is gone');
			},
		},
	);
	await sleep(50);
	process.off('unhandledRejection', listener);
	expect(items[0].json).toMatchObject({ status: 'completed', text: 'Done: task.' });
	expect(unhandled).toEqual([]);
});
