import { sleep } from 'n8n-workflow';

import { readExecution } from '../../nodes/shared/n8n/execution';
import { Watchdog, readBody } from '../../nodes/shared/http/watchdog';
import { each } from '../support/each';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const NONE = { idle: Infinity, total: Infinity };
const pass = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);

it.each(['idle', 'total'] as const)('closes a connection when the limit %s passes, and not before', async (limit) => {
	const watchdog = new Watchdog({ ...NONE, [limit]: 1500 });
	await pass(1499);
	expect([watchdog.signal.aborted, watchdog.expired]).toEqual([false, undefined]);
	await pass(1);
	expect([watchdog.signal.aborted, watchdog.expired, jest.getTimerCount()]).toEqual([true, limit, 0]);
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

it('a connection is closed when the execution is stopped, and stops nothing when it is closed', () => {
	const stop = new AbortController();
	const { signal } = stop;
	const [first, second] = [new Watchdog(NONE, { stop: signal }), new Watchdog(NONE, { stop: signal })];
	first.close();
	expect([first.signal.aborted, first.isStopped, second.signal.aborted]).toEqual([true, false, false]);
	stop.abort();
	expect([second.signal.aborted, second.isStopped]).toEqual([true, true]);
	expect(new Watchdog(NONE, { stop: signal }).signal.aborted).toBe(true);
});

/** What is read of a tool's context, which has no streaming. */
const read = (more: object = {}) => {
	const context = {
		getNode: () => ({ type: 'x.y' }),
		continueOnFail: () => false,
		evaluateExpression: () => 0,
		getContext: () => ({}),
		getWorkflowSettings: () => ({}),
		getMode: () => 'trigger',
		...{ getExecutionContext: () => undefined, getExecutionId: () => '1', getExecutionCancelSignal: () => undefined },
		...more,
	};
	return readExecution(context as unknown as Parameters<typeof readExecution>[0]);
};

it.each([
	...each(['x.y', 'Tool.x'], {}, false),
	['x.yTool', {}, true],
	['x.yTool', { isToolExecution: () => false }, true],
])('an agent has called a node if n8n has derived its type: %s %j', (type, more, isTool) => {
	expect(read({ getNode: () => ({ type }), ...more }).isTool).toBe(isTool);
});

it.each<[object, number]>([
	[{}, Infinity],
	[{ executionTimeout: 60 }, 54_000],
	[{ executionTimeout: 3600 }, 3_590_000],
])('runs end before the time limit of the settings %j', (settings, left) => {
	const told = read({ getWorkflowSettings: () => settings });
	expect(told).toMatchObject({ isStreaming: false, isRedacted: false, movesFiles: false });
	expect(told.endsAt - performance.now()).toBe(left);
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
