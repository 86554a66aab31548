import nock from 'nock';
import type { INodePropertyOptions } from 'n8n-workflow';

import { operations, type TestedOperation } from '../contract/operations';
import { everythingOf, registry, runNode, TYPE, type Ran } from './browser-automation';

const API_KEY = 'key-that-nobody-may-see';
const address = {
	apiKey: API_KEY,
	baseUrl: 'https://api.example.test/prefix/',
	automationUrl: 'https://automation.example.test',
};

const now = new Date('2026-11-20T12:00:00Z').getTime();
beforeAll(() => nock.disableNetConnect());
beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(now));
afterEach(() => {
	jest.restoreAllMocks();
	nock.cleanAll();
});
afterAll(() => {
	nock.enableNetConnect();
	nock.restore();
});

const urlOf = ({ resource, path }: TestedOperation) =>
	resource === 'automationRun'
		? new URL(`https://automation.example.test${path}`)
		: new URL(`https://api.example.test/prefix${path}`);

/** Answers every request to the operation; tells how many there were. */
function answer(tested: TestedOperation, status: number, body: nock.Body, headers: Record<string, string> = {}) {
	const { origin, pathname } = urlOf(tested);
	let count = 0;
	nock(origin)
		.persist()
		.intercept((uri) => uri.split('?')[0] === pathname, tested.method)
		.reply(() => {
			count++;
			return [status, body, headers];
		});
	return () => count;
}

const run = async ({ resource, operation, required }: TestedOperation, options = {}): Promise<Ran> =>
	await runNode(address, { resource, operation, ...required }, options);

const html =
	'<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>key-that-nobody-may-see</body></html>';

interface Case {
	status: number;
	body: nock.Body;
	headers?: Record<string, string>;
	message: string;
	advice: RegExp;
}

const cases: Case[] = [
	{
		status: 400,
		body: { error: 'bad', message: 'Not so' },
		message: 'Not so (bad)',
		advice: /Correct it in this node/,
	},
	{ status: 401, body: { detail: 'Invalid API key' }, message: 'Invalid API key', advice: /Check the API key/ },
	{
		status: 403,
		body: { error: { code: 'no', message: 'Not yours' } },
		message: 'Not yours (no)',
		advice: /lacks a permission/,
	},
	{ status: 404, body: { detail: 'Not here' }, message: 'Not here', advice: /Check the ID/ },
	{ status: 409, body: { message: 'Busy', detail: 'Locked' }, message: 'Busy: Locked', advice: /try again/ },
	{ status: 410, body: { detail: 'Gone' }, message: 'Gone', advice: /no longer exists/ },
	{
		status: 429,
		body: { detail: 'Slow down' },
		headers: { 'Retry-After': '30' },
		message: 'Slow down',
		advice: /in 30 seconds, at 2026-11-20T12:00:30.000Z or later/,
	},
	{
		status: 429,
		body: '',
		headers: { 'X-RateLimit-Reset': String(now / 1000 + 90) },
		message: 'The service returned error 429 without a reason',
		advice: /in 90 seconds, at 2026-11-20T12:01:30.000Z or later/,
	},
	{ status: 500, body: { error: 'boom' }, message: 'boom', advice: /Try again later/ },
	{
		status: 500,
		body: '',
		message: 'The service returned error 500 without a reason',
		advice: /Try again later/,
	},
	{
		status: 502,
		body: html,
		headers: { 'content-type': 'text/html' },
		message: 'The service returned a web page titled "502 Bad Gateway" (status 502)',
		advice: /Try again later/,
	},
	{ status: 503, body: 'upstream connect error', message: 'upstream connect error', advice: /Try again later/ },
	{ status: 529, body: { detail: 'Overloaded' }, message: 'Overloaded', advice: /overloaded/ },
	{
		status: 302,
		body: '',
		headers: { Location: 'https://elsewhere.example.test/' },
		message: 'The service redirected to another address',
		advice: /Enter the final URL/,
	},
	{
		status: 200,
		body: html,
		headers: { 'content-type': 'text/html' },
		message: 'The service returned a web page titled "502 Bad Gateway" (status 200)',
		advice: /points to the service/,
	},
	{
		status: 401,
		body: { detail: `No such key: ${API_KEY}` },
		message: 'No such key: ***',
		advice: /Check the API key/,
	},
];

const operationOf = (name: string) => operations.find(({ operation }) => operation === name)!;

describe('an operation', () => {
	const tested = operationOf('getScript');

	it.each(cases)('makes an error of $status $body', async ({ status, body, headers, message, advice }) => {
		const count = answer(tested, status, body, headers);
		const { error, items } = await run(tested);
		expect(error).toMatchObject({ name: 'NodeApiError', message, httpCode: String(status), context: { itemIndex: 0 } });
		expect(error!.description).toMatch(advice);
		expect(error!.description).not.toContain(message);
		expect(everythingOf(error)).not.toContain(API_KEY);
		expect(items).toEqual([]);
		expect(count()).toBe(1);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'returns an error item with %s',
		async (onError) => {
			answer(tested, 404, { detail: 'Not here' });
			const { items, errorItems, status } = await run(tested, { node: { onError } });
			expect(status).toBe('success');
			const list = onError === 'continueErrorOutput' ? errorItems : items;
			expect(list.map(({ json }) => json)).toEqual([{ error: 'Not here' }]);
		},
	);

	it.each([
		['http://api.example.test', 'Base URL starts with http://, so the API key would be sent unencrypted'],
		['api.example.test', 'Base URL does not start with https://'],
		['', 'Base URL is empty'],
	])('sends nothing if the URL in the credential is %j', async (url, message) => {
		const count = answer(tested, 200, {});
		const { error } = await run(tested, { credentials: { baseUrl: url } });
		expect(error?.message).toBe(message);
		expect(everythingOf(error)).not.toContain(API_KEY);
		expect(count()).toBe(0);
	});
});

describe.each(operations)('$resource $operation', (tested) => {
	const isStart = tested.operation === 'start';

	it('names every field of a 422 and nothing of what was sent', async () => {
		const secret = 'value-that-was-sent';
		const echo = { input: { value: secret }, ctx: { given: secret } };
		const detail = [
			{ loc: ['body', 'cookies', 0, 'name'], msg: 'Field required', type: 'missing', ...echo },
			{ loc: ['query', 'x'], msg: `Input should not be ${API_KEY}`, type: 'string_type', ...echo },
		];
		const count = answer(tested, 422, { detail });
		const { error, items } = await run(tested);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: 'body.cookies.0.name: Field required; query.x: Input should not be ***',
			httpCode: '422',
			context: { itemIndex: 0 },
		});
		expect(everythingOf(error)).not.toContain(secret);
		expect(everythingOf(error)).not.toContain(API_KEY);
		expect(items).toEqual([]);
		expect(count()).toBe(1);
	});

	it('keeps the request out of the error if there is no response', async () => {
		// A port that nothing listens on: nock's own refusal may come before the client listens for it.
		const nowhere = 'http://127.0.0.1:1';
		nock.enableNetConnect('127.0.0.1:1');
		const { error } = await run(tested, { credentials: { baseUrl: nowhere, automationUrl: nowhere } });
		nock.disableNetConnect();
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: 'No response from the service: connection refused',
			context: { itemIndex: 0 },
		});
		expect(error!.description).toContain(isStart ? 'No run was started' : 'Check the Base URL in the credential');
		expect(everythingOf(error)).not.toContain(API_KEY);
		expect(everythingOf(error)).not.toContain('value-of-sid');
	});

	it('sends nothing if its URL in the credential is empty', async () => {
		const { error } = await run(tested, { credentials: isStart ? { automationUrl: '' } : { baseUrl: '' } });
		expect(error?.message).toBe(isStart ? 'Automation URL is empty' : 'Base URL is empty');
	});
});

it.each([409, 410, 500, 502])('tells after %d that a start may have started a run', async (status) => {
	answer(operationOf('start'), status, { detail: 'Gone' });
	expect((await run(operationOf('start'))).error!.description).toMatch(/^The run may have started/);
});

it('tells after 410 that a session has no recording', async () => {
	answer(operationOf('getReplay'), 410, { detail: 'Gone' });
	const { error } = await run(operationOf('getReplay'));
	expect(error).toMatchObject({ message: 'Gone', description: 'This session has no recording and will not get one' });
});

it('reads errors first and ends with items in every operation', () => {
	const pickers = registry.nodes[TYPE].description.properties.filter(({ name }) => name === 'operation');
	const lists = pickers.flatMap(({ options }) =>
		(options as INodePropertyOptions[]).map(({ routing }) =>
			routing?.output?.postReceive?.map((step) => (typeof step === 'function' ? step.name : step.type)),
		),
	);
	expect(lists).toHaveLength(operations.length);
	for (const steps of lists) {
		expect(['throwServiceError', 'throwReplayError', 'throwCookieError', 'throwStartError']).toContain(steps?.[0]);
		expect(steps?.at(-1)).toBe('returnItems');
	}
});

it('lets no field add a step after the last one of its operation', () => {
	const steps: unknown[] = [];
	const visit = (value: unknown) => {
		if (typeof value !== 'object' || value === null) return;
		const { routing, type } = value as { routing?: { output?: unknown }; type?: string };
		if (type && routing?.output) steps.push(value);
		Object.values(value).forEach(visit);
	};
	visit(registry.nodes[TYPE].description.properties);
	expect(steps).toEqual([]);
});

it('keeps the values of cookies out of the error if the service puts them into its reason', async () => {
	const tested = operationOf('setCookies');
	answer(tested, 422, { detail: [{ loc: ['body', 'cookies', 0], msg: 'No: value-of-sid', type: 'value_error' }] });
	const { error } = await run(tested);
	expect(error!.message).toBe('body.cookies.0: No: ***');
	expect(everythingOf(error)).not.toContain('value-of-sid');
});

it('keeps the thread ID of a start that ends in an error', async () => {
	const tested = operationOf('start');
	answer(tested, 500, { error: 'boom' }, { 'x-thread-id': 'thread-of-a-paid-run' });
	const { error } = await run(tested);
	expect(error!.description).toMatch(/^The run may have started\. .*\. Thread ID: thread-of-a-paid-run$/);
	expect(error!.context.data).toMatchObject({ thread_id: 'thread-of-a-paid-run' });
});
