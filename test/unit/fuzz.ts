/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */

/** The parameters of a property: the same cases in each `npm test`; 20 times as many new ones in `npm run nightly`; no shrinking in a mutation. */
export const fuzz = (runs = 300) =>
	process.env.NIGHTLY ? { numRuns: 20 * runs } : { numRuns: runs, seed: 1, endOnFailure: 'isMutated' in globalThis };
