/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */

/**
 * The parameters that each property needs. `npm test` draws the same cases every time, so that a change is judged by what it changed;
 * `npm run nightly` draws new ones, and 20 times as many. In `npm run mutation` it is enough that one does not hold: the smallest case is
 * not looked for.
 */
export const fuzz = (runs = 300) =>
	process.env.NIGHTLY ? { numRuns: 20 * runs } : { numRuns: runs, seed: 1, endOnFailure: 'isMutated' in globalThis };
