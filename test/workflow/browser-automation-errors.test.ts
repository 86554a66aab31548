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

const operationOf = (name: string) => operations.find(({ operation }) => operation === name)!;

describe('an operation', () => {
	const tested = operationOf('getScript');

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

it('tells after 404 that the thread of a start may be unknown, and names the address if there is no thread', async () => {
	const threadId = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';
	answer(operationOf('start'), 404, { detail: 'Not here' });
	const start = operationOf('start');
	const inThread = await run({ ...start, required: { ...start.required, threadId } });
	expect(inThread.error!.description).toMatch(/^Check the Thread ID/);
	expect((await run(start)).error!.description).toMatch(/^Nothing responds at the Automation URL/);
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
