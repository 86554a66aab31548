import type { INode } from 'n8n-workflow';

import { operations } from '../contract/operations';
import { BROWSER_AUTOMATION, operate } from '../engine/run-node';
import { operations as documented } from '../service/openapi';
import { answering, type Answer } from '../support/answering';
import { usePauses } from '../support/clock';

type OnError = INode['onError'];
const MODES: OnError[] = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];

const inputs = (count: number) => Array.from({ length: count }, (_, n) => ({ json: { n } }));
const LOST = '8f14e45f-ceea-467f-9575-0000000010c7';
const THREAD = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb';
/** What a response of every operation has. */
const promised = { thread_id: THREAD, id: 'c', value: 'v', connect_link_url: 'l', json_actions: [], expires_at: null };
const DONE = { ...promised, success: true, results: [] };
const search = { resource: 'web', operation: 'search', searchQuery: '={{ "q" + $json.n }}' };
const start = { resource: 'automationRun', operation: 'start', query: 'Do it' };

describe('an error item', () => {
	it.each(MODES.slice(1))('of a start that may be billed keeps its thread, with %s', async (onError) => {
		const service = await answering([500, { error: 'oops' }, { 'x-thread-id': LOST }]);
		const { items, errorItems } = await operate(service, start, { node: { onError } });
		const advice = "The run may have started: look for it in the service's web console. A new run is billed, too";
		const details = { advice, run_started: 'yes', http_status: 500, thread_id: LOST, status: 'interrupted' };
		const isSplit = onError === 'continueErrorOutput';
		const json = isSplit ? { error: { message: 'oops', details } } : { error: 'oops', details };
		expect(isSplit ? errorItems : items).toEqual([{ json, pairedItem: { item: 0 } }]);
	});

	it('belongs to its input item, whose fields are merged in at the error output', async () => {
		const service = await answering(({ body }) => (body.includes('q1') ? [422, { detail: 'No' }] : [200, DONE]));
		const [split, go] = (['continueErrorOutput', 'continueRegularOutput'] as const).map((onError) => ({ onError }));
		const form = { ...search, splitIntoItems: false };
		const { items, errorItems } = await operate(service, form, { input: inputs(2), node: split });
		expect(items).toEqual([{ json: DONE, pairedItem: { item: 0 } }]);
		const details = { advice: 'Correct the fields of this node', http_status: 422 };
		expect(errorItems).toEqual([{ json: { n: 1, error: { message: 'No', details } }, pairedItem: { item: 1 } }]);
		const other = await operate(service, form, { input: inputs(2), node: go });
		expect(other.items[1]).toEqual({ json: { error: 'No', details }, pairedItem: { item: 1 } });
	});
});

describe.each(MODES)('with three tries and %s', (onError) => {
	it.each(operations)('$resource $operation', async ({ resource, operation, required }) => {
		const form = { resource, operation, ...required };
		const several = operation === 'start' && onError === 'stopWorkflow' ? 1 : 3;
		const node = { onError, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const options = { input: inputs(several), node };

		// What succeeded is not requested again, and what was rejected is.
		const rejecting = await answering([422, { detail: 'No' }], [200, DONE]);
		const { items, errorItems, error } = await operate(rejecting, { ...form, splitIntoItems: false }, options);
		expect([error, errorItems]).toEqual([undefined, []]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(inputs(several).map((_, item) => ({ item })));
		expect(rejecting.requests).toHaveLength(several + 1);

		// What fails is requested three times, the others once; what may have had an effect, once.
		const failing = await answering((_request, all) =>
			all.length === 1 || all.length > several ? [500, { error: 'No' }] : [200, DONE],
		);
		const failed = await operate(failing, form, options);
		const messages = [...failed.items, ...failed.errorItems].map(
			({ json }) => Object(json.error).message ?? json.error,
		);
		expect(failed.error?.message ?? messages.find(Boolean)).toBe('No');
		const isSentOnce = ['start', 'connectWallet', 'createConnectLink'].includes(operation);
		expect(failing.requests).toHaveLength(isSentOnce ? several : several + 2);
	});
});

describe('a service that is busy', () => {
	/** The operations of which a second POST does no harm. */
	const REPEATABLE_POSTS = ['search', 'setCookies'];
	const soon = { 'retry-after': '1' };

	describe('(with pauses that are over at once)', () => {
		usePauses();

		/** Sends every operation side by side: its error's status, and the number of requests. */
		const sendAll = async (status: number, body: unknown = {}, headers: object = soon) =>
			await Promise.all(
				operations.map(async ({ resource, operation, required }) => {
					const service = await answering([status, body, headers] as Answer, [200, DONE]);
					const { error } = await operate(service, { resource, operation, ...required });
					const [first, second] = service.requests;
					if (second) expect(second.at - first.at).toBeGreaterThanOrEqual(headers === soon ? 1000 : 5000);
					return [`${resource} ${operation}`, error?.httpCode, service.requests.length];
				}),
			);

		it.each([429, 529])('is waited for with every operation after %d', async (status) => {
			const expected = operations.map(({ resource, operation }) => [`${resource} ${operation}`, undefined, 2]);
			expect(await sendAll(status)).toEqual(expected);
		});

		it.each([
			['upstream connect error', {}],
			['<html><title>503 Backend fetch failed</title></html>', soon],
			[{ message: 'Service Unavailable' }, soon],
		])('is waited for after 503 with %j only if a second request does no harm', async (body, headers) => {
			const expected = operations.map(({ id, resource, operation }) => {
				const { method } = documented.find((one) => one.id === id)!;
				const isRepeatable = method !== 'POST' || REPEATABLE_POSTS.includes(operation);
				return [`${resource} ${operation}`, ...(isRepeatable ? [undefined, 2] : ['503', 1])];
			});
			expect(await sendAll(503, body, headers)).toEqual(expected);
		});
	});

	it('is not waited for longer than 120 seconds, and not as a tool', async () => {
		const late = await answering([429, { error: 'busy' }, { 'retry-after': '121' }]);
		expect((await operate(late, search)).error?.description).toMatch(/Try again in 3 minutes/);
		expect(late.requests).toHaveLength(1);
		const tool = await answering([429, { error: 'busy' }, soon]);
		const { error } = await operate(tool, search, { node: { type: `${BROWSER_AUTOMATION}Tool` } });
		expect(error?.message).toMatch(/^busy\. Try again in 1 second/);
		expect(tool.requests).toHaveLength(1);
	});
});
