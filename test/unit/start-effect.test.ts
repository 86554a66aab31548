import { NodeApiError } from 'n8n-workflow';

import * as start from '../../nodes/shared/start/start-response';
import { Ledger, type StartingItem } from '../../nodes/shared/start/ledger';
import { Watchdog } from '../../nodes/shared/http/watchdog';
import { each } from '../support/each';
import { executionOf } from '../support/execution';

const ALL = Array.from({ length: 200 }, (_, index) => 400 + index);
const REJECTED = [400, 401, 402, 403, 404, 405, 409, 410, 413, 422, 429, 529];
const REJECTED_IN_THREAD = [...REJECTED, 423, 425].sort((one, other) => one - other);
const BODIES: unknown[] = ['<html><title>503 Backend fetch failed</title></html>', { message: 'Unavailable' }, ''];
const [THREAD, OTHER] = ['aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb', 'cccccccc-1111-4222-8333-bbbbbbbbbbbb'];

const LOOK = /^The run may have started: look for it/;
const REACH = /^Check 'Automation URL' in the credential, and that n8n can reach it$/;

/** The response names a wait, by which a 403 is busy, too (python-api-core#679). */
const judge = (statusCode: number, body: unknown, id?: string, thread?: string) =>
	start.startFailure({ statusCode, headers: { 'retry-after': '1', 'x-thread-id': id }, body }, thread);

describe.each(BODIES)('a start with a response of %j', (body) => {
	it('has started nothing only with the statuses of the list', () => {
		const none = (thread?: string) => ALL.filter((code) => judge(code, body, undefined, thread).effect === 'none');
		expect(none()).toEqual(REJECTED);
		expect(none(THREAD)).toEqual(REJECTED_IN_THREAD);
	});

	it('is sent again only if the service is busy, and lets others wait only if it is unavailable', () => {
		expect(ALL.filter((code) => judge(code, body).cause === 'busy')).toEqual([403, 429, 529]);
		expect(ALL.filter((code) => judge(code, body).cause === 'unavailable')).toEqual([503]);
	});

	it('has started a run if it names another thread than the requested one', () => {
		for (const thread of [undefined, THREAD]) {
			const failures = [300, ...ALL].map((code) => judge(code, body, OTHER, thread));
			expect(new Set(failures.map(({ effect }) => effect))).toEqual(new Set(['run']));
			expect(failures.every(({ cause, run }) => cause !== 'busy' && run?.thread_id === OTHER)).toBe(true);
		}
		expect(judge(409, body, THREAD.toUpperCase(), THREAD).effect).toBe('none');
	});
});

// python-api-core#679, gemini-cli#10925, elevenlabs/ui#80
it.each<[number, Record<string, unknown>, unknown, string | undefined, RegExp, string?]>([
	[404, {}, '', undefined, /^Check 'Automation URL' in the credential$/],
	[410, {}, '', undefined, /^Check 'Automation URL' in the credential, and whether the thread still exists$/, THREAD],
	[409, {}, '', undefined, /^Check the current state/],
	[409, {}, '', 'threadInUse', /^Find the thread in .* first: the earlier run may still be in progress$/, THREAD],
	[425, {}, '', 'threadInUse', /^Find the thread in .* first: the earlier run may still be in progress$/, THREAD],
	[403, { 'retry-after': '7' }, {}, 'busy', /^Try again in 7 seconds$/],
	[403, { 'x-ratelimit-remaining': '0' }, {}, undefined, /^Check the API key's permissions and limits/],
	[403, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, {}, undefined, /^Check the API key/],
	[403, { 'retry-after': '1' }, { code: 'insufficient_scope' }, 'busy', /^Try again in 1 second$/],
	[403, { 'retry-after': '1' }, { code: 'insufficient_credits' }, undefined, /^Check the plan/],
	[429, {}, { error: { code: 'insufficient_quota', message: 'x' } }, undefined, /^Check the plan and balance/],
	[429, {}, { error: 'You have insufficient credits or something' }, 'busy', /^Try again in a few minutes$/],
	[429, { 'x-should-retry': 'false', 'retry-after': '1' }, {}, undefined, /^Check the plan/],
	[429, { 'x-vercel-mitigated': 'challenge' }, '', undefined, /^A firewall .* wants to see a browser/],
	[403, { 'x-edge-action': 'Captcha' }, '', undefined, /^A firewall .* wants to see a browser/],
	// openagents#4721
	[403, {}, 'error code: 1010', undefined, /^Check the API key.* firewall in front of the service blocks n8n$/],
	[403, {}, { message: 'No' }, undefined, /^Check the API key's permissions and limits[^.]*$/],
])('is busy only if waiting helps: %d with %j and %j', (statusCode, headers, body, cause, advice, ...threads) => {
	const failure = start.startFailure({ statusCode, headers, body }, threads[0]);
	if (cause === 'threadInUse') expect(failure.adviceForAgent).toMatch(/^The earlier run may still be in progress/);
	expect([failure.cause, failure.effect]).toEqual([cause, 'none']);
	expect(failure.advice).toMatch(advice);
});

const url = 'https://a.example/tenant';
it.each([
	[`${url}/api/anything/start/`, '/tenant/api/anything/start/'],
	['/runs?state=secret', '/runs'],
	['https://login.example/sign-in?state=secret', undefined],
])('may have started a run after a redirect, and tells its origin: %s', (location, path) => {
	const failure = start.startFailure({ statusCode: 302, headers: { location }, body: '', url, path: '/start' });
	const target = path === undefined ? 'https://login.example' : `https://a.example${path}`;
	expect(failure).toMatchObject({ effect: 'maybe', reason: `The request was redirected to ${target}` });
	expect(failure.advice).toMatch(/^Check 'Automation URL' in the credential: redirects are not followed/);
});

describe('a start without a response', () => {
	const errorWith = (cause: object) =>
		Object.assign(new NodeApiError(executionOf().node, {}, { message: 'x' }), { cause });
	const unsent = errorWith({ code: 'ECONNREFUSED', syscall: 'connect' });
	const sent = errorWith({ code: 'ECONNRESET', syscall: 'read', message: 'read ECONNRESET' });
	const STOPPED = 'The execution was stopped before the service responded';
	it.each([
		['idle' as const, 'Too long', 'Too long', 'timed_out'],
		[undefined, STOPPED, STOPPED, 'interrupted'],
		[undefined, undefined, 'No response from the service: read ECONNRESET', 'interrupted'],
	])('may have started a run, after the limit %s and the end %s', (expired, ended, reason, status) => {
		const end = { expired, endReason: () => ended };
		for (const thread of [undefined, THREAD]) {
			expect(start.noStartFailure(end, 'run', sent, thread)).toMatchObject({
				...{ reason, effect: 'maybe', advice: expect.stringMatching(LOOK) },
				run: { thread_id: thread ?? null, status },
			});
		}
		const failure = start.noStartFailure(end, 'run', unsent, THREAD);
		expect(failure).toMatchObject({ effect: 'none', cause: 'noConnection', advice: expect.stringMatching(REACH) });
		expect(failure.run).toBeUndefined();
	});

	it.each([
		['nothing', undefined, { thread_id: THREAD, status: 'interrupted' }],
		['a status', { status: 'failed' }, { thread_id: THREAD, status: 'failed' }],
		['another thread', { thread_id: OTHER }, { thread_id: OTHER, status: 'interrupted' }],
	])('lists what its failure says of the run: %s', (_what, run, expected) => {
		const ledger = new Ledger();
		ledger.start = { item: 0, status: 'interrupted', thread_id: THREAD, effect: 'maybe' };
		const item = { context: {}, index: 0, mask: (text: string) => text } as unknown as StartingItem;
		ledger.failStart(item, { reason: 'x', advice: 'y', effect: 'maybe', run } as never);
		expect(ledger.starts).toEqual([{ item: 0, effect: 'maybe', ...expected }]);
	});
});

afterEach(() => jest.useRealTimers());

it.each([
	[{ 'x-thread-id': THREAD }, 10_000],
	[{}, 300_000],
])('a body that never comes is read with %j for %d ms', async (headers, expected) => {
	jest.useFakeTimers();
	const watchdog = new Watchdog({ idle: Infinity, total: Infinity });
	const body = (async function* () {
		yield Buffer.from('{"thread_id": "half');
		await new Promise((_resolve, reject) => watchdog.signal.addEventListener('abort', () => reject(new Error('x'))));
	})();
	const reading = start.readStartBody({ statusCode: 202, headers, body } as never, watchdog);
	await jest.advanceTimersByTimeAsync(expected - 1);
	expect(watchdog.expired).toBeUndefined();
	await jest.advanceTimersByTimeAsync(1);
	expect(await reading).toMatchObject({ body: '', cut: { reason: "The service's response took too long" } });
});

it.each<[number, object, unknown, RegExp]>([
	[200, {}, '<html><title>Sign in</title></html>', /^Check that 'Automation URL' in the credential points to/],
	[200, { 'x-thread-id': OTHER }, '<html><title>Sign in</title></html>', LOOK],
	// A proxy in front of the service shows a page, too, if it has waited for too long.
	[504, {}, '<html><title>Gateway timeout</title></html>', LOOK],
	...each([403, 400, 401], {}, '<html><title>Sign in</title></html>', /^A proxy or firewall rejected/),
	[401, {}, { detail: 'No' }, /^Check 'API Key'/],
])('names who responded: %i with %j and %j', (statusCode, headers, body, advice) => {
	expect(start.startFailure({ statusCode, headers: { ...headers }, body }).advice).toMatch(advice);
});

const [ONE, TWO] = ['8f14e45f-ceea-467f-9575-000000000001', '8F14E45F-CEEA-467F-9575-000000000002'];

// opencloud-eu/web#460, envoyproxy/envoy#23584, #9019
it.each<[unknown, unknown, string | undefined]>([
	[ONE, 'a text', ONE],
	[ONE, { thread_id: TWO }, TWO],
	[ONE, { thread_id: 'null' }, ONE],
	['', { thread_id: 7 }, undefined],
	...each([`${ONE}, ${ONE}`, [ONE, ONE], `"${ONE}"`, ` '${ONE}' `], {}, ONE),
	[`${TWO},${TWO.toLowerCase()}, "${TWO}"`, {}, TWO],
	...each([`${ONE}, ${TWO}`, `${ONE}-more`, `more-${ONE}`], {}, undefined),
	...each(['undefined', 'null', 'NaN', '[object Object]', 'not one', undefined], null, undefined),
])('the thread of a start with the header %j and the body %j is %j', (header, body, id) => {
	expect(start.threadIdIn({ 'x-thread-id': header }, body)).toBe(id);
});

it('a run in the background is what the response to its start says', () => {
	const response = { statusCode: 202, headers: { 'x-thread-id': ONE }, body: {} as unknown };
	const known = { thread_id: ONE, url: null, status: 'started' };
	expect(start.backgroundStartIn({ ...response, statusCode: 200 }).value).toEqual(known);
	for (const body of [{}, 'accepted', '', [1], null])
		expect(start.backgroundStartIn({ ...response, body }).value).toEqual(known);
	// What is said beside a thread is no error.
	const body = { url: null, status: 'queued', thread_id: TWO, detail: 'Queued', error: null, more: 1 };
	expect(start.backgroundStartIn({ ...response, body }).value).toEqual(body);
});

const advice: unknown = expect.stringMatching(LOOK);
const interrupted = (thread_id: string | null) => ({ run: { thread_id, status: 'interrupted' } });
const noId = 'The service returned application/json instead of a thread ID (status 202)';
it.each<[object, object]>([
	[{ headers: { 'content-type': 'application/json' } }, { reason: noId, advice, ...interrupted(null) }],
	[{ statusCode: 429 }, interrupted(ONE)],
	[{ body: { error: { message: 'No' } } }, { reason: 'No', advice, effect: 'run', ...interrupted(ONE) }],
	[{ body: { detail: 'No', thread_id: null } }, { reason: 'No', advice, effect: 'run', ...interrupted(ONE) }],
	[{ body: { thread_id: ONE, success: false, message: 'No' } }, { reason: 'No', effect: 'run' }],
])('a run in the background is not started by a response with %j', (change, failure) => {
	const response = { statusCode: 202, headers: { 'x-thread-id': ONE }, body: {}, ...change };
	expect(start.backgroundStartIn(response).failure).toMatchObject(failure);
});
