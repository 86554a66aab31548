/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */

/** The longest timer of a node that waits for nothing but time, in milliseconds (nodes/shared/http/busy.ts). */
const PIECE_MS = 50;

/**
 * Stops the clock by which the nodes count their limits, for the tests of a file or of a `describe`. A pause of a node is over at
 * once, and its time has passed for all; else no time passes, however slow the machine is.
 */
export function usePauses() {
	let passed: number;
	let mocks: jest.SpyInstance[];
	beforeEach(() => {
		// Without a fraction, so that sums are exact.
		passed = Math.round(performance.now());
		const setTimer = setTimeout;
		const setPiece = (handler: () => void, wait = 0, ...given: []) => {
			if (wait <= 0 || wait > PIECE_MS) return setTimer(handler, wait, ...given);
			passed += wait;
			return setImmediate(handler, ...given);
		};
		mocks = [
			jest.spyOn(performance, 'now').mockImplementation(() => passed),
			jest.spyOn(globalThis, 'setTimeout').mockImplementation(setPiece as unknown as typeof setTimeout),
		];
	});
	afterEach(() => mocks.forEach((mock) => mock.mockRestore()));
}

/**
 * Stops the clock of n8n and of the nodes for the tests of a file or of a `describe`: no limit is reached and no wait is over before
 * the test says so, however slow the machine is. Connections go on, and so do the timers of `node:timers`.
 */
export function useStoppedClock() {
	beforeEach(() => {
		jest.useFakeTimers({ doNotFake: ['hrtime', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] });
	});
	afterEach(() => jest.useRealTimers());
	return {
		pass: async (seconds: number) => await jest.advanceTimersByTimeAsync(seconds * 1000),
		/** Lets time pass second by second, and connections go on in between, until something is over. */
		passUntil: async <T>(over: Promise<T>): Promise<T> => {
			let isOver = false;
			const end = () => (isOver = true);
			void over.then(end, end);
			while (!isOver) {
				await jest.advanceTimersByTimeAsync(1000);
				await new Promise((resolve) => setImmediate(resolve));
			}
			return await over;
		},
		/** Resolves once somebody begins to wait for so long. */
		waitOf: async (milliseconds: number) =>
			await new Promise<void>((resolve) => {
				const setTimer = setTimeout;
				const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation((...given) => {
					if (given[1] === milliseconds) {
						timers.mockRestore();
						resolve();
					}
					return setTimer(...given);
				});
			}),
	};
}
