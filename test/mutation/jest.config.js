// The tests of the folder that is mutated, the quickest first.
const base = require('../../jest.config');

const tests = (process.env.MUTATION_TESTS ?? '').split(' ');
const usesEngine = tests.some((test) => test.startsWith('workflow/'));

/** @type {import('jest').Config} */
module.exports = {
	...base,
	rootDir: '../..',
	// Jest follows imports only through these: which tests belong to a source.
	roots: ['<rootDir>/test', '<rootDir>/nodes', '<rootDir>/credentials'],
	testMatch: tests.map((test) => `<rootDir>/test/${test}.test.ts`),
	testSequencer: '<rootDir>/test/mutation/sequencer.js',
	testRunner: '<rootDir>/test/mutation/jest-circus-with-bail.js',
	// Slow is not wrong here: Stryker itself ends what does not end.
	testTimeout: 300_000,
	setupFiles: [...base.setupFiles, '<rootDir>/test/mutation/setup.js'],
	testEnvironment: require.resolve('./one-realm.js'),
	setupFilesAfterEnv: usesEngine ? [...base.setupFilesAfterEnv, '<rootDir>/test/mutation/load.js'] : [],
	// A mutant has no sound types.
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/test/tsconfig.json', diagnostics: false, isolatedModules: true }],
	},
};
