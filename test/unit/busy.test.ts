/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import type { Failure, FailureError } from '../../nodes/shared/failure/failure';
import { BusyGate } from '../../nodes/shared/http/busy';
import { requestedWait } from '../../nodes/shared/failure/response/retry-after';
import { each } from '../support/each';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const NOW = Date.UTC(2026, 10, 20, 12);

// urllib3#1896, resty#1220
it.each<[unknown, number | undefined]>([
	['7', 7000],
	[' 1.5 ', 1500],
	[['7'], 7000],
	...each(['0', 'Fri, 20 Nov 2026 11:00:00 GMT'], 1000),
	...each(['Fri, 20 Nov 2026 12:01:00 GMT', 'Fri Nov 20 12:01:00 2026', 'Friday, 20-Nov-26 12:01:00 GMT'], 60_000),
	...each(['2026-11-20T12:00:02Z'], 2000),
	...each(['-5', '', 'soon', '99999999999', undefined, null], undefined),
])('with Retry-After %j, the wait is %p ms, also with TZ=America/New_York', (retryAfter, expected) => {
	jest.setSystemTime(NOW);
	expect(requestedWait({ 'retry-after': retryAfter })).toBe(expected);
});

it("measures the wait by the sender's clock, if the response shows it", () => {
	const headers = { 'retry-after': 'Fri, 20 Nov 2026 11:53:00 GMT', date: 'Fri, 20 Nov 2026 11:52:00 GMT' };
	expect(requestedWait(headers)).toBe(60_000);
});

/** Lets time pass while something waits: the sleeps until it has ended, in milliseconds. */
async function sleepsOf(waiting: Promise<unknown>): Promise<number[]> {
	const sleeps: number[] = [];
	let isOver = false;
	const end = () => (isOver = true);
	void waiting.then(end, end);
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

const FIELD = "'Max Wait'";
const BUSY: Failure = { reason: 'Too many requests', advice: 'Wait', cause: 'busy', effect: 'none' };
const going = new AbortController().signal;

/** A gate that waits for so long in all. */
const gate = (milliseconds: number, endsAt = Infinity) => new BusyGate(milliseconds, endsAt, FIELD);

/** Rejects a request: the milliseconds until the next attempt, or the advice with which the wait has ended. */
function refuse(busy: BusyGate, headers?: Record<string, unknown>) {
	try {
		return busy.pauseAfter({ ...BUSY, headers }, (text) => text);
	} catch (error) {
		return (error as FailureError).failure.advice;
	}
}

/** Rejects a request, and expects it to be said and to take so many milliseconds until the next attempt. */
async function expectWait(busy: BusyGate, wait: number, headers?: Record<string, unknown>) {
	expect([refuse(busy, headers), await timeOf(busy.opens(going))]).toEqual([wait, wait]);
}

/** Why the gate lets nothing more through; undefined if it does. */
const lastOf = async (busy: BusyGate) =>
	await busy.opens(going).then(
		() => undefined,
		({ failure }: FailureError) => failure,
	);

const tooLate = (seconds: number) => `Wait, or raise ${FIELD} to ${seconds} or more`;
const SPENT = `Wait, or raise ${FIELD}`;

describe('a service that is busy', () => {
	it('is sent another request after 5 seconds, then after twice as long each time, at most 60, until the time is over', async () => {
		const busy = gate(300_000);
		for (const wait of [5, 10, 20, 40, 60, 60, 60, 45]) await expectWait(busy, wait * 1000);
		expect(refuse(busy)).toBe(SPENT);
	});

	it('is sent another request when it says, unless that is too late', async () => {
		expect(refuse(gate(120_000), after(121))).toBe(tooLate(121));
		const busy = gate(120_000);
		await expectWait(busy, 100_000, after(100));
		expect([refuse(busy, after(20)), refuse(busy, after(30))]).toEqual([20_000, tooLate(130)]);
	});

	it('gets nothing more from any item of the attempt once the wait is used up, however long later', async () => {
		const busy = gate(6000);
		await expectWait(busy, 6000, after(6));
		expect(refuse(busy)).toBe(SPENT);
		for (const minutes of [0, 1, 60]) {
			jest.advanceTimersByTime(minutes * 60_000);
			expect(await lastOf(busy)).toMatchObject({ reason: BUSY.reason, advice: SPENT, effect: 'none' });
		}
		expect(await lastOf(gate(6000))).toBeUndefined();
	});

	it('is waited for anew after each request that it accepts, beginning with 5 seconds', async () => {
		const busy = gate(20_000);
		for (let accepted = 0; accepted < 10; accepted++) {
			await expectWait(busy, 5000);
			await expectWait(busy, 10_000);
			busy.enter();
			busy.leave();
		}
		expect(await lastOf(busy)).toBeUndefined();
	});

	it('costs no time while a run continues', async () => {
		const busy = gate(6000);
		busy.enter();
		for (let refusal = 0; refusal < 5; refusal++) await expectWait(busy, 4000, after(4));
		busy.leave();
		await expectWait(busy, 4000, after(4));
		expect(refuse(busy, after(4))).toBe(tooLate(8));
	});

	it('is waited for by all requests together, the longest wait that it asks for', async () => {
		const busy = gate(120_000);
		expect([{}, {}, {}].map((headers) => refuse(busy, headers))).toEqual([5000, 5000, 5000]);
		const waiting = timeOf(Promise.all([busy.opens(going), busy.opens(going)]));
		expect([after(30), {}, after(1)].map((headers) => refuse(busy, headers))).toEqual([30_000, 30_000, 30_000]);
		expect(await waiting).toBe(30_000);
		expect(refuse(busy)).toBe(10_000);
	});

	it('is not waited for at all if there is no time for it, or before it has rejected anything', async () => {
		expect(refuse(gate(0))).toBe(SPENT);
		expect(refuse(gate(0), after(0))).toBe(tooLate(1));
		expect(await sleepsOf(gate(120_000).opens(going))).toEqual([]);
	});

	it('is not waited for after a stop, which is noticed within 50 ms', async () => {
		const busy = gate(120_000);
		refuse(busy, after(60));
		const stopping = new AbortController();
		setTimeout(() => stopping.abort(), 4000);
		const opens = busy.opens(stopping.signal);
		expect(await timeOf(opens)).toBeLessThanOrEqual(4050);
		expect([await opens, jest.getTimerCount()]).toEqual([false, 0]);
	});
});

describe("near the workflow's time limit", () => {
	const inSeconds = (seconds: number) => performance.now() + seconds * 1000;

	it('a busy service is waited for only until then, also while a run continues, and the advice says so', () => {
		const busy = gate(60_000, inSeconds(5));
		busy.enter();
		expect(refuse(busy, after(6))).toMatch(/^Raise 'Timeout After' in the workflow settings, because that limit/);
	});

	it.each([
		[0.3, undefined],
		[0.2, { reason: expect.stringContaining('about to reach its time limit'), effect: 'none' }],
	])('with %d s left, a request that could not end is not sent', async (seconds, failure) => {
		const last = await lastOf(gate(60_000, inSeconds(seconds)));
		if (failure) expect(last).toMatchObject({ ...failure, advice: expect.stringMatching(/^Raise 'Timeout After'/) });
		else expect(last).toBeUndefined();
	});
});
