// `npm run mutation [-- --mutate <files>]`: changes the code in small ways, one at a time, and tells which changes no test
// notices. Not part of `npm test`, since it takes an hour and more.
import { tmpdir } from 'node:os';
import path from 'node:path';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: [
		'nodes/errors/**/*.ts',
		'nodes/RunAutomation/{stream,output,parameters}/**/*.ts',
		// A form is data: a test compares it with the README.
		'!nodes/RunAutomation/parameters/fields.ts',
	],
	testRunner: 'jest',
	testRunnerNodeArgs: ['--experimental-vm-modules'],
	jest: { configFile: 'test/mutation/jest.config.js' },
	coverageAnalysis: 'perTest',
	// Most tests wait for a network: a busy machine must not pass for an endless loop, which counts as noticed.
	timeoutMS: 60_000,
	ignorePatterns: ['dist', 'demo/node_modules', 'test/versions', 'docs/*.png'],
	// Not inside node_modules, where jest looks for no tests, nor in the repository, which the lint reads.
	tempDirName: path.join(tmpdir(), 'stryker'),
	reporters: ['clear-text', 'progress'],
	clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
};
