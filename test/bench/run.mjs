// `npm run bench -- [name …]`: runs the benchmarks of these names, or all, prints what they say and writes it into
// docs/performance.md. A benchmark is a file <name>.mjs that exports `title`, `run`, which returns texts and tables, and
// `measurement`, which is what its own processes measure.
import { readdirSync } from 'node:fs';
import { tsImport } from 'tsx/esm/api';
import { printFailure } from '../../demo/lib/failure.mjs';
import { stopAllOnSignals, wasInterrupted } from '../../demo/lib/processes.mjs';

const { machine, table, writeSection } = await tsImport('../support/report.ts', import.meta.url);

const files = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('.mjs') && file !== 'run.mjs');
const names = process.argv.length > 2 ? process.argv.slice(2) : files.map((file) => file.replace('.mjs', ''));

async function measureAndWrite(name) {
	const { title, run } = await import(`./${name}.mjs`);
	const blocks = (await run()).map((block) =>
		Array.isArray(block) ? table(block[0], block.slice(1), '---:').trimEnd() : block,
	);
	const note = `_\`npm run bench -- ${name}\`, ${machine()}_`;
	const section = [`## ${title}`, ...blocks, note].join('\n\n');
	console.log(`${section}\n`);
	writeSection(`bench: ${name}`, `\n${section}\n\n`, 'docs/performance.md');
}

stopAllOnSignals();
try {
	for (const name of names) await measureAndWrite(name);
} catch (error) {
	if (!wasInterrupted()) printFailure(error);
	process.exitCode = 1;
}
