// `npm run mutation [-- <group> ...]`: changes the code of the groups in groups.ts in small ways, one at a time, and lists the
// changes that no test notices. Writes the scores into docs/proof.md. Not part of `npm test`: it takes hours.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tsImport } from 'tsx/esm/api';

const { PROOF, writeRow } = await tsImport('../support/report.ts', import.meta.url);
const { GROUPS, placeOf, planOf } = await tsImport('./groups.ts', import.meta.url);

const folder = mkdtempSync(path.join(tmpdir(), 'mutation-'));

function mutate({ ranges, tests }) {
	const report = path.join(folder, 'report.json');
	const env = {
		...process.env,
		MUTATION_FILES: ranges.join(' '),
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
	const mutants = mutate(planOf(name));
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
	writeRow('mutation', [name, placeOf(name), all, killed, timedOut, survived, uncovered, score], PROOF);
}
rmSync(folder, { recursive: true });
