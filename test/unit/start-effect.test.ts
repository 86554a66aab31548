import { startFailure } from '../../nodes/shared/start/start-response';

const ALL = Array.from({ length: 200 }, (_, index) => 400 + index);
const REJECTED = [
	// n8n#11758, node-red#1145: 407. keymaster#185: what load balancers and Cloudflare do not forward.
	// ChainForge#406: 410. cloudflared#282, KRAIL PR#1993: 511, 530, and others that their makers document as not forwarded.
	...[400, 401, 402, 403, 404, 405, 407, 410, 411, 413, 414, 415, 417, 421, 422, 426, 428, 429, 431, 451],
	...[463, 464, 494, 495, 496, 497, 511, 521, 523, 525, 526, 529, 530, 561],
];
const IN_USE = [409, 423, 425];
const BODIES: unknown[] = ['<html><title>503 Backend fetch failed</title></html>', { message: 'Unavailable' }, ''];
const [THREAD, OTHER] = ['aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb', 'cccccccc-1111-4222-8333-bbbbbbbbbbbb'];

/** The response names a wait, by which a 403 is busy, too (python-api-core#679). */
const judge = (statusCode: number, body: unknown, id?: string, thread?: string) =>
	startFailure({ statusCode, headers: { 'retry-after': '1', 'x-thread-id': id }, body }, thread);

describe.each(BODIES)('after a start, a status with %j', (body) => {
	it('had no effect only if the service has rejected the start', () => {
		const none = (thread?: string) => ALL.filter((code) => judge(code, body, undefined, thread).effect === 'none');
		expect(none()).toEqual(REJECTED);
		expect(none(THREAD)).toEqual([...REJECTED, ...IN_USE].sort((a, b) => a - b));
	});

	// blocked-org-uk#326, faexport#118
	it.each([{ 'cf-mitigated': 'challenge' }, { 'x-amzn-waf-action': 'captcha' }])('had no effect with %j', (headers) => {
		for (const statusCode of [200, 202, ...ALL]) {
			const failure = startFailure({ statusCode, headers, body });
			expect([failure.effect, failure.run]).toEqual(['none', undefined]);
			if (statusCode < 300) expect(failure.advice).toMatch(/^A firewall in front of the service/);
		}
	});

	it('is sent again only if the service is busy, and lets others wait only if it is unavailable', () => {
		expect(ALL.filter((code) => judge(code, body).cause === 'busy')).toEqual([403, 429, 529]);
		expect(ALL.filter((code) => judge(code, body).cause === 'unavailable')).toEqual([503]);
	});

	it('has started a run if the response names another thread than the requested one', () => {
		for (const thread of [undefined, THREAD]) {
			const failures = [300, ...ALL].map((code) => judge(code, body, OTHER, thread));
			expect(new Set(failures.map(({ effect }) => effect))).toEqual(new Set(['run']));
			expect(failures.every(({ cause, run }) => cause !== 'busy' && run?.thread_id === OTHER)).toBe(true);
		}
		expect(judge(409, body, THREAD.toUpperCase(), THREAD).effect).toBe('none');
	});
});

const busyOf = (statusCode: number, headers: Record<string, unknown>, body: unknown = {}) =>
	startFailure({ statusCode, headers, body });
const SOON = String(Math.ceil(Date.now() / 1000) + 60);

// python-api-core#679, gemini-cli#10925, elevenlabs/ui#80
it.each<[string, number, Record<string, unknown>, unknown, string | undefined, RegExp]>([
	['a wait', 403, { 'retry-after': '7' }, {}, 'busy', /^Try again in 7 seconds/],
	[
		'a limit with a reset',
		403,
		{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': SOON },
		{},
		'busy',
		/^Try again in/,
	],
	['a limit without a reset', 403, { 'x-ratelimit-remaining': '0' }, {}, undefined, /^Grant the API key/],
	['a limit that is left', 403, { 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': SOON }, {}, undefined, /^Grant/],
	['a wait that is over', 403, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, {}, undefined, /^Grant/],
	[
		'a code',
		429,
		{},
		{ error: { code: 'insufficient_quota', message: 'x' } },
		undefined,
		/^Check the plan and balance/,
	],
	[
		'a code and a wait',
		429,
		{ 'retry-after': '1' },
		{ error: { type: 'insufficient_quota' } },
		undefined,
		/^Check the plan/,
	],
	['credits', 403, { 'retry-after': '1' }, { code: 'CREDITS_EXHAUSTED' }, undefined, /^Check the plan/],
	['a missing scope', 403, { 'retry-after': '1' }, { code: 'insufficient_scope' }, 'busy', /^Try again in 1 second/],
	['a quota without a wait', 429, {}, { errors: [{ reason: 'dailyQuotaExceeded' }] }, undefined, /^Check the plan/],
	[
		'a quota with a wait',
		429,
		{ 'retry-after': '9' },
		{ error: { status: 'QUOTA_EXCEEDED' } },
		'busy',
		/^Try again in 9/,
	],
	['prose', 429, {}, { error: 'You have insufficient credits or something' }, 'busy', /^Try again in a few minutes/],
	['x-should-retry', 429, { 'x-should-retry': 'false', 'retry-after': '1' }, {}, undefined, /^Check the plan/],
	[
		'x-should-retry of a full service',
		529,
		{ 'x-should-retry': 'false' },
		{},
		undefined,
		/^The service is temporarily/,
	],
	[
		'a challenge of Vercel',
		429,
		{ 'x-vercel-mitigated': 'challenge' },
		'',
		undefined,
		/^A firewall .* wants to see a browser/,
	],
	[
		'a captcha of another maker',
		403,
		{ 'x-edge-action': 'Captcha' },
		'',
		undefined,
		/^A firewall .* wants to see a browser/,
	],
])('is busy only if waiting helps: %s', (_what, statusCode, headers, body, cause, advice) => {
	const failure = busyOf(statusCode, headers, body);
	expect([failure.cause, failure.effect]).toEqual([cause, 'none']);
	expect(failure.advice).toMatch(advice);
});

// openagents#4721
it.each(['error code: 1010', 'Forbidden', ''])('a refusal that is no JSON may be that of a firewall: %j', (body) => {
	const { advice } = busyOf(403, {}, body);
	expect(advice).toMatch(/^Grant the API key the missing permission .*firewall/);
	expect(busyOf(403, {}, { message: 'No' }).advice).not.toContain('firewall');
});

// ChainForge#406
it.each<[string | undefined, RegExp]>([
	[undefined, /^'Automation URL' responds but cannot start runs/],
	[THREAD, /^Check whether the thread still exists. If it does, check 'Automation URL'/],
])('410 names the URL, and a thread only if one was sent: %s', (thread, advice) => {
	expect(judge(410, { message: 'Gone' }, undefined, thread).advice).toMatch(advice);
});

// starlette#1396, async-http-client PR#917, http-extensions PR#690
const url = 'https://a.example/tenant';
const path = '/api/anything/start';
it.each<[string, string, number, RegExp]>([
	['the same URL, with a cookie', `${url}${path}`, 302, /'Automation URL' is correct/],
	['a slash', `${path.replace('/api', '/tenant/api')}/`, 307, /'Automation URL' is correct/],
	['http://', `http://a.example/tenant${path}/`, 308, /without a proxy or a sign-in page/],
	['another query', `${url}${path}?retry=1`, 307, /'Automation URL' is correct/],
	['www.', `https://www.a.example/tenant${path}`, 301, /Set 'Automation URL' in the credential to the new URL/],
	['another path', `https://a.example/v2${path}`, 301, /Set 'Automation URL' in the credential to the new URL/],
	['another host', 'https://login.example/', 302, /without a proxy or a sign-in page/],
	['a sign-in page by 303', 'https://login.example/', 303, /without a proxy or a sign-in page/],
	['a result by 303', '/runs', 303, /^The run may have started/],
	['a sign-in page of the same site', 'https://a.example/login?next=x', 302, /without a proxy or a sign-in page/],
	['a part of the path', 'https://a.example/tenant/anything/start', 308, /without a proxy or a sign-in page/],
])('a redirect to %s has advice that helps', (_what, location, statusCode, advice) => {
	const failure = startFailure({ statusCode, headers: { location }, body: '', url, path });
	expect(failure).toMatchObject({ effect: 'maybe', advice: expect.stringMatching(advice) });
});

it.each([
	[303, `/threads/${THREAD}`],
	[303, `https://a.example/app/t/${THREAD}/?tab=1`],
	[302, `/threads/${THREAD}`],
])('%i to a thread keeps it: %s', (statusCode, location) => {
	const failure = startFailure({ statusCode, headers: { location }, body: '', url, path });
	expect(failure).toMatchObject({
		effect: 'run',
		run: { thread_id: THREAD },
		advice: expect.stringMatching(/^The run may/),
	});
	const elsewhere = startFailure({
		statusCode,
		headers: { location: `https://b.example/${THREAD}` },
		body: '',
		url,
		path,
	});
	expect(elsewhere).toMatchObject({ effect: 'maybe', run: { thread_id: null } });
});

// vllm#49239, codegraff#748
const task =
	'Find the order of Ada Lovelace, 12 St James Square, London, "born 1815",\nand tell her the price. '.repeat(1500);
it.each<[string, unknown]>([
	['in JSON', { error: { message: `1 validation error: ${JSON.stringify({ query: task })} is too long` } }],
	['as another language writes it', `[{'msg': 'Too long', 'input': {'query': '${task.replaceAll('\n', '\\n')}'}}]`],
	['in part', { detail: `Rejected: ${task.slice(1000, 2000)}` }],
	['in the title of a page', `<html><title>Rejected: ${task.slice(0, 3000)}</title></html>`],
])('never quotes the request: %s', (_what, body) => {
	const { reason } = startFailure({ statusCode: 400, headers: {}, body, sent: { query: task } });
	expect(reason).toMatch(/validation error|Too long|Rejected/);
	expect(reason.length).toBeLessThan(250);
	expect(reason).not.toMatch(/Ada Lovelace, 12 St James/);
});

it.each([
	(text: string) => text,
	(text: string) => text.replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16)}`),
])('never quotes a request in other letters, also as Python writes them into JSON', (write) => {
	const query = '请打开订单页面，找到张伟在二零二六年十一月的所有订单，然后把价格告诉她。'.repeat(20);
	const body = { detail: `Rejected: ${write(JSON.stringify({ query }))}` };
	const { reason } = startFailure({ statusCode: 400, headers: {}, body, sent: { query } });
	expect(reason).toMatch(/^Rejected: .{0,30}…/);
	expect(reason.length).toBeLessThan(250);
});

it('quotes short texts of the request, which say what is wrong', () => {
	const body = { error: 'The model "fast-agent-2" does not exist' };
	expect(startFailure({ statusCode: 400, headers: {}, body, sent: { model: 'fast-agent-2' } }).reason).toBe(body.error);
});

it.each([
	'data: {"error":{"message":"Query is missing"}}\n\n',
	'event: error\r\ndata: {"message":\r\ndata: "Query is missing"}',
	'data: {"type":"error","errorText":"Query is missing"}\n\ndata: [DONE]\n\n',
	'data: {"type":"start"}\ndata: {"error":"Query is missing"}\ndata: {"type":"finish"}\n',
	'data: Query is missing\n\ndata: [DONE]\n\n',
])('reads the words of an event: %j', (body) =>
	expect(startFailure({ statusCode: 400, headers: {}, body }).reason).toBe('Query is missing'),
);
