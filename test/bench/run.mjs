// `npm run bench -- [name …]`: runs the benchmarks of these names, or all, which print what they find. A benchmark is a script
// <name>.ts, or a module <name>.mjs that exports `run`, which returns texts and tables, and `measurement`, which is what its own
// processes measure.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tsImport } from 'tsx/esm/api';

const { machine, table } = await tsImport('../support/report.ts', import.meta.url);

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));
const names = process.argv.length > 2 ? process.argv.slice(2) : ['reading', 'start-up', 'engine'];

for (const name of names) {
	if (existsSync(pathOf(`${name}.ts`))) {
		const args = [pathOf('../support/run.mjs'), `test/bench/${name}.ts`];
		process.exitCode ||= spawnSync(process.execPath, args, { stdio: 'inherit' }).status;
		continue;
	}
	const { run } = await import(`./${name}.mjs`);
	const blocks = (await run()).map((block) => (Array.isArray(block) ? table(block[0], block.slice(1), '---:') : block));
	console.log(`${[...blocks, machine()].join('\n\n')}\n`);
}
