/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */

const TRIES = 5;

/** Microseconds of the processor that the process takes for some work, however long it has to wait for it. */
function costOf(work: () => void): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return user + system;
}

/**
 * How often as much work eight times the size is: about 8 if it grows with the size, 64 if it grows with its square. Each is the
 * least of some tries in turn: the first ones are compiled meanwhile.
 */
export function growthOf(work: (size: number) => void, size: number): number {
	const costs = Array.from({ length: TRIES }, () => [costOf(() => work(size)), costOf(() => work(8 * size))]);
	const [small, large] = [0, 1].map((which) => Math.min(...costs.map((pair) => pair[which])));
	return large / small;
}
