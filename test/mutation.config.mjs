// npm run mutation: changes the code of the product in small ways, one at a time, and prints the changes that none of the tests of
// its folder notices. Takes days; one folder takes minutes to hours: FOLDER=nodes/addresses npm run mutation.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const base = createRequire(import.meta.url)('../jest.config.js');

const RUN = 'nodes/RunAutomation';

/** What runs the code of each folder, without the folders in it: test files by their paths. */
const TESTS = {
	credentials: ['package/forms', 'unit/credential', 'workflow/allowed-domains', 'workflow/oauth2-password'],
	'nodes/addresses': ['unit/addresses'],
	'nodes/errors': [
		...['faults/faults', 'unit/errors', 'unit/error-texts', 'unit/fields', 'unit/file-tokens', 'unit/secrets'],
		...['unit/combined-files', 'workflow/not-complete', 'workflow/operations', 'workflow/run-automation'],
		...['workflow/run-files', 'workflow/status-classes'],
	],
	'nodes/execution': [
		...['unit/busy', 'unit/execution', 'workflow/odd-responses', 'workflow/operations'],
		'workflow/retry-of-executions',
	],
	'nodes/files': [
		...['faults/faults', 'unit/agent-files', 'unit/combined-files', 'unit/replay', 'workflow/browser-automation'],
		'workflow/run-files',
	],
	'nodes/form': ['package/forms', 'package/start-notices', 'unit/fields', 'unit/rows', 'workflow/input'],
	'nodes/starts': [
		...['unit/error-texts', 'unit/execution', 'unit/ledger', 'unit/start-effect', 'workflow/not-complete'],
		...['workflow/retry', 'workflow/run-hints'],
	],
	'nodes/token': ['unit/credential', 'unit/request-token', 'workflow/oauth2-password', 'workflow/tenants'],
	'nodes/BrowserAutomation/resources': [
		...['contract/browser-automation', 'package/builder-hints', 'package/forms', 'package/start-notices'],
		...['package/words', 'unit/credential', 'workflow/operations'],
	],
	'nodes/BrowserAutomation/routing': [
		...['contract/browser-automation', 'unit/cookies', 'unit/replay', 'unit/request-fields'],
		...['workflow/browser-automation', 'workflow/oauth2-password', 'workflow/operations'],
	],
	[RUN]: [
		...[
			'faults/lost-connections',
			'faults/retries',
			'unit/follow-ups',
			'unit/saved-ledgers',
			'workflow/input',
			'workflow/not-complete',
			'workflow/run-parallel',
		],
		...['workflow/retry', 'workflow/retry-of-executions', 'workflow/run-automation', 'workflow/run-rows'],
	],
	[`${RUN}/output`]: [
		...['unit/hints', 'unit/outcome', 'unit/defect', 'workflow/redaction', 'workflow/run-automation-output'],
		...['workflow/run-files', 'workflow/run-hints', 'workflow/run-live', 'workflow/run-rows'],
	],
	[`${RUN}/parameters`]: [
		'package/forms',
		...['unit/agent-data', 'workflow/agent-data', 'workflow/form-mistakes', 'workflow/input', 'workflow/run-rows'],
		'workflow/retry-of-executions',
	],
	[`${RUN}/rows`]: ['unit/column-types', 'unit/file-tokens', 'unit/rows'],
	[`${RUN}/stream`]: [...['unit/corpus', 'unit/data-lines', 'unit/run-reader', 'unit/stream-properties']],
	[`${RUN}/transport`]: [
		...['faults/faults', 'faults/lost-connections', 'workflow/odd-responses', 'workflow/run-automation'],
	],
};
const { FOLDER } = process.env;
if (FOLDER && !TESTS[FOLDER]) throw new Error(`FOLDER is one of ${Object.keys(TESTS).join(', ')}`);
const folders = FOLDER ? [FOLDER] : Object.keys(TESTS);
const tests = [...new Set(folders.flatMap((folder) => TESTS[folder]))].map((name) => `test/${name}.test.ts`);
for (const file of tests) if (!existsSync(file)) throw new Error(`${file} is not there`);

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: folders.map((folder) => `${folder}/*.ts`),
	testRunner: 'jest',
	testRunnerNodeArgs: ['--experimental-vm-modules'],
	jest: {
		projectType: 'custom',
		config: {
			...base,
			testMatch: tests.map((file) => `<rootDir>/${file}`),
			globals: { isMutated: true },
			setupFilesAfterEnv: [...base.setupFilesAfterEnv, '<rootDir>/test/support/load-all.ts'],
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
