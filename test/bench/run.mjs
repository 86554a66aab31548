// `npm run bench -- [name …]`: runs the benchmarks of these names, or all, prints what they say and writes it into
// docs/performance.md. A benchmark is a file <name>/bench.mjs that exports `title` and `run`.
import { existsSync, readdirSync } from 'node:fs';
import { machine, writeSection } from './lib/report.mjs';

const here = new URL('.', import.meta.url);
const fileOf = (name) => new URL(`${name}/bench.mjs`, here);
const known = readdirSync(here).filter((name) => existsSync(fileOf(name)));
const names = process.argv.length > 2 ? process.argv.slice(2) : known;

const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) {
	console.error(`There is no benchmark "${unknown.join('", "')}". There are: ${known.join(', ')}.`);
	process.exit(1);
}

console.log(`${machine()}\n`);
for (const name of names) {
	const started = performance.now();
	const { title, run } = await import(fileOf(name));
	const section = `## ${title}\n\n${(await run()).join('\n\n')}`;
	writeSection(name, section);
	console.log(`${section}\n\n(${name}: ${((performance.now() - started) / 1000).toFixed(0)} s)\n`);
}
