/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import type { Parameters } from 'fast-check';

/** How often a property is tried. */
interface Cases {
	/** By `npm test`, which draws the same cases every time, so that a change is judged by what it changed. */
	runs?: number;
	/** By `npm run nightly`, which draws new ones. */
	nightly?: number;
	/** The time limit of the latter. */
	minutes?: number;
}

/** The parameters that each property needs. In `npm run mutation` it is enough that one does not hold: the smallest case is not looked for. */
export function fuzz({ runs = 500, nightly = 10_000, minutes = 10 }: Cases = {}) {
	const endOnFailure = 'isMutated' in globalThis;
	if (!process.env.NIGHTLY) return { numRuns: runs, seed: 1, endOnFailure } satisfies Parameters;
	const limit = { interruptAfterTimeLimit: minutes * 60_000, markInterruptAsFailure: true };
	return { numRuns: nightly, ...limit } satisfies Parameters;
}
