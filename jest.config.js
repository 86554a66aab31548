const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	// A watchdog's last timer may end after its test, and needs the clock then.
	testEnvironmentOptions: { globalsCleanup: 'off' },
	runtime: '<rootDir>/test/support/runtime.js',
	testSequencer: '<rootDir>/test/support/sequencer.js',
	// Also what the tests import: jest finds the tests that a changed file concerns only in these.
	roots: ['<rootDir>/test', '<rootDir>/nodes', '<rootDir>/credentials'],
	testMatch: ['**/*.test.ts'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/test/tsconfig.json' }] },
	setupFiles: ['<rootDir>/test/engine/env.ts'],
	setupFilesAfterEnv: ['<rootDir>/test/engine/expressions.ts'],
	// Only a test that hangs takes this long: on a machine that is busy otherwise, some take minutes.
	testTimeout: 300_000,
	// Many tests wait for a network: jest's own choice, one less than there are processors, is slower, and so is one for each.
	maxWorkers: Math.ceil(1.5 * availableParallelism()),
	// Jest kills a worker that has not ended after half a second, and says so. The last run of a test keeps its timer for up to a
	// second (nodes/shared/http/watchdog.ts), and a worker takes another third of a second to free its memory.
	workerGracefulExitTimeout: 10_000,
};
