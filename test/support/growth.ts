/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */

const TRIES = 3;

/**
 * Microseconds of the processor that work takes, however long the process has to wait for it: the least of some tries, in which the
 * process did the least besides.
 */
function costOf(work: () => void): number {
	const costs = Array.from({ length: TRIES }, () => {
		const before = process.cpuUsage();
		work();
		const { user, system } = process.cpuUsage(before);
		return user + system;
	});
	return Math.min(...costs);
}

/** How often as much work eight times the size is: about 8 if it grows with the size, 64 if it grows with its square. */
export const growthOf = (work: (size: number) => void, size: number): number =>
	costOf(() => work(8 * size)) / costOf(() => work(size));
