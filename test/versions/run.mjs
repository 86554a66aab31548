// Runs the suite on every supported Node, and the packed package on older versions of n8n; docs/operations.md names them. With
// --report <file>, what jest wrote there (`npm test -- --json --outputFile <file>`) stands for a run of the suite on this Node.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { installPackages } from '../../demo/lib/install.mjs';
import { buildPackage, installPackage } from '../../demo/lib/package.mjs';
import { root } from '../../demo/lib/paths.mjs';
import { step } from '../../demo/lib/progress.mjs';

const packages = path.join(root, 'test/versions/installed');
const folder = mkdtempSync(path.join(tmpdir(), 'versions-'));
const { values: options } = parseArgs({ options: { report: { type: 'string' } } });

const NODES = ['20', '22', '24'];
/** The tests that read only texts and forms of the repository: they say the same on every Node, and the first one ran them. */
const OF_TEXTS = 'test/package/(builder-hints|docs|folders|form-lint|names|publish|search|words)\\.test\\.ts$';
/** The tests that execute nodes: on the Node in the middle, what only computes gives what it gives on both sides of it. */
const OF_EXECUTIONS = ['test/contract', 'test/faults', 'test/workflow'];
/** The version of n8n whose pair of packages is the one of the repository. */
const NEWEST = '2.41.1';

/** The tests of connections that are never made, or reset: the clients of older versions do not say so, or in other words. */
const CONNECTIONS = [
	'connection during the TLS handshake|sends the alert (70|112)|names the proxy if it (resets the connection|does not respond)',
	'a TLS handshake that never ends|if the tunnel is never there',
	'a start that is reset is sent once|a start may have been sent if the connection breaks after it',
].join('|');

/** The older versions request a token from any domain. */
const DOMAINS = "because of '(elsewhere\\.example|)' has";

/**
 * The older versions of n8n. Tests may behave differently there for reasons that the package cannot change (docs/operations.md says
 * which): those that are named here must fail, and no others may.
 */
const OLDER = [
	{
		n8n: '2.20.12',
		files: ['allowed-domains', 'no-connection', 'retry'],
		tests: `${CONNECTIONS}|${DOMAINS}`,
	},
];

const minorOf = (n8n) => /^\d+\.\d+/.exec(n8n)[0];

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** The Node of a major version, with its version: this one, or the one that came as a package. */
function nodeOf(major) {
	const manifest = path.join(packages, 'node_modules', `node${major}`, 'package.json');
	if (existsSync(manifest)) {
		return { binary: path.join(path.dirname(manifest), 'bin/node'), version: readJson(manifest).version };
	}
	const { node: version } = process.versions;
	if (version.split('.')[0] === major) return { binary: process.execPath, version };
	throw new Error(`There is no package of Node ${major} for this machine: run this on Linux, x64`);
}

function jest({ binary }, args, { env, ...options }) {
	const PATH = `${path.dirname(binary)}${path.delimiter}${process.env.PATH}`;
	const all = ['--experimental-vm-modules', '--max-semi-space-size=64', 'node_modules/jest/bin/jest.js', ...args];
	return spawnSync(binary, all, { cwd: root, env: { ...process.env, PATH, ...env }, ...options });
}

const passes = (node, args, env) => jest(node, args, { env, stdio: 'inherit' }).status === 0;

/** Whether all tests fail. What they print is shown only if one passes: failures that are known would hide others. */
function fails(node, args, env) {
	const { stdout, stderr } = jest(node, [...args, '--json'], { env, encoding: 'utf8', maxBuffer: Infinity });
	const { numFailedTests, numPassedTests } = JSON.parse(stdout || '{}');
	const isSo = numFailedTests > 0 && numPassedTests === 0;
	console.log(isSo ? `${numFailedTests} tests fail, as they must` : stderr);
	return isSo;
}

await step('Versions of Node and n8n', (progress) => installPackages(progress, packages));
await buildPackage();
await installPackage(folder);

const problems = [];

/** Notes whether a pair of packages of n8n passed on a Node. */
function check(n8n, { version }, isGood) {
	console.log(`n8n ${n8n} on Node ${version}: ${isGood ? 'as expected' : 'NOT as expected'}`);
	if (!isGood) problems.push(`n8n ${n8n} on Node ${version}`);
}

for (const major of NODES) {
	const node = nodeOf(major);
	const hasRun = options.report && node.version === process.versions.node;
	const isEnd = [NODES[0], NODES.at(-1)].includes(major);
	const withoutTexts = major === NODES[0] ? [] : ['--testPathIgnorePatterns', '/node_modules/', OF_TEXTS];
	const args = isEnd ? withoutTexts : OF_EXECUTIONS;
	check(NEWEST, node, hasRun ? readJson(options.report).success : passes(node, args));
}

const newestNode = nodeOf(NODES.at(-1));
const onPackage = (judge, core, ...args) => {
	const PACKAGE_FOLDER = path.join(folder, '.n8n/nodes/node_modules/n8n-nodes-browser-automation');
	const config = 'test/versions/jest.config.js';
	return judge(newestNode, ['--config', config, ...args], { PACKAGE_FOLDER, CORE_FOLDER: core });
};
const LOADING = 'test/versions/packed-package.ts';
if (!onPackage(passes, undefined, LOADING)) problems.push(`the packed package on n8n ${NEWEST}`);
for (const { n8n, files, tests } of OLDER) {
	const core = path.join(packages, 'node_modules', `n8n-core-${minorOf(n8n)}`);
	const others = ['-t', `^(?!.*(${tests}))`];
	const isGood = onPackage(passes, core, LOADING, 'test/contract', 'test/workflow', ...others);
	const differing = files.map((name) => `test/workflow/${name}.test.ts`);
	check(n8n, newestNode, isGood && onPackage(fails, core, ...differing, '-t', tests));
}

const page = readFileSync(path.join(root, 'docs', 'operations.md'), 'utf8');
for (const n8n of [NEWEST, ...OLDER.map(({ n8n }) => n8n)]) {
	if (!page.includes(`\n| ${minorOf(n8n)} `)) problems.push(`docs/operations.md does not name n8n ${n8n}`);
}

rmSync(folder, { recursive: true });
if (problems.length) {
	console.error(`Not as expected: ${problems.join('; ')}`);
	process.exitCode = 1;
}
