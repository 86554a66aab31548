/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { sleep, type INodeParameters } from 'n8n-workflow';
import { runAutomation } from '../engine/run-node';
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
	runAutomation(service, { operation, query, options }, extra);

/** Runs one start whose answer is this stream. */
async function runStream(
	body: string,
	{ operation = 'result', ...options }: INodeParameters & { operation?: string } = {},
	other?: Parameters<typeof serveStream>[1],
) {
	const server = await serveStream(() => body, other);
	try {
		return await runAutomation(server.target, { operation, query: 'thread-1', options });
	} finally {
		await server.stop();
	}
}
const text = (delta: string) => [
	{ type: 'text-start', id: '1' },
	{ type: 'text-delta', id: '1', delta },
	{ type: 'text-end', id: '1' },
];

describe('the output Parts', () => {
	test('gives one item for each part', async () => {
		const { items } = await run('quick task', {}, {}, 'parts');
		const head = { thread_id: service.starts[0].threadId, status: 'completed' };
		expect(items).toEqual([
			{ json: { ...head, part: { type: 'step-start' } }, pairedItem: { item: 0 } },
			{ json: { ...head, part: { type: 'text', text: 'Done: task.', state: 'done' } }, pairedItem: { item: 0 } },
		]);
	});

	test('gives the thread of a run without parts', async () => {
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

	test('gives every chunk as received', async () => {
		const { items, hints } = await runStream(events(...chunks), { operation: 'chunks' });
		expect(items.map(({ json, pairedItem }) => [json, pairedItem])).toEqual(
			chunks.map((chunk) => [{ thread_id: 'thread-1', status: 'completed', chunk }, { item: 0 }]),
		);
		expect(hints.map(({ message }) => message)).not.toContainEqual(expect.stringContaining('Chunk Limit'));
	});

	test('says nothing of its limit where nothing is left out', async () => {
		const { items, hints } = await runStream(events(...chunks), { operation: 'chunks', chunkLimit: chunks.length });
		expect(items).toHaveLength(chunks.length);
		expect(hints.filter(({ message }) => message.includes('Chunk Limit'))).toEqual([]);
	});

	test('stops at its limit, and says so', async () => {
		const { items, hints } = await runStream(events(...chunks), { operation: 'chunks', chunkLimit: 2 });
		expect(items.map(({ json }) => json.chunk)).toEqual(chunks.slice(0, 2));
		expect(hints.map(({ message }) => message)).toContain(
			'The Chunk Limit of 2 was reached (thread thread-1): 2 later chunks were read, but not put out',
		);
	});
});

describe('the Maximum Response Size', () => {
	test('closes the connection and keeps what arrived', async () => {
		const { items } = await run('huge 100000', { maxResponseSize: 0.2, ifIncomplete: 'partial' });
		const { status, warnings, text: received } = items[0].json as { status: string; warnings: string[]; text: string };
		expect(status).toBe('interrupted');
		expect(warnings[0]).toBe('The stream is larger than the Maximum Response Size of 0.2 MB');
		expect(received.startsWith('word-0 word-1 ')).toBe(true);
		expect(received.length).toBeLessThan(200_000);
		expect(await service.starts[0].closed).toBe('aborted');
	});
});

describe('Runs in Parallel', () => {
	const input = Array.from({ length: 12 }, (_, index) => ({
		task: index % 3 === 0 ? `slow 0.4 ${index}` : `quick ${index}`,
	}));

	test('keeps the order of items and starts each run once', async () => {
		const { items } = await run('={{ $json.task }}', { parallelRuns: 4 }, { input });
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(input.map((_, item) => ({ item })));
		expect(items[1].json.text).toBe('Done: 1.');
		expect(service.starts).toHaveLength(input.length);
		const overlaps = service.starts.filter(
			({ closedAt }, index) => (service.starts[index + 1]?.startedAt ?? Infinity) < closedAt!,
		);
		expect(overlaps.length).toBeGreaterThan(0);
	});

	test('a failing item disturbs none of the others where the workflow goes on', async () => {
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

	test('reads the runs that go on to their end before it stops, and lists every thread', async () => {
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

	test('is refused where it is no number of runs', async () => {
		const { error } = await run('quick', { parallelRuns: 0 });
		expect(error?.message).toBe('Runs in Parallel is not a number of runs');
		expect(service.requests).toHaveLength(0);
	});
});

describe('where n8n streams', () => {
	const contents = (chunks: Array<{ type: string; content?: unknown }>) =>
		chunks.map(({ type, content }) => [type, content]);

	test('text goes out as it comes', async () => {
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

	test('tool steps and data go out where they are asked for', async () => {
		const { chunks } = await run('Look around', { live: ['tools', 'data'] }, { streaming: true });
		const shown = chunks.filter(({ type }) => type === 'item').map(({ content }) => content as string);
		expect(shown).toContain('\n> Tool: openPage\n\n');
		expect(shown.some((content) => content.startsWith('\n> Tool without result: '))).toBe(true);
		expect(shown.some((content) => content.startsWith('\n> progress: '))).toBe(true);
		expect(shown.some((content) => content.startsWith('\n> status: '))).toBe(true);
		expect(shown.every((content) => content.startsWith('\n> '))).toBe(true);
	});

	test('each item has its own begin and end, also in parallel', async () => {
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

	test('why a run is not complete is shown where the node goes on with what arrived', async () => {
		const { chunks } = await run('cut task', { ifIncomplete: 'partial' }, { streaming: true });
		expect(contents(chunks).slice(-2)).toEqual([
			['item', '\n> The connection to the service broke during the run (ECONNRESET)\n\n'],
			['end', undefined],
		]);
	});

	test('a refused address reaches the chat with its reason', async () => {
		const { chunks } = await runAutomation(
			{ ...service, baseUrl: service.baseUrl, apiKey: service.apiKey, automationUrl: 'automation.example.com' },
			{ query: 'quick' },
			{ streaming: true },
		);
		expect(contents(chunks).at(-1)).toEqual(['error', expect.stringMatching(/^Automation URL has no scheme/)]);
	});

	test('the error of a throwing node is left to n8n', async () => {
		const { chunks } = await run('failed task', {}, { streaming: true });
		expect(contents(chunks).at(-1)).toEqual(['error', expect.stringMatching(/^The site blocked the agent\. /)]);
		expect(chunks.filter(({ type }) => type === 'end')).toHaveLength(0);
	});
});

describe('the thread ID', () => {
	test('is in the custom data of the execution as soon as the headers are here', async () => {
		const { run: execution } = await run('cut task', {}, {});
		expect(execution.data.resultData.metadata).toEqual({ thread_id: service.starts[0].threadId });
	});

	test('is there for every item', async () => {
		const { run: execution } = await run('quick', {}, { input: [{}, {}] });
		const [first, second] = service.starts.map(({ threadId }) => threadId);
		expect(execution.data.resultData.metadata).toEqual({ thread_id_0: first, thread_id_1: second });
	});

	test('stays there when the execution is stopped', async () => {
		const stopped = service.waitForStart().then(async (start) => {
			await sleep(200);
			return start;
		});
		const { run: execution } = await run('hang', {}, { cancelWhen: stopped });
		expect(execution.data.resultData.metadata).toEqual({ thread_id: (await stopped).threadId });
	});
});

describe('files', () => {
	const file = (url: string, mediaType: string) => ({ type: 'file', url, mediaType });

	test('become binary data with name and type, and links are fetched without the key', async () => {
		const authorizations: unknown[] = [];
		const body = (url: string) =>
			events(
				file('data:text/csv;base64,YSxiCjEsMgo=', 'text/csv'),
				file('data:text/plain,caf%C3%A9', 'text/plain'),
				file(`${url}/files/report%20one.pdf?signature=1`, 'application/pdf'),
				file(`${url}/missing.png`, 'image/png'),
				file('blob:nowhere', 'image/png'),
				{ type: 'finish' },
			);
		const server = await serveStream(
			() => body(server.url),
			(request, response) => {
				authorizations.push(request.headers.authorization);
				if (request.url?.startsWith('/files/')) response.end('PDF bytes');
				else response.writeHead(404).end();
			},
		);
		const { items, error } = await runAutomation(server.target, {
			query: 'thread-1',
			options: { filesProperty: 'doc' },
		});
		await server.stop();
		expect(error).toBeUndefined();
		const { json, binary } = items[0];
		const read = (name: string) => Buffer.from(binary![name].data, 'base64').toString();
		expect(Object.keys(binary!)).toEqual(['doc_0', 'doc_1', 'doc_2']);
		expect([read('doc_0'), read('doc_1'), read('doc_2')]).toEqual(['a,b\n1,2\n', 'café', 'PDF bytes']);
		expect(binary!.doc_0).toMatchObject({ mimeType: 'text/csv', fileName: 'file-0.csv' });
		expect(binary!.doc_2).toMatchObject({ mimeType: 'application/pdf', fileName: 'report one.pdf' });
		expect(json.files).toEqual([
			{ media_type: 'text/csv', binary: 'doc_0' },
			{ media_type: 'text/plain', binary: 'doc_1' },
			{ media_type: 'application/pdf', url: `${server.url}/files/report%20one.pdf?signature=1`, binary: 'doc_2' },
			{ media_type: 'image/png', url: `${server.url}/missing.png` },
			{ media_type: 'image/png', url: 'blob:nowhere' },
		]);
		expect(json.warnings).toEqual([
			expect.stringMatching(/^File missing\.png was not downloaded: .*404/),
			expect.stringMatching(/^File .+ was not downloaded: its address is neither/),
		]);
		expect(authorizations).toEqual([undefined, undefined]);
	});

	test('are bounded in size together, and the connection of one that is too large is closed', async () => {
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
		const options = { filesProperty: 'doc', maxResponseSize: 0.0075 };
		const { items } = await runAutomation(server.target, { query: 'thread-1', options });
		expect(Object.keys(items[0].binary!)).toEqual(['doc_0', 'doc_1', 'doc_4']);
		expect(items[0].json.warnings).toEqual([
			'File endless.txt was not downloaded: with it the files are larger than the Maximum Response Size',
			'File 2000.txt was not downloaded: with it the files are larger than the Maximum Response Size',
		]);
		expect(await isClosed).toBe(true);
		await server.stop();
	});

	test('stop being fetched when the execution is stopped', async () => {
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
		const parameters = { query: 'thread-1', options: { filesProperty: 'doc' } };
		await runAutomation(server.target, parameters, { cancelWhen: isAsked.then(async () => await sleep(100)) });
		expect(await isClosed).toBe(true);
		await server.stop();
	});
});

describe('structured results', () => {
	const parse = (answer: string, options = {}) =>
		runStream(events(...text(answer), { type: 'finish' }), { parseJson: true, ...options });

	test.each([
		['bare', '{"price": 1}'],
		['in a code fence', 'Here:\n```json\n{"price": 1}\n```\nDone.'],
		['in the last of two fences', '```json\n{"price": 0}\n```\n```\n{"price": 1}\n```'],
		['with words around it', 'I found [one] offer: {"price": 1} — "a {good} one".'],
	])('%s', async (_name, answer) => {
		const { items } = await parse(answer);
		expect(items[0].json.output).toEqual({ price: 1 });
		expect(items[0].json.text).toBe(answer);
	});

	test('a key named __proto__ never gets into an item', async () => {
		const { items } = await parse('{"price":1,"__proto__":{"admin":true}}');
		expect(Object.keys(items[0].json.output as object)).toEqual(['price']);
	});

	test('a list becomes items where that is asked for', async () => {
		const answer = '[{"a":1},{"a":2}]';
		expect((await parse(answer)).items[0].json.output).toEqual([{ a: 1 }, { a: 2 }]);
		const { items } = await parse(answer, { splitJson: true });
		expect(items).toEqual(
			[{ a: 1 }, { a: 2 }].map((output) => ({
				json: { thread_id: 'thread-1', status: 'completed', output },
				pairedItem: { item: 0 },
			})),
		);
	});

	test('a required key that is missing is named', async () => {
		const { error } = await parse('[{"name":"Lamp","price":1},{"name":"Desk"}]', { requiredKeys: 'name, price' });
		expect(error?.message).toBe(
			'The JSON of the run lacks the required key "price". It reads: "{\\"name\\":\\"Desk\\"}"',
		);
		expect(error?.context.data).toMatchObject({ thread_id: 'thread-1', status: 'completed' });
	});

	test('a text without JSON is quoted, shortened', async () => {
		const { error } = await parse(`I could not find it. ${'x'.repeat(300)}`);
		expect(error?.message).toMatch(/^The text of the run holds no JSON\. It reads: "I could not find it\. x+…"$/);
		expect(error!.message.length).toBeLessThan(300);
	});

	test('or passes on, as the user chooses', async () => {
		const { items, error } = await parse('No luck', { ifNotJson: 'pass' });
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({
			text: 'No luck',
			output: null,
			warnings: ['The text of the run holds no JSON. It reads: "No luck"'],
		});
	});
});

describe('hints after the run', () => {
	test('a run in the background has its link', async () => {
		const { hints } = await runAutomation(service, { query: 'quick', operation: 'background' });
		expect(hints[0]).toMatchObject({ type: 'info', location: 'outputPane' });
		expect(hints[0].message).toContain(
			`href="${service.automationUrl.replace('/automation', '')}/app/threads/${service.starts[0].threadId}"`,
		);
	});

	test('a cut stream and warnings are told', async () => {
		const { hints } = await run('cut', { ifIncomplete: 'partial' });
		expect(hints.map(({ message }) => message)).toEqual([
			`The run is interrupted (thread ${service.starts[0].threadId}): what arrived was put out`,
		]);
		const { hints: others } = await run('garbage');
		expect(others[0].message).toMatch(/^Parts of the stream could not be read/);
	});

	test('many become a few', async () => {
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

	test('the answer is lean', async () => {
		const { items } = await run('Look around', {}, { settings: asTool });
		expect(items[0].json).toEqual({
			text: expect.stringContaining('Look around') as string,
			thread_id: service.starts[0].threadId,
			status: 'completed',
		});
	});

	test('and bounded in size', async () => {
		const { items } = await run('huge 5000', {}, { settings: asTool });
		const answer = items[0].json.text as string;
		expect(answer.length).toBeLessThan(20_100);
		expect(answer).toMatch(/… \(\d+ characters in all\)$/);
	});

	test.each(['message', 'parts', 'chunks'])('also where the operation is %s', async (operation) => {
		const { items } = await run('huge 5000', {}, { settings: asTool }, operation);
		expect(items).toHaveLength(1);
		expect(Object.keys(items[0].json)).toEqual(['text', 'thread_id', 'status']);
		expect(JSON.stringify(items[0].json).length).toBeLessThan(20_300);
	});

	test('JSON is given as such, unless there is none or it is too large', async () => {
		const asJson = { parseJson: true, ifNotJson: 'pass' };
		const answer = async (query: string) => (await run(query, asJson, { settings: asTool })).items[0].json;
		expect(await answer('report Lamps')).toMatchObject({ output: { task: 'Lamps' }, status: 'completed' });
		expect(await answer('quick task')).toMatchObject({ text: 'Done: task.', status: 'completed' });
		expect((await answer('quick task')).output).toBeUndefined();
		const large = await answer(`report ${'x'.repeat(30_000)}`);
		expect(large.output).toBeUndefined();
		expect((large.text as string).length).toBeLessThan(20_100);
	});

	test('the message of an error tells the agent what to do', async () => {
		const { error } = await run('failed', {}, { settings: asTool });
		expect(error?.message).toMatch(
			/^The site blocked the agent\. .*Change the task.*Thread ID: .*Text so far: "Done: failed\."$/,
		);
	});
});

test('whoever watches a run cannot end it', async () => {
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
