/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import type { Failure, FailureError } from '../../nodes/shared/failure/failure';
import { BusyGate, sendThroughGate, waitUntil } from '../../nodes/shared/http/busy';
import { requestedWait } from '../../nodes/shared/failure/response/retry-after';
import { each } from '../support/each';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const NOW = Date.UTC(2026, 10, 20, 12);
const seconds = NOW / 1000;

it.each<[unknown, unknown, number | undefined]>([
	['7', undefined, 7000],
	[' 1.5 ', undefined, 1500],
	...each(['0', 'Fri, 20 Nov 2026 11:00:00 GMT'], undefined, 1000),
	['Fri, 20 Nov 2026 12:01:00 GMT', undefined, 60_000],
	['2026-11-20T12:00:02Z', undefined, 2000],
	['7', seconds + 90, 7000],
	[undefined, seconds + 90, 90_000],
	[undefined, String(seconds + 90), 90_000],
	[undefined, seconds - 90, 1000],
	// Seconds from now, as most services send them.
	[undefined, '30', 30_000],
	[undefined, '0', 1000],
	// What cannot be read counts as absent.
	...each(['soon', '99999999999'], seconds + 90, 90_000),
	...each(['-5', undefined], undefined, undefined),
	['', '', undefined],
	['soon', 'later', undefined],
	[undefined, seconds * 1000, undefined],
	[null, null, undefined],
	[['7'], undefined, 7000],
])('with Retry-After %j and X-RateLimit-Reset %j, the wait is %p ms', (retryAfter, reset, expected) => {
	jest.setSystemTime(NOW);
	expect(requestedWait({ 'retry-after': retryAfter, 'x-ratelimit-reset': reset })).toBe(expected);
});

// urllib3#1896, resty#1220; bc-api#84; ky#608, medplum#7957
it.each<[Record<string, string>, number]>([
	...each([{ 'retry-after': 'Fri Nov 20 12:01:00 2026' }, { 'retry-after': '2026-11-20 12:01:00' }], 60_000),
	[{ 'retry-after': 'Friday, 20-Nov-26 12:01:00 GMT' }, 60_000],
	[{ 'retry-after': 'Fri, 20 Nov 2026 11:53:00 GMT', date: 'Fri, 20 Nov 2026 11:52:00 GMT' }, 60_000],
	[{ 'x-ratelimit-reset': String(seconds - 420), date: 'Fri, 20 Nov 2026 11:52:00 GMT' }, 60_000],
	[{ 'ratelimit-reset': '600' }, 600_000],
	[{ 'ratelimit-reset': '600', 'retry-after': '7' }, 7000],
])('with %j, the wait is %d ms, also with TZ=America/New_York', (headers, expected) => {
	jest.setSystemTime(NOW);
	expect(requestedWait(headers)).toBe(expected);
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

const FIELD = "'Max Wait'";
const LATE = "Wait, or raise 'Timeout After' in the workflow settings";
const BUSY: Failure = { reason: 'Too many requests', advice: 'Wait', cause: 'busy' };

/** A gate that waits for so long in all. */
const gate = (milliseconds: number) => new BusyGate(milliseconds, Infinity, FIELD);

/** Rejects a request: the milliseconds until the next attempt, or the advice with which the wait has ended. */
function refuse(busy: BusyGate, headers?: Record<string, unknown>) {
	try {
		return busy.reject({ ...BUSY, headers });
	} catch (error) {
		const { failure } = error as FailureError;
		expect(busy['closedBy']).toBe(failure);
		return failure.advice;
	}
}

/** Rejects a request, and waits: the milliseconds until the next attempt, and how long the wait was. */
const refuseAndWait = async (busy: BusyGate, headers?: Record<string, unknown>) => [
	refuse(busy, headers),
	await timeOf(busy['wait']()),
];
const tooLate = (seconds: number) => `Wait, or raise ${FIELD} to ${seconds} or more`;

describe('a service that is busy', () => {
	it('is sent another request after 5 seconds, then after twice as long each time, at most 60, until the time is over', async () => {
		const busy = gate(300_000);
		for (const wait of [5, 10, 20, 40, 60, 60, 60, 45])
			expect(await refuseAndWait(busy)).toEqual([wait * 1000, wait * 1000]);
		expect(refuse(busy)).toBe(`The node waited 300 seconds. Wait, or raise ${FIELD}`);
	});

	it('is reported in whole milliseconds, whatever the clock shows', () => {
		for (let time = 1; time < 1000; time++) {
			const clock = jest.spyOn(performance, 'now').mockReturnValue(time / 7);
			expect(refuse(gate(5000), after(2))).toBe(2000);
			clock.mockRestore();
		}
	});

	it('is sent another request when it says, unless that is too late', async () => {
		expect(refuse(gate(120_000), after(121))).toBe(tooLate(121));
		const busy = gate(120_000);
		expect(await refuseAndWait(busy, after(100))).toEqual([100_000, 100_000]);
		expect([refuse(busy, after(20)), refuse(busy, after(30))]).toEqual([
			20_000,
			`The node waited 100 seconds. ${tooLate(130)}`,
		]);
	});

	it('is waited for anew after each request that it accepts, beginning with 5 seconds', async () => {
		const busy = gate(20_000);
		for (let accepted = 0; accepted < 10; accepted++) {
			expect(await refuseAndWait(busy)).toEqual([5000, 5000]);
			expect(await refuseAndWait(busy)).toEqual([10_000, 10_000]);
			busy.accept();
			busy.leave();
		}
		expect(busy['closedBy']).toBeUndefined();
	});

	it('costs no time while a run continues', async () => {
		const busy = gate(6000);
		busy.accept();
		for (let refusal = 0; refusal < 5; refusal++) expect(await refuseAndWait(busy, after(4))).toEqual([4000, 4000]);
		busy.leave();
		expect(await refuseAndWait(busy, after(4))).toEqual([4000, 4000]);
		expect(refuse(busy, after(4))).toBe(`The node waited 4 seconds. ${tooLate(8)}`);
	});

	it('is waited for from its first rejection on, however long ago a run ended', () => {
		const busy = gate(6000);
		busy.accept();
		busy.leave();
		jest.advanceTimersByTime(5000);
		expect(refuse(busy, after(4))).toBe(4000);
	});

	it('is waited for only until the time limit of the workflow is near, also while a run continues', async () => {
		jest.advanceTimersByTime(100_000);
		const busy = new BusyGate(60_000, performance.now() + 5000, FIELD);
		busy.accept();
		expect(refuse(busy, after(6))).toBe(LATE);
	});

	it('gets nothing more in an attempt once the wait limit is reached, and the next one sends at once', async () => {
		const busy = gate(0);
		expect(refuse(busy)).toBe(`Wait, or raise ${FIELD}`);
		busy.beginAttempt();
		expect([busy['closedBy'], await sleepsOf(busy['wait']())]).toEqual([undefined, []]);
		expect(refuse(busy)).toBe(`Wait, or raise ${FIELD}`);
	});

	it('is waited for by all requests together, the longest wait that it asks for', async () => {
		const busy = gate(120_000);
		expect([{}, {}, {}].map((headers) => refuse(busy, headers))).toEqual([5000, 5000, 5000]);
		expect([after(30), {}, after(1)].map((headers) => refuse(busy, headers))).toEqual([30_000, 30_000, 30_000]);
		expect(await timeOf(Promise.all([busy['wait'](), busy['wait']()]))).toBe(30_000);
		expect(refuse(busy)).toBe(10_000);
	});

	it('is asked no longer if a request that was waiting is put off beyond what is left', async () => {
		const busy = gate(120_000);
		refuse(busy, after(1));
		const waiting = timeOf(busy['wait']());
		refuse(busy, after(10));
		expect(await waiting).toBe(10_000);
	});

	it('is not waited for at all if there is no time for it, or before it has rejected anything', async () => {
		expect(refuse(gate(0))).toBe(`Wait, or raise ${FIELD}`);
		expect(refuse(gate(0), after(0))).toBe(tooLate(1));
		expect(await sleepsOf(gate(120_000)['wait']())).toEqual([]);
	});

	it('is not waited for after a stop, which is noticed within 100 ms', async () => {
		const busy = gate(120_000);
		refuse(busy, after(60));
		const begin = performance.now();
		const stop = () => performance.now() - begin >= 4000;
		const sleeps = await sleepsOf(busy['wait'](stop));
		expect([performance.now() - begin, Math.max(...sleeps)]).toEqual([4000, 50]);
		expect(await sleepsOf(busy['wait'](stop))).toEqual([]);
		expect(jest.getTimerCount()).toBe(0);
	});
});

describe('a request', () => {
	const away: Failure = { ...BUSY, reason: 'Away', cause: 'unavailable' };
	/** Sends a request until it is accepted: each of the failures ends one try. What became of it, and the waits. */
	async function send(busy: BusyGate, failures: Failure[], isEnding = () => false) {
		const waits: number[] = [];
		let count = 0;
		const sendNext = async () => {
			const failure = failures[count++];
			return await Promise.resolve(failure ? { failure } : { value: 'accepted' });
		};
		const sent = sendThroughGate(busy, isEnding, sendNext, (pause) => waits.push(pause)).then(
			(value) => ({ value: value ?? 'not sent', failure: undefined }),
			({ failure }: FailureError) => ({ value: undefined, failure }),
		);
		await sleepsOf(sent);
		return { ...(await sent), waits, count };
	}

	it('is sent until it is accepted', async () => {
		const { value, waits, count } = await send(new BusyGate(60_000), [BUSY, BUSY]);
		expect([value, waits, count]).toEqual(['accepted', [5000, 10_000], 3]);
	});

	it('is not sent if the node ends, and fails with its own rejection if the node ends later', async () => {
		expect((await send(new BusyGate(60_000), [], () => true)).value).toBe('not sent');
		let looks = 0;
		const { failure, count } = await send(new BusyGate(60_000), [BUSY], () => ++looks > 10);
		expect([failure, count]).toEqual([BUSY, 1]);
	});

	it('fails with its own rejection if another one has ended the wait, else with that of the other', async () => {
		const busy = new BusyGate(30_000);
		const rejections = (reason: string) => Array.from({ length: 9 }, () => ({ ...BUSY, reason }));
		const both = await Promise.all(['One', 'Other'].map(async (reason) => await send(busy, rejections(reason))));
		expect(both.map(({ failure }) => failure?.reason)).toEqual(['One', 'Other']);
		const third = await send(busy, []);
		expect(['One', 'Other']).toContain(third.failure?.reason);
		expect(third.count).toBe(0);
	});

	it('that fails for a reason of its own puts off no other', async () => {
		const busy = new BusyGate(6000);
		expect((await send(busy, [{ ...BUSY, cause: 'input' }])).count).toBe(1);
		expect(await sleepsOf(busy['wait']())).toEqual([]);
		expect((await send(busy, [])).value).toBe('accepted');
	});

	it.each([
		[4, 4000],
		[60, 6000],
	])('waits for an unavailable service that asks for %d s, at most as long as the budget', async (asked, expected) => {
		const busy = new BusyGate(6000);
		await send(busy, [{ ...away, headers: after(asked) }]);
		expect(await timeOf(busy['wait']())).toBe(expected);
	});

	it('is not sent again to a service that is unavailable; others wait, then fail without being sent', async () => {
		const busy = new BusyGate(6000);
		expect((await send(busy, [away])).count).toBe(1);
		expect((await send(busy, [away])).count).toBe(1);
		jest.advanceTimersByTime(6000);
		expect((await send(busy, [away])).failure?.reason).toBe('Away');
		const advice = 'The service is temporarily unavailable. Try again later';
		expect(await send(busy, [])).toMatchObject({ count: 0, failure: { effect: 'none', reason: 'Away', advice } });
	});
});

it('a wait lasts as long as it says by the real clock, too', async () => {
	jest.useRealTimers();
	const start = performance.now();
	await waitUntil(() => start + 120);
	expect(performance.now() - start).toBeGreaterThanOrEqual(120);
	await waitUntil(() => 0);
});
