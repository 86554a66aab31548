/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */

/** Something that reads input of a size. */
export interface Row {
	name: string;
	work: (size: number) => void;
	/** The smallest size. It is raised until the work can be measured. */
	size: number;
}

/** From one size to four times that size. */
export interface Step {
	size: number;
	/** Milliseconds of the processor. */
	small: number;
	large: number;
	ratio: number;
}

/** Work that grows with the size has a ratio of 4, and with its square 16. */
const MAX_RATIO = 8;

/** A disturbed machine exceeds the ratio now and then, but only work that grows faster does so at each step. */
const STEPS = 3;

/** Milliseconds of the larger work below which a ratio says nothing. Work that grows with a square takes much more. */
const MEASURABLE_MS = 8;

/** How many times a size is raised fourfold until its work can be measured. What is cheaper then is read to a limit. */
const MAX_RAISED = 5;

/** The least of three tries, of which the first is compiled meanwhile. One that takes long is compiled by its end. */
function costOf(work: () => void): number {
	let least = Infinity;
	for (let tries = 0; tries < 3; tries++) {
		const before = process.cpuUsage();
		work();
		const { user, system } = process.cpuUsage(before);
		least = Math.min(least, (user + system) / 1000);
		if (least > 100) break;
	}
	return least;
}

/** Returns the last step that was measured, and whether the ratio was over its limit at each of three steps in a row. */
export function growthOf({ work, size }: Row): { step: Step; fallsShort: boolean } {
	let at = size;
	let small = costOf(() => work(at));
	let large = costOf(() => work(4 * at));
	const raise = () => {
		at *= 4;
		small = large;
		large = costOf(() => work(4 * at));
	};
	for (let raised = 0; raised < MAX_RAISED && large < MEASURABLE_MS; raised++) raise();
	for (let count = 1; ; count++) {
		const step = { size: at, small, large, ratio: large / small };
		if (large < MEASURABLE_MS || step.ratio <= MAX_RATIO) return { step, fallsShort: false };
		if (count === STEPS) return { step, fallsShort: true };
		raise();
	}
}
