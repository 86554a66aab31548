// `npm run mutation [-- <name> ...]`: changes the code in small ways, one at a time, and lists the changes that no test
// notices. Writes the scores into docs/reliability.md. Not part of `npm test`: it takes most of an hour.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tsImport } from 'tsx/esm/api';

const { writeRow } = await tsImport('../support/report.ts', import.meta.url);

const STREAM = 'nodes/RunAutomation/stream';

/** What is changed, and the tests that should notice, the quickest first. */
const GROUPS = {
	errors: ['nodes/errors/!(secrets).ts', ['errors']],
	'errors (secrets)': ['nodes/errors/secrets.ts', ['shapes']],
	'stream (reading)': [
		`${STREAM}/{chunk,data-lines,json,outcome,index}.ts`,
		['run-reader', 'data-lines', 'chunk', 'json'],
	],
	'stream (message)': [
		`${STREAM}/{message,tool-calls,part,text-buffer}.ts`,
		['run-reader', 'corpus', 'stream-properties'],
	],
};

const folder = mkdtempSync(path.join(tmpdir(), 'mutation-'));

function mutate(files, tests) {
	const report = path.join(folder, 'report.json');
	const env = {
		...process.env,
		MUTATION_FILES: files,
		MUTATION_TESTS: tests.map((test) => `unit/${test}`).join(' '),
		MUTATION_REPORT: report,
	};
	const args = ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', 'test/mutation/stryker.config.mjs'];
	const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
	if (status !== 0) process.exit(status ?? 1);
	return Object.entries(JSON.parse(readFileSync(report, 'utf8')).files).flatMap(([file, { source, mutants }]) =>
		mutants.map((mutant) => ({ ...mutant, file, line: source.split('\n')[mutant.location.start.line - 1].trim() })),
	);
}

const given = process.argv.slice(2);
for (const name of given.length ? given : Object.keys(GROUPS)) {
	const mutants = mutate(...GROUPS[name]);
	const count = (status) => mutants.filter((mutant) => mutant.status === status).length;
	const [killed, timedOut, survived, uncovered] = ['Killed', 'Timeout', 'Survived', 'NoCoverage'].map(count);
	for (const { status, file, location, line, replacement } of mutants) {
		if (status !== 'Killed' && status !== 'Timeout') {
			console.log(`${status}: ${file}:${location.start.line}:${location.start.column} ${line} -> ${replacement}`);
		}
	}
	const all = killed + timedOut + survived + uncovered;
	const score = `${((100 * (killed + timedOut)) / all).toFixed(1)} %`;
	console.log(`${name}: ${score}`);
	writeRow('mutation', [name, all, killed, timedOut, survived, uncovered, score]);
}
rmSync(folder, { recursive: true });
