import { startFailure } from '../../nodes/starts/response';

const ALL = Array.from({ length: 200 }, (_, index) => 400 + index);
const REJECTED = [400, 401, 402, 403, 404, 405, 413, 422, 429, 529];
const IN_USE = [409, 423, 425];
const BODIES: unknown[] = ['<html><title>503 Backend fetch failed</title></html>', { message: 'Unavailable' }, ''];
const THREAD = 'aaaa-1';

const judge = (statusCode: number, body: unknown, id?: string, thread?: string, isFollowUp?: boolean) =>
	startFailure({ statusCode, headers: { 'retry-after': '1', 'x-thread-id': id }, body }, thread, isFollowUp);

describe.each(BODIES)('after a start, a status with %j', (body) => {
	it('had no effect only if the service has rejected the start', () => {
		const none = (thread?: string, isFollowUp?: boolean) =>
			ALL.filter((code) => judge(code, body, undefined, thread, isFollowUp).effect === 'none');
		expect(none()).toEqual(REJECTED);
		for (const isFollowUp of [false, true]) {
			expect(none(THREAD, isFollowUp)).toEqual([...REJECTED, ...IN_USE].sort((a, b) => a - b));
		}
	});

	it('is sent again only if the service is busy, and lets others wait only if it is unavailable', () => {
		expect(ALL.filter((code) => judge(code, body).cause === 'busy')).toEqual([429, 529]);
		expect(ALL.filter((code) => judge(code, body).cause === 'unavailable')).toEqual([503]);
	});

	it('has started a run if the response names another thread than the requested one', () => {
		for (const [thread, isFollowUp] of [[undefined], [THREAD], [THREAD, true]] as const) {
			const failures = [300, ...ALL].map((code) => judge(code, body, 'other', thread, isFollowUp));
			expect(new Set(failures.map(({ effect }) => effect))).toEqual(new Set(['run']));
			expect(failures.every(({ cause, run }) => cause !== 'busy' && run?.thread_id === 'other')).toBe(true);
		}
		expect(judge(409, body, THREAD.toUpperCase(), THREAD).effect).toBe('none');
	});
});

describe('after a 404 of a run in a thread', () => {
	const page = BODIES[0];
	const gone = { detail: 'Thread not found' };

	it.each<[string, unknown, string | undefined, boolean, RegExp, boolean]>([
		['which a person has given', gone, THREAD, false, /^Check 'Thread ID' in this node/, false],
		['that was lost', gone, THREAD, true, /^The thread no longer exists$/, true],
		['that was lost, as a web page', page, THREAD, true, /^Check 'Automation URL'/, false],
		['that is new', gone, undefined, false, /^'Automation URL' responds but cannot start runs/, false],
	])('%s, the advice fits its cause', (_name, body, thread, isFollowUp, advice, isThreadGone) => {
		const failure = judge(404, body, undefined, thread, isFollowUp);
		expect(failure.advice).toMatch(advice);
		expect(failure.cause === 'threadGone').toBe(isThreadGone);
	});
});
