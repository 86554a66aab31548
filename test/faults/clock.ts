const { now } = performance;
let ahead = 0;

/** Lets seconds pass at once, on the clock by which the nodes count their limits: they notice it within a second. */
export function pass(seconds: number): void {
	ahead += seconds * 1000;
	performance.now = () => now.call(performance) + ahead;
}

/** Gives other test files of the same process their clock back. */
export function restoreClock(): void {
	ahead = 0;
	performance.now = now;
}
