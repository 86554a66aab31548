// What it takes to load this package and another one as n8n does at its start: its nodes and credentials are required and made.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROCESSES = 15;
const PEER = '@mendable/n8n-nodes-firecrawl';
const folderOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const FOLDERS = [folderOf(''), folderOf(`node_modules/${PEER}/`)];

/** What a new process runs: it prints the milliseconds, and the bytes in use more than before. */
const LOAD = `
	const require = process.getBuiltinModule('module').createRequire(process.argv[1] + 'package.json');
	const { n8n } = require('./package.json');
	// n8n has loaded this long before it loads the first node.
	require('n8n-workflow');
	const inUse = () => (gc(), process.memoryUsage().heapUsed + process.memoryUsage().external);
	const [memory, start] = [inUse(), performance.now()];
	const made = [...n8n.nodes, ...n8n.credentials].map(
		(file) => new (require('./' + file)[file.split('/').at(-1).split('.')[0]])(),
	);
	const time = performance.now() - start;
	console.log(JSON.stringify({ time, used: inUse() - memory, made: made.length }));`;

const load = (folder) =>
	JSON.parse(execFileSync(process.execPath, ['--expose-gc', '-e', LOAD, folder], { encoding: 'utf8' }));
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

// They take turns, so that a busy moment meets both.
const rounds = Array.from({ length: PROCESSES }, () => FOLDERS.map(load));
const rows = ['This package', PEER].map((name, index) => {
	const of = (kind) => median(rounds.map((round) => round[index][kind]));
	return { Package: name, Time: `${of('time').toFixed(1)} ms`, Memory: `${Math.round(of('used') / 1000)} kB` };
});
const ratio = median(rounds.map(([ours, peer]) => ours.time / peer.time)).toFixed(2);
console.table(rows);
console.log(`Ratio of the times: ${ratio}`);
