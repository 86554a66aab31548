import { useService } from '../support/use-service';
import { session, startService } from './service';
import { offers } from './shop/offers';

const service = useService();

/** A request with the key, unless another authorization is given; `body` is sent as JSON, text as it is. */
async function send(method: string, url: string, body?: unknown, authorization = `Bearer ${service.apiKey}`) {
	const headers = { authorization, 'content-type': 'application/json' };
	const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
	return await fetch(url, { method, redirect: 'manual', headers, body: text });
}

const start = async (body: unknown) => await send('POST', `${service.automationUrl}/api/anything/start`, body);
const run = async (query: string) => await start({ query });
const main = async (method: string, path: string, body?: unknown) => await send(method, service.baseUrl + path, body);
const json = async (response: Response) => (await response.json()) as Record<string, unknown>;
const outcome = async () => await service.starts[0].closed;

/** The chunks of a stream, each of which must be JSON in a data line. */
const chunksOf = (text: string) =>
	text
		.split('\n')
		.filter((line) => line !== '' && line !== 'data: [DONE]')
		.map((line) => JSON.parse(line.replace(/^data: /, '')) as Record<string, string>);
const typesOf = (text: string) => chunksOf(text).map(({ type }) => type);

describe('the service', () => {
	it.each(['', 'Bearer wrong', 'test-api-key', 'bearer test-api-key'])(
		'answers the key "%s" with 401',
		async (authorization) => {
			for (const url of [`${service.automationUrl}/api/anything/start`, `${service.baseUrl}/search`]) {
				const response = await send('POST', url, '{', authorization);
				expect([response.status, await json(response)]).toEqual([401, { detail: 'Invalid or missing API key' }]);
			}
			expect([service.unauthorized, service.starts.length]).toEqual([2, 0]);
		},
	);

	it('notices when the two addresses are mixed up', async () => {
		await main('POST', '/api/anything/start', { query: 'quick' });
		await send('POST', `${service.automationUrl}/search`, { q: 'x' });
		await main('GET', '/search?a=%20b');
		expect(service.requests.map(({ status }) => status)).toEqual([404, 404, 405]);
		expect(service.requests[2]).toMatchObject({ method: 'GET', path: '/rest/search', query: { a: ' b' } });
	});
});

describe('the token endpoint', () => {
	const form = (change: Record<string, string> = {}) =>
		new URLSearchParams({ grant_type: 'password', ...service.user, ...change }).toString();
	const FORM = 'application/x-www-form-urlencoded';
	const ask = async (body = form(), type = FORM) =>
		await fetch(`${service.baseUrl}/token`, { method: 'POST', headers: { 'content-type': type }, body });

	it.each([
		[() => form({ password: 'wrong' }), 'invalid_grant'],
		[() => form({ username: 'nobody' }), 'invalid_grant'],
		[() => form({ grant_type: 'client_credentials' }), 'unsupported_grant_type'],
		[() => form({ grant_type: '' }), 'invalid_request'],
		[() => form({ password: '' }), 'invalid_request'],
		[() => `${form()}&username=again`, 'invalid_request'],
		[() => form({ scope: 'all' }), 'invalid_scope'],
		[() => form(), 'invalid_request', 'application/json'],
	])('refuses %s with %s', async (body, error, type = FORM) => {
		const response = await ask(body(), type);
		expect([response.status, response.headers.get('cache-control')]).toEqual([400, 'no-store']);
		expect(await json(response)).toEqual({ error, error_description: expect.any(String) });
		expect(service.tokens.issued).toEqual([]);
	});

	it('issues tokens for the main interface only', async () => {
		const bearer = `Bearer ${String((await json(await ask())).access_token)}`;
		expect((await send('POST', `${service.baseUrl}/search`, { q: 'x' }, bearer)).status).toBe(200);
		const url = `${service.automationUrl}/api/anything/start`;
		expect((await send('POST', url, { query: 'quick' }, bearer)).status).toBe(401);
	});
});

describe('the start endpoint', () => {
	it.each([
		['{"query":', 'invalid_json'],
		['', 'invalid_json'],
		['[]', 'invalid_json'],
		[{ query: ' ' }, 'missing_query'],
		[{ version: 'v1' }, 'unsupported_version'],
		[{ query: 'quick', thread_id: 'mine' }, 'invalid_request'],
		[{ query: 'quick', detach: 'yes' }, 'invalid_request'],
	])('refuses %j with %s', async (body, error) => {
		const response = await start(body);
		expect([response.status, await json(response)]).toEqual([400, { error, message: expect.any(String) }]);
		expect(service.starts).toEqual([]);
	});

	it('continues a thread', async () => {
		const first = await run('quick Read prices');
		const thread_id = first.headers.get('x-thread-id');
		const second = await start({ query: 'quick Sort them', thread_id });
		expect(second.headers.get('x-thread-id')).toBe(thread_id);
		expect(await second.text()).toMatch(/"Done: ".*"Sort ".*"Earlier ".*"Read ".*"prices/s);
	});

	it('plays the run of a real agent loop by default', async () => {
		const types = typesOf(await (await run('Read the prices of example.com')).text());
		const expected = ['reasoning-end', 'tool-output-available', 'text-end', 'tool-output-error', 'source-url', 'file'];
		expect(types.filter((type, index) => expected.includes(type) && types.indexOf(type) === index)).toEqual(expected);
		expect(types).toEqual(expect.arrayContaining(['data-progress', 'data-status', 'source-document']));
		expect(types.at(-1)).toBe('finish');
	});
});

describe('the scenarios of the service', () => {
	it.each(['quick', 'huge 9'])('play %s as a valid stream to its end', async (query) => {
		const text = await (await run(query)).text();
		expect(text).toMatch(/data: \[DONE\]\n+$/);
		expect(typesOf(text)).toContain('text-end');
		expect(await outcome()).toBe('finished');
	});

	it.each([
		['lines', /^(?![^]*\n\n)/],
		['garbage', /data: \{not json\n/],
	])('let %s deviate in its one way', async (query, pattern) => {
		expect(await (await run(query)).text()).toMatch(pattern);
	});

	// A million deltas do not fit into the buffers of a socket: the service waits for the client.
	it.each(['demo', 'Read the shop', 'huge 1000000'])('see a client of %s go away', async (query) => {
		await (await run(query)).body!.cancel();
		expect(await outcome()).toBe('aborted');
	});
});

describe('the agent in the shop', () => {
	const FORM = `When you are done, reply with one JSON code block and write nothing after it.
- "product_name" (text, required): Full name, not that of the shop in stock
- "price" (number)
- "URL" (text)
- "in_stock" (true or false)
- "colour" (list)`;
	const PAGES = ['/shop/', '/shop/?page=2', '/shop/?page=3'];

	async function rowsOf(query: string, thread_id?: string) {
		const chunks = chunksOf(await (await start({ query: `${query}\n\n${FORM}`, thread_id })).text());
		const [, block] = /```json\n([^]*)\n```$/.exec(chunks.map(({ delta }) => delta ?? '').join(''))!;
		return { chunks, rows: (JSON.parse(block) as { rows: Array<Record<string, unknown>> }).rows };
	}

	it('opens every page, and returns the cheapest offers in the columns that the task asks for', async () => {
		const { rows, chunks } = await rowsOf(`Find the two cheapest on ${service.shopUrl} and attach the price list`);
		expect(service.visits).toEqual([...PAGES, '/shop/price-list.csv']);
		const link = `${service.shopUrl}offers/beeswax-candle`;
		const first = { product_name: 'Beeswax Candle', price: 4.2, URL: link, in_stock: true, colour: null };
		expect(rows).toEqual([first, expect.objectContaining({ price: 6.5 })]);
		const read = (type: string) => chunks.filter((chunk) => chunk.type === type);
		expect(read('source-url').map(({ url }) => new URL(url).pathname + new URL(url).search)).toEqual(PAGES);
		expect(read('tool-output-available')).toHaveLength(3);
		expect(read('file').map(({ mediaType }) => mediaType)).toEqual(['image/png', 'text/csv']);
	});

	it.each([
		['Read the shop', offers],
		['Find the best-rated offer on the shop', offers.filter(({ rating }) => rating === 5)],
		['Find the offers under 20 that are in stock', offers.filter(({ price = 99, stock }) => price < 20 && stock > 0)],
		['Find the 3 cheapest offers under 1', []],
	])('understands "%s"', async (task, expected) => {
		const names = (await rowsOf(task)).rows.map((row) => row.product_name);
		expect(names).toEqual(expected.map(({ name }) => name));
	});

	it('returns prices as shown until a follow-up complains', async () => {
		const first = await json(await start({ query: 'Find the cheapest offer on the shop', detach: true }));
		const thread_id = String(first.thread_id);
		expect(await service.state.readings.get(thread_id)).toHaveLength(PAGES.length);
		const shown = await rowsOf('Return the offers that you found, with prices as shown', thread_id);
		const mended = await rowsOf('Your last reply does not fit:\n- Row 1: "price" must be … "2 in stock"', thread_id);
		expect([shown.rows, mended.rows]).toMatchObject([[{ price: '€ 4.20' }], [{ price: 4.2 }]]);
		expect(service.visits).toEqual(PAGES);
	});

	it('leaves a task that names a scenario alone, also in a thread about the shop', async () => {
		const { thread_id } = await json(await start({ query: 'Read the shop', detach: true }));
		expect(await (await start({ query: 'quick offers of the shop', thread_id })).text()).toContain('"Done: "');
	});
});

describe('the main interface', () => {
	const cookie = { name: 'sid', value: 'secret', domain: '.example.com', path: '/', httpOnly: true };
	const COOKIES = '/profiles/p/cookies';

	it.each([
		['POST', '/payments/connect', undefined, ['body'], 'missing'],
		['POST', '/payments/connect', { mode: 'demo' }, ['body', 'mode'], 'literal_error'],
		['POST', '/payments/connect', { other: 1 }, ['body', 'other'], 'extra_forbidden'],
		['POST', '/payments/connect', '{', ['body'], 'json_invalid'],
		['POST', COOKIES, { cookies: [] }, ['body', 'cookies'], 'too_short'],
		['POST', COOKIES, { cookies: [{ ...cookie, name: undefined }] }, ['body', 'cookies', 0, 'name'], 'missing'],
		['POST', COOKIES, { cookies: [{ ...cookie, expires: '1' }] }, ['body', 'cookies', 0, 'expires'], 'float_type'],
		['POST', '/search', { q: '' }, ['body', 'q'], 'string_too_short'],
		['GET', '/sessions/s/workflow/code?as_workflow=perhaps', undefined, ['query', 'as_workflow'], 'bool_parsing'],
		['GET', '/secrets/MODEL_KEY', undefined, ['query', 'namespace'], 'missing'],
	])('refuses %s %s with %j', async (method, path, body, loc, type) => {
		const response = await main(method, path, body);
		const detail = [expect.objectContaining({ loc, type, msg: expect.any(String), input: expect.anything() })];
		if (type === 'missing') detail[0] = expect.objectContaining({ loc, type, msg: 'Field required' });
		expect([response.status, await json(response)]).toEqual([422, { detail }]);
	});

	it('repeats the input of an invalid request, as its framework does', async () => {
		const input = { ...cookie, domain: undefined };
		const { detail } = await json(await main('POST', COOKIES, { cookies: [input] }));
		expect(detail).toMatchObject([{ input: { value: 'secret' }, ctx: { given: { value: 'secret' } } }]);
	});

	it('serves recordings and segments by their signature alone', async () => {
		service.state.sessions.set('odd/id', session({ bytes: 5000 }));
		const { mp4_url, playlist_content } = await json(await main('GET', '/sessions/odd%2Fid/replay'));
		const video = await fetch(String(mp4_url));
		expect([video.headers.get('content-type'), (await video.arrayBuffer()).byteLength]).toEqual(['video/mp4', 5000]);
		expect((await send('GET', String(mp4_url))).status).toBe(400);
		expect((await fetch(String(mp4_url).replace(/.$/, '!'))).status).toBe(403);
		const segments = String(playlist_content).match(/^http.*$/gm)!;
		expect([segments.length, (await fetch(segments[2])).status]).toEqual([3, 200]);
	});
});

it('stops at once, whatever is running', async () => {
	const own = await startService();
	const queries = ['hang', 'trickle', 'mute', 'demo', 'Read the shop', 'slow', 'huge 1000000'];
	for (const query of queries) {
		void send('POST', `${own.automationUrl}/api/anything/start`, { query }).catch(() => undefined);
	}
	await own.waitForStart(queries.length);
	const waiting = own.waitForStart(99);
	await Promise.all([own.stop(), expect(waiting).rejects.toThrow('stopped')]);
	expect(await Promise.all(own.starts.map(async ({ closed }) => await closed))).not.toContain('aborted');
	expect(own.violations).toEqual([]);
});
