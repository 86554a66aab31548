import { BusyService, pause, requestedWait } from '../../nodes/execution/busy';

const NOW = Date.UTC(2026, 10, 20, 12);
const seconds = NOW / 1000;

it.each<[unknown, unknown, number | undefined]>([
	['7', undefined, 7000],
	[' 1.5 ', undefined, 1500],
	['0', undefined, 1000],
	['Fri, 20 Nov 2026 12:01:00 GMT', undefined, 60_000],
	['2026-11-20T12:00:02Z', undefined, 2000],
	['Fri, 20 Nov 2026 11:00:00 GMT', undefined, 1000],
	['7', seconds + 90, 7000],
	[undefined, seconds + 90, 90_000],
	[undefined, String(seconds + 90), 90_000],
	[undefined, seconds - 90, 1000],
	// What cannot be read counts as absent.
	['soon', seconds + 90, 90_000],
	['99999999999', seconds + 90, 90_000],
	['-5', undefined, undefined],
	['', '', undefined],
	['soon', 'later', undefined],
	[undefined, seconds * 1000, undefined],
	[undefined, undefined, undefined],
	[null, null, undefined],
	[['7'], undefined, 7000],
])('with Retry-After %j and X-RateLimit-Reset %j, the wait is %p ms', (retryAfter, reset, expected) => {
	expect(requestedWait({ 'retry-after': retryAfter, 'x-ratelimit-reset': reset }, NOW)).toBe(expected);
});

/** Time that passes only while somebody sleeps. */
function clockOf() {
	const sleeps: number[] = [];
	const clock = { time: 1000, sleeps, now: () => clock.time, sleep: async (ms: number) => pass(ms) };
	const pass = (ms: number) => {
		clock.time += ms;
		sleeps.push(ms);
	};
	return clock;
}

const after = (wait: number) => ({ 'retry-after': String(wait) });

describe('a service that is busy', () => {
	it('is asked again after 5 seconds, then after twice as long each time, at most 60, until the time is over', async () => {
		const clock = clockOf();
		const busy = new BusyService(300_000, clock);
		const waits: Array<number | undefined> = [];
		for (let wait = busy.refuse({}); wait !== undefined; wait = busy.refuse({})) {
			waits.push(wait);
			await busy.wait();
		}
		expect(waits).toEqual([5, 10, 20, 40, 60, 60, 60, 45].map((wait) => wait * 1000));
		expect(clock.time).toBe(301_000);
	});

	it('is asked again when it says, unless that is too late', async () => {
		const clock = clockOf();
		const busy = new BusyService(120_000, clock);
		expect(busy.refuse(after(121))).toBeUndefined();
		expect(busy.refuse(after(100))).toBe(100_000);
		await busy.wait();
		expect(clock.time).toBe(101_000);
		expect(busy.refuse(after(21))).toBeUndefined();
		expect(busy.refuse(after(20))).toBe(20_000);
		await busy.wait();
		expect(busy.refuse({})).toBeUndefined();
	});

	it('is waited for by all requests together, the longest wait that it asks for', async () => {
		const clock = clockOf();
		const busy = new BusyService(120_000, clock);
		expect([{}, {}, {}].map((headers) => busy.refuse(headers))).toEqual([5000, 5000, 5000]);
		expect([after(30), {}, after(1)].map((headers) => busy.refuse(headers))).toEqual([30_000, 30_000, 30_000]);
		await Promise.all([busy.wait(), busy.wait()]);
		expect(clock.time).toBeGreaterThanOrEqual(31_000);
		expect(busy.refuse({})).toBe(10_000);
	});

	it('is asked no longer if a request that was waiting is put off beyond what is left', async () => {
		const clock = clockOf();
		const busy = new BusyService(120_000, clock);
		busy.refuse(after(1));
		const { sleep } = clock;
		clock.sleep = async (ms) => {
			clock.sleep = sleep;
			busy.refuse(after(10));
			await sleep(ms);
		};
		await busy.wait();
		expect(clock.time).toBe(11_000);
	});

	it('is not waited for at all if there is no time for it, or before it has refused anything', async () => {
		const clock = clockOf();
		expect(new BusyService(0, clock).refuse({})).toBeUndefined();
		expect(new BusyService(0, clock).refuse(after(0))).toBeUndefined();
		await new BusyService(120_000, clock).wait();
		expect(clock.sleeps).toEqual([]);
	});

	it('is not waited for after a stop, which is noticed within 100 ms', async () => {
		const clock = clockOf();
		const busy = new BusyService(120_000, clock);
		busy.refuse(after(60));
		const stop = new AbortController();
		const { sleep } = clock;
		clock.sleep = async (ms) => {
			await sleep(ms);
			if (clock.time >= 4000) stop.abort();
		};
		await busy.wait(stop.signal);
		expect([clock.time, Math.max(...clock.sleeps)]).toEqual([4000, 50]);
		await busy.wait(stop.signal);
		expect(clock.time).toBe(4000);
	});
});

it('a pause lasts as long as it says by the real clock, too', async () => {
	const start = performance.now();
	await pause(120);
	expect(performance.now() - start).toBeGreaterThanOrEqual(119);
	await pause(0);
	await pause(-1);
});
