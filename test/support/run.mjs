// Runs a TypeScript file of the tests without jest: node test/support/run.mjs <file> [arguments]. What it starts as a
// child is named in the same folder and bundled with it.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';

const [file, ...args] = process.argv.slice(2);
const folder = path.dirname(file);
// Inside node_modules, where the packages are found and no linter looks.
const outdir = path.resolve('node_modules/.cache/test', path.basename(folder));
await build({
	input: readdirSync(folder)
		.filter((name) => /^[^.]+\.ts$/.test(name))
		.map((name) => path.join(folder, name)),
	external: /^[^./]/,
	platform: 'node',
	output: { dir: outdir, format: 'cjs', sourcemap: 'inline' },
});
const built = path.join(outdir, `${path.basename(file, '.ts')}.js`);
const nodeOptions = ['--expose-gc', '--enable-source-maps'];
const { status } = spawnSync(process.execPath, [...nodeOptions, built, ...args], { stdio: 'inherit' });
process.exit(status ?? 1);
