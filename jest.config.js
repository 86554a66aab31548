/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/test/tsconfig.json' }] },
	setupFiles: ['<rootDir>/test/engine/env.ts'],
	setupFilesAfterEnv: ['<rootDir>/test/engine/expressions.ts'],
	testTimeout: 30000,
	// Many tests wait for a network: jest's own choice, one less than there are processors, is slower.
	maxWorkers: '100%',
};
