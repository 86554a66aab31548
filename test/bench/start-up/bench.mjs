import { fileURLToPath } from 'node:url';
import { npm, run as runProgram } from '../../../demo/lib/processes.mjs';
import { measure } from '../lib/child.mjs';
import { duration, kilobytes, median, times } from '../lib/figures.mjs';
import { table } from '../lib/report.mjs';

const LOADING = new URL('./loading.mjs', import.meta.url);
const PROCESSES = 15;

const folderOf = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const PEER = '@mendable/n8n-nodes-firecrawl';
const PACKAGES = {
	'**This package**': folderOf(''),
	[`\`${PEER}\``]: folderOf(`node_modules/${PEER}/`),
};

export const title = 'Start-up';

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

export async function run() {
	const results = {};
	for (let i = 0; i < PROCESSES; i++) {
		for (const [name, folder] of Object.entries(PACKAGES)) {
			(results[name] ??= []).push(await measure(LOADING, folder, { execArgv: ['--expose-gc'] }));
		}
	}
	const [, peer] = Object.values(results);
	const rows = [];
	let peerVersion;
	for (const [name, folder] of Object.entries(PACKAGES)) {
		const middle = (kind) => median(results[name].map((result) => result[kind]));
		const { size, unpackedSize, version } = await sizes(folder);
		peerVersion = version;
		const ratio = times(median(results[name].map(({ wall }, i) => wall / peer[i].wall)));
		const memory = kilobytes(middle('heap'));
		rows.push([
			name,
			duration(middle('wall')),
			ratio,
			duration(middle('cpu')),
			memory,
			kilobytes(size),
			kilobytes(unpackedSize),
		]);
	}
	return [
		`All nodes and credentials of a package are required and made, with \`n8n-workflow\` loaded already. The peer is version \
${peerVersion}, with one node and one credential. Medians of ${PROCESSES} new processes each, which take turns. Memory is what the heap \
holds more than before, after a garbage collection.`,
		table(['Package', 'Time', '÷ peer', 'Processor', 'Memory', 'Packed', 'Unpacked'], rows),
	];
}
