// Started by run.mjs, for one group of files.
import { tmpdir } from 'node:os';
import path from 'node:path';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: (process.env.MUTATION_FILES ?? '').split(' '),
	testRunner: 'jest',
	testRunnerNodeArgs: ['--experimental-vm-modules'],
	jest: { configFile: 'test/mutation/jest.config.js' },
	coverageAnalysis: 'perTest',
	concurrency: 1,
	// A busy machine must not pass for an endless loop, which counts as noticed.
	timeoutMS: 15_000,
	ignorePatterns: ['dist', 'demo', 'examples', 'test/e2e', 'test/versions'],
	// Not inside node_modules, where jest looks for no tests, nor in the repository, which the lint reads.
	tempDirName: path.join(tmpdir(), 'stryker'),
	reporters: ['json', 'progress-append-only'],
	jsonReporter: { fileName: process.env.MUTATION_REPORT },
};
