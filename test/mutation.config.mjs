// npm run mutation: changes the code of the product in small ways, one at a time, and prints the changes that none of the tests of
// its folder notices. Takes days; one folder takes minutes to hours: FOLDER=nodes/shared/form npm run mutation.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const base = createRequire(import.meta.url)('../jest.config.js');

const RUN = 'nodes/RunAutomation';

/** The tests that run the code of each folder, without the folders in it. */
const TESTS = {
	credentials: 'credential forms oauth2-password request-token',
	'nodes/shared/failure': 'errors not-complete operations run-automation tenants',
	'nodes/shared/failure/response':
		'busy errors faults not-complete odd-responses operations start-effect status-classes tenants',
	'nodes/shared/form': 'agent-files combined-files expressions fields forms input rows start-notices',
	'nodes/shared/http':
		'credential download-target faults oauth2-password odd-responses operations recordings request-token run-files status-classes',
	'nodes/shared/mask': 'file-tokens run-hints secrets tenants',
	'nodes/shared/n8n': 'execution ledger retry retry-of-executions run-automation',
	'nodes/shared/items': 'all-items ledger other-runs retry retry-of-executions run-hints run-parallel saved-ledgers',
	'nodes/shared/start':
		'busy errors faults ledger not-complete odd-responses retry retry-of-executions run-automation start-effect',
	'nodes/shared/values': 'agent-files download-target errors fields odd-responses operations rows run-files secrets',
	'nodes/BrowserAutomation/resources':
		'browser-automation builder-hints credential forms operations start-notices words',
	'nodes/BrowserAutomation/request': 'browser-automation input oauth2-password operations',
	'nodes/BrowserAutomation/own-steps': 'browser-automation cookies operations recordings',
	'nodes/BrowserAutomation/execute': 'all-items browser-automation operations',
	[`${RUN}/execute`]: 'input not-complete retry retry-of-executions run-automation run-parallel run-rows saved-ledgers',
	[`${RUN}/columns`]: 'columns rows run-rows',
	[`${RUN}/output`]:
		'agent-files defect not-complete outcome redaction run-automation-output run-files run-hints run-live run-rows',
	[`${RUN}/form`]: 'agent-data agent-files forms input retry-of-executions rows run-rows',
	[`${RUN}/reply`]: 'columns replies rows run-live run-rows',
	[`${RUN}/run`]: 'data-lines faults odd-responses run-reader stream-properties',
};
const { FOLDER } = process.env;
if (FOLDER && !TESTS[FOLDER]) throw new Error(`FOLDER is one of ${Object.keys(TESTS).join(', ')}`);
const folders = FOLDER ? [FOLDER] : Object.keys(TESTS);
const files = readdirSync('test', { recursive: true });
const tests = folders
	.flatMap((folder) => TESTS[folder].split(' '))
	.flatMap((name) => {
		const found = files.filter((file) => file.endsWith(`/${name}.test.ts`));
		if (found.length === 0) throw new Error(`test/*/${name}.test.ts is not there`);
		return found;
	});

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: folders.map((folder) => `${folder}/*.ts`),
	testRunner: 'jest',
	testRunnerNodeArgs: ['--experimental-vm-modules'],
	jest: {
		projectType: 'custom',
		config: {
			...base,
			testMatch: tests.map((file) => `<rootDir>/test/${file}`),
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
