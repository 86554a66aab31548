/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */

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
			void over.then(
				() => (isOver = true),
				() => (isOver = true),
			);
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
