// npm run mutation: changes the code of the rooms that need no engine in small ways, one at a time, and prints the changes that no
// unit test notices. Takes hours; one room takes minutes: ROOM=nodes/addresses npm run mutation.
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const base = createRequire(import.meta.url)('../jest.config.js');

const RUN = 'nodes/RunAutomation';

/** The unit tests of each room. */
const ROOMS = {
	'nodes/addresses': ['addresses'],
	'nodes/errors': ['errors', 'error-texts', 'fields', 'secrets'],
	'nodes/form': ['fields'],
	'nodes/starts': ['error-texts', 'ledger'],
	[`${RUN}/rows`]: ['rows', 'file-tokens'],
	[`${RUN}/stream`]: ['corpus', 'data-lines', 'json', 'run-reader', 'stream-properties'],
};
const { ROOM } = process.env;
const rooms = ROOM ? [ROOM] : Object.keys(ROOMS);

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: rooms.map((room) => `${room}/**/*.ts`),
	testRunner: 'jest',
	testRunnerNodeArgs: ['--experimental-vm-modules'],
	jest: {
		projectType: 'custom',
		config: {
			...base,
			// Jest follows imports only through these: which tests belong to a source.
			roots: ['test', 'nodes', 'credentials'].map((folder) => `<rootDir>/${folder}`),
			testMatch: rooms.flatMap((room) => ROOMS[room]).map((name) => `<rootDir>/test/unit/${name}.test.ts`),
			setupFiles: [],
			setupFilesAfterEnv: [],
			globals: { isMutated: true },
			// A change has no sound types.
			transform: {
				'^.+\\.ts$': [
					'ts-jest',
					{ tsconfig: '<rootDir>/test/tsconfig.json', diagnostics: false, isolatedModules: true },
				],
			},
		},
	},
	coverageAnalysis: 'perTest',
	concurrency: 1,
	// A busy machine must not pass for an endless loop, which counts as noticed.
	timeoutMS: 15_000,
	ignorePatterns: ['dist', 'demo', 'examples', 'test/e2e', 'test/versions'],
	// Not inside node_modules, where jest looks for no tests, nor in the repository, which the lint reads.
	tempDirName: path.join(tmpdir(), 'stryker'),
	reporters: ['clear-text', 'progress-append-only'],
	clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
};
