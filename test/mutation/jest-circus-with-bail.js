// Stryker runs all tests of a mutant, even after one has failed: here the files after a failed one are left out. The name
// must contain "jest-circus": only with that runner Stryker knows which test covers what.
const { createRequire, isBuiltin } = require('node:module');
const { createEmptyTestResult } = require('@jest/test-result');
const { default: runFile } = require('jest-circus/runner');

let killed;

module.exports = async (globalConfig, config, environment, runtime, testPath, ...rest) => {
	const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
	if (mutant && mutant === killed) {
		const leftOut = { ancestorTitles: [], failureMessages: [], fullName: testPath, title: testPath, status: 'pending' };
		return { ...createEmptyTestResult(), testFilePath: testPath, numPendingTests: 1, testResults: [leftOut] };
	}
	if (environment.global === globalThis) {
		const isPackage = (name) => /^[^./]|\/node_modules\//.test(name) && !isBuiltin(name);
		for (const method of ['requireModuleOrMock', 'requireActual']) {
			const load = runtime[method].bind(runtime);
			runtime[method] = (from, name) => (isPackage(name) ? createRequire(from)(name) : load(from, name));
		}
	}
	const result = await runFile(globalConfig, config, environment, runtime, testPath, ...rest);
	if (result.numFailingTests) killed = mutant;
	return result;
};
