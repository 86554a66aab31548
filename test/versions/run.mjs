// Runs the suite on every supported Node, and the packed package on older versions of n8n. The table of what ran goes
// into docs/compatibility.md: with --write it is written, else the run fails if it differs. With --report <file>, what
// jest wrote there (`npm test -- --json --outputFile <file>`) stands for a run of the suite on this Node.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { tsImport } from 'tsx/esm/api';
import { installPackages } from '../../demo/lib/install.mjs';
import { buildPackage, installPackage } from '../../demo/lib/package.mjs';
import { root } from '../../demo/lib/paths.mjs';
import { step } from '../../demo/lib/progress.mjs';

const packages = path.join(root, 'test/versions/packages');
const folder = mkdtempSync(path.join(tmpdir(), 'versions-'));
const { values: options } = parseArgs({ options: { write: { type: 'boolean' }, report: { type: 'string' } } });

const NODES = ['20', '22', '24'];
/** The version of n8n whose pair of packages is the one of the repository. */
const NEWEST = '2.41.1';

/** The tests that refuse an expression in the list of operations or resources. */
const EVALUATED = 'refused in \\{"resource":.*=\\{\\{|refuses \\{"operation":"=\\{\\{';

/** The tests that read a setting of the workflow. */
const SETTINGS = [
	'is not promised if failed executions are not saved',
	'is promised in a manual execution if those are saved: false',
	'the time limit of the workflow (ends|refuses|counts from the beginning of the node in a Retry once)',
	'is not waited for beyond the time limit of the workflow',
	'there is no response before the time limit of the workflow',
].join('|');

/**
 * The older versions of n8n. Tests may behave differently there for reasons that the package cannot change: those that
 * are named here must fail, and no others may.
 */
const OLDER = [
	{
		n8n: '2.20.12',
		files: ['allowed-domains'],
		tests: "(Allowed HTTP Request Domains: (domains|none)|because of) '(elsewhere\\.example)?' (leave|has)",
		why: 'n8n holds *Browser Automation* to *Allowed HTTP Request Domains* even for the hosts of the credential',
	},
	{
		n8n: '2.0.0',
		files: ['input', 'browser-automation', 'operations', 'retry-of-executions'],
		tests: `${EVALUATED}|${SETTINGS}`,
		why: 'n8n evaluates an expression in *Operation*, and tells nodes no setting of the workflow',
	},
	{
		n8n: '1.115.0',
		files: ['input', 'browser-automation', 'operations', 'retry-of-executions', 'redaction'],
		tests: `${EVALUATED}|${SETTINGS}|under a policy of redaction( for| of version 1 hints|,|$)`,
		why: 'n8n evaluates an expression in *Operation*, tells nodes no setting of the workflow, and has no policies of redaction',
	},
];

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

/** Runs jest with a Node. */
function jest({ binary }, args, { env, ...options }) {
	const PATH = `${path.dirname(binary)}${path.delimiter}${process.env.PATH}`;
	const all = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', ...args];
	return spawnSync(binary, all, { cwd: root, env: { ...process.env, PATH, ...env }, ...options });
}

/** Whether all tests pass. */
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
const { readSection, table, writeSection } = await tsImport('../support/report.ts', import.meta.url);

const problems = [];

/** A row of the table: a pair of packages, the Node, what ran, and whether it passed. */
function row(n8n, place, { version }, what, isGood, why) {
	const { dependencies, devDependencies } = readJson(path.join(place, 'package.json'));
	const versions = dependencies ?? devDependencies;
	if (!isGood) problems.push(`${what} on Node ${version}, n8n ${n8n}`);
	const result = [isGood ? 'passes' : 'fails', ...(why ? [why] : [])].join('; ');
	return [n8n, `${versions['n8n-core']}, ${versions['n8n-workflow']}`, version, what, result];
}

const rows = NODES.map((major) => {
	const node = nodeOf(major);
	const hasRun = options.report && node.version === process.versions.node;
	const isGood = hasRun ? readJson(options.report).success : passes(node, []);
	return row(NEWEST, root, node, 'The whole suite', isGood);
});

const newestNode = nodeOf(NODES.at(-1));
const onPackage = (judge, n8n, ...args) => {
	const PACKAGE_FOLDER = path.join(folder, '.n8n/nodes/node_modules/n8n-nodes-browser-automation');
	const config = 'test/versions/jest.config.js';
	return judge(newestNode, ['--config', config, ...args], { PACKAGE_FOLDER, N8N_FOLDER: n8n });
};
const LOADING = 'test/versions/packed-package.ts';
if (!onPackage(passes, root, LOADING)) problems.push(`the packed package on n8n ${NEWEST}`);
for (const { n8n, files, tests, why } of OLDER) {
	const place = path.join(packages, `n8n-${n8n}`);
	const others = ['-t', `^(?!.*(${tests}))`];
	const isGood = onPackage(passes, place, LOADING, 'test/contract', 'test/workflow', ...others);
	const differing = files.map((name) => `test/workflow/${name}.test.ts`);
	const differs = onPackage(fails, place, ...differing, '-t', tests);
	const what = 'The packed package: loading, every operation, both suites on the engine';
	rows.push(row(n8n, place, newestNode, what, isGood && differs, why));
}

const found = `\n${table(['n8n', 'n8n-core, n8n-workflow', 'Node', 'What ran', 'Result'], rows)}\n`;
console.log(found);
const page = path.join(root, 'docs', 'compatibility.md');
if (options.write && !problems.length) writeSection('versions', found, page);
else if (found !== readSection('versions', page)) {
	problems.push('the table in docs/compatibility.md (npm run test:versions -- --write)');
}

rmSync(folder, { recursive: true });
if (problems.length) {
	console.error(`Not as expected: ${problems.join('; ')}`);
	process.exitCode = 1;
}
