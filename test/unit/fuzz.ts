/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import type { Parameters } from 'fast-check';

const nightly = Number(process.env.FUZZ_SEQUENCES ?? 0);

/**
 * How often a property is tried. `npm test` draws the same cases every time, so that a change is judged by what it
 * changed; the nightly command draws new ones, and more of them.
 */
export const fuzz = (runs = 500): Pick<Parameters, 'numRuns' | 'seed'> =>
	nightly ? { numRuns: Math.max(runs, nightly) } : { numRuns: runs, seed: 1 };
