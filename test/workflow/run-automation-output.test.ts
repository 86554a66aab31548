/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import type { RequestListener, ServerResponse } from 'node:http';
import { sleep, type INodeParameters } from 'n8n-workflow';

import { readDataUrl } from '../../nodes/errors/file-contents';
import { attachFiles } from '../../nodes/RunAutomation/output/files';
import { countHint, rowsHints } from '../../nodes/RunAutomation/output/hints';
import { LiveOutput } from '../../nodes/RunAutomation/output/live';
import { addThread, recordThread } from '../../nodes/RunAutomation/output/record-runs';
import { operationOf, RUN_AUTOMATION, runAutomation, type Extra } from '../engine/run-node';
import { events, runStream, serveStream, streamHeaders, textChunks as text } from '../engine/serve-stream';
import { useService } from '../support/use-service';

const service = useService();
const run = (query: string, options = {}, extra: Extra = {}, operation = 'result') =>
	runAutomation(service, { ...operationOf(operation), query, options }, extra);
const newestThread = () => service.starts.at(-1)!.threadId;
const times = (length: number) => Array.from({ length }, () => ({}));
const messages = ({ hints }: Awaited<ReturnType<typeof run>>) =>
	hints.map(({ type, message }) => `${type}: ${message}`);

const continued: Extra = { settings: { onError: 'continueRegularOutput' } };
const finish = { type: 'finish', finishReason: 'stop' };
const blocked = { type: 'error', errorText: 'The site blocked the agent' };

const OUTPUTS = ['result', 'message', 'parts', 'chunks'];
const partial = { options: { ifIncomplete: 'partial' } };
const file = (url: string, mediaType = 'text/plain') => ({ type: 'file', url, mediaType });
const stream = async (chunks: object[], form: INodeParameters = {}, extra: Extra = {}) =>
	await runStream(events(...chunks), form, extra);

describe('a stream of which a line is damaged', () => {
	const deltas = (...pieces: string[]) => pieces.map((delta) => ({ type: 'text-delta', id: '1', delta }));
	const garbled = 'data: x"type":"text-delta","id":"1","delta":"000"}\n\n';
	const broken = (before: string, after: string) =>
		events({ type: 'text-start', id: '1' }, ...deltas(before)) +
		garbled +
		events(...deltas(after), { type: 'text-end', id: '1' }, finish);
	const reason = 'A part of the output could not be read (1 line)';

	it.each(['error', 'partial'])('returns no text as if it were whole: %s', async (ifIncomplete) => {
		const ran = await runStream(broken('The price is 1', ' euros'), { options: { ifIncomplete } });
		const known = (ran.items[0]?.json ?? ran.error?.context.data) as object;
		expect(known).toMatchObject({ status: 'incomplete', reason, text: 'The price is 1 euros' });
		expect(known).toMatchObject({ warnings: [expect.stringContaining('not a chunk')] });
		expect(ran.error?.message).toBe(ifIncomplete === 'error' ? reason : undefined);
		if (ran.error) {
			expect(ran.error.description).toMatch(/^Open its thread to read the whole output; asking for it again is billed/);
		} else expect(messages(ran)[0]).toBe(`warning: Partial result (thread thread-1): ${reason}`);
	});

	it('returns no rows in silence', async () => {
		const form = { operation: 'rows', columns: { column: [{ name: 'price', type: 'number' }] } };
		const body = broken('{"rows":[{"price":1', '}]}');
		expect((await runStream(body, form)).error?.message).toBe(reason);
		const ran = await runStream(body, { ...form, options: { ifIncomplete: 'partial' } });
		expect(ran.items[0].json).toEqual({ price: 1 });
		expect(messages(ran)[0]).toMatch(/^warning: Partial result .*: A part of the output could not be read \(1 line\)$/);
	});

	it('tells of damaged characters in rows, too', async () => {
		const form = { operation: 'rows', columns: { column: [{ name: 'price', type: 'text' }] } };
		const [before, after] = events(...text('{"rows":[{"price":"1|00 euros"}]}'), finish).split('|');
		const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
		const ran = await runStream(
			(query, response) => void response.writeHead(200, streamHeaders(query)).end(bytes),
			form,
		);
		expect(ran.items[0].json).toEqual({ price: '1\uFFFD00 euros' });
		expect(messages(ran)).toEqual([expect.stringMatching(/^warning: Characters of the text were damaged/)]);
	});
});

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
		const ran = await stream(chunks, operationOf(output));
		expect(ran.items).toEqual(link(expected));
		expect(messages(ran)).toEqual([]);
	});

	it.each([undefined, 4, 2])('is every chunk as received, up to a limit of %j that is told', async (chunkLimit) => {
		const data = { type: 'data-p', id: 'p', data: 1 };
		const chunks = [data, { ...data, data: 2 }, { type: 'novelty', x: 1 }, finish];
		const ran = await stream(chunks, { ...operationOf('chunks'), options: { chunkLimit } });
		expect(ran.items).toEqual(link(chunks.slice(0, chunkLimit).map((chunk) => ({ chunk }))));
		const told =
			'warning: The limit of 2 chunks was reached (thread thread-1): 2 later chunks were read but not returned';
		expect(messages(ran).filter((hint) => hint.includes('limit'))).toEqual(chunkLimit === 2 ? [told] : []);
	});

	it('is not asked for with a limit of no chunks', async () => {
		const { error } = await runStream('', { ...operationOf('chunks'), options: { chunkLimit: 0 } });
		expect(error?.message).toBe("'Limit: Chunks' must be a number of at least 1");
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
		expect(error?.description).toContain('1 failed and 1 not started items');
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
		const body = [call, failure, { ...failure, toolCallId: 2, errorText: 7 }, ...data, ...text('{"a": 1}'), finish];
		const names = ['Tool: a\n> b', 'a\n> b failed: No', 'A tool failed: ', 'progress: null', 'status: {"a":1}'];
		const quotes = names.map((quote) => ['item', `\n> ${quote}\n\n`]);
		const live = ['tools', 'data'];
		const withoutText = await stream(body, { options: { live } }, { streaming });
		expect(contents(withoutText).slice(1, -1)).toEqual(quotes);
		const ran = await stream(body, { options: { live: ['text', ...live] } }, { streaming });
		expect(contents(ran).slice(1, -1)).toEqual([...quotes, ['item', '{"a": 1}']]);
	});

	it('receives nothing of a run in the background', async () => {
		expect((await run('quick', {}, { streaming }, 'background')).chunks).toEqual([]);
	});

	it('receives an empty text if nothing was sent for 25 s', () => {
		const sendChunk = jest.fn();
		const clock = jest.spyOn(Date, 'now').mockReturnValue(0);
		const live = new LiveOutput(
			{ isStreaming: () => true, sendChunk } as never,
			{ itemIndex: 0, live: [] } as never,
			String,
		);
		for (const time of [24_999, 25_000, 49_999, 50_000]) {
			clock.mockReturnValue(time);
			live.onTick();
		}
		clock.mockRestore();
		const empty = ['item', 0, ''];
		expect(sendChunk.mock.calls).toEqual([['begin', 0, undefined], empty, empty]);
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
		const shown = ['item', '\n> The site blocked the agent\n\n'];
		expect(contents(ran).slice(1)).toEqual([shown, ['end', undefined]]);
	});

	it('is told an error with its reason', async () => {
		const { baseUrl, apiKey } = service;
		const refused = await runAutomation({ baseUrl, apiKey, automationUrl: 'e.co' }, { query: 'quick' }, { streaming });
		expect(contents(refused).at(-1)).toEqual(['error', "'Automation URL' does not start with https://"]);
		const form = { query: 'quick' };
		const told = await runAutomation({ baseUrl, apiKey, automationUrl: '' }, form, { streaming, ...continued });
		expect(contents(told).slice(1)).toEqual([
			['item', "\n> 'Automation URL' is empty\n\n"],
			['end', undefined],
		]);
		const failed = await run('failed task', {}, { streaming });
		// Advice is for the builder, who finds it in the error's data.
		const error = ['error', 'The site blocked the agent'];
		expect(failed.error?.context.data).toMatchObject({ advice: expect.stringMatching(/^Change the task/) as string });
		expect(contents(failed).slice(-2)).toEqual([['item', '\n\n'], error]);
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

	it('is there before the end of the run, also if the execution is stopped', async () => {
		let stop: () => void;
		const cancelWhen = new Promise<void>((resolve) => (stop = resolve));
		const onLiveChunk = ({ type }: { type: string }) => type === 'item' && stop();
		expect(threads(await run('hang', {}, { cancelWhen, streaming: true, onLiveChunk }))).toBe(newestThread());
	});

	it('is logged without an execution where n8n has none', () => {
		const info = jest.fn();
		recordThread({ getExecutionId: () => undefined, logger: { info } } as never, 0, 'thread-1');
		expect(info).toHaveBeenCalledWith('Automation run started: thread thread-1', expect.anything());
	});

	it('is added to those of other nodes', () => {
		expect(addThread('a, b, +12 in the log', 'c')).toBe('c, a, b, +12 in the log');
		expect(addThread('a', 'x'.repeat(300))).toBe('+2 in the log');
		expect(addThread('a, +12 in the log', 'x'.repeat(300))).toBe('+14 in the log');
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
	const plain = { media_type: 'text/plain', filename: 'file-1.txt', size: 5, binary: 'file_1' };

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

	it('are named after the end of their path, or their type', async () => {
		const names: Array<[url: string, type: string, name: string]> = [
			['/..%2F..%2Fetc%2Fpasswd', '', 'passwd'],
			['/..%5C..%5Cpasswd', '', 'passwd'],
			['/etc/%20passwd%20', '', 'passwd'],
			['/100%25%zz%5z', '', '100%%zz%5z'],
			['/data:x', '', 'data:x'],
			['/a%ff', '', 'a%ff'],
			['/a%2F..', 'application/x-tar', 'file-6.tar'],
			['/', 'text/PLAIN', 'file-7.txt'],
			['DATA:a/b;BASE64,eA==', '1a/zip', 'file-8.bin'],
			['data:;base64;a,x', 'application/x-zip.gz', 'file-9.bin'],
		];
		const files = names.map(([url, type]): [string, string] => [url, type]);
		const { binary } = await runFiles(files, { downloadLinks: true }, (_, response) => response.end('x'));
		const stored = names.map((_, index) => binary![`file_${index}`]);
		expect(stored.map(({ fileName }) => fileName)).toEqual(names.map(([, , name]) => name));
		expect(stored[8].mimeType).toBe('1a/zip');
		for (const { data } of stored) expect(Buffer.from(data, 'base64').toString()).toBe('x');
	});

	it.each([
		['data:text/plain;base64,aGk%3D', 'hi'],
		['data:;base64,aGk', 'hi'],
		['DATA:a/b ; BASE64 ,aGn_-w==', 'hi\xff\xfb'],
		['data:;base64,aG\nkh', 'hi!'],
		['data:;base64,', ''],
		['data:,%FF%41%', '\xffA%'],
		['data:,é,%C3%A9', '\xc3\xa9,\xc3\xa9'],
	])('that are sent as %j are read as every browser reads them', (url, expected) => {
		const file = readDataUrl(url);
		expect(file.bytes?.().toString('latin1')).toBe(expected);
		expect(file.size).toBe(expected.length);
	});

	it.each(['@@@@', 'a', 'aaaaa', 'aGk===', 'a=Gk', 'é'])('that are no base64 are not read: %j', (data) => {
		expect(readDataUrl(`data:;base64,${data}`)).toEqual({ problem: 'its data: URL is not valid base64' });
	});

	it('that nobody gets are not decoded to be measured', async () => {
		const decode = jest.spyOn(Buffer, 'from');
		const { files } = await attachFiles(
			{} as never,
			[{ url: `data:image/png;base64,${'A'.repeat(4000)}`, media_type: 'image/png' }],
			{ includeFiles: false } as never,
			Infinity,
		);
		const decoded = (decode.mock.calls as unknown[][]).filter(([, encoding]) => encoding === 'base64');
		decode.mockRestore();
		expect([files[0].size, decoded]).toEqual([3000, []]);
	});

	it('that cannot be read are named in a warning', async () => {
		const files = ['data:text/plain', 'data:a/b;base64,@@@@', 'https:', 'xhttps://x', 'http://127.0.0.1:1/a.txt'].map(
			(url): [string] => [url],
		);
		const { json } = await runFiles(files, { downloadLinks: true }, serveFiles);
		expect(json.warnings).toEqual([
			'File file-0.txt was not read: its data: URL has no data',
			'File file-1.txt was not read: its data: URL is not valid base64',
			expect.stringMatching(/^File file-2\.txt was not downloaded: (?!its address is neither)/),
			'File file-3.txt was not downloaded: its address is neither a data: URL nor a web link',
			'File a.txt was not downloaded: no response from its server: connection refused',
		]);
	});

	it('that are lost are told, in their entry and in a hint', async () => {
		const sent = ['data:text/plain,ok', 'data:text/plain', '/gone.pdf'].map((url): [string] => [url]);
		const { json, hints } = await runFiles(sent, { downloadLinks: true }, serveFiles);
		const [kept, unread, gone] = json.files as Array<Record<string, unknown>>;
		expect(kept).toMatchObject({ binary: 'file_0' });
		expect(unread).toMatchObject({ filename: 'file-1.txt', reason: 'its data: URL has no data' });
		expect(gone).toMatchObject({ filename: 'gone.pdf', reason: 'its server responded with status 404' });
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^n8n shows the files of this result first/),
			expect.stringMatching(/^File file-1\.txt was not read: its data: URL has no data \(and 1 more\) \(thread /),
		]);
		const failed = await stream([file('data:text/plain'), blocked], {}, continued);
		expect(failed.items[0].json.details).toMatchObject({
			warnings: ['File file-0.txt was not read: its data: URL has no data'],
		});
	});

	it('that are not included keep name, type and size, and no hint says where the text is', async () => {
		const { json, binary, hints } = await runFiles([['data:text/plain,ok']], { includeFiles: false }, serveFiles);
		expect(json.files).toEqual([{ media_type: 'text/plain', filename: 'file-0.txt', size: 2 }]);
		expect(binary).toBeUndefined();
		expect(hints).toEqual([]);
	});

	it('that hang share the deadline of their run', async () => {
		const links = Array.from({ length: 5 }, (_, index): [string] => [`/${index}.txt`]);
		const { json } = await runFiles(links, { downloadLinks: true, idleTimeout: 0.6, totalTimeout: 1 }, hang);
		const reasons = (json.warnings as string[]).map((warning) => warning.split("'")[1]);
		expect(reasons.slice(1)).toEqual(links.slice(1).map(() => 'Limit: Total Timeout'));
	});

	it.each(['Not here', ''])('that are refused, by a server that goes on after %j, hold no connection', async (page) => {
		const answer: RequestListener = (_, response) => {
			response.writeHead(404).flushHeaders();
			response.write(page);
		};
		const { json, open } = await runFiles([['/gone.txt']], { downloadLinks: true }, answer);
		expect(json.warnings).toEqual(['File gone.txt was not downloaded: its server responded with status 404']);
		expect(open).toBe(0);
	});

	const failing = [file(`data:image/png;base64,${'A'.repeat(40_000)}`, 'image/png'), blocked];

	it('are never in the data of an error, which says that they are lost', async () => {
		const { error } = await stream(failing);
		expect(JSON.stringify(error?.context).length).toBeLessThan(2000);
		expect(JSON.stringify(error?.context.data)).toContain('[image/png, 30000 bytes]');
		expect(error?.description).toContain('Its files are lost');
		const linked = await runStream(events(file('https://x/data:'), blocked));
		expect(linked.error?.description).not.toContain('lost');
	});

	it('are binary data of the error item if the workflow continues', async () => {
		const [{ json, binary }] = (await stream(failing, {}, continued)).items;
		expect(binary!.file_0).toMatchObject({ mimeType: 'image/png' });
		const details = { files: [{ binary: 'file_0', size: 30_000 }] };
		expect(json).toMatchObject({ error: blocked.errorText, details });
		expect(JSON.stringify(json).length).toBeLessThan(2000);
	});

	it('that n8n cannot store are named in a warning', async () => {
		const context = { helpers: { prepareBinaryData: async () => await Promise.reject(new Error('Disk full')) } };
		const limits = { idle: 1, total: 1 };
		const request = { filesProperty: 'file', downloadLinks: false, includeFiles: true, maxBytes: 9, limits };
		const { warnings } = await attachFiles(context as never, [{ url: 'data:,x' }], request, Infinity);
		expect(warnings).toEqual(['File file-0.bin was not stored: Disk full']);
	});

	const hang: RequestListener = (_, response) => void response.write('x');

	it('that hang end with the Total Timeout of the run, which is named', async () => {
		const { json, open } = await runFiles([['/silent.txt']], { downloadLinks: true, totalTimeout: 1 }, hang);
		const warnings = ["File silent.txt was not downloaded: it took longer than 'Limit: Total Timeout'"];
		expect(json).toMatchObject({ status: 'completed', warnings });
		expect(open).toBe(0);
	});

	it('are bounded in size together, and the connection of one that is too large is closed', async () => {
		const answer: RequestListener = ({ url }, response) => {
			const [size] = /\d+/.exec(url!) ?? [];
			if (size) return void response.end('x'.repeat(Number(size)));
			const more = () => void (response.destroyed || (response.write('x'.repeat(1000)) && setImmediate(more)));
			response.on('drain', more);
			more();
		};
		const [large, over, rest] = [3000, 301, 300].map((size) => `data:text/plain,${'a'.repeat(size)}`);
		const files = [large, large, '/endless', '/2000.txt', '/1200.txt', over, rest].map((url): [string] => [url]);
		const { json, binary, open } = await runFiles(files, { maxResponseSize: 0.0075, downloadLinks: true }, answer);
		// Those that were sent come first.
		expect(Object.keys(binary!)).toEqual(['file_0', 'file_1', 'file_5', 'file_6']);
		const tooLarge = (name: string) => `File ${name} was not downloaded: it exceeds 'Limit: Response Size'`;
		expect(json.warnings).toEqual(['endless', '2000.txt', '1200.txt'].map(tooLarge));
		expect(open).toBe(0);
	});

	it('stop being fetched when the execution is stopped', async () => {
		let begin = () => {};
		const cancelWhen = new Promise<void>((resolve) => (begin = resolve)).then(async () => await sleep(100));
		const answer: RequestListener = (_, response) => void response.write('x', begin);
		const { open } = await runFiles([['/silent.txt']], { downloadLinks: true }, answer, { cancelWhen });
		expect(open).toBe(0);
	});
});

describe('the sources', () => {
	const cite = (source: object, citedText?: string) => ({ source: { type: 'source', id: 'c', ...source }, citedText });
	const [a, b] = ['https://a/', 'https://b/'].map((url) => ({ sourceType: 'url', url, title: `Page ${url[8]}` }));
	const document = { sourceType: 'document', mediaType: 'application/pdf', title: 'Terms', filename: 'terms.pdf' };
	const [begin, delta, end] = text('Done');
	const citations = [cite(a, 'First'), cite(b), cite(a, 'Second'), cite(document, 'Third'), cite({}), 5, null];
	const cited = [begin, delta, { ...end, citations }, finish];

	it('are what a text cites, too, each address once', async () => {
		const known = { type: 'source-url', sourceId: 's', url: b.url, title: 'Known' };
		const { items } = await stream([known, ...cited], { simplify: false });
		expect(items[0].json.sources).toEqual([
			{ type: 'source-url', source_id: 's', url: b.url, title: 'Known' },
			{ type: 'source-url', source_id: 'c', url: a.url, title: 'Page a', cited_texts: ['First', 'Second'] },
			{
				...{ type: 'source-document', source_id: 'c', media_type: 'application/pdf' },
				...{ title: 'Terms', filename: 'terms.pdf', cited_texts: ['Third'] },
			},
		]);
	});

	it.each([undefined, `${RUN_AUTOMATION}Tool`])(
		'are without the cited text if simplified, also for an agent',
		async (type) => {
			const { items } = await stream(cited, {}, type ? { settings: { type } } : {});
			expect(items[0].json.sources).toEqual([
				{ title: 'Page a', url: a.url },
				{ title: 'Page b', url: b.url },
				{ title: 'Terms', url: null },
			]);
		},
	);

	it.each([{}, 'x', [{ source: 'x' }], [{ source: { sourceType: { toString: 1 }, url: 'x' } }]])(
		'are none if the citations are %j',
		async (citations) => {
			const { items } = await stream([begin, delta, { ...end, citations }, finish]);
			expect(items[0].json.sources).toEqual([]);
		},
	);
});

it('metadata of the run that is text stays text', async () => {
	const metadata = { type: 'message-metadata', messageMetadata: 'cheap' };
	const { items } = await stream([metadata, finish], { simplify: false });
	expect(items[0].json.metadata).toBe('cheap');
});

describe('the hints after a run', () => {
	it('have the link of a run in the background', async () => {
		const { hints } = await runAutomation(service, { query: 'quick', operation: 'background' });
		expect(hints[0]).toMatchObject({ type: 'info', location: 'outputPane' });
		const origin = service.automationUrl.replace('/automation', '');
		expect(hints[0].message).toContain(`href="${origin}/app/threads/${newestThread()}"`);
	});

	it('tell of a partial result with its reason, which is not HTML there', async () => {
		const error = { type: 'error', errorText: `<img src="https://x"> & <a'>` };
		const broken = `${events({ type: '<c>' })}data: <b> "\n\ndata: !\n\n`;
		const ran = await runStream(broken + events(error), partial);
		const reason = '&lt;img src=&quot;https://x&quot;&gt; &amp; &lt;a&#39;&gt;';
		const skipped = 'Skipped a data line that is not a chunk: &quot;&lt;b&gt; \\&quot;&quot; (and 1 more)';
		expect(messages(ran)).toEqual([
			`warning: Partial result (thread thread-1): ${reason}`,
			`warning: ${skipped} (thread thread-1)`,
		]);
	});

	it('tell what is missing in a complete run, and not what says nothing', async () => {
		const cut = { type: 'tool-input-available', toolCallId: '1', toolName: 'pay', input: {} };
		const pings = `data: ping\n\n${events({ type: 'novelty' })}`;
		const body = pings + events(cut, { type: 'finish', finishReason: 'other' });
		const warnings = ['The run ended without the output of "pay"'];
		const simple = await runStream(body);
		expect(simple.items[0].json).toMatchObject({ status: 'completed', warnings });
		expect(messages(simple)).toEqual([
			'warning: The run ended without the output of &quot;pay&quot; (thread thread-1)',
		]);
		const whole = await runStream(body, { simplify: false });
		const notes = ['a data line that is not a chunk: "ping"', 'a chunk of the unknown type "novelty"'];
		expect(whole.items[0].json.warnings).toEqual([...warnings, ...notes.map((note) => `Skipped ${note}`)]);
		const harmless = await runStream(pings + events(finish));
		expect([Object.keys(harmless.items[0].json), messages(harmless)]).toEqual([
			['text', 'status', 'thread_id', 'sources', 'files', 'data'],
			[],
		]);
	});

	it.each([
		['https://x/a%2Fb?c="d"', '<a href="https://x/a%2Fb?c=&quot;d&quot;" target="_blank">'],
		['https://x/\ud800', '<a href="https://x/\ud800'],
		['javascript:alert(1)', 'its thread is thread-1'],
		['x+https://x', 'its thread is thread-1'],
		['https://', 'its thread is thread-1'],
	])('have the link %j of a thread as the service gave it, if it is one', async (url, expected) => {
		const ran = await runStream(JSON.stringify({ thread_id: 'thread-1', url }), { operation: 'background' });
		expect(ran.items[0].json.thread_id).toBe('thread-1');
		expect(messages(ran)[0]).toContain(expected);
	});

	it('name no thread that is not known', () => {
		const none = { rows: [], problems: [], isEarlier: false, isUsable: true };
		const [{ message }] = rowsHints(none, { columns: [], isSingle: false }, 0, null, {
			mask: String,
			isRedacted: false,
		});
		expect(message).toBe('The run found no rows');
	});

	it('count more than 20 runs, and the hints that are not shown', async () => {
		const many = await run('quick', { parallelRuns: 8 }, { input: times(21) });
		expect(messages(many)).toEqual(['info: 21 runs were started']);
		expect(countHint(20)).toEqual([]);
		const hints = messages(await run('quick', {}, { input: times(9) }, 'background'));
		expect([hints.length, hints.at(-1)]).toEqual([6, 'info: 4 more hints are not shown']);
	});
});

describe('an AI agent', () => {
	const asTool: Extra = { settings: { type: `${RUN_AUTOMATION}Tool` } };

	it('gets a lean result, with sources and files by name, type, size and link', async () => {
		const source = { type: 'source-url', sourceId: '1', url: 'https://x/', title: 'X' };
		const sent = [file('data:text/plain,secret'), file('https://x/a.pdf', 'application/pdf'), source];
		const { items } = await stream([...sent, ...text('Done'), finish], {}, asTool);
		const files = [
			{ media_type: 'text/plain', filename: 'file-0.txt', size: 6 },
			{ media_type: 'application/pdf', url: 'https://x/a.pdf' },
		];
		const sources = [{ title: 'X', url: 'https://x/' }];
		const json = { text: 'Done', thread_id: 'thread-1', status: 'completed', sources, files };
		expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
	});

	it('gets a bounded part of what waits for an approval, and no half characters', async () => {
		const call = (toolCallId: string, input: unknown) => [
			{ type: 'tool-input-available', toolCallId, toolName: 'pay', input },
			{ type: 'tool-approval-request', approvalId: 'a', toolCallId, reason: '😀'.repeat(1e5) },
		];
		const small = { amount: 5 };
		const long = { page: '😀'.repeat(1e6) };
		const chunks = [...call('1', small), ...call('2', long), ...text(`x${'😀'.repeat(20_000)}`), finish];
		const { items } = await stream(chunks, partial, asTool);
		const json = JSON.stringify(items[0].json);
		expect(json.length).toBeLessThan(35_000);
		expect(json).not.toMatch(/\\ud[89a-f]/);
		expect(items[0].json.approvals).toMatchObject([{ input: small }, { input: expect.stringMatching(/^{"page":"😀/) }]);
	});

	it.each(OUTPUTS)('gets a text of bounded size from %s', async (operation) => {
		const { items } = await run('huge 5000', {}, asTool, operation);
		expect(Object.keys(items[0].json)).toEqual(['text', 'thread_id', 'status']);
		expect(items[0].json.text).toMatch(/… \(\d+ characters in all\)$/);
		expect(JSON.stringify(items[0].json).length).toBeLessThan(20_300);
	});
});
