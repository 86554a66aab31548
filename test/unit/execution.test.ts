/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { Readable } from 'node:stream';
import { sleep } from 'n8n-workflow';

import { readExecution } from '../../nodes/shared/n8n/execution';
import { bodyOf, Watchdog, type Limits } from '../../nodes/shared/http/watchdog';
import { readBody } from '../../nodes/shared/http/read-body';
import { each } from '../support/each';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const NONE = { idle: Infinity, total: Infinity };
const pass = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);

const ownLimits = ['idle', 'total'] as const;
it.each(ownLimits)('a connection is closed when the limit %s passes, and not before', async (limit) => {
	const onTick = jest.fn();
	const watchdog = new Watchdog({ ...NONE, [limit]: 1500 });
	watchdog.tick = onTick;
	await pass(1499);
	const state = () => [watchdog.signal.aborted, watchdog.expired, onTick.mock.calls.length];
	expect(state()).toEqual([false, undefined, 1]);
	await pass(1);
	expect([...state(), jest.getTimerCount()]).toEqual([true, limit, 1, 0]);
});

/** Whether an idle limit passes at that time, and not a millisecond before. */
async function expectIdleAfter(watchdog: Watchdog, milliseconds: number) {
	await pass(milliseconds - 1);
	expect(watchdog.expired).toBeUndefined();
	await pass(1);
	expect(watchdog.expired).toBe('idle');
}

it('a connection is silent only since its last byte', async () => {
	const watchdog = new Watchdog({ ...NONE, idle: 1500 });
	await pass(1000);
	watchdog.touch();
	await expectIdleAfter(watchdog, 1500);
});

it('a body that comes in pieces is silent only since its last piece', async () => {
	const watchdog = new Watchdog({ ...NONE, idle: 1500 });
	async function* piecesOfBody() {
		for (const piece of ['{"a":', '1', '}']) {
			yield Buffer.from(piece);
			await sleep(1000);
		}
	}
	const body = readBody(piecesOfBody(), watchdog);
	await pass(3000);
	expect([await body, watchdog.expired]).toEqual([{ body: { a: 1 } }, undefined]);
});

it.each([3_600_000, -3_600_000])('a clock that is set by %d ms changes no limit', async (change) => {
	const watchdog = new Watchdog({ ...NONE, idle: 1500 });
	await pass(100);
	jest.setSystemTime(Date.now() + change);
	await expectIdleAfter(watchdog, 1400);
});

const someLimits: Limits[] = [NONE, { ...NONE, idle: 1 }, { ...NONE, total: 1 }, { ...NONE, total: 2, idle: 2 }];
it.each(someLimits)('a connection has one timer with %j, and none a second after it is closed', async (limits) => {
	const watchdog = new Watchdog(limits);
	watchdog.tick = () => {};
	expect(jest.getTimerCount()).toBe(1);
	watchdog.close();
	await pass(1000);
	expect(jest.getTimerCount()).toBe(0);
});

it('a connection is closed when the execution is stopped, and lets go of its signal when it is closed', () => {
	const stop = new AbortController();
	const { signal } = stop;
	const [add, remove] = [jest.spyOn(signal, 'addEventListener'), jest.spyOn(signal, 'removeEventListener')];
	const [first, second] = [new Watchdog(NONE, { stop: signal }), new Watchdog(NONE, { stop: signal })];
	first.close();
	expect(remove.mock.calls).toEqual(add.mock.calls.slice(0, 1));
	expect([first.signal.aborted, first.isStopped, second.signal.aborted]).toEqual([true, false, false]);
	stop.abort();
	expect([second.signal.aborted, second.isStopped]).toEqual([true, true]);
	expect(new Watchdog(NONE, { stop: signal }).signal.aborted).toBe(true);
	// An old version of n8n has no signal.
	const third = new Watchdog(NONE);
	third.close();
	expect([third.signal.aborted, third.isStopped]).toEqual([true, false]);
});

it('a body that is closed before anything reads it raises nothing', () => {
	expect((bodyOf(new Readable()) as Readable).listenerCount('error')).toBe(1);
	expect(() => bodyOf([])).not.toThrow();
});

it.each([
	[{ ...NONE, idle: 1000 }, "The service sent no data for 1 second ('Idle Timeout (s)' under 'Options', 'Limits')"],
	[{ ...NONE, total: 1500 }, "The run took longer than 1.5 seconds ('Run Timeout (s)' under 'Options', 'Limits')"],
])('the reason says which limit passed', async (limits, reason) => {
	const watchdog = new Watchdog(limits);
	expect(watchdog.expiredReason).toBeUndefined();
	await pass(1500);
	expect(watchdog.expiredReason).toBe(reason);
});

/** What is read of an old version of n8n. */
const read = (more: object = {}) => {
	const node = { getNode: () => ({ type: 'x.y' }), continueOnFail: () => false };
	const context = { ...node, evaluateExpression: () => 0, getContext: () => ({}), ...more };
	return readExecution(context as unknown as Parameters<typeof readExecution>[0]);
};

it.each([
	...each(['x.y', 'Tool.x'], {}, false),
	['x.yTool', {}, true],
	['x.yTool', { isToolExecution: () => false }, true],
])('an agent has called a node if n8n has derived its type: %s %j', (type, more, isTool) => {
	expect(read({ getNode: () => ({ type }), ...more }).isTool).toBe(isTool);
});

it('the iteration of a loop and the signal of a stop are those that n8n reports', () => {
	const { signal } = new AbortController();
	const evaluateExpression = (expression: string) => (expression === '{{ $runIndex }}' ? 2 : undefined);
	const told = read({ evaluateExpression, getExecutionCancelSignal: () => signal });
	expect([told.runIndex, told.stop === signal]).toEqual(['2', true]);
});

it('an old version of n8n reports less', () => {
	const told = { isStreaming: false, isRedacted: false, endsAt: Infinity, stop: undefined, movesFiles: false };
	expect(read()).toMatchObject(told);
});

it('the memory of an execution is that of the node, or belongs to nobody else if there is no execution', () => {
	const saved = {};
	const again = () => read({ getContext: (type: string) => (type === 'node' ? saved : {}) });
	const { memory } = again();
	expect([again().memory === memory, memory.saved === saved]).toEqual([true, true]);
	expect(JSON.stringify(saved)).toBe('{}');
	const getContext = () => {
		throw new Error('no execution');
	};
	expect(read({ getContext })).toMatchObject({ memory: { saved: {} } });
});
