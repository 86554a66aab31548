/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import type { RequestListener, ServerResponse } from 'node:http';
import { sleep, type INodeParameters } from 'n8n-workflow';

import { addThread } from '../../nodes/RunAutomation/output/record-thread';
import { operationOf, RUN_AUTOMATION, runAutomation, type Extra } from '../engine/run-node';
import { events, runStream, serveStream, textChunks as text } from '../engine/serve-stream';
import { useService } from '../support/use-service';

const service = useService();
const run = (query: string, options = {}, extra: Extra = {}, operation = 'result') =>
	runAutomation(service, { ...operationOf(operation), query, options }, extra);
const newestThread = () => service.starts.at(-1)!.threadId;
const times = (length: number) => Array.from({ length }, () => ({}));
const messages = ({ hints }: Awaited<ReturnType<typeof run>>) => hints.map(({ message }) => message);

const continued: Extra = { settings: { onError: 'continueRegularOutput' } };
const finish = { type: 'finish', finishReason: 'stop' };
const blocked = { type: 'error', errorText: 'The site blocked the agent' };

const OUTPUTS = ['result', 'message', 'parts', 'chunks'];
const partial = { options: { ifIncomplete: 'partial' } };
const file = (url: string, mediaType = 'text/plain') => ({ type: 'file', url, mediaType });
const stream = async (chunks: object[], form: INodeParameters = {}, extra: Extra = {}) =>
	await runStream(events(...chunks), form, extra);

describe('the raw output', () => {
	const link = (list: object[]) =>
		list.map((json) => ({ json: { thread_id: 'thread-1', status: 'completed', ...json }, pairedItem: { item: 0 } }));
	const begin = { type: 'start', messageId: 'm' };
	const part = { type: 'text', text: 'a', state: 'done' };
	const message = { id: 'm', role: 'assistant', parts: [part] };

	it.each([
		['the whole message', 'message', [begin, ...text('a'), finish], [{ message, warnings: [] }]],
		['one item for each part', 'parts', [file('a'), ...text('a'), finish], [{ part: file('a') }, { part }]],
		['the thread if there is no part', 'parts', [finish], [{}]],
	])('is %s', async (_name, output, chunks, expected) => {
		expect((await stream(chunks, operationOf(output))).items).toEqual(link(expected));
	});

	it.each([undefined, 4, 2])('is every chunk as received, up to a limit of %j that is told', async (chunkLimit) => {
		const data = { type: 'data-p', id: 'p', data: 1 };
		const chunks = [data, { ...data, data: 2 }, { type: 'novelty', x: 1 }, finish];
		const ran = await stream(chunks, { ...operationOf('chunks'), options: { chunkLimit } });
		expect(ran.items).toEqual(link(chunks.slice(0, chunkLimit).map((chunk) => ({ chunk }))));
		const told = 'The limit of 2 chunks was reached (thread thread-1): 2 later chunks were read but not returned';
		expect(messages(ran).filter((hint) => hint.includes('limit'))).toEqual(chunkLimit === 2 ? [told] : []);
	});

	it.each(OUTPUTS)('and the result say why a run is not complete: %s', async (name) => {
		const { items } = await stream([...text('a'), blocked], { ...operationOf(name), ...partial });
		const why = { status: 'failed', reason: blocked.errorText, thread_id: 'thread-1' };
		expect(items.map(({ json }) => json)).toEqual(items.map(() => expect.objectContaining(why) as object));
		expect(items).not.toEqual([]);
	});
});

describe('Runs in Parallel', () => {
	it('keeps the order of items and starts each run once', async () => {
		const input = times(12).map((_, index) => ({ task: index % 3 ? `quick ${index}` : 'slow 0.4' }));
		const { items } = await run('={{ $json.task }}', { parallelRuns: 4 }, { input });
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(input.map((_, item) => ({ item })));
		expect(items[1].json.text).toBe('Done: 1.');
		const { starts } = service;
		expect(starts).toHaveLength(input.length);
		expect(starts.some(({ closedAt }, index) => closedAt! > (starts[index + 1]?.startedAt ?? Infinity))).toBe(true);
	});

	it('reads the runs that go on to their end before it stops, and lists every thread', async () => {
		const input = ['slow 0.6', 'failed', 'quick never'].map((task) => ({ task }));
		const { error } = await run('={{ $json.task }}', { parallelRuns: 2 }, { input });
		const starts = ['slow 0.6', 'failed'].map((task) => service.starts.find(({ body }) => body.query === task)!);
		expect(await starts[0].closed).toBe('finished');
		const [slow, failed] = starts.map(({ threadId }) => threadId);
		expect((error?.context.data as { runs: unknown }).runs).toEqual([
			{ item: 0, status: 'completed', thread_id: slow },
			{ item: 1, status: 'failed', thread_id: failed },
		]);
		expect(error?.message).toBe('The site blocked the agent');
		expect(error?.description).toContain('Items not started: 1');
	});
});

describe('a chat', () => {
	const contents = ({ chunks }: Awaited<ReturnType<typeof run>>) => chunks.map(({ type, content }) => [type, content]);
	const streaming = true;

	it('receives text as it comes', async () => {
		const ran = await run('slow 1', {}, { streaming });
		const ticks = ['tick-1 ', 'tick-2 ', 'tick-3 ', 'tick-4 ', 'tick-5'].map((word) => ['item', word]);
		expect(contents(ran)).toEqual([['begin', undefined], ...ticks, ['end', undefined]]);
		// Live: the first word was sent while the service had not yet ended the run.
		await service.starts[0].closed;
		expect(ran.chunks[1].metadata.timestamp).toBeLessThan(service.starts[0].closedAt!);
		for (const { metadata } of ran.chunks) expect(metadata).toMatchObject({ itemIndex: 0, nodeName: 'Tested Node' });
	});

	it('receives tool steps and data if they are asked for, each in one quote', async () => {
		const call = { type: 'tool-input-available', toolCallId: '1', toolName: 'a\nb', input: {} };
		const failure = { type: 'tool-output-error', toolCallId: '1', errorText: 'No' };
		const data = [{ type: 'data-progress' }, { type: 'data-status', data: { a: 1 } }];
		const options = { live: ['tools', 'data'] };
		const ran = await stream([call, failure, ...text('a'), ...data, finish], { options }, { streaming });
		const quotes = ['Tool: a\n> b', 'a\n> b failed: No', 'progress: null', 'status: {"a":1}'];
		expect(contents(ran).slice(1, -1)).toEqual(quotes.map((quote) => ['item', `\n> ${quote}\n\n`]));
	});

	it('receives a begin and an end for each item, also in parallel', async () => {
		const input = [{ task: 'slow 0.4' }, { task: 'quick 1' }];
		const { chunks } = await run('={{ $json.task }}', { parallelRuns: 2 }, { streaming, input });
		for (const item of [0, 1]) {
			const own = chunks.filter(({ metadata }) => metadata.itemIndex === item).map(({ type }) => type);
			expect([own[0], own.at(-1)]).toEqual(['begin', 'end']);
		}
	});

	it.each<[string, INodeParameters, Extra]>([
		['the partial result is returned', partial, {}],
		['the workflow continues', {}, continued],
	])('is told why a run is not complete if %s', async (_name, form, extra) => {
		const ran = await stream([blocked], form, { streaming, ...extra });
		expect(contents(ran).slice(1)).toEqual([
			['item', '\n> The site blocked the agent\n\n'],
			['end', undefined],
		]);
	});

	it('is told an error with its reason', async () => {
		const { baseUrl, apiKey } = service;
		const refused = await runAutomation({ baseUrl, apiKey, automationUrl: 'e.co' }, { query: 'quick' }, { streaming });
		const reason = expect.stringMatching(/^Automation URL does not start with https:\/\/\. Enter/) as string;
		expect(contents(refused).at(-1)).toEqual(['error', reason]);
		const failed = await run('failed task', {}, { streaming });
		expect(contents(failed).at(-1)).toEqual(['error', expect.stringMatching(/^The site blocked the agent\. /)]);
		expect(failed.chunks.filter(({ type }) => type === 'end')).toEqual([]);
	});

	it('cannot end a run', async () => {
		const onLiveChunk = () => {
			throw new Error('the viewer is gone');
		};
		// An unhandled rejection fails the test, too.
		const { items } = await run('quick task', {}, { streaming, onLiveChunk });
		expect(items[0].json).toMatchObject({ status: 'completed', text: 'Done: task.' });
	});
});

describe('the thread ID', () => {
	const threads = ({ run: execution }: Awaited<ReturnType<typeof run>>) =>
		execution.data.resultData.metadata?.thread_ids;

	it('is in the custom data of the execution, the newest first, counted if there are more than six', async () => {
		const list = threads(await run('quick', {}, { input: times(9) }))!;
		const newest = service.starts.slice(3).map(({ threadId }) => threadId);
		expect(list.split(', ')).toEqual([...newest.reverse(), '+3 in the log']);
		expect(list.length).toBeLessThanOrEqual(255);
	});

	it('is there as soon as the headers are, also if the execution is stopped', async () => {
		const cancelWhen = service.waitForStart().then(async () => await sleep(200));
		expect(threads(await run('hang', {}, { cancelWhen }))).toBe(newestThread());
	});

	it('is added to those of other nodes', () => {
		expect(addThread('a, b, +2 in the log', 'c')).toBe('c, a, b, +2 in the log');
		expect(addThread('a', 'x'.repeat(300))).toBe('+2 in the log');
		expect(addThread('a, b, c, d, e, f', 'a')).toBe('a, b, c, d, e, f');
	});
});

describe('files', () => {
	/** Runs one start whose files are at these paths of its server, or have these URLs. */
	async function runFiles(
		files: Array<[url: string, type?: string]>,
		options: INodeParameters,
		other: RequestListener,
		extra: Extra = {},
	) {
		const keys: unknown[] = [];
		const responses: ServerResponse[] = [];
		const server = await serveStream(
			() => events(...files.map(([url, type]) => file(url.startsWith('/') ? server.url + url : url, type)), finish),
			(request, response) => {
				keys.push(request.headers.authorization);
				responses.push(response);
				other(request, response);
			},
		);
		const ran = await runAutomation(server.target, { query: 'thread-1', simplify: false, options }, extra);
		await sleep(50);
		const open = responses.filter(({ closed }) => !closed).length;
		await server.stop();
		return { ...ran, keys, open, url: server.url, ...ran.items[0] };
	}

	const report: Array<[string, string]> = [
		['data:text/csv;base64,YSxiCjEsMgo=', 'text/csv'],
		['data:text/plain,caf%C3%A9', 'text/plain'],
		['/files/report%20one.pdf?signature=1', 'application/pdf'],
		['/missing.png', 'image/png'],
		['blob:nowhere', 'image/png'],
	];
	const serveFiles: RequestListener = ({ url }, response) =>
		url!.startsWith('/files/') ? response.end('PDF bytes') : response.writeHead(404).end();
	const csv = { media_type: 'text/csv', filename: 'file-0.csv', size: 8, binary: 'file_0' };
	const plain = { media_type: 'text/plain', filename: 'file-1.plain', size: 5, binary: 'file_1' };

	it('that the stream carries become binary data, and links stay links', async () => {
		const { json, binary, keys, url } = await runFiles(report, {}, serveFiles);
		expect(Object.keys(binary!)).toEqual(['file_0', 'file_1']);
		expect(Buffer.from(binary!.file_0.data, 'base64').toString()).toBe('a,b\n1,2\n');
		expect(binary!.file_0).toMatchObject({ mimeType: 'text/csv', fileName: 'file-0.csv' });
		const links = report.slice(2).map(([link, media_type]) => ({ media_type, url: link.replace(/^(?=\/)/, url) }));
		expect(json.files).toEqual([csv, plain, ...links]);
		expect(keys).toEqual([]);
	});

	it('that are linked are downloaded without the key if that is asked for', async () => {
		const options = { filesProperty: 'doc', downloadLinks: true };
		const { json, binary, keys, url } = await runFiles(report, options, serveFiles);
		expect(Object.keys(binary!)).toEqual(['doc_0', 'doc_1', 'doc_2']);
		expect(Buffer.from(binary!.doc_2.data, 'base64').toString()).toBe('PDF bytes');
		const [media_type, filename, link] = ['application/pdf', 'report one.pdf', url + report[2][0]];
		expect(binary!.doc_2).toMatchObject({ mimeType: media_type, fileName: filename });
		expect((json.files as object[])[2]).toEqual({ media_type, filename, size: 9, binary: 'doc_2', url: link });
		expect(json.warnings).toEqual([
			expect.stringMatching(/^File missing\.png was not downloaded: .*404/),
			expect.stringMatching(/^File .+ was not downloaded: its address is neither/),
		]);
		expect(keys).toEqual([undefined, undefined]);
	});

	const failing = [file(`data:image/png;base64,${'A'.repeat(40_000)}`, 'image/png'), blocked];

	it('are never in the data of an error, which says that they are lost', async () => {
		const { error } = await stream(failing);
		expect(JSON.stringify(error?.context).length).toBeLessThan(2000);
		expect(JSON.stringify(error?.context.data)).toContain('[image/png, 30000 bytes]');
		expect(error?.description).toContain('Its files are lost');
	});

	it('are binary data of the error item if the workflow continues', async () => {
		const [{ json, binary }] = (await stream(failing, {}, continued)).items;
		expect(binary!.file_0).toMatchObject({ mimeType: 'image/png' });
		const details = { files: [{ binary: 'file_0', size: 30_000 }] };
		expect(json).toMatchObject({ error: blocked.errorText, details });
		expect(JSON.stringify(json).length).toBeLessThan(2000);
	});

	const hang: RequestListener = (_, response) => void response.write('x');

	it('that hang end with the Total Timeout of the run, which is named', async () => {
		const { json, open } = await runFiles([['/silent.txt']], { downloadLinks: true, totalTimeout: 1 }, hang);
		const warnings = ['File silent.txt was not downloaded: it took longer than Limit: Total Timeout'];
		expect(json).toMatchObject({ status: 'completed', warnings });
		expect(open).toBe(0);
	});

	it('are bounded in size together, and the connection of one that is too large is closed', async () => {
		const answer: RequestListener = ({ url }, response) => {
			if (url === '/2000.txt') return void response.end('x'.repeat(2000));
			const more = () => void (response.destroyed || (response.write('x'.repeat(1000)) && setImmediate(more)));
			response.on('drain', more);
			more();
		};
		const [large, small] = [`data:text/plain,${'a'.repeat(3000)}`, 'data:text/plain,small'];
		const files = [large, large, '/endless.txt', '/2000.txt', small].map((url): [string] => [url]);
		const { json, binary, open } = await runFiles(files, { maxResponseSize: 0.0075, downloadLinks: true }, answer);
		expect(Object.keys(binary!)).toEqual(['file_0', 'file_1', 'file_4']);
		const tooLarge = (name: string) => `File ${name} was not downloaded: it exceeds Limit: Response Size`;
		expect(json.warnings).toEqual(['endless.txt', '2000.txt'].map(tooLarge));
		expect(open).toBe(0);
	});

	it('stop being fetched when the execution is stopped', async () => {
		let begin = () => {};
		const cancelWhen = new Promise<void>((resolve) => (begin = resolve)).then(async () => await sleep(100));
		const answer: RequestListener = (_, response) => void response.write('x', begin);
		expect(await runFiles([['/silent.txt']], { downloadLinks: true }, answer, { cancelWhen })).toMatchObject({
			open: 0,
		});
	});
});

describe('the hints after a run', () => {
	it('have the link of a run in the background', async () => {
		const { hints } = await runAutomation(service, { query: 'quick', operation: 'background' });
		expect(hints[0]).toMatchObject({ type: 'info', location: 'outputPane' });
		const origin = service.automationUrl.replace('/automation', '');
		expect(hints[0].message).toContain(`href="${origin}/app/threads/${newestThread()}"`);
	});

	it('tell of a partial result with its reason, which is not HTML there', async () => {
		const error = { type: 'error', errorText: '<img src="https://x"> & <a>' };
		const ran = await stream([error], partial);
		const reason = '&lt;img src=&quot;https://x&quot;&gt; &amp; &lt;a&gt;';
		expect(messages(ran)).toEqual([`Partial result (thread thread-1): ${reason}`]);
	});

	it.each([
		['https://x/a%2Fb?c="d"', '<a href="https://x/a%2Fb?c=&quot;d&quot;" target="_blank">'],
		['https://x/\ud800', '<a href="https://x/\ud800'],
		['javascript:alert(1)', 'its thread is thread-1'],
		['https://', 'its thread is thread-1'],
	])('have the link %j of a thread as the service gave it, if it is one', async (url, expected) => {
		const ran = await runStream(JSON.stringify({ thread_id: 'thread-1', url }), { operation: 'background' });
		expect(ran.items[0].json.thread_id).toBe('thread-1');
		expect(messages(ran)[0]).toContain(expected);
	});

	it('count more than 20 runs, and the hints that are not shown', async () => {
		expect(messages(await run('quick', { parallelRuns: 8 }, { input: times(21) }))).toEqual(['21 runs were started']);
		const hints = messages(await run('quick', {}, { input: times(9) }, 'background'));
		expect([hints.length, hints.at(-1)]).toEqual([6, '4 more hints are not shown']);
	});
});

describe('an AI agent', () => {
	const asTool: Extra = { settings: { type: `${RUN_AUTOMATION}Tool` } };

	it('gets a lean result, without files', async () => {
		const { items } = await stream([file('data:text/plain,secret'), ...text('Done'), finish], {}, asTool);
		const json = { text: 'Done', thread_id: 'thread-1', status: 'completed' };
		expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
	});

	it.each(OUTPUTS)('gets a text of bounded size from %s', async (operation) => {
		const { items } = await run('huge 5000', {}, asTool, operation);
		expect(Object.keys(items[0].json)).toEqual(['text', 'thread_id', 'status']);
		expect(items[0].json.text).toMatch(/… \(\d+ characters in all\)$/);
		expect(JSON.stringify(items[0].json).length).toBeLessThan(20_300);
	});
});
