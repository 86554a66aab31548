import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
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
			made.push(new (require(`./${file}`)[basename(file).split('.')[0]])());
		}
	});
	return { ...time, used: memoryInUse().used - before.used, made: made.length };
}

/** What npm says of a package as it is published: the bytes of the tarball, and of the files in it. */
function pack(folder) {
	const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error', folder];
	return JSON.parse(execFileSync('npm', args, { cwd: folderOf(''), encoding: 'utf8' }))[0];
}

export const title = 'Start-up';

export async function run() {
	const measureOne = async (name) => await measure(import.meta.url, PACKAGES[name]);
	const results = await takeTurns(Object.keys(PACKAGES), PROCESSES, measureOne);
	const [, peer] = Object.values(results);
	const rows = Object.entries(results).map(([name, rounds]) => {
		const { size, unpackedSize } = pack(PACKAGES[name]);
		const times = [duration(middle(rounds, 'wall')), ratio(rounds, peer, 'wall'), duration(middle(rounds, 'cpu'))];
		return [name, ...times, ...[middle(rounds, 'used'), size, unpackedSize].map(kilobytes)];
	});
	const { version } = createRequire(import.meta.url)(`${PEER}/package.json`);
	return [
		`All nodes and credentials of a package are required and made, with \`n8n-workflow\` loaded already. The peer is version \
${version}, with one node and one credential. Medians of ${PROCESSES} new processes each, which take turns. Memory is what is in use \
more than before, after a garbage collection.`,
		[['Package', 'Time', '÷ peer', 'Processor', 'Memory', 'Packed', 'Unpacked'], ...rows],
	];
}
