// `npm run mutation [-- --mutate <files>]`: changes the code in small ways, one at a time, and tells which changes no test
// notices. Not part of `npm test`, since it takes an hour and more.
import { tmpdir } from 'node:os';
import path from 'node:path';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: ['nodes/errors/**/*.ts', 'nodes/RunAutomation/{stream,output,parameters}/**/*.ts'],
	testRunner: 'jest',
	testRunnerNodeArgs: ['--experimental-vm-modules'],
	jest: { configFile: 'test/mutation/jest.config.js' },
	coverageAnalysis: 'perTest',
	ignorePatterns: ['dist', 'demo/node_modules', 'demo/.n8n-home', 'test/versions', 'docs/*.png'],
	// Not inside node_modules, where jest looks for no tests, nor in the repository, which the lint reads.
	tempDirName: path.join(tmpdir(), 'stryker'),
	reporters: ['clear-text', 'progress'],
	clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
};
