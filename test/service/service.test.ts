/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { setTimeout as sleep } from 'node:timers/promises';

import { useService } from '../support/use-service';
import { BOOKS } from './agent/books';
import { doneTwice } from './agent/steady-agent';

const service = useService();

/** Sends a body as JSON, a text as it is. */
async function send(method: string, url: string, body?: unknown) {
	const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
	const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
	return await fetch(url, { method, headers, body: text });
}

const start = async (body: unknown) => await send('POST', `${service.automationUrl}/api/anything/start`, body);
const threadOf = ({ headers }: Response) => headers.get('x-thread-id')!;
/** The text of a run. */
const textOf = async (response: Response) => (await response.text()).match(/(?<="delta":")[^"]+/g)!.join('');
const json = async (response: Response) => (await response.json()) as Record<string, unknown>;

describe('the service', () => {
	it.each([
		['[]', 'invalid_json'],
		[{ query: ' ' }, 'missing_query'],
		[{ version: 'v1' }, 'unsupported_version'],
		[{ query: 'quick', thread_id: 'mine' }, 'invalid_request'],
		[{ query: 'quick', detach: 'yes' }, 'invalid_request'],
	])('rejects a start with %j as %s', async (body, error) => {
		const response = await start(body);
		expect([response.status, await json(response)]).toEqual([400, { error, message: expect.any(String) }]);
		expect(service.starts).toEqual([]);
	});

	const cookies = [{ name: 'sid', value: 'v', domain: '.e.co', path: '/', httpOnly: true, expires: '1' }];
	it.each([
		['POST /payments/connect', undefined, ['body'], 'Field required'],
		['POST /payments/connect', { mode: 'demo' }, ['body', 'mode'], "Input should be 'test' or 'live'"],
		['POST /payments/connect', { other: 1 }, ['body', 'other'], 'Extra inputs are not permitted'],
		['POST /payments/connect', '{', ['body'], 'JSON decode error'],
		['POST /profiles/p/cookies', { cookies: [{}] }, ['body', 'cookies', 0, 'name'], 'Field required'],
		['POST /profiles/p/cookies', { cookies }, ['body', 'cookies', 0, 'expires'], 'Input should be a valid number'],
		['POST /search', { q: '' }, ['body', 'q'], expect.any(String)],
		['GET /sessions/s/workflow/code?as_workflow=7', undefined, ['query', 'as_workflow'], expect.any(String)],
		['GET /secrets/MODEL_KEY', undefined, ['query', 'namespace'], 'Field required'],
	])('rejects %s with %j', async (request, body, loc, msg) => {
		const [method, path] = request.split(' ');
		const response = await send(method, service.baseUrl + path, body);
		const detail = expect.arrayContaining([expect.objectContaining({ loc, msg })]);
		expect([response.status, await json(response)]).toEqual([422, { detail }]);
	});
});

describe('the agent for books', () => {
	const properties = {
		product_name: { type: 'string', description: 'Full name, not that of the cheapest book' },
		price: { type: 'number' },
		URL: { type: 'string' },
		in_stock: { type: 'boolean' },
		colour: { type: 'array' },
	};
	const FORM = `When you are done, reply with one JSON code block and write nothing after it.
Each row has exactly the keys, in the order, of this JSON Schema:
${JSON.stringify({ type: 'object', properties })}`;

	async function ask(query: string, thread_id?: string) {
		const text = await (await start({ query: `${query}\n\n${FORM}`, thread_id })).text();
		const lines = text.match(/(?<=^data: )\{.*/gm) ?? [];
		const chunks = lines.map((line) => JSON.parse(line) as Record<string, string>);
		const [, block] = /```json\n([^]*)\n```$/.exec(chunks.map(({ delta }) => delta ?? '').join(''))!;
		return { chunks, ...(JSON.parse(block) as { rows: Array<Record<string, unknown>>; not_done?: string }) };
	}

	it('opens their page, and returns those of the task in the columns that it asks for', async () => {
		const { rows, chunks } = await ask('Find the three cheapest books of https://books.toscrape.com');
		const URL = 'https://books.toscrape.com/catalogue/1000-places-to-see-before-you-die_1/index.html';
		const second = { product_name: BOOKS.at(-1)!.name, price: 26.08, URL, in_stock: true, colour: null };
		const [first, third] = [23.21, 30.54].map((price) => expect.objectContaining({ price }) as object);
		expect(rows).toEqual([first, second, third]);
		expect(chunks.filter(({ type }) => type === 'tool-output-available')).toHaveLength(1);
	});

	it.each([
		['Read all books', BOOKS],
		['Find the book "The Great Railway", and send {"result": "its price"}', [BOOKS[6]]],
		['Find the cheapest offer, and send {"result": "its price"}', [BOOKS[8]]],
		['Read my orders', []],
	])('understands "%s", also in its thread', async (task, expected) => {
		const { thread_id } = await json(await start({ query: task, detach: true }));
		for (const one of [await ask(task), await ask('Return what you found', String(thread_id))])
			expect(one.rows.map((row) => row.product_name)).toEqual(expected.map(({ name }) => name));
	});
});

it('the steady agent continues while nobody listens, rejects another run meanwhile, and counts what is done twice', async () => {
	const query = 'steady 0.3 Order it';
	const first = await start({ query });
	const thread_id = threadOf(first);
	await first.body!.cancel();
	expect((await start({ query, thread_id })).status).toBe(409);
	while (service.state.works.get(thread_id)!.isGoingOn) await sleep(20);
	const lost = `The connection was lost, and your reply was not received completely.\n\n${query}`;
	expect(await textOf(await start({ query: lost, thread_id }))).toBe('All 10 steps are done.');
	expect(doneTwice(service.state)).toBe(0);
	await (await start({ query, thread_id })).text();
	expect(doneTwice(service.state)).toBe(10);
});
