/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */

const FEWEST_TRIES = 2;
const MOST_TRIES = 5;

/** Growth that is clearly not with the square: no further try is needed. */
const CLEARLY_LINEAR = 14;

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
	let [small, large] = [Infinity, Infinity];
	for (let tries = 0; tries < MOST_TRIES && (tries < FEWEST_TRIES || large / small > CLEARLY_LINEAR); tries++) {
		const [once, eightfold] = [size, 8 * size].map((one) => costOf(() => work(one)));
		[small, large] = [Math.min(small, once), Math.min(large, eightfold)];
	}
	return large / small;
}
