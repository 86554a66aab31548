import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { npm, run as runProgram } from '../../demo/lib/processes.mjs';
import { duration, kilobytes, memoryInUse, middle, ratio, takeTurns, timed } from './lib/figures.mjs';
import { measure } from './lib/measure.mjs';

const PROCESSES = 15;

const folderOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const PEER = '@mendable/n8n-nodes-firecrawl';
const PACKAGES = { '**This package**': folderOf(''), [`\`${PEER}\``]: folderOf(`node_modules/${PEER}/`) };

/** What it takes to load one package: its nodes and credentials are required and made, as n8n does at its start. */
export async function measurement(folder) {
	const require = createRequire(`${folder}/package.json`);
	const { n8n } = require('./package.json');
	// n8n has loaded this long before it loads the first node.
	require('n8n-workflow');
	const before = memoryInUse();
	const made = [];
	const time = await timed(() => {
		for (const file of [...n8n.nodes, ...n8n.credentials]) {
			const [className] = file.split('/').at(-1).split('.');
			made.push(new (require(`./${file}`)[className])());
		}
	});
	return { ...time, used: memoryInUse().used - before.used, made: made.length };
}

/** Bytes of a package as it is published: of the tarball, and of the files in it. */
async function sizes(folder) {
	const { code, stdout, output } = await runProgram(
		[...npm(), 'pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error', folder],
		{ cwd: folderOf('') },
	);
	if (code !== 0) throw new Error(output);
	const [{ size, unpackedSize, version }] = JSON.parse(stdout);
	return { size, unpackedSize, version };
}

export const title = 'Start-up';

export async function run() {
	const measureOne = async (name) => await measure(import.meta.url, PACKAGES[name]);
	const results = await takeTurns(Object.keys(PACKAGES), PROCESSES, measureOne);
	const [, peer] = Object.values(results);
	const rows = [];
	let peerVersion;
	for (const [name, rounds] of Object.entries(results)) {
		const { size, unpackedSize, version } = await sizes(PACKAGES[name]);
		peerVersion = version;
		const times = [duration(middle(rounds, 'wall')), ratio(rounds, peer, 'wall'), duration(middle(rounds, 'cpu'))];
		rows.push([name, ...times, ...[middle(rounds, 'used'), size, unpackedSize].map(kilobytes)]);
	}
	return [
		`All nodes and credentials of a package are required and made, with \`n8n-workflow\` loaded already. The peer is version \
${peerVersion}, with one node and one credential. Medians of ${PROCESSES} new processes each, which take turns. Memory is what is in use \
more than before, after a garbage collection.`,
		[['Package', 'Time', '÷ peer', 'Processor', 'Memory', 'Packed', 'Unpacked'], ...rows],
	];
}
