// `npm run mutation [-- <name> ...]`: changes the code in small ways, one at a time, and lists the changes that no test
// notices. Writes the scores into docs/reliability.md. Not part of `npm test`: it takes hours.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tsImport } from 'tsx/esm/api';

const { writeRow } = await tsImport('../support/report.ts', import.meta.url);

/** Which files of a folder are changed, and the tests that should notice, the quickest first. */
const STREAM = 'nodes/RunAutomation/stream';
const unit = (...names) => names.map((name) => `unit/${name}`);
const RUNS = ['rows', 'automation-output', 'automation'].map((name) => `workflow/run-${name}`);
const GROUPS = {
	errors: ['nodes/errors', '!(secrets)', [...unit('errors', 'error-texts'), 'package/words']],
	secrets: ['nodes/errors', 'secrets', unit('shapes')],
	reading: [STREAM, '{chunk,data-lines,index,json,outcome}', unit('run-reader', 'data-lines', 'chunk', 'json')],
	message: [STREAM, '{message,part,text-buffer,tool-calls}', unit('run-reader', 'corpus', 'stream-properties')],
	rows: ['nodes/RunAutomation/rows', '*', unit('rows')],
	output: ['nodes/RunAutomation/output', '*', [...unit('rows'), ...RUNS]],
	parameters: ['nodes/RunAutomation/parameters', '*request', [...RUNS, 'workflow/input', 'workflow/retry']],
};

const folder = mkdtempSync(path.join(tmpdir(), 'mutation-'));

function mutate(source, files, tests) {
	const report = path.join(folder, 'report.json');
	const env = {
		...process.env,
		MUTATION_FILES: `${source}/${files}.ts`,
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
	const mutants = mutate(...GROUPS[name]);
	const count = (...kinds) => mutants.filter(({ status }) => kinds.includes(status)).length;
	// A runtime error is one of the test file itself, which cannot be loaded with the change.
	const [killed, timedOut] = [count('Killed', 'RuntimeError'), count('Timeout')];
	const [survived, uncovered] = [count('Survived'), count('NoCoverage')];
	for (const { status, file, location, line, replacement } of mutants) {
		if (status !== 'Survived' && status !== 'NoCoverage') continue;
		console.log(`${status}: ${file}:${location.start.line}:${location.start.column} ${line} -> ${replacement}`);
	}
	const all = killed + timedOut + survived + uncovered;
	const score = `${((100 * (killed + timedOut)) / all).toFixed(1)} %`;
	console.log(`${name}: ${score}`);
	writeRow('mutation', [name, `\`${GROUPS[name][0]}\``, all, killed, timedOut, survived, uncovered, score]);
}
rmSync(folder, { recursive: true });
