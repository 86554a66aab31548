/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';

import { Workflow, type INodeExecutionData, type INodeParameters } from 'n8n-workflow';

import { MINIMAL_COOKIE, operations } from '../contract/operations';
import { serve } from '../support/serve';
import { useService } from '../support/use-service';
import { everythingOf, registry, runNode, TYPE } from './browser-automation';

const service = useService();

const servers: Array<{ stop(): Promise<void> }> = [];
afterEach(async () => await Promise.all(servers.splice(0).map(async ({ stop }) => await stop())));

/** An address at which every request is answered by the given function. */
async function serving(listener: RequestListener) {
	const server = await serve(listener);
	servers.push(server);
	return server.target;
}

/** Answers every request with a body, and remembers the requests. */
async function answering(body: string, headers: Record<string, string> = {}, status = 200) {
	const bodies: string[] = [];
	const urls: string[] = [];
	const address = await serving(async (request, response) => {
		urls.push(request.url!);
		bodies.push(await text(request));
		response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
	});
	return { ...address, bodies, urls };
}

const items = (count: number): INodeExecutionData[] => Array.from({ length: count }, (_, n) => ({ json: { n } }));
const search = { resource: 'web', operation: 'search', searchQuery: 'x' };
const replay = { resource: 'session', operation: 'getReplay', sessionId: 'session-1' };
const script = { resource: 'session', operation: 'getScript', sessionId: 'session-1' };
const start = { resource: 'automationRun', operation: 'start', query: 'Do it' };
const cookies = { resource: 'profile', operation: 'setCookies', profileId: 'profile-1' };

describe('items', () => {
	it.each([
		['hello', [{ data: 'hello' }]],
		['"hello"', [{ data: 'hello' }]],
		['null', [{ data: null }]],
		['', [{}]],
		['""', [{}]],
		['7', [{ data: 7 }]],
		['false', [{ data: false }]],
		['{}', [{}]],
		['{"a":[1]}', [{ a: [1] }]],
		['[{"a":1},"b",null,[2]]', [{ a: 1 }, { data: 'b' }, { data: null }, { data: [2] }]],
		['{"answer":"a","sources":[{"url":"u"}]}', [{ answer: 'a', sources: [{ url: 'u' }] }]],
	])('are made of the body %s', async (body, expected) => {
		const address = await answering(body, { 'content-type': body === 'hello' ? 'text/plain' : 'application/json' });
		for (const form of [search, { ...search, splitIntoItems: false }]) {
			const { items: got } = await runNode(address, form);
			expect(got).toEqual(expected.map((json) => ({ json, pairedItem: { item: 0 } })));
		}
	});

	it.each(['hello', 'null', '', '[1]'])('are made by every operation of the body %j', async (body) => {
		const address = await answering(body, { 'content-type': 'text/plain' });
		for (const { resource, operation, full } of operations) {
			const { items: got, error, status } = await runNode(address, { resource, operation, ...full });
			expect({ error, status }).toEqual({ error: undefined, status: 'success' });
			for (const { json, pairedItem } of got) {
				expect(Object.prototype.toString.call(json)).toBe('[object Object]');
				expect(pairedItem).toEqual({ item: 0 });
			}
			expect(got).toHaveLength(1);
		}
	});

	it('of several input items know where they come from', async () => {
		const form = { searchQuery: '={{ "q" + $json.n }}', options: { additionalBodyFields: '{"maxResults": 2}' } };
		const { items: got } = await runNode(service, { ...search, ...form }, { input: items(3) });
		expect(got.map(({ pairedItem }) => pairedItem)).toEqual([0, 0, 1, 1, 2, 2].map((item) => ({ item })));
		expect(got[4].json).toMatchObject({ name: 'Result 1 for q2' });
	});

	it('that are lists inside of a list stay whole when they are split', async () => {
		const address = await answering('{"results":[{"a":1},"b",[2,3]]}');
		const { items: got } = await runNode(address, search);
		expect(got.map(({ json }) => json)).toEqual([{ a: 1 }, { data: 'b' }, { data: [2, 3] }]);
	});

	it('are none if there is no result, unless the response stays whole', async () => {
		const address = await answering('{"results":[]}');
		expect((await runNode(address, search)).items).toEqual([]);
		const whole = await runNode(address, { ...search, splitIntoItems: false });
		expect(whole.items).toEqual([{ json: { results: [] }, pairedItem: { item: 0 } }]);
	});
});

describe('option lists', () => {
	it('let an expression send any other value', async () => {
		const address = await answering('{}');
		const other = '={{ "other" }}';
		const mailbox = operations.find(({ operation }) => operation === 'createConnectLink')!;
		const cookiesJson = [MINIMAL_COOKIE] as unknown as string;
		const forms: Array<[INodeParameters, object]> = [
			[
				{ ...search, options: { depth: other, outputType: other } },
				{ depth: 'other', outputType: 'other' },
			],
			[{ resource: 'payment', operation: 'connectWallet', mode: other }, { mode: 'other' }],
			[
				{ ...cookies, cookiesJson, options: { mode: other, sourceFormat: other } },
				{ mode: 'other', source_format: 'other' },
			],
			[
				{ resource: 'mailbox', operation: 'createConnectLink', ...mailbox.required, options: { provider: other } },
				{ provider: 'other' },
			],
		];
		for (const [form, expected] of forms) {
			await runNode(address, form);
			expect(JSON.parse(address.bodies.at(-1)!)).toMatchObject(expected);
		}
		await runNode(address, { resource: 'secret', operation: 'get', name: 'a', namespace: other });
		expect(address.urls.at(-1)).toBe('/secrets/a?namespace=other');
	});

	it('are not sent if they are empty', async () => {
		const address = await answering('{}');
		await runNode(address, { ...search, options: { depth: '={{ "" }}', outputType: '={{ undefined }}' } });
		const options = { model: '', reasoningEffort: ' ', version: '={{ null }}' };
		await runNode(address, { ...start, threadId: ' ', options });
		expect(address.bodies).toEqual(['{"q":"x"}', '{"detach":true,"query":"Do it"}']);
	});
});

describe('Automation Run: Start', () => {
	it('returns the thread, the link, and the status', async () => {
		const { items: got } = await runNode(service, start);
		const [{ threadId }] = service.starts;
		const url = expect.stringContaining(threadId) as string;
		expect(got).toEqual([{ json: { thread_id: threadId, url, status: 'started' }, pairedItem: { item: 0 } }]);
	});

	it('continues a thread', async () => {
		const threadId = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';
		await runNode(service, start);
		await runNode(service, { ...start, query: ' And now that ', threadId: ` ${threadId} ` });
		expect(service.state.threads.get(threadId)).toEqual(['And now that']);
	});

	it.each([
		['{"url":"u","status":"started"}', { url: 'u', status: 'started', thread_id: 'from-header' }],
		['{"thread_id":"","status":"started"}', { thread_id: 'from-header', status: 'started' }],
		['{"thread_id":"from-body"}', { thread_id: 'from-body' }],
		['accepted', { data: 'accepted', thread_id: 'from-header' }],
		['', { thread_id: 'from-header' }],
	])('takes the thread ID from the header if the body %s has none', async (body, json) => {
		const address = await answering(body, { 'x-thread-id': 'from-header' }, 202);
		expect((await runNode(address, start)).items).toEqual([{ json, pairedItem: { item: 0 } }]);
	});

	it('refuses several items while a failure would lose their thread IDs, and starts none', async () => {
		const { error, items: got } = await runNode(service, start, { input: items(2) });
		expect(error!.message).toBe('Received 2 items. Start accepts only one if On Error is set to Stop Workflow');
		expect(error!.description).toContain('Set On Error to Continue');
		expect(got).toEqual([]);
		expect(service.requests).toEqual([]);
	});

	it('starts one run for several items that are executed once', async () => {
		const { error } = await runNode(service, start, { input: items(2), node: { executeOnce: true } });
		expect(error).toBeUndefined();
		expect(service.starts).toHaveLength(1);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)('starts each item with %s', async (onError) => {
		const query = '={{ $json.n === 1 ? "" : "Do " + $json.n }}';
		const { items: got, errorItems } = await runNode(
			service,
			{ ...start, query },
			{ input: items(3), node: { onError } },
		);
		expect(service.starts.map(({ body }) => body.query).sort()).toEqual(['Do 0', 'Do 2']);
		const all = [...got, ...errorItems];
		const started = all.filter(({ json }) => json.thread_id).map(({ pairedItem }) => pairedItem);
		expect(started).toEqual([{ item: 0 }, { item: 2 }]);
		expect(all.filter(({ json }) => json.error).map(({ json }) => json)).toEqual([{ error: 'Task is empty' }]);
	});
});

describe('Secret', () => {
	it('Get reads a name with every kind of character', async () => {
		const form = { resource: 'secret', operation: 'get', name: 'team/shop key 100%?#é', namespace: 'function_env' };
		const { items: got } = await runNode(service, form);
		expect(got).toEqual([{ json: { value: 'value-of-shop-key' }, pairedItem: { item: 0 } }]);
	});

	it('Get marks the value as sensitive', () => {
		expect(registry.nodes[TYPE].description.sensitiveOutputFields).toEqual(['value']);
	});

	describe('as a tool of an AI agent', () => {
		const get = (allowAgent: boolean, name = 'MODEL_KEY') =>
			runNode(
				service,
				{ resource: 'secret', operation: 'get', name, namespace: 'llm_provider', allowAgent },
				{ node: { type: `${TYPE}Tool` } },
			);

		it('Get withholds the value, and tells the agent what to do', async () => {
			const { error } = await get(false);
			expect(error?.message).toBe(
				'This secret is withheld from AI agents. Do the task without it. A person can turn on Allow AI Agents to Read the Value in this tool',
			);
			expect(service.requests).toHaveLength(0);
		});

		it('Get returns it if the user allows that', async () => {
			const { items: got } = await get(true);
			expect(got[0].json).toEqual({ value: 'value-of-model-key' });
		});

		it('the message of an error tells the agent what to do', async () => {
			const { error } = await get(true, 'UNKNOWN');
			expect(error?.message).toMatch(/^Secret not found\. Check the ID or name/);
		});
	});

	it('Delete tells what is gone', async () => {
		const form = { resource: 'secret', operation: 'delete', id: '={{ "sec_" + ($json.n + 1) }}' };
		const { items: got } = await runNode(service, form, { input: items(2) });
		expect(got).toEqual([
			{ json: { deleted: true, secret_id: 'sec_1' }, pairedItem: { item: 0 } },
			{ json: { deleted: true, secret_id: 'sec_2' }, pairedItem: { item: 1 } },
		]);
		expect(service.state.secrets.size).toBe(0);
	});
});

describe('Mailbox and Payment', () => {
	it('Delete tells what is gone', async () => {
		const form = { resource: 'mailbox', operation: 'delete', mailboxId: 'mailbox-1' };
		expect((await runNode(service, form)).items).toEqual([
			{ json: { deleted: true, mailbox_id: 'mailbox-1' }, pairedItem: { item: 0 } },
		]);
		expect(service.state.mailboxes.size).toBe(0);
	});

	it('Create Connect Link connects a mailbox again', async () => {
		const { resource, operation, full } = operations.find(({ id }) => id === 'create_mailbox_connect_token')!;
		const { items: got } = await runNode(service, { resource, operation, ...full });
		expect(got[0].json).toMatchObject({ mailbox_id: 'mailbox-1' });
		expect(service.state.mailboxes.get('mailbox-1')).toMatchObject({ tokens: 1 });
	});

	it('Connect Wallet returns what the wallet owner needs', async () => {
		const { items: got } = await runNode(service, { resource: 'payment', operation: 'connectWallet', mode: 'test' });
		expect(got).toEqual([{ json: service.state.payments.get('pay_1'), pairedItem: { item: 0 } }]);
		expect(got[0].json).toMatchObject({ mode: 'test', connection_phrase: 'amber-harbor-violin' });
	});
});

describe('Profile: Set Cookies', () => {
	const state = { cookies: [{ ...MINIMAL_COOKIE, expires: -1, sameSite: 'Lax' }], origins: [] };
	const sent = [{ ...MINIMAL_COOKIE, sameSite: 'Lax' }];
	const stored = () => service.state.profiles.get('profile-1');

	it.each([
		['text', JSON.stringify(state)],
		['an object', '={{ $json.state }}'],
		['a list', '={{ $json.state.cookies }}'],
		['text of an expression', '={{ JSON.stringify($json.state) }}'],
	])('takes JSON: %s', async (_name, cookiesJson) => {
		const { items: got } = await runNode(service, { ...cookies, cookiesJson }, { input: [{ json: { state } }] });
		expect(got[0].json).toEqual({ success: true, message: '1 cookies set', cookies_count: 1, mode: 'replace' });
		expect(stored()).toEqual(sent);
	});

	const netscape = '# Netscape HTTP Cookie File\n#HttpOnly_.example.com\tTRUE\t/\tTRUE\t0\tsid\tvalue-of-sid\n';
	it.each([
		['JSON', JSON.stringify(state), sent],
		['JSON with a byte order mark', `\uFEFF${JSON.stringify(state)}`, sent],
		['cookies.txt lines', netscape, [{ ...MINIMAL_COOKIE, hostOnly: false, secure: true }]],
	])('takes a file of %s', async (_name, content, expected) => {
		const data = { data: Buffer.from(content).toString('base64'), mimeType: 'text/plain' };
		const form = { ...cookies, cookiesFrom: 'binary', binaryField: 'export' };
		await runNode(service, form, { input: [{ json: {}, binary: { export: data } }] });
		expect(stored()).toEqual(expected);
	});

	it('takes fields, and leaves out what is not set', async () => {
		const second = { ...MINIMAL_COOKIE, name: 'b', httpOnly: false };
		const options = { secure: true, sameSite: 'None' };
		const cookie = [
			{ ...MINIMAL_COOKIE, options: {} },
			{ ...second, value: '={{ "v" + 1 }}', options },
		];
		const form = { ...cookies, cookiesFrom: 'fields', cookies: { cookie } } as unknown as INodeParameters;
		await runNode(service, form);
		expect(stored()).toEqual([MINIMAL_COOKIE, { ...second, value: 'v1', ...options }]);
	});

	it('names the cookie and the field that cannot be sent, without its value', async () => {
		const list = [MINIMAL_COOKIE, { ...MINIMAL_COOKIE, domain: undefined }];
		const { error } = await runNode(service, { ...cookies, cookiesJson: JSON.stringify(list) });
		expect(error!.message).toBe('Cookie 2 ("sid") has no domain');
		expect(everythingOf(error)).not.toContain('value-of-sid');
		expect(service.requests).toEqual([]);
	});

	it('ends in an error with the message of a service that did not set them, without their values', async () => {
		const body = { success: false, message: 'Profile is in use: value-of-sid', cookies_count: 0, mode: 'replace' };
		const address = await answering(JSON.stringify(body));
		const { error, items: got } = await runNode(address, { ...cookies, cookiesJson: JSON.stringify(sent) });
		expect(error).toMatchObject({ name: 'NodeApiError', message: 'Profile is in use: ***' });
		expect(error!.description).toMatch(/^The cookies were not set/);
		expect(everythingOf(error)).not.toContain('value-of-sid');
		expect(got).toEqual([]);
	});
});

describe('Session: Get Script', () => {
	it('returns the script as a file beside the JSON', async () => {
		const { items: got } = await runNode(service, { ...script, addScriptFile: true });
		const { json, binary } = got[0];
		expect(json.json_actions).toHaveLength(2);
		expect(binary!.script).toMatchObject({ fileName: 'session-1.py', mimeType: 'text/x-python', fileExtension: 'py' });
		expect(Buffer.from(binary!.script.data, 'base64').toString()).toBe(json.python_script);
	});

	it('returns each action as an item, the file with the first', async () => {
		const { items: got } = await runNode(service, { ...script, addScriptFile: true, splitIntoItems: true });
		expect(got.map(({ json }) => json)).toEqual([
			{ type: 'goto', url: 'https://example.com' },
			{ type: 'click', selector: '#next' },
		]);
		expect(got.map(({ binary }) => Object.keys(binary ?? {}))).toEqual([['script'], []]);
		expect(got.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }]);
	});

	it('keeps the file if there is no action', async () => {
		const address = await answering('{"python_script":"pass","json_actions":[]}');
		const { items: got } = await runNode(address, { ...script, addScriptFile: true, splitIntoItems: true });
		expect(got).toHaveLength(1);
		expect(got[0].binary).toHaveProperty('script');
	});
});

describe('Session: Get Replay', () => {
	const wait = { waitForRecording: true, maximumWait: 20 };
	const both = { downloadVideo: true, savePlaylist: true };
	const files = () => service.requests.filter(({ path }) => path.startsWith('/files/'));

	it('fetches the video without the key, and writes the playlist', async () => {
		const { items: got } = await runNode(service, { ...replay, sessionId: 'sized-300000', ...both });
		const { json, binary } = got[0];
		expect(binary!.video).toMatchObject({ fileName: 'sized-300000.mp4', mimeType: 'video/mp4' });
		const film = Buffer.from(binary!.video.data, 'base64');
		expect([film.length, film.subarray(4, 8).toString()]).toEqual([300000, 'ftyp']);
		const mimeType = 'application/vnd.apple.mpegurl';
		expect(binary!.playlist).toMatchObject({ fileName: 'sized-300000.m3u8', mimeType });
		expect(Buffer.from(binary!.playlist.data, 'base64').toString()).toBe(json.playlist_content);
		expect(files().map(({ headers, status }) => [headers.authorization, status])).toEqual([[undefined, 200]]);
	});

	it('returns no file if the service has none', async () => {
		const { items: got } = await runNode(service, { ...replay, sessionId: 'null-fields', ...both });
		expect(got[0].json).toMatchObject({ mp4_url: null, playlist_content: null });
		expect(got).toEqual([{ json: got[0].json, pairedItem: { item: 0 } }]);
	});

	it('waits until the recording is ready', async () => {
		const { items: got, error } = await runNode(service, { ...replay, sessionId: 'processing-1', ...wait });
		expect(error).toBeUndefined();
		expect(got[0].json.mp4_url).toContain('recording.mp4');
		expect(service.state.sessions.get('processing-1')!.asks).toBe(2);
	});

	it.each<[object, RegExp]>([
		[{ detail: 'Session not found' }, /^Check the ID or name/],
		[{ replay_status: 'unknown' }, /^Check the ID or name/],
		[{ replay_status: 'waiting_for_session' }, /Turn on Wait for Recording$/],
		[{ replay_status: 'processing' }, /Turn on Wait for Recording$/],
		[{ retryable: true }, /Turn on Wait for Recording$/],
		[{ replay_status: 'processing', retryable: false }, /will not get one$/],
	])('asks once if it is not to wait, and after 404 %j says what to do', async (body, advice) => {
		const address = await answering(JSON.stringify(body), {}, 404);
		const { error } = await runNode(address, replay);
		expect(error).toMatchObject({ httpCode: '404', description: expect.stringMatching(advice) as string });
		expect(address.urls).toHaveLength(1);
	});

	it('gives up after the time', async () => {
		const { error } = await runNode(service, { ...replay, sessionId: 'processing-9', ...wait, maximumWait: 0.3 });
		expect(error).toMatchObject({ message: 'The replay is not ready yet', httpCode: '404', context: { itemIndex: 0 } });
		expect(error!.description).toBe('Waited 0.3 seconds. Check that the session has ended, then raise Maximum Wait');
		expect(service.requests).toHaveLength(2);
	});

	it.each([
		['failed', 'The replay could not be made', '404'],
		['unavailable', 'The session has no frames', '410'],
	])('stops at once if the recording is %s', async (sessionId, message, httpCode) => {
		const { error } = await runNode(service, { ...replay, sessionId, ...wait });
		expect(error).toMatchObject({ message, httpCode });
		expect(service.requests).toHaveLength(1);
	});

	it.each([
		[503, {}, 2],
		[429, { detail: 'Slow' }, 2],
		[404, {}, 2],
		[409, { retryable: true }, 2],
		[404, { replay_status: 'unknown' }, 2],
		[404, { retryable: false }, 1],
		[503, { retryable: false }, 1],
		[404, { replay_status: 'unavailable' }, 1],
		[500, {}, 1],
		[401, {}, 1],
	])('after %d %j has asked within the time %#', async (status, body, times) => {
		const address = await answering(JSON.stringify(body), {}, status);
		const { error } = await runNode(address, { ...replay, ...wait, maximumWait: 0.3 });
		expect(error?.httpCode).toBe(String(status));
		expect(address.urls).toHaveLength(times);
	});

	describe('the video', () => {
		/** A service whose video is at the given path of the same server. */
		const withVideo = async (listener: RequestListener) => {
			const address = await serving((request, response) => {
				if (request.url!.startsWith('/sessions/')) {
					const body = { expires_at: 'x', mp4_url: `${address.baseUrl}/video?X-Signature=signature-of-video` };
					response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
				} else listener(request, response);
			});
			return address;
		};
		const download = { ...replay, downloadVideo: true };

		it('may be elsewhere', async () => {
			const keys: unknown[] = [];
			const address = await withVideo((request, response) => {
				keys.push(request.headers.authorization);
				if (request.url!.startsWith('/video')) response.writeHead(302, { location: '/moved' }).end();
				else response.writeHead(200).end('film');
			});
			const { items: got } = await runNode(address, download);
			expect(Buffer.from(got[0].binary!.video.data, 'base64').toString()).toBe('film');
			expect(keys).toEqual([undefined, undefined]);
		});

		const STORAGE = 'The video storage refused the download';
		const refused = '<Error><Code>AccessDenied</Code><Message>signature-of-video</Message></Error>';
		const breakOff: RequestListener = (_request, response) => {
			response.writeHead(200, { 'content-length': '1000' }).write('film');
			setTimeout(() => response.destroy(), 50);
		};
		it.each<[string, RequestListener, string]>([
			[
				'is refused',
				(_request, response) => response.writeHead(403).end(refused),
				`${STORAGE} (AccessDenied, status 403)`,
			],
			['is gone', (_request, response) => response.writeHead(404).end('signature-of-video'), `${STORAGE} (status 404)`],
			['breaks off', breakOff, 'The video download was interrupted'],
			['cannot be reached', (request) => request.socket.destroy(), 'No response from the video storage'],
		])('that %s causes a readable error', async (_name, listener, message) => {
			const address = await withVideo(listener);
			const { error } = await runNode(address, download);
			expect(error).toMatchObject({ name: 'NodeApiError', message, context: { itemIndex: 0 } });
			expect(error!.description).toMatch(/Run the node again/);
			expect(everythingOf(error)).not.toContain('signature-of-video');
			expect(everythingOf(error)).not.toContain(address.apiKey);
		});

		it('that is refused is told to an AI agent with what it can do', async () => {
			const address = await withVideo((_request, response) =>
				response.writeHead(403).end('<Error><Code>ExpiredToken</Code></Error>'),
			);
			const { error } = await runNode(address, download, { node: { type: `${TYPE}Tool` } });
			expect(error!.message).toBe(
				'The video storage refused the download (ExpiredToken, status 403). Video links expire after a short time. Run the node again to get a new link',
			);
		});

		it('is fetched from http addresses only', async () => {
			const address = await answering(JSON.stringify({ expires_at: 'x', mp4_url: 'file:///etc/passwd' }));
			const { error } = await runNode(address, download);
			expect(error!.message).toBe('The link to the video is not valid');
		});
	});
});

describe('hints', () => {
	/** What the editor shows, whether the node succeeded or failed: it evaluates the conditions for the first input item. */
	const shown = async (parameters: INodeParameters, input: INodeExecutionData[] = []) => {
		const node = { id: '1', name: 'Tested Node', type: TYPE, typeVersion: 1, position: [0, 0] as [number, number] };
		const type = () => registry.nodes[TYPE];
		const workflow = new Workflow({
			nodes: [{ ...node, parameters }],
			connections: {},
			active: false,
			nodeTypes: { getByName: type, getByNameAndVersion: type, getKnownTypes: () => ({}) },
		});
		// If expressions run in a sandbox; older versions of n8n have none.
		const sandbox: Partial<typeof workflow.expression> = workflow.expression;
		await sandbox.acquireIsolate?.();
		const hints = (registry.nodes[TYPE].description.hints ?? []).filter(({ displayCondition }) =>
			workflow.expression.getParameterValue(displayCondition!, null, 0, 0, node.name, input, 'manual', {}),
		);
		await sandbox.releaseIsolate?.();
		return hints.map(({ message }) => message);
	};

	it('of a result are none, because the editor would show them above an error, too', async () => {
		const { hints = [] } = registry.nodes[TYPE].description;
		expect(hints.filter(({ whenToDisplay }) => whenToDisplay === 'afterExecution')).toEqual([]);
		expect(await shown(replay)).toEqual([]);
		expect(await shown(search)).toEqual([]);
	});

	it('tell of test mode, which is the default', async () => {
		const wallet = { resource: 'payment', operation: 'connectWallet' };
		expect(await shown(wallet)).toEqual([expect.stringMatching(/^Test mode/)]);
		expect(await shown({ ...wallet, mode: 'live' })).toEqual([]);
	});

	it('tell who can read a secret, with the expression for the next nodes', async () => {
		const get = { resource: 'secret', operation: 'get', name: 'A' };
		expect(await shown(get)).toEqual([expect.stringContaining('<code>{{ $json.value }}</code>')]);
	});

	const origins = (localStorage: unknown[]) => ({
		cookies: [],
		origins: [{ origin: 'https://a.example', localStorage }],
	});
	const full = origins([{ name: 'token', value: 'x' }]);
	it.each<[string, INodeParameters, boolean]>([
		['pasted', { cookiesJson: JSON.stringify(full, null, 2) }, true],
		['pasted in one line', { cookiesJson: JSON.stringify(full) }, true],
		['an object of an expression', { cookiesJson: '={{ $json.full }}' }, true],
		['text of an expression', { cookiesJson: '={{ JSON.stringify($json.full) }}' }, true],
		['pasted without localStorage', { cookiesJson: JSON.stringify(origins([])) }, false],
		['an object without localStorage', { cookiesJson: '={{ $json.empty }}' }, false],
		['left from another choice', { cookiesFrom: 'fields', cookiesJson: JSON.stringify(full) }, false],
		['empty', {}, false],
	])('tell that localStorage is not sent if a storage state that is %s has any', async (_name, form, isShown) => {
		const hints = await shown({ ...cookies, ...form }, [{ json: { full, empty: origins([]) } as never }]);
		expect(hints).toEqual(isShown ? [expect.stringContaining('does not accept localStorage')] : []);
	});
});
