const { default: Sequencer } = require('@jest/test-sequencer');

/** The files that take longest: alone at the end, each would have a processor to itself while the others stand idle. */
const LONGEST = [
	...['faults/leaks', 'package/demo', 'workflow/retry', 'faults/what-shows-a-run', 'workflow/standstill'],
	...['workflow/all-items', 'workflow/bounded-bodies', 'unit/rows', 'workflow/status-classes'],
];

/**
 * Begins with the longest files. On a clone in which no test has run, jest knows only how large files are, and the test that takes
 * longest is in one of the smallest.
 */
module.exports = class extends Sequencer {
	async sort(tests) {
		const placeOf = ({ path }) => LONGEST.findIndex((name) => path.endsWith(`/test/${name}.test.ts`)) >>> 0;
		return (await super.sort(tests)).toSorted((one, other) => placeOf(one) - placeOf(other));
	}
};
