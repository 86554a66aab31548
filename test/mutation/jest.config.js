// The tests that can tell a mutant of the pure parts from the original, and nothing that starts a linter or takes long.
const base = require('../../jest.config');

/** @type {import('jest').Config} */
module.exports = {
	...base,
	rootDir: '../..',
	// Jest follows imports only through these: which tests belong to a source.
	roots: ['<rootDir>/test', '<rootDir>/nodes', '<rootDir>/credentials'],
	testPathIgnorePatterns: ['/node_modules/', '/test/package/', '/test/faults/', '/test/service/', 'examples.test.ts$'],
};
