// `npm run bench -- [name …]`: runs the benchmarks of these names, or all. Each is a script that prints what it finds.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const names = process.argv.length > 2 ? process.argv.slice(2) : ['reading', 'start-up', 'engine'];
for (const name of names) {
	const script = `test/bench/${name}`;
	const args = existsSync(`${script}.ts`) ? ['--import', 'tsx', '--expose-gc', `${script}.ts`] : [`${script}.mjs`];
	process.exitCode ||= spawnSync(process.execPath, args, { stdio: 'inherit' }).status;
}
