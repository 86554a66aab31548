/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */

/** The best of at most so many tries counts. Only work that is not clearly linear takes more than three: a busy machine disturbs some. */
const TRIES = 9;

/** Growth that is clearly not with the square: no further try is needed. */
const CLEARLY_LINEAR = 6;

/** The ratio that no reader may exceed: 4 if work grows with the size, 16 if with its square. */
export const MAX_GROWTH = 8;

/** Microseconds of the larger work below which a ratio says nothing. Work that grows with a square takes much more. */
const MEASURABLE = 8000;

export interface Growth {
	/** The smaller of the two. */
	size: number;
	/** Milliseconds of the processor. */
	small: number;
	large: number;
	ratio: number;
}

/** Microseconds of the processor that the process takes for some work, however long it has to wait for it. */
export function costOf(work: () => void): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return user + system;
}

/** How many times a size is raised fourfold until its work can be measured. What is cheaper then is refused, or read to a limit. */
const MAX_RAISED = 4;

/**
 * What work costs at a size and at four times that size: at larger ones, if it could not be measured. Each is the least of some tries
 * in turn: the first ones are compiled meanwhile.
 */
export function measureGrowth(work: (size: number) => void, size: number): Growth {
	let at = size;
	let [small, large] = [size, 4 * size].map((one) => costOf(() => work(one))) as [number, number];
	for (let raised = 0; raised < MAX_RAISED && large < MEASURABLE; raised++) {
		at *= 4;
		[small, large] = [large, costOf(() => work(4 * at))];
	}
	for (let tries = 1; tries < TRIES && large >= MEASURABLE && large / small >= CLEARLY_LINEAR; tries++) {
		small = Math.min(
			small,
			costOf(() => work(at)),
		);
		large = Math.min(
			large,
			costOf(() => work(4 * at)),
		);
	}
	const ratio = large < MEASURABLE ? Math.min(large / small, 4) : large / small;
	return { size: at, small: small / 1000, large: large / 1000, ratio: Math.round(100 * ratio) / 100 };
}

export const growthOf = (work: (size: number) => void, size: number): number => measureGrowth(work, size).ratio;
