// `npm run mutation [-- <name> ...]`: changes the code in small ways, one at a time, and lists the changes that no test
// notices. Writes the scores into docs/proof.md. Not part of `npm test`: it takes hours.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tsImport } from 'tsx/esm/api';

const { PROOF, writeRow } = await tsImport('../support/report.ts', import.meta.url);

const ALL = /./;
/** A line of a form, which is left out of a group of which not all lines are changed. */
const FORM =
	/^\s*(light|dark|method|baseURL|documentationUrl|displayName|name|value|type|typeOptions|default|required|options|displayOptions|show|description|hint|placeholder|action|routing|send|noDataExpression)( =|:) (['"`{[\d]|true|false)/;
const RUN = 'nodes/RunAutomation';
const DECLARED = 'nodes/BrowserAutomation';
const unit = (...names) => names.map((name) => `unit/${name}`);
const RUNS = ['rows', 'automation-output', 'files', 'hints', 'live', 'parallel', 'automation'].map(
	(name) => `workflow/run-${name}`,
);
/**
 * Which files of a folder are changed, and the tests that should notice, the quickest first. Tests on the engine take seconds for
 * each change: of these groups, only every so manieth line is changed, if a number says so, and the table says it, too.
 */
const GROUPS = {
	errors: ['nodes/errors', /^(?!secrets)/, unit('errors', 'error-texts', 'fields')],
	secrets: ['nodes/errors', /^secrets/, unit('secrets')],
	values: ['nodes', /^values/, unit('errors', 'error-texts', 'fields', 'run-reader', 'json', 'rows')],
	addresses: ['nodes/addresses', ALL, unit('addresses')],
	form: ['nodes/form', /^read/, [...unit('fields'), 'workflow/input']],
	reading: [
		`${RUN}/stream`,
		/^(chunk|data-lines|index|json|ending)/,
		unit('run-reader', 'data-lines', 'chunk', 'json'),
	],
	message: [
		`${RUN}/stream`,
		/^(message|part|text-buffer|tool-calls)/,
		unit('run-reader', 'corpus', 'stream-properties'),
		2,
	],
	rows: [`${RUN}/rows`, ALL, unit('rows'), 2],
	output: [`${RUN}/output`, ALL, [...unit('rows'), ...RUNS], 16],
	parameters: [`${RUN}/parameters`, /request|reader/, [...RUNS, 'workflow/input', 'workflow/retry'], 8],
	starts: ['nodes/starts', ALL, [...unit('error-texts'), 'workflow/input', 'workflow/retry'], 4],
	'run items': [RUN, /^(run-all-items|run-item|get-rows)/, [...RUNS, 'workflow/retry'], 8],
	transport: [`${RUN}/transport`, ALL, ['workflow/run-automation', 'faults/faults'], 4],
	execution: ['nodes/execution', ALL, unit('execution')],
	files: ['nodes/files', ALL, ['workflow/run-files']],
	token: ['nodes/token', ALL, [...unit('credential', 'errors'), 'workflow/oauth2-password', 'workflow/tenants'], 2],
	credentials: ['credentials', ALL, [...unit('credential'), 'workflow/oauth2-password', 'workflow/tenants'], 2],
	routing: [
		`${DECLARED}/routing`,
		/^(call|execute|read|request)/,
		['workflow/browser-automation', 'contract/browser-automation'],
		8,
	],
	operations: [
		DECLARED,
		/(resources.operation|own-steps|get-replay|set-cookies)\.ts$/,
		[...unit('cookies', 'replay'), 'workflow/browser-automation', 'contract/browser-automation'],
		8,
	],
};

const folder = mkdtempSync(path.join(tmpdir(), 'mutation-'));

/** The files of a group; or every so manieth of their lines, the same ones each time. */
function placesOf(source, pattern, step = 1) {
	const names = readdirSync(source, { recursive: true }).filter((name) => name.endsWith('.ts') && pattern.test(name));
	const files = names.map((name) => `${source}/${name}`);
	if (step === 1) return files;
	return files.flatMap((file) => {
		const lines = readFileSync(file, 'utf8').split('\n');
		const isTaken = (line, index) => index % step === 0 && !FORM.test(line);
		return lines.flatMap((line, index) => (isTaken(line, index) ? `${file}:${index + 1}-${index + 1}` : []));
	});
}

function mutate(source, pattern, tests, step) {
	const report = path.join(folder, 'report.json');
	const env = {
		...process.env,
		MUTATION_FILES: placesOf(source, pattern, step).join(' '),
		MUTATION_TESTS: tests.join(' '),
		MUTATION_REPORT: report,
	};
	const args = ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', 'test/mutation/stryker.config.mjs'];
	const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
	if (status !== 0) process.exit(status ?? 1);
	return Object.entries(JSON.parse(readFileSync(report, 'utf8')).files).flatMap(([file, { source: text, mutants }]) =>
		mutants.map((mutant) => ({ ...mutant, file, line: text.split('\n')[mutant.location.start.line - 1].trim() })),
	);
}

const given = process.argv.slice(2);
for (const name of given.length ? given : Object.keys(GROUPS)) {
	const [source, , , step] = GROUPS[name];
	const mutants = mutate(...GROUPS[name]);
	const count = (...kinds) => mutants.filter(({ status }) => kinds.includes(status)).length;
	// A runtime error is one of the test file itself, which cannot be loaded with the change.
	const [killed, timedOut] = [count('Killed', 'RuntimeError'), count('Timeout')];
	const [survived, uncovered] = [count('Survived'), count('NoCoverage')];
	for (const { status, file, location, line, replacement } of mutants) {
		if (status !== 'Survived' && status !== 'NoCoverage') continue;
		console.log(`${status}: ${file}:${location.start.line}:${location.start.column} ${line} -> ${replacement}`);
	}
	const place = step ? `\`${source}\`, one of ${step} lines` : `\`${source}\``;
	const all = killed + timedOut + survived + uncovered;
	const score = `${((100 * (killed + timedOut)) / all).toFixed(1)} %`;
	console.log(`${name}: ${score}`);
	writeRow('mutation', [name, place, all, killed, timedOut, survived, uncovered, score], PROOF);
}
rmSync(folder, { recursive: true });
