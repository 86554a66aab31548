/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readUIMessageStream, uiMessageChunkSchema, type UIMessage, type UIMessageChunk } from 'ai';
import Ajv2020 from 'ajv/dist/2020';
import document from '../service/openapi.json';
import { scenarios } from '../service/scenarios';
import { session, startService, type Service } from '../service/service';

let service: Service;
beforeAll(async () => {
	service = await startService();
});
afterEach(() => {
	expect(service.violations).toEqual([]);
	service.reset();
});
afterAll(async () => await service.stop());

const START = '/api/anything/start';
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** A request with the key; `body` is sent as JSON, text as it is. */
async function send(method: string, url: string, body?: unknown, headers: Record<string, string> = {}) {
	return await fetch(url, {
		method,
		redirect: 'manual',
		headers: {
			authorization: `Bearer ${service.apiKey}`,
			...(body === undefined ? {} : { 'content-type': 'application/json' }),
			...headers,
		},
		body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
	});
}

const start = async (body: unknown, headers?: Record<string, string>) =>
	await send('POST', service.automationUrl + START, body, headers);
const main = async (method: string, path: string, body?: unknown) => await send(method, service.baseUrl + path, body);
const json = async (response: Response) => (await response.json()) as Record<string, unknown>;

/** The payloads of a body whose events are separated by blank lines. */
const payloads = (text: string) =>
	text
		.split('\n')
		.filter((line) => line.startsWith('data: '))
		.map((line) => line.slice(6));

async function fold(text: string): Promise<UIMessage> {
	const schema = uiMessageChunkSchema();
	const chunks = await Promise.all(
		payloads(text)
			.filter((payload) => payload !== '[DONE]')
			.map(async (payload) => {
				const value: unknown = JSON.parse(payload);
				expect(await schema.validate?.(value)).toMatchObject({ success: true });
				return value as UIMessageChunk;
			}),
	);
	let message: UIMessage | undefined;
	const stream = new ReadableStream<UIMessageChunk>({
		start(controller) {
			chunks.forEach((chunk) => controller.enqueue(chunk));
			controller.close();
		},
	});
	for await (const state of readUIMessageStream({ stream, onError: () => undefined })) message = state;
	return message!;
}

const textOf = (message: UIMessage) =>
	message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

/** Reads until the body ends or breaks; says how. */
async function read(response: Response, enough = Infinity) {
	const decoder = new TextDecoder();
	let text = '';
	const reader = response.body!.getReader();
	try {
		while (text.length < enough) {
			const { done, value } = await reader.read();
			if (done) return { text, ended: true };
			text += decoder.decode(value, { stream: true });
		}
	} catch {
		return { text, ended: false };
	}
	await reader.cancel();
	return { text, ended: false };
}

describe('authentication and routing', () => {
	it.each([undefined, 'Bearer wrong', 'test-api-key', 'bearer test-api-key'])(
		'answers 401 to %s',
		async (authorization) => {
			const headers = {
				'content-type': 'application/json',
				...(authorization && { authorization }),
			};
			const urls = [service.automationUrl + START, `${service.baseUrl}/search`];
			for (const url of urls) {
				const response = await fetch(url, { method: 'POST', headers, body: '{' });
				expect(response.status).toBe(401);
				expect(await json(response)).toEqual({ detail: 'Invalid or missing API key' });
			}
			expect(service.unauthorized).toBe(2);
			expect(service.starts).toEqual([]);
		},
	);

	it('notices when the two addresses are mixed up', async () => {
		expect((await send('POST', service.baseUrl + START, { query: 'quick' })).status).toBe(404);
		expect((await send('POST', `${service.automationUrl}/search`, { q: 'x' })).status).toBe(404);
		expect((await main('GET', '/search')).status).toBe(405);
		expect(service.requests.map(({ status }) => status)).toEqual([404, 404, 405]);
	});
});

describe('the token endpoint', () => {
	const form = (change: Record<string, string> = {}) =>
		new URLSearchParams({ grant_type: 'password', ...service.user, ...change }).toString();
	const ask = async (body: string, headers: Record<string, string> = {}) =>
		await fetch(`${service.baseUrl}/token`, {
			method: 'POST',
			headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
			body,
		});
	const tokenFrom = async (response: Response) => String((await json(response)).access_token);
	const search = async (token: string) =>
		await send('POST', `${service.baseUrl}/search`, { q: 'x' }, { authorization: `Bearer ${token}` });

	it('gives a bearer token for user name and password, not to be stored', async () => {
		const response = await ask(form(), { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' });
		expect(response.status).toBe(200);
		expect(response.headers.get('cache-control')).toBe('no-store');
		expect(response.headers.get('pragma')).toBe('no-cache');
		expect(response.headers.get('content-type')).toBe('application/json');
		const [access_token] = service.tokens.issued;
		expect(await json(response)).toEqual({ access_token, token_type: 'bearer', expires_in: 3600 });
		expect((await search(access_token)).status).toBe(200);
		expect((await search(access_token)).status).toBe(200);
	});

	it.each([
		[() => form({ password: 'wrong' }), 'invalid_grant'],
		[() => form({ username: 'nobody' }), 'invalid_grant'],
		[() => form({ grant_type: 'client_credentials' }), 'unsupported_grant_type'],
		[() => form({ grant_type: '' }), 'invalid_request'],
		[() => form({ password: '' }), 'invalid_request'],
		[() => `${form()}&username=again`, 'invalid_request'],
		[() => form({ scope: 'all' }), 'invalid_scope'],
		[() => '', 'invalid_request'],
	])('answers 400 to %s', async (body, error) => {
		const response = await ask(body());
		expect(response.status).toBe(400);
		expect(response.headers.get('cache-control')).toBe('no-store');
		expect(await json(response)).toEqual({ error, error_description: expect.any(String) });
		expect(service.tokens.issued).toEqual([]);
	});

	it('takes forms and posts only', async () => {
		const response = await ask(JSON.stringify({ grant_type: 'password' }), { 'content-type': 'application/json' });
		expect(await json(response)).toMatchObject({ error: 'invalid_request' });
		expect((await fetch(`${service.baseUrl}/token?${form()}`)).status).toBe(405);
	});

	it('lets tokens expire, by time and by use', async () => {
		service.tokens.lifetimeSeconds = -1;
		expect(await json(await search(await tokenFrom(await ask(form()))))).toEqual({ detail: 'The token has expired' });
		Object.assign(service.tokens, { lifetimeSeconds: 60, uses: 1 });
		const token = await tokenFrom(await ask(form()));
		expect((await search(token)).status).toBe(200);
		expect((await search(token)).status).toBe(401);
		expect(service.unauthorized).toBe(2);
	});

	it('revokes one token, or all before the newest', async () => {
		const tokens = [await tokenFrom(await ask(form())), await tokenFrom(await ask(form()))];
		service.tokens.revoke(tokens[0]);
		expect(await json(await search(tokens[0]))).toEqual({ detail: 'The token was revoked' });
		expect((await search(tokens[1])).status).toBe(200);
		service.tokens.onlyNewest = true;
		tokens.push(await tokenFrom(await ask(form())));
		expect((await search(tokens[1])).status).toBe(401);
		expect((await search(tokens[2])).status).toBe(200);
		expect(() => service.tokens.revoke('none')).toThrow('no such token');
	});

	it('gives tokens that are good for the main interface only, and forgets them with all else', async () => {
		const token = await tokenFrom(await ask(form()));
		expect((await start({ query: 'quick' }, { authorization: `Bearer ${token}` })).status).toBe(401);
		service.reset();
		expect((await search(token)).status).toBe(401);
	});
});

describe('the start endpoint', () => {
	it.each([
		['{"query":', 'invalid_json'],
		['', 'invalid_json'],
		['[]', 'invalid_json'],
		[{}, 'missing_query'],
		[{ query: ' ' }, 'missing_query'],
		[{ version: 'v1' }, 'unsupported_version'],
		[{ version: 'v1', query: 'quick' }, 'unsupported_version'],
		[{ query: 'quick', thread_id: 'mine' }, 'invalid_request'],
		[{ query: 'quick', detach: 'yes' }, 'invalid_request'],
	])('answers 400 to %j', async (body, error) => {
		const response = await start(body);
		expect(response.status).toBe(400);
		expect(await json(response)).toEqual({ error, message: expect.any(String) });
		expect(service.starts).toEqual([]);
	});

	it('says how version v1 was retired', async () => {
		const { message } = await json(await start({ version: 'v1' }));
		expect(message).toBe('Version v1 has been retired. Omit version or use v2.');
	});

	it('starts detached', async () => {
		const response = await start({ query: 'Read prices', detach: true });
		expect(response.status).toBe(202);
		const body = await json(response);
		expect(body).toEqual({
			thread_id: expect.stringMatching(UUID),
			url: expect.any(String),
			status: 'started',
		});
		expect(response.headers.get('x-thread-id')).toBe(body.thread_id);
		expect(service.starts).toMatchObject([{ detached: true, threadId: body.thread_id }]);
		expect(await service.starts[0].closed).toBe('finished');
	});

	it('continues a thread', async () => {
		const first = await start({ query: 'quick Read prices' });
		await first.text();
		const thread_id = first.headers.get('x-thread-id');
		const second = await start({ query: 'quick Sort them', thread_id });
		expect(second.headers.get('x-thread-id')).toBe(thread_id);
		expect(textOf(await fold(await second.text()))).toMatch(/^Done: Sort them\. Earlier.*Read prices/);
		expect(service.state.threads.get(thread_id!)).toEqual(['quick Read prices', 'quick Sort them']);
	});

	it('streams with the headers of the contract', async () => {
		const response = await start({ query: 'quick' });
		expect(Object.fromEntries(response.headers)).toMatchObject({
			'content-type': 'text/event-stream',
			'cache-control': 'no-cache',
			'x-thread-id': expect.stringMatching(UUID),
			'x-vendor-ai-ui-message-stream': 'v1',
		});
		await response.text();
	});

	it('plays the demo run of a real agent loop by default', async () => {
		const text = await (await start({ query: 'Read the prices of example.com' })).text();
		const progress = payloads(text).filter((payload) => payload.includes('data-progress'));
		expect(progress).toHaveLength(4);
		expect(text).toContain('"transient":true');
		const message = await fold(text);
		expect(message.parts.map(({ type }) => type)).toEqual([
			'data-progress',
			...['step-start', 'reasoning', 'tool-openPage'],
			...['step-start', 'text', 'tool-clickElement'],
			...['step-start', 'source-url', 'source-document', 'file', 'text'],
		]);
		expect(message.parts.filter(({ type }) => type.startsWith('tool-'))).toMatchObject([
			{ state: 'output-available', output: { status: 200 } },
			{ state: 'output-error', errorText: 'No element "Next page" on the page' },
		]);
		expect(message.parts.at(-1)).toMatchObject({
			text: 'Done: Read the prices of example.com.',
			state: 'done',
		});
		expect(payloads(text).slice(-2).join()).toMatch(/"type":"finish".*\[DONE\]/);
	});
});

describe('scenarios', () => {
	const run = async (query: string) => await start({ query });
	const all = async (query: string) => await (await run(query)).text();

	it.each(['quick', 'echo', 'report', 'failed', 'aborted', 'nofinish', 'lines', 'headless', 'noid', 'slow 1'])(
		'%s is a valid stream that ends with [DONE]',
		async (query) => {
			const text = await all(`${query} Read`.replace('slow 1 Read', 'slow 0.4'));
			expect(payloads(text).at(-1)).toBe('[DONE]');
			expect((await fold(text)).parts.at(-1)).toMatchObject({ type: 'text', state: 'done' });
			expect(await service.starts[0].closed).toBe('finished');
		},
	);

	it('failed, secretive and aborted say why', async () => {
		expect(await all('failed')).toContain('{"type":"error","errorText":"The site blocked the agent"}');
		expect(await all('secretive')).toContain(`Bearer ${service.apiKey}`);
		expect(await all('aborted')).toContain('{"type":"abort","reason":"Stopped by the operator"}');
	});

	it('nofinish, lines, garbage and headless deviate in their one way', async () => {
		expect(await all('nofinish')).not.toContain('"type":"finish"');
		expect(await all('lines')).not.toContain('\n\n');
		expect(await all('garbage')).toContain('data: {not json\n');
		expect((await run('headless')).headers.has('x-thread-id')).toBe(false);
	});

	it('echo and report put JSON into the text', async () => {
		const body = { query: 'echo', model: 'm', reasoningEffort: 'low' };
		expect(JSON.parse(textOf(await fold(await (await start(body)).text())))).toEqual(body);
		expect(textOf(await fold(await all('report')))).toMatch(/```json\n\{[^]+\}\n```/);
	});

	it('huge waits for a slow reader', async () => {
		expect(payloads(await all('huge 5000'))).toHaveLength(5005);
		await new Promise<void>((resolve, reject) => {
			const request = httpRequest(service.automationUrl + START, {
				method: 'POST',
				headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
			});
			request.on('error', reject);
			request.on('response', (response) => {
				response.pause();
				void sleep(150)
					.then(() => {
						expect(service.starts[1].outcome).toBeUndefined();
						response.destroy();
						resolve();
					})
					.catch(reject);
			});
			request.end(JSON.stringify({ query: 'huge 1000000' }));
		});
		expect(await service.starts[1].closed).toBe('aborted');
	});

	it('cut breaks the body, ended just ends it', async () => {
		const cut = await read(await run('cut'));
		expect(cut).toEqual({ ended: false, text: expect.stringContaining('"Done: "') });
		const ended = await read(await run('ended'));
		expect(ended).toEqual({ ended: true, text: expect.stringContaining('"Done: "') });
		for (const { text } of [cut, ended]) expect(text).not.toMatch(/finish|DONE/);
		expect(await service.starts[0].closed).toBe('finished');
	});

	it.each([
		['hang', 100],
		['trickle', 20],
		['slow 9', 100],
		['demo', 100],
	])('%s: the service sees a client that goes away', async (query, enough) => {
		await read(await run(query), enough);
		expect(await service.starts[0].closed).toBe('aborted');
		expect(service.starts[0].closedAt).toBeGreaterThanOrEqual(service.starts[0].startedAt);
	});

	it.each(['silent', 'mute'])('%s says nothing', async (query) => {
		const signal = AbortSignal.timeout(80);
		const answer = fetch(service.automationUrl + START, {
			method: 'POST',
			headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
			body: JSON.stringify({ query }),
			signal,
		});
		await expect(answer.then(async (response) => await response.text())).rejects.toThrow();
		expect(await (await service.waitForStart()).closed).toBe('aborted');
		expect(service.requests[0].status).toBe(query === 'silent' ? 200 : 0);
	});

	it('open leaves the socket open after [DONE]', async () => {
		const response = await run('open');
		expect(service.requests[0].status).toBe(200);
		const reader = response.body!.getReader();
		let text = '';
		while (!text.includes('[DONE]')) text += Buffer.from((await reader.read()).value!).toString();
		const more = await Promise.race([reader.read(), sleep(50, 'still open')]);
		expect(more).toBe('still open');
		await reader.cancel();
		expect(await service.starts[0].closed).toBe('finished');
	});

	it.each([
		['json', 200, /"note":"not a stream"/],
		['page', 200, /^<!DOCTYPE html>/],
		['html', 502, /<title>Bad gateway<\/title>/],
		['empty500', 500, /^$/],
		['status 403', 403, /"message":"Status 403 as asked"/],
		['status 529', 529, /"message":"Overloaded"/],
		['message', 400, /"message":".*"detail":"/],
	])('%s answers %i, detached or not', async (query, status, pattern) => {
		for (const detach of [false, true]) {
			const response = await start({ query, detach });
			expect(response.status).toBe(status);
			expect(await response.text()).toMatch(pattern);
		}
		expect(service.starts).toHaveLength(2);
	});

	it('status 429 and redirect bring their header', async () => {
		expect((await run('status 429')).headers.get('retry-after')).toBe('7');
		const redirect = await run('redirect https://example.com/login');
		expect(redirect.status).toBe(307);
		expect(redirect.headers.get('location')).toBe('https://example.com/login');
	});

	it('reset destroys the socket, but is a start', async () => {
		await expect(run('reset')).rejects.toThrow();
		expect(service.starts).toHaveLength(1);
		expect(service.requests[0].status).toBe(0);
	});

	it('noid and headless leave one of the two thread ids out when detached', async () => {
		const noid = await start({ query: 'noid', detach: true });
		expect(noid.headers.get('x-thread-id')).toMatch(UUID);
		expect(await json(noid)).not.toHaveProperty('thread_id');
		const headless = await start({ query: 'headless', detach: true });
		expect(headless.headers.has('x-thread-id')).toBe(false);
		expect(await json(headless)).toMatchObject({ thread_id: expect.stringMatching(UUID) });
	});

	it('are all described', () => {
		for (const { description } of Object.values(scenarios)) expect(description).not.toBe('');
	});
});

describe('the main interface', () => {
	const cookie = {
		name: 'sid',
		value: 'secret',
		domain: '.example.com',
		path: '/',
		httpOnly: true,
	};
	const uris = {
		success_redirect_uri: 'https://a/ok',
		error_redirect_uri: 'https://a/no',
		allowed_origin: 'https://a',
	};

	it.each([
		['POST', '/payments/connect', undefined, ['body'], 'missing'],
		['POST', '/payments/connect', { mode: 'demo' }, ['body', 'mode'], 'literal_error'],
		['POST', '/payments/connect', { other: 1 }, ['body', 'other'], 'extra_forbidden'],
		['POST', '/payments/connect', '{', ['body'], 'json_invalid'],
		['POST', '/profiles/p/cookies', {}, ['body', 'cookies'], 'missing'],
		['POST', '/profiles/p/cookies', { cookies: [] }, ['body', 'cookies'], 'too_short'],
		[
			'POST',
			'/profiles/p/cookies',
			{ cookies: [{ ...cookie, name: undefined }] },
			['body', 'cookies', 0, 'name'],
			'missing',
		],
		[
			'POST',
			'/profiles/p/cookies',
			{ cookies: [{ ...cookie, sameSite: 'lax' }] },
			['body', 'cookies', 0, 'sameSite'],
			'literal_error',
		],
		[
			'POST',
			'/profiles/p/cookies',
			{ cookies: [{ ...cookie, expires: '1' }] },
			['body', 'cookies', 0, 'expires'],
			'float_type',
		],
		['POST', '/mailboxes/connect-token', { ...uris, allowed_origin: undefined }, ['body', 'allowed_origin'], 'missing'],
		['POST', '/search', { q: '' }, ['body', 'q'], 'string_too_short'],
		['GET', '/sessions/s/workflow/code?as_workflow=perhaps', undefined, ['query', 'as_workflow'], 'bool_parsing'],
		['GET', '/secrets/MODEL_KEY', undefined, ['query', 'namespace'], 'missing'],
		['GET', '/secrets/MODEL_KEY?namespace=x', undefined, ['query', 'namespace'], 'literal_error'],
	])('%s %s with %j is invalid', async (method, path, body, loc, type) => {
		const response = await main(method, path, body);
		expect(response.status).toBe(422);
		expect(await json(response)).toEqual({
			detail: [expect.objectContaining({ loc, type, msg: expect.any(String), input: expect.anything() })].map(
				(error) => (type === 'missing' ? expect.objectContaining({ loc, type, msg: 'Field required' }) : error),
			),
		});
	});

	it('echoes the input of an invalid request, as its framework does', async () => {
		const response = await main('POST', '/profiles/p/cookies', { cookies: [{ value: 'secret' }] });
		const { detail } = (await json(response)) as { detail: unknown[] };
		expect(detail[0]).toMatchObject({
			input: { value: 'secret' },
			ctx: { given: { value: 'secret' } },
		});
	});

	it('connects a wallet', async () => {
		const response = await main('POST', '/payments/connect', {});
		expect(await json(response)).toMatchObject({
			id: 'pay_1',
			mode: 'live',
			status: 'awaiting_connection',
		});
		expect(service.state.payments.size).toBe(1);
	});

	it('replaces and appends cookies', async () => {
		const put = async (name: string, mode?: string) =>
			await json(await main('POST', '/profiles/a%2Fb/cookies', { cookies: [{ ...cookie, name }], mode }));
		expect(await put('one')).toEqual({
			success: true,
			message: '1 cookies set',
			cookies_count: 1,
			mode: 'replace',
		});
		expect(await put('two', 'append')).toMatchObject({ mode: 'append' });
		expect(service.state.profiles.get('a/b')?.map(({ name }) => name)).toEqual(['one', 'two']);
		await put('three', 'replace');
		expect(service.state.profiles.get('a/b')?.map(({ name }) => name)).toEqual(['three']);
	});

	it('connects, reconnects and deletes mailboxes', async () => {
		const made = await json(await main('POST', '/mailboxes/connect-token', { ...uris, provider: 'other' }));
		expect(made).toMatchObject({ mailbox_id: 'mailbox-2', connect_link_url: expect.any(String) });
		const again = { ...uris, mailbox_id: 'mailbox-2' };
		expect((await main('POST', '/mailboxes/connect-token', again)).status).toBe(200);
		expect(service.state.mailboxes.get('mailbox-2')).toMatchObject({
			provider: 'other',
			tokens: 2,
		});
		const gone = await main('DELETE', '/mailboxes/mailbox-2');
		expect([gone.status, await gone.text()]).toEqual([204, '']);
		expect((await main('DELETE', '/mailboxes/mailbox-2')).status).toBe(404);
		expect((await main('POST', '/mailboxes/connect-token', again)).status).toBe(404);
	});

	it.each([
		[
			'searchResults',
			{
				results: [{ url: expect.any(String), name: expect.any(String), content: expect.any(String) }],
			},
		],
		[
			'sourcedAnswer',
			{
				answer: expect.any(String),
				sources: [expect.objectContaining({ url: expect.any(String) })],
			},
		],
		['anything', { kind: 'anything', received: { q: 'x', outputType: 'anything', maxResults: 1 } }],
	])('searches for %s', async (outputType, expected) => {
		expect(await json(await main('POST', '/search', { q: 'x', outputType, maxResults: 1 }))).toEqual(expected);
	});

	it('writes scripts', async () => {
		const script = async (query: string) =>
			String((await json(await main('GET', `/sessions/session-1/workflow/code${query}`))).python_script);
		expect(await script('')).toContain('with Session()');
		expect(await script('?as_workflow=false')).not.toContain('with Session()');
		expect(await script('?infer_response_format=true')).toContain('response_format');
		expect((await main('GET', '/sessions/none/workflow/code')).status).toBe(404);
	});

	it.each([
		['unavailable', 410, { replay_status: 'unavailable', retryable: false }],
		['failed', 404, { replay_status: 'failed', retryable: false }],
		['none', 404, { detail: 'Session not found' }],
		['null-fields', 200, { mp4_url: null, playlist_content: null, video_start_ms: null }],
	])('replays %s', async (id, status, expected) => {
		const response = await main('GET', `/sessions/${id}/replay`);
		expect(response.status).toBe(status);
		expect(await json(response)).toMatchObject(expected);
	});

	it('finishes a processing replay after as many asks as its name says', async () => {
		const ask = async () => await main('GET', '/sessions/processing-2/replay');
		expect(await json(await ask())).toMatchObject({ replay_status: 'processing', retryable: true });
		expect((await ask()).status).toBe(404);
		expect((await ask()).status).toBe(200);
	});

	it('serves recordings and segments by their signature alone', async () => {
		service.state.sessions.set('odd/id', session({ bytes: 5000 }));
		for (const [id, size] of [
			['odd%2Fid', 5000],
			['sized-100000', 100_000],
			['sized-0', 0],
		] as const) {
			const { mp4_url, playlist_content } = await json(await main('GET', `/sessions/${id}/replay`));
			const video = await fetch(String(mp4_url));
			expect(video.headers.get('content-type')).toBe('video/mp4');
			expect((await video.arrayBuffer()).byteLength).toBe(size);
			expect((await send('GET', String(mp4_url))).status).toBe(400);
			expect((await fetch(String(mp4_url).replace(/.$/, '!'))).status).toBe(403);
			const segments = String(playlist_content).match(/^http.*$/gm) ?? [];
			expect(segments).toHaveLength(3);
			expect((await fetch(segments[2])).status).toBe(200);
		}
	});

	it('gets secrets by name and namespace, deletes them by id', async () => {
		const name = encodeURIComponent('team/shop key 100%?#é');
		const get = async () => await main('GET', `/secrets/${name}?namespace=function_env`);
		expect(await json(await get())).toEqual({ value: 'value-of-shop-key' });
		expect((await main('GET', `/secrets/${name}?namespace=llm_provider`)).status).toBe(404);
		expect((await main('DELETE', `/secrets/${name}`)).status).toBe(404);
		expect((await main('DELETE', '/secrets/sec_2')).status).toBe(204);
		expect((await get()).status).toBe(404);
	});
});

describe('the OpenAPI document', () => {
	it('holds the ten operations of the contract', () => {
		const operations = Object.entries(document.paths).flatMap(([path, item]) =>
			Object.entries(item)
				.filter(([key]) => key !== 'servers')
				.map(([method]) => `${method} ${path}`),
		);
		expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.9.2']);
		expect(operations).toEqual([
			'post /payments/connect',
			'post /profiles/{profile_id}/cookies',
			'post /mailboxes/connect-token',
			'delete /mailboxes/{mailbox_id}',
			'post /search',
			'get /sessions/{session_id}/workflow/code',
			'get /sessions/{session_id}/replay',
			'get /secrets/{name}',
			'delete /secrets/{secret_id}',
			'post /api/anything/start',
		]);
	});

	it.each(Object.entries(document.components.schemas))('%s is JSON Schema 2020-12', (_, schema) => {
		expect(new Ajv2020().validateSchema(schema)).toBe(true);
	});
});

describe('a service of its own', () => {
	it('records requests, and forgets them on reset', async () => {
		await main('POST', '/search?a=%20b', { q: 'x', n: [1] });
		expect(service.requests).toMatchObject([
			{
				method: 'POST',
				path: '/rest/search',
				query: { a: ' b' },
				body: { q: 'x', n: [1] },
				status: 200,
			},
		]);
		service.state.secrets.clear();
		service.reset();
		expect(service.requests).toEqual([]);
		expect(service.state.secrets.size).toBe(2);
	});

	it('stops at once, whatever goes on', async () => {
		const own = await startService({ apiKey: 'own' });
		const headers = { authorization: 'Bearer own', 'content-type': 'application/json' };
		const answers = ['hang', 'trickle', 'mute', 'demo', 'slow', 'huge 1000000'].map(
			async (query) =>
				await fetch(own.automationUrl + START, {
					method: 'POST',
					headers,
					body: JSON.stringify({ query }),
				}),
		);
		answers.forEach((answer) => void answer.catch(() => undefined));
		await own.waitForStart(answers.length);
		const waiting = own.waitForStart(99);
		await Promise.all([own.stop(), expect(waiting).rejects.toThrow('stopped')]);
		expect(await Promise.all(own.starts.map(async ({ closed }) => await closed))).not.toContain('aborted');
		expect(own.violations).toEqual([]);
	});
});
