const Sequencer = require('@jest/test-sequencer').default;

const place = ({ path }) => process.env.MUTATION_TESTS.split(' ').findIndex((test) => path.endsWith(`${test}.test.ts`));

module.exports = class extends Sequencer {
	sort(tests) {
		return [...tests].sort((a, b) => place(a) - place(b));
	}
};
