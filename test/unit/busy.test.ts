/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { BusyGate, requestedWait, waitUntil } from '../../nodes/execution/busy';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

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
	// Seconds from now, as most services send them.
	[undefined, '30', 30_000],
	[undefined, '0', 1000],
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
	jest.setSystemTime(NOW);
	expect(requestedWait({ 'retry-after': retryAfter, 'x-ratelimit-reset': reset })).toBe(expected);
});

it('a wait that is over between two looks at the clock sleeps for no negative time', async () => {
	const sleeps = jest.spyOn(global, 'setTimeout');
	const times = [99, 101];
	const clock = jest.spyOn(performance, 'now').mockImplementation(() => times.shift() ?? 102);
	const waited = waitUntil(() => 100);
	await jest.advanceTimersByTimeAsync(50);
	await waited;
	clock.mockRestore();
	expect(sleeps.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([1]);
});

/** Lets time pass while something waits: the sleeps until it has ended, in milliseconds. */
async function sleepsOf(waiting: Promise<unknown>): Promise<number[]> {
	const sleeps: number[] = [];
	let isOver = false;
	void waiting.then(() => (isOver = true));
	await jest.advanceTimersByTimeAsync(0);
	while (!isOver) {
		const start = performance.now();
		await jest.advanceTimersToNextTimerAsync();
		sleeps.push(performance.now() - start);
	}
	return sleeps;
}

const timeOf = async (waiting: Promise<unknown>) => (await sleepsOf(waiting)).reduce((sum, one) => sum + one, 0);

const after = (wait: number) => ({ 'retry-after': String(wait) });

/** Rejects a request: the milliseconds until the next attempt, or what has ended the wait, and the wait that was needed. */
function refuse(busy: BusyGate, headers: object = {}) {
	try {
		return busy.reject({ ...headers }, (endedBy, neededWait) => new Error(`${endedBy} ${neededWait ?? ''}`.trim()));
	} catch (error) {
		expect(busy.exhaustedError).toBe(error);
		return (error as Error).message;
	}
}

describe('a service that is busy', () => {
	it('is sent another request after 5 seconds, then after twice as long each time, at most 60, until the time is over', async () => {
		const busy = new BusyGate(300_000);
		const [waits, times]: number[][] = [[], []];
		for (let wait = refuse(busy); typeof wait === 'number'; wait = refuse(busy)) {
			waits.push(wait);
			times.push(await timeOf(busy.wait()));
		}
		expect(waits).toEqual([5, 10, 20, 40, 60, 60, 60, 45].map((wait) => wait * 1000));
		expect(times).toEqual(waits);
	});

	it('is reported in whole milliseconds, whatever the clock shows', () => {
		for (let time = 1; time < 1000; time++) {
			const clock = jest.spyOn(performance, 'now').mockReturnValue(time / 7);
			expect(refuse(new BusyGate(5000), after(2))).toBe(2000);
			clock.mockRestore();
		}
	});

	it('is sent another request when it says, unless that is too late', async () => {
		expect(refuse(new BusyGate(120_000), after(121))).toBe('maxWait 121000');
		const busy = new BusyGate(120_000);
		expect(refuse(busy, after(100))).toBe(100_000);
		expect(await timeOf(busy.wait())).toBe(100_000);
		expect(refuse(busy, after(20))).toBe(20_000);
		expect(refuse(busy, after(30))).toBe('maxWait 130000');
	});

	it('is waited for anew after each request that it accepts, beginning with 5 seconds', async () => {
		const busy = new BusyGate(20_000);
		for (let accepted = 0; accepted < 10; accepted++) {
			expect([refuse(busy), await timeOf(busy.wait())]).toEqual([5000, 5000]);
			expect([refuse(busy), await timeOf(busy.wait())]).toEqual([10_000, 10_000]);
			busy.accept();
		}
		expect(busy.exhaustedError).toBeUndefined();
	});

	it('costs no time while a run continues', async () => {
		const busy = new BusyGate(6000);
		let end = () => {};
		const run = busy.whileRunning(async () => await new Promise<void>((resolve) => (end = resolve)));
		for (let refusal = 0; refusal < 5; refusal++) {
			expect(refuse(busy, after(4))).toBe(4000);
			await timeOf(busy.wait());
		}
		end();
		await run;
		expect(refuse(busy, after(4))).toBe(4000);
		await timeOf(busy.wait());
		expect(refuse(busy, after(4))).toBe('maxWait 8000');
	});

	it('is waited for only until the time limit of the workflow is near, also while a run continues', async () => {
		const busy = new BusyGate(60_000, performance.now() + 5000);
		void busy.whileRunning(async () => await new Promise(() => {}));
		expect(refuse(busy, after(6))).toBe('workflow 6000');
	});

	it('gets nothing more in an attempt once the wait limit is reached, and the next one sends at once', async () => {
		const busy = new BusyGate(0);
		expect(refuse(busy)).toBe('maxWait');
		busy.beginAttempt();
		expect([busy.exhaustedError, await sleepsOf(busy.wait())]).toEqual([undefined, []]);
		expect(refuse(busy)).toBe('maxWait');
	});

	it('is waited for by all requests together, the longest wait that it asks for', async () => {
		const busy = new BusyGate(120_000);
		expect([{}, {}, {}].map((headers) => refuse(busy, headers))).toEqual([5000, 5000, 5000]);
		expect([after(30), {}, after(1)].map((headers) => refuse(busy, headers))).toEqual([30_000, 30_000, 30_000]);
		expect(await timeOf(Promise.all([busy.wait(), busy.wait()]))).toBe(30_000);
		expect(refuse(busy)).toBe(10_000);
	});

	it('is asked no longer if a request that was waiting is put off beyond what is left', async () => {
		const busy = new BusyGate(120_000);
		refuse(busy, after(1));
		const waiting = timeOf(busy.wait());
		refuse(busy, after(10));
		expect(await waiting).toBe(10_000);
	});

	it('is not waited for at all if there is no time for it, or before it has rejected anything', async () => {
		expect(refuse(new BusyGate(0))).toBe('maxWait');
		expect(refuse(new BusyGate(0), after(0))).toBe('maxWait 1000');
		expect(await sleepsOf(new BusyGate(120_000).wait())).toEqual([]);
	});

	it('is not waited for after a stop, which is noticed within 100 ms', async () => {
		const busy = new BusyGate(120_000);
		refuse(busy, after(60));
		const begin = performance.now();
		const stop = () => performance.now() - begin >= 4000;
		const sleeps = await sleepsOf(busy.wait(stop));
		expect([performance.now() - begin, Math.max(...sleeps)]).toEqual([4000, 50]);
		expect(await sleepsOf(busy.wait(stop))).toEqual([]);
		expect(jest.getTimerCount()).toBe(0);
	});
});

it('a wait lasts as long as it says by the real clock, too', async () => {
	jest.useRealTimers();
	const start = performance.now();
	await waitUntil(() => start + 120);
	expect(performance.now() - start).toBeGreaterThanOrEqual(120);
	await waitUntil(() => 0);
});
