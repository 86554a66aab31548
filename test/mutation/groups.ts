/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const RUN = 'nodes/RunAutomation';
const DECLARED = 'nodes/BrowserAutomation';
const RESOURCES = `${DECLARED}/resources`;

const unit = (...names: string[]) => names.map((name) => `unit/${name}`);
const RUNS = ['rows', 'automation-output', 'files', 'hints', 'live', 'parallel', 'automation'].map(
	(name) => `workflow/run-${name}`,
);

/** What is changed together: files, and folders but for what other groups name inside; and what should notice. */
interface Group {
	places: string[];
	/** Tests, the quickest first. */
	tests: string[];
	/** Only every so manieth line is changed, if the tests need the engine, which takes seconds for each change. */
	step?: number;
}

export const GROUPS: Record<string, Group> = {
	errors: { places: ['nodes/errors'], tests: unit('errors', 'error-texts', 'fields') },
	secrets: { places: ['nodes/errors/secrets.ts'], tests: unit('secrets') },
	values: {
		places: ['nodes/values.ts'],
		tests: unit('errors', 'error-texts', 'fields', 'run-reader', 'json', 'rows'),
	},
	addresses: { places: ['nodes/addresses'], tests: unit('addresses') },
	form: { places: ['nodes/form'], tests: [...unit('fields'), 'workflow/input'] },
	reading: { places: [`${RUN}/stream`], tests: unit('run-reader', 'data-lines', 'chunk', 'json') },
	message: {
		places: ['message', 'text-buffer', 'tool-calls'].map((name) => `${RUN}/stream/${name}.ts`),
		tests: unit('run-reader', 'corpus', 'stream-properties'),
		step: 2,
	},
	rows: { places: [`${RUN}/rows`], tests: unit('rows'), step: 2 },
	output: {
		places: [`${RUN}/output`],
		tests: [
			...['run-hints', 'run-automation-output', 'run-live', 'redaction'].map((name) => `workflow/${name}`),
			...unit('outcome', 'combined-files'),
			...['run-files', 'run-rows', 'odd-responses', 'form-mistakes', 'run-automation'].map(
				(name) => `workflow/${name}`,
			),
			'workflow/retry-of-executions',
		],
		step: 4,
	},
	parameters: {
		places: [`${RUN}/parameters`],
		tests: [...RUNS, 'workflow/input', 'workflow/retry'],
		step: 8,
	},
	starts: {
		places: ['nodes/starts'],
		tests: [
			...[...unit('error-texts', 'start-memory'), 'package/start-notices'],
			...['agent-options', 'form-mistakes', 'input', 'browser-automation', 'retry'].map((name) => `workflow/${name}`),
		],
	},
	'run items': {
		places: [RUN],
		tests: [
			...unit('kept-outcomes'),
			...['run-parallel', 'run-hints', 'run-live', 'redaction'].map((name) => `workflow/${name}`),
			...unit('agent-files'),
			...['run-rows', 'run-files', 'input', 'retry-of-executions', 'run-automation', 'retry'].map(
				(name) => `workflow/${name}`,
			),
		],
		step: 4,
	},
	transport: {
		places: [`${RUN}/transport`],
		tests: ['odd-responses', 'run-automation-output', 'allowed-domains', 'input', 'run-automation'].map(
			(name) => `workflow/${name}`,
		),
	},
	execution: { places: ['nodes/execution'], tests: unit('execution', 'busy') },
	files: { places: ['nodes/files'], tests: [...unit('agent-files'), 'workflow/run-files', ...unit('replay')], step: 4 },
	token: {
		places: ['nodes/token'],
		tests: [...unit('credential', 'errors'), 'workflow/oauth2-password', 'workflow/tenants'],
		step: 2,
	},
	credentials: {
		places: ['credentials'],
		tests: [...unit('credential'), 'workflow/oauth2-password', 'workflow/tenants'],
		step: 2,
	},
	routing: {
		places: [`${DECLARED}/routing`],
		tests: ['workflow/browser-automation', 'contract/browser-automation'],
		step: 8,
	},
	operations: {
		places: [RESOURCES],
		tests: [...unit('cookies', 'replay'), 'workflow/browser-automation', 'contract/browser-automation'],
		step: 8,
	},
};

/** A line of a form, which is not changed. */
const FORM =
	/^\s*(light|dark|baseURL|documentationUrl|displayName|name|value|type|typeOptions|default|required|options|displayOptions|show|description|hint|placeholder|action|routing|send|noDataExpression)( =|:) (['"`{[\d]|true|false)/;

const named = Object.values(GROUPS).flatMap(({ places }) => places);

/** The place that a group names for a file: the longest one. */
const placeFor = (file: string) =>
	named
		.filter((place) => file === place || file.startsWith(`${place}/`))
		.toSorted((one, other) => other.length - one.length)[0];

/** The files of a place. Throws if there is none. */
const filesAt = (place: string): string[] =>
	statSync(place).isDirectory()
		? readdirSync(place, { recursive: true, encoding: 'utf8' })
				.map((name) => path.posix.join(place, name))
				.filter((file) => file.endsWith('.ts') && !file.endsWith('.node.ts') && placeFor(file) === place)
		: [place];

/** The file of a test. Throws if there is none. */
const testFile = (test: string): string => statSync(`test/${test}.test.ts`) && test;

/** The numbers of the lines that are changed, those of forms and most of a group with a step left out. */
const isChanged = (step: number) => (line: string, index: number) => index % step === 0 && !FORM.test(line);

/** What stryker changes in a file: from which line to which. What is longer than one of these is left as it is. */
function rangesIn(file: string, step: number): string[] {
	const changed = readFileSync(file, 'utf8').split('\n').map(isChanged(step));
	const begins = [...changed.keys()].filter((index) => changed[index] && !changed[index - 1]);
	return begins.map((begin) => {
		const end = changed.indexOf(false, begin);
		return `${file}:${begin + 1}-${end === -1 ? changed.length : end}`;
	});
}

/** What is changed of a group, and the tests that should notice. Throws if one of them does not exist. */
export function planOf(name: string): { ranges: string[]; tests: string[] } {
	const { places, tests, step = 1 } = GROUPS[name];
	const ranges = places.flatMap(filesAt).flatMap((file) => rangesIn(file, step));
	return { ranges, tests: tests.map(testFile) };
}

/** Where a group is, as the table says it. */
export function placeOf(name: string): string {
	const { places, step = 1 } = GROUPS[name];
	const folder = places[0].endsWith('.ts') ? path.posix.dirname(places[0]) : places[0];
	return step === 1 ? `\`${folder}\`` : `\`${folder}\`, one of ${step} lines`;
}
