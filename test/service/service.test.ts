/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { setTimeout as sleep } from 'node:timers/promises';

import { useService } from '../support/use-service';
import { doneTwice } from './agent/steady-agent';
import { offers } from './shop/offers';

const service = useService();

/** Sends a body as JSON, a text as it is. */
async function send(method: string, url: string, body?: unknown) {
	const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
	const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
	return await fetch(url, { method, headers, body: text });
}

const start = async (body: unknown) => await send('POST', `${service.automationUrl}/api/anything/start`, body);
const json = async (response: Response) => (await response.json()) as Record<string, unknown>;

describe('the service', () => {
	it.each([
		['[]', 'invalid_json'],
		[{ query: ' ' }, 'missing_query'],
		[{ version: 'v1' }, 'unsupported_version'],
		[{ query: 'quick', thread_id: 'mine' }, 'invalid_request'],
		[{ query: 'quick', detach: 'yes' }, 'invalid_request'],
	])('refuses a start with %j as %s', async (body, error) => {
		const response = await start(body);
		expect([response.status, await json(response)]).toEqual([400, { error, message: expect.any(String) }]);
		expect(service.starts).toEqual([]);
	});

	const cookies = [{ name: 'sid', value: 'v', domain: '.e.co', path: '/', httpOnly: true, expires: '1' }];
	it.each([
		['POST', '/payments/connect', undefined, ['body'], 'Field required'],
		['POST', '/payments/connect', { mode: 'demo' }, ['body', 'mode'], "Input should be 'test' or 'live'"],
		['POST', '/payments/connect', { other: 1 }, ['body', 'other'], 'Extra inputs are not permitted'],
		['POST', '/payments/connect', '{', ['body'], 'JSON decode error'],
		['POST', '/profiles/p/cookies', { cookies: [{}] }, ['body', 'cookies', 0, 'name'], 'Field required'],
		['POST', '/profiles/p/cookies', { cookies }, ['body', 'cookies', 0, 'expires'], 'Input should be a valid number'],
		['POST', '/search', { q: '' }, ['body', 'q'], expect.any(String)],
		['GET', '/sessions/s/workflow/code?as_workflow=7', undefined, ['query', 'as_workflow'], expect.any(String)],
		['GET', '/secrets/MODEL_KEY', undefined, ['query', 'namespace'], 'Field required'],
	])('refuses %s %s with %j', async (method, path, body, loc, msg) => {
		const response = await send(method, service.baseUrl + path, body);
		const detail = expect.arrayContaining([expect.objectContaining({ loc, msg })]);
		expect([response.status, await json(response)]).toEqual([422, { detail }]);
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
		const text = await (await start({ query: `${query}\n\n${FORM}`, thread_id })).text();
		const lines = text.match(/(?<=^data: )\{.*/gm) ?? [];
		const chunks = lines.map((line) => JSON.parse(line) as Record<string, string>);
		const [, block] = /```json\n([^]*)\n```$/.exec(chunks.map(({ delta }) => delta ?? '').join(''))!;
		return { chunks, rows: (JSON.parse(block) as { rows: Array<Record<string, unknown>> }).rows };
	}

	it('opens every page, and returns the cheapest offers in the columns that the task asks for', async () => {
		const { rows, chunks } = await rowsOf(`Find the two cheapest on ${service.shopUrl}`);
		const link = `${service.shopUrl}offers/beeswax-candle`;
		const first = { product_name: 'Beeswax Candle', price: 4.2, URL: link, in_stock: true, colour: null };
		expect(rows).toEqual([first, expect.objectContaining({ price: 6.5 })]);
		expect(chunks.filter(({ type }) => type === 'tool-output-available')).toHaveLength(3);
		expect(chunks).toContainEqual(expect.objectContaining({ type: 'file', mediaType: 'image/png' }));
		expect(service.visits).toEqual(PAGES);
	});

	it('knows the books of a public practice shop by heart', async () => {
		const task = 'Find the three cheapest books in the Travel category of https://books.toscrape.com';
		const { rows } = await rowsOf(task);
		expect(rows.map(({ price }) => price)).toEqual([23.21, 26.08, 30.54]);
		const { rows: one } = await rowsOf('Find "The Great Railway" on books.toscrape.com');
		expect(one).toEqual([rows[2]]);
		expect(JSON.stringify(one)).toContain(
			'https://books.toscrape.com/catalogue/the-great-railway-bazaar_446/index.html',
		);
	});

	it.each([
		['Read the shop', offers],
		['Find the best-rated offer on the shop', offers.filter(({ rating }) => rating === 5)],
		['Find the offers under 20 that are in stock', offers.filter(({ price = 99, stock }) => price < 20 && stock > 0)],
	])('understands "%s"', async (task, expected) => {
		const names = (await rowsOf(task)).rows.map((row) => row.product_name);
		expect(names).toEqual(expected.map(({ name }) => name));
	});

	it('returns prices as shown until a follow-up complains', async () => {
		const { thread_id } = await json(await start({ query: 'Find the cheapest offer on the shop', detach: true }));
		const query = 'Return the offers that you found, with prices as shown';
		const shown = await rowsOf(query, String(thread_id));
		const mended = await rowsOf('Your last reply does not fit:\n- Row 1: "price" must be …', String(thread_id));
		expect([shown.rows, mended.rows]).toMatchObject([[{ price: '€ 4.20' }], [{ price: 4.2 }]]);
		expect(service.visits).toEqual(PAGES);
	});
});

it('the portal asks for a one-time code, and signs in with it in the same thread', async () => {
	const query = 'List my invoices, and stop if a one-time code is needed\n\nTASK NOT DONE:';
	const first = await start({ query });
	expect(await first.text()).toContain('TASK ');
	const next = { query: 'The one-time code is 123456', thread_id: first.headers.get('x-thread-id') };
	expect((await (await start(next)).text()).match(/(?<="delta":")[^"]+/g)!.join('')).toMatch(/invoices: 17 and 23/);
});

it('the steady agent goes on while nobody listens, refuses another run meanwhile, and counts what is done twice', async () => {
	const query = 'steady 0.3 Order it';
	const first = await start({ query });
	const thread_id = first.headers.get('x-thread-id');
	await first.body!.cancel();
	expect((await start({ query, thread_id })).status).toBe(409);
	while (service.state.works.get(String(thread_id))!.isGoingOn) await sleep(20);
	const lost = `The connection was lost and your reply did not arrive whole.\n\n${query}`;
	expect(await (await start({ query: lost, thread_id })).text()).toContain('All 10 steps are done.');
	expect(doneTwice(service.state)).toBe(0);
	await (await start({ query, thread_id })).text();
	expect(doneTwice(service.state)).toBe(10);
});
