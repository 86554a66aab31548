import { startFailure } from '../../nodes/shared/start/start-response';

const ALL = Array.from({ length: 200 }, (_, index) => 400 + index);
const REJECTED = [
	// n8n#11758, node-red#1145: 407. keymaster#185: what load balancers and Cloudflare do not forward.
	...[400, 401, 402, 403, 404, 405, 407, 411, 413, 414, 415, 417, 421, 422, 426, 428, 429, 431, 451],
	...[464, 521, 523, 525, 526, 529],
];
const IN_USE = [409, 423, 425];
const BODIES: unknown[] = ['<html><title>503 Backend fetch failed</title></html>', { message: 'Unavailable' }, ''];
const [THREAD, OTHER] = ['aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb', 'cccccccc-1111-4222-8333-bbbbbbbbbbbb'];

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
		expect(ALL.filter((code) => judge(code, body).cause === 'busy')).toEqual([429, 529]);
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
