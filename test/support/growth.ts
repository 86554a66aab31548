/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */

/** Microseconds of the processor that work takes, however long the process has to wait for it. */
function costOf(work: () => void): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return user + system;
}

/** How often as much work eight times the size is: about 8 if it grows with the size, 64 if it grows with its square. */
export function growthOf(work: (size: number) => void, size: number): number {
	// What is compiled at first costs more.
	work(size);
	return costOf(() => work(8 * size)) / costOf(() => work(size));
}
