import type { IDataObject, INode } from 'n8n-workflow';

import { MINIMAL_COOKIE, operations } from '../contract/operations';
import { BROWSER_AUTOMATION, operate, type NodeRunOptions } from '../engine/run-node';
import { operations as documented } from '../service/openapi';
import { usePauses, useStoppedClock } from '../support/clock';
import { useLog } from '../support/log';
import { serve } from '../support/serve';

type OnError = INode['onError'];
const MODES: OnError[] = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];
const CONTINUE = MODES.slice(1);

interface Request {
	path: string;
	body: string;
	at: number;
}
type Answer = [status: number, body?: unknown, headers?: Record<string, string>] | 'reset';

/** A service that answers as said, and what it received. */
async function answering(answer: (request: Request, all: Request[]) => Answer) {
	const requests: Request[] = [];
	const server = await serve((incoming, response, sent) => {
		const request = { path: incoming.url!, body: sent, at: performance.now() };
		requests.push(request);
		const answered = answer(request, requests);
		if (answered === 'reset') return void response.destroy();
		const [status, body = {}, headers = {}] = answered;
		response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
	});
	return { ...server.target, requests, paths: () => requests.map((request) => request.path) };
}

/** Answers in turn; the last one again and again. */
const inTurn =
	(...answers: Answer[]) =>
	(_request: Request, all: Request[]) =>
		answers[Math.min(all.length, answers.length) - 1];

const inputs = (count: number) => Array.from({ length: count }, (_, n) => ({ json: { n } }));
const LOST = '8f14e45f-ceea-467f-9575-0000000010c7';
const THREAD = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb';
/** What a response of every operation has. */
const promised = { thread_id: THREAD, id: 'c', value: 'v', connect_link_url: 'l', json_actions: [], expires_at: null };
const DONE = { ...promised, success: true };
const search = { resource: 'web', operation: 'search', searchQuery: '={{ "q" + $json.n }}' };
const start = { resource: 'automationRun', operation: 'start', query: 'Do it' };
const replay = { resource: 'session', operation: 'getReplay', sessionId: 'session-1' };
const script = { resource: 'session', operation: 'getScript', sessionId: 'session-1' };

describe('an error item', () => {
	it.each(CONTINUE)('of a start that may be billed keeps its thread and says what to do, with %s', async (onError) => {
		const service = await answering(inTurn([500, { error: 'oops' }, { 'x-thread-id': LOST }]));
		const { items, errorItems } = await operate(service, start, { node: { onError } });
		const advice = "The run may have started: look for it in the service's web console. A new run is billed, too";
		const known = { run_started: 'yes', http_status: 500, thread_id: LOST, status: 'interrupted' };
		const details = { advice, ...known };
		const isSplit = onError === 'continueErrorOutput';
		const json = isSplit ? { error: { message: 'oops', details } } : { error: 'oops', details };
		expect(isSplit ? errorItems : items).toEqual([{ json, pairedItem: { item: 0 } }]);
	});

	it.each([
		['the thread in the form', { 'x-thread-id': THREAD.toUpperCase() }, THREAD.toUpperCase()],
		['another thread', { 'x-thread-id': LOST }, LOST],
		['no thread', {}, THREAD],
	])('of a start that names %s has that, or the one that was asked', async (_name, headers, thread) => {
		const service = await answering(inTurn([500, { error: 'oops' }, headers]));
		const { error } = await operate(service, { ...start, threadId: THREAD });
		expect((error!.context.data as IDataObject).thread_id).toBe(thread);
	});

	it('belongs to its input item, whose fields are merged in at the error output', async () => {
		const service = await answering(({ body }) =>
			body.includes('q1') ? [422, { detail: 'No' }] : [200, { results: [{ a: 1 }] }],
		);
		const [split, go] = (['continueErrorOutput', 'continueRegularOutput'] as const).map((onError) => ({ onError }));
		const { items, errorItems } = await operate(service, search, { input: inputs(2), node: split });
		expect(items).toEqual([{ json: { a: 1 }, pairedItem: { item: 0 } }]);
		const details = { advice: 'Correct the fields of this node', http_status: 422 };
		expect(errorItems).toEqual([{ json: { n: 1, error: { message: 'No', details } }, pairedItem: { item: 1 } }]);
		const other = await operate(service, search, { input: inputs(2), node: go });
		expect(other.items[1]).toEqual({ json: { error: 'No', details }, pairedItem: { item: 1 } });
	});
});

it('what only shapes the output, and a choice does not need, is not looked at', async () => {
	const service = await answering(inTurn([200, DONE]));
	const form = { ...replay, maximumWait: 'x', videoField: '', options: { maxVideoSize: -1 } };
	expect((await operate(service, form)).error).toBeUndefined();
});

it('the digits of a cookie that is a number are kept', async () => {
	const service = await answering(inTurn([200, DONE]));
	const rest = '"domain":"c.d","path":"/","httpOnly":true';
	const cookiesJson = `[{"name":"a","value":12345678901234567890,${rest}},{"name":"b","value":1.50,${rest},"expires":1900000000.0}]`;
	const form = { resource: 'profile', operation: 'setCookies', profileId: 'p' };
	for (const given of [cookiesJson, JSON.stringify(cookiesJson), `{"cookies":${cookiesJson}}`]) {
		expect((await operate(service, { ...form, cookiesJson: given })).error).toBeUndefined();
	}
	for (const { body } of service.requests) {
		const { cookies } = JSON.parse(body) as { cookies: object[] };
		expect(cookies).toMatchObject([{ value: '12345678901234567890' }, { value: '1.50', expires: 1900000000 }]);
	}
});

it('an error of a Session ID not found says which ID is meant', async () => {
	const service = await answering(inTurn([404, { detail: 'Session not found' }]));
	for (const form of [replay, script]) {
		const { error } = await operate(service, form);
		expect(error?.description).toMatchSnapshot();
	}
});

const tries = (onError: OnError, more: Partial<INode> = {}): NodeRunOptions => ({
	node: { onError, retryOnFail: true, maxTries: 3, waitBetweenTries: 1, ...more },
});

describe.each(MODES)('with three tries and %s', (onError) => {
	describe.each(operations)('$resource $operation', ({ resource, operation, required }) => {
		const isStart = operation === 'start';
		const form = { resource, operation, ...required };
		const several = isStart && onError === 'stopWorkflow' ? 1 : 3;
		const options = { input: inputs(several), ...tries(onError) };

		it('what succeeded is not requested again, and what was rejected is', async () => {
			const service = await answering(inTurn([422, { detail: 'No' }], [200, DONE]));
			const { items, errorItems, error } = await operate(service, form, options);
			expect([error, errorItems]).toEqual([undefined, []]);
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(inputs(several).map((_, item) => ({ item })));
			expect(service.paths()).toHaveLength(several + 1);
		});

		it('what fails is requested three times, the others once; what may have had an effect once', async () => {
			const bad = 'batch-0';
			const service = await answering((_request, all) =>
				all.length === 1 || all.length > several ? [500, { error: bad }] : [200, DONE],
			);
			const { items, errorItems, error } = await operate(service, form, options);
			const messages = [...items, ...errorItems].map(({ json }) => Object(json.error).message ?? json.error);
			expect(error?.message ?? messages.find(Boolean)).toBe(bad);
			const isSentOnce = ['start', 'connectWallet', 'createConnectLink'].includes(operation);
			expect(service.paths()).toHaveLength(isSentOnce ? several : several + 2);
		});
	});
});

it('a later attempt gives the items of the first one unchanged', async () => {
	const service = await answering(({ body }, all) =>
		body.includes('q0') && all.length < 5 ? [422, { detail: 'No' }] : [200, { results: [{ a: { b: 1 } }] }],
	);
	const options = { input: inputs(2), ...tries('continueErrorOutput') };
	const { items } = await operate(service, search, options);
	expect(items).toEqual([0, 1].map((item) => ({ json: { a: { b: 1 } }, pairedItem: { item } })).slice(-items.length));
});

describe('a service that is busy', () => {
	const cookie = JSON.stringify([MINIMAL_COOKIE]);
	/** The operations of which a second POST does no harm. */
	const REPEATABLE_POSTS = ['search', 'setCookies'];
	const soon = { 'retry-after': '1' };

	/** Asks with every operation, side by side because each waits: the code of the error, and how often it was asked. */
	const askAll = async (status: number, body: unknown = {}, headers: object = soon) =>
		await Promise.all(
			operations.map(async ({ resource, operation, required }) => {
				const service = await answering(inTurn([status, body, headers] as Answer, [200, { ...DONE, results: [] }]));
				const { error } = await operate(service, { resource, operation, ...required });
				const [first, second] = service.requests;
				if (second) expect(second.at - first.at).toBeGreaterThanOrEqual(headers === soon ? 990 : 4990);
				return [`${resource} ${operation}`, error?.httpCode, service.requests.length];
			}),
		);

	describe('(with pauses that are over at once)', () => {
		usePauses();

		it.each([429, 529])('is waited for with every operation after %d', async (status) => {
			const expected = operations.map(({ resource, operation }) => [`${resource} ${operation}`, undefined, 2]);
			expect(await askAll(status)).toEqual(expected);
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
			expect(await askAll(503, body, headers)).toEqual(expected);
		});
	});

	it.each<Answer>([
		[429, { error: 'busy' }, { ...soon, 'x-thread-id': LOST }],
		[429, { error: 'busy', thread_id: LOST }, soon],
	])('is not asked for a second run if it names a thread: %j', async (...answer) => {
		const service = await answering(inTurn(answer as unknown as Answer, [200, { thread_id: THREAD }]));
		const log = useLog();
		const { error } = await operate(service, start);
		expect(log.lines()).toEqual(['requested 0', 'started 0']);
		expect(error).toMatchObject({ message: 'busy', description: expect.stringMatching(/^The run may have started/) });
		expect(error!.context.data).toMatchObject({ thread_id: LOST, status: 'interrupted' });
		expect(service.paths()).toHaveLength(1);
	});

	it('is not waited for longer than 120 seconds, and not as a tool', async () => {
		const late = await answering(inTurn([429, { error: 'busy' }, { 'retry-after': '121' }]));
		expect((await operate(late, search)).error?.description).toMatch(/Try again in 3 minutes/);
		expect(late.paths()).toHaveLength(1);
		const again = await answering(() => [429, { error: 'busy' }, { 'retry-after': '121' }]);
		await operate(again, search, { input: inputs(3), ...tries('stopWorkflow', { waitBetweenTries: 300 }) });
		expect(again.paths()).toHaveLength(3 + 3 + 3);
		const tool = await answering(inTurn([429, { error: 'busy' }, soon]));
		const { error } = await operate(tool, search, { node: { type: `${BROWSER_AUTOMATION}Tool` } });
		expect(error?.message).toMatch(/^busy\. Try again in 1 second/);
		expect(tool.paths()).toHaveLength(1);
	});

	describe('(with a stopped clock)', () => {
		const clock = useStoppedClock();

		it('is not waited for beyond the time limit of the workflow, at which n8n drops the results of the other items', async () => {
			const service = await answering(({ body }) =>
				body.includes('q0') ? [429, { error: 'busy' }, { 'retry-after': '100' }] : [200, { results: [{ a: 1 }] }],
			);
			const node = { onError: 'continueRegularOutput' } as const;
			const options = { input: inputs(2), node, workflowSettings: { executionTimeout: 100 } };
			const { items } = await clock.passUntil(operate(service, search, options));
			expect(items).toMatchObject([{ json: { error: 'busy' } }, { json: { a: 1 } }]);
			const { advice } = items[0].json.details as { advice: string };
			expect(advice).toMatch(/^The workflow is about to reach its time limit .*\. Raise 'Timeout After'/);
			expect(service.paths()).toHaveLength(2);
		});

		it('is sent nothing that cannot end before the time limit of the workflow', async () => {
			const service = await answering(() => [200, {}]);
			const runtimeData = { establishedAt: Date.now() - 89_900 };
			const { error } = await operate(service, search, { workflowSettings: { executionTimeout: 100 }, runtimeData });
			expect(error?.message).toMatch(/^The workflow is about to reach its time limit/);
			expect(service.paths()).toEqual([]);
		});

		it('is asked no more after Stop, which ends the wait within 100 ms', async () => {
			const service = await answering(inTurn([429, {}, { 'retry-after': '60' }]));
			const form = { resource: 'profile', operation: 'setCookies', profileId: 'p', cookiesJson: cookie };
			const { status } = await operate(service, form, { cancelWhen: clock.waitOf(50) });
			expect(status).toBe('canceled');
			await clock.pass(0.1);
			// The last timer of the connection (nodes/shared/http/watchdog.ts).
			expect(jest.getTimerCount()).toBe(1);
			await clock.pass(1);
			expect(jest.getTimerCount()).toBe(0);
			expect(service.paths()).toHaveLength(1);
		});
	});
});

describe('the wait for a recording', () => {
	const noHttps = async () => (await answering(() => [200])).baseUrl.replace('http', 'https');
	const waiting = { ...replay, waitForRecording: true, maximumWait: 600 };

	const processing = (seconds: string): Answer => [404, { replay_status: 'processing' }, { 'retry-after': seconds }];
	it('obeys Retry-After', async () => {
		const service = await answering(inTurn(processing('2'), [200, { expires_at: 'x' }]));
		expect((await operate(service, waiting)).error).toBeUndefined();
		expect(service.requests[1].at - service.requests[0].at).toBeGreaterThanOrEqual(1990);
	});

	it('ends at once if it would have to continue after its time', async () => {
		const service = await answering(inTurn(processing('700')));
		const { error } = await operate(service, waiting);
		expect(error?.description).toBe("Check that the session has ended, or raise 'Max Wait (s)' to 700 or more");
		expect(service.paths()).toHaveLength(1);
	});

	it('ends once another item has failed, and before the time limit of the workflow', async () => {
		const service = await answering(({ path }) => (path.includes('wrong') ? [422] : processing('1')));
		const input = [{ json: { id: 's' } }, { json: { id: 'wrong' } }];
		const form = { ...waiting, sessionId: '={{ $json.id }}' };
		expect((await operate(service, form, { input })).error?.httpCode).toBe('422');
		const { error } = await operate(service, waiting, { workflowSettings: { executionTimeout: 3 } });
		expect(error?.description).toMatch(/^The workflow is about to reach its time limit/);
		const sent = service.paths().filter((path) => !path.includes('wrong'));
		expect(sent.length).toBeLessThan(5);
	});

	it('continues after a connection that broke, as after a 502', async () => {
		const service = await answering(inTurn('reset', [502], [200, { expires_at: 'x' }]));
		expect((await operate(service, waiting)).error).toBeUndefined();
		expect(service.paths()).toHaveLength(3);
	});

	it.each<[string, Answer, RegExp]>([
		['nothing responds', 'reset', /^Try again later\./],
		['the service is unavailable', [503], /^The service is temporarily unavailable/],
		[
			'the service does not know it',
			[404],
			/^It does not exist, or no longer\. Check 'Session ID' and .*, or raise 'Max Wait \(s\)'$/,
		],
	])('does not only blame the session if %s', async (_name, answer, advice) => {
		const { error } = await operate(await answering(inTurn(answer)), { ...waiting, maximumWait: 0.1 });
		expect(error?.description).toMatch(advice);
	});

	it.each([
		['nothing listens', () => 'http://127.0.0.1:1', 'No response from the service: connection refused'],
		['HTTPS is not spoken', noHttps, 'The service sent an unreadable response: it is not HTTPS'],
	])('does not begin where %s', async (_name, address, message) => {
		const url = await address();
		const { error } = await operate({ baseUrl: url, automationUrl: url, apiKey: 'k' }, waiting);
		expect(error?.message).toBe(message);
		expect(error?.description).toBe("Check 'Base URL' in the credential, and that n8n can reach it");
	});
});

it.each([false, true])(
	"an expression without a value in 'Task' of 'Start' is rejected, but not as a tool: %s",
	async (isTool) => {
		const service = await answering(() => [202, { thread_id: THREAD }]);
		const node = isTool ? { type: `${BROWSER_AUTOMATION}Tool` } : {};
		const { error } = await operate(service, { ...start, query: '=Compare {{ $json.Company }}' }, { node });
		expect(service.paths()).toHaveLength(isTool ? 1 : 0);
		if (isTool) return;
		expect(error?.message).toBe("{{ $json.Company }} in 'Task' has no value");
		const advice = "Correct the expression. If the value may be missing, write {{ $json.Company ?? '' }}";
		expect(error?.description).toBe(`No run was started. ${advice}`);
	},
);
