// Runs the suite on every supported Node, and the packed package on older versions of n8n. The table of what ran goes
// into docs/compatibility.md: with --write it is written, else the run fails if it differs. With --report <file>, what
// jest wrote there (`npm test -- --json --outputFile <file>`) stands for a run of the suite on this Node.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { known } from './known.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');
const packages = path.join(here, 'packages');
const folder = mkdtempSync(path.join(tmpdir(), 'versions-'));
const { values: options } = parseArgs({ options: { write: { type: 'boolean' }, report: { type: 'string' } } });

const NODES = ['20', '22', '24'];
const NEWEST_NODE = '24';
/** n8n's own version by the pair of packages that it consists of; the newest pair is the one of the repository. */
const NEWEST = '2.41.1';
const older = readdirSync(packages)
	.filter((name) => name.startsWith('n8n-'))
	.map((name) => name.replace('n8n-', ''))
	.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const run = (command, args, options = {}) => execFileSync(command, args, { stdio: 'inherit', cwd: root, ...options });

function install() {
	run(process.execPath, ['test/support/install.mjs']);
	run(process.execPath, [path.join(root, 'test/support/install.mjs')], { cwd: packages });
	run('npm', ['run', 'build', '--silent']);
	run('npm', ['pack', '--silent', '--pack-destination', folder]);
	const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
	run('tar', ['-xzf', path.join(folder, tarball), '-C', folder]);
}

/** The Node of a major version: this one, or the one that came as a package. */
function nodeOf(major) {
	const manifest = path.join(packages, 'node_modules', `node${major}`, 'package.json');
	if (existsSync(manifest)) return path.join(path.dirname(manifest), 'bin/node');
	if (process.versions.node.split('.')[0] === major) return process.execPath;
	throw new Error(`There is no package of Node ${major} for this machine: run this on Linux, x64`);
}

const versionOf = (node) => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);

/** Runs jest and gives the names of the tests by how they ended, and what jest says of those that failed. */
function jest(node, args, env = {}) {
	const file = path.join(folder, 'report.json');
	rmSync(file, { force: true });
	const { stderr } = spawnSync(
		node,
		['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--json', '--outputFile', file, ...args],
		{
			cwd: root,
			encoding: 'utf8',
			maxBuffer: 2 ** 30,
			stdio: ['ignore', 'ignore', 'pipe'],
			env: { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}`, ...env },
		},
	);
	return { ...readReport(file), stderr };
}

/** The names of the tests in a report of jest, by how they ended. */
function readReport(file) {
	const report = existsSync(file) ? readJson(file) : { testResults: [] };
	const broken = report.testResults.filter(
		({ status, assertionResults }) => status === 'failed' && !assertionResults.length,
	);
	const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
	const named = (status) => tests.filter((test) => test.status === status).map(({ fullName }) => fullName);
	const failed = [...named('failed'), ...broken.map(({ name }) => `${path.relative(root, name)} does not run`)];
	if (tests.length === 0) failed.push('no test ran');
	return { passed: named('passed'), failed };
}

const problems = [];

/** Prints one row, and gives its last cell. */
function judge(label, { passed, failed, stderr = '' }, exceptions = []) {
	const isKnown = (name) => exceptions.some(({ tests }) => tests.test(name));
	const wrong = [
		...failed.filter((name) => !isKnown(name)),
		...passed.filter(isKnown).map((name) => `${name} (is listed as different, but passes)`),
		...exceptions
			.filter(({ tests }) => !failed.some((name) => tests.test(name)))
			.map(({ why }) => `nothing shows: ${why}`),
	];
	console.log(`${label}: ${passed.length} tests passed, ${failed.length} failed, ${wrong.length} not as expected`);
	if (wrong.length) {
		console.log(stderr);
		wrong.forEach((name) => console.log(`  ${name}`));
		problems.push(label);
		return `${wrong.length} tests fail`;
	}
	return exceptions.length ? `passes; ${exceptions.map(({ why }) => why).join('; ')}` : 'passes';
}

/** What the table says of a pair of packages. */
const pairOf = (n8n) => {
	const { dependencies, devDependencies } = readJson(path.join(n8n, 'package.json'));
	const versions = dependencies ?? devDependencies;
	return `${versions['n8n-core']}, ${versions['n8n-workflow']}`;
};

install();
// Not before the packages are installed.
const { tsImport } = await import('tsx/esm/api');
const { readSection, table, writeSection } = await tsImport('../support/report.ts', import.meta.url);
const olderRows = [];
const node = nodeOf(NEWEST_NODE);
const onPackage = (n8n, patterns) =>
	jest(node, ['--config', 'test/versions/jest.config.js', '--forceExit', ...patterns], {
		PACKAGE_FOLDER: path.join(folder, 'package'),
		N8N_FOLDER: n8n,
	});
const loading = 'test/versions/packed-package.ts';
judge(`The packed package on n8n ${NEWEST}`, onPackage(root, [loading]));
for (const version of [...older].reverse()) {
	const n8n = path.join(packages, `n8n-${version}`);
	const patterns = [loading, 'test/contract', 'test/workflow'];
	const exceptions = known.filter((entry) => entry.n8n === version);
	const result = judge(`The packed package on n8n ${version}`, onPackage(n8n, patterns), exceptions);
	olderRows.push([
		version,
		pairOf(n8n),
		versionOf(node),
		'The packed package: loading, every operation, both suites on the engine',
		result,
	]);
}

const rows = [];
for (const major of NODES) {
	const binary = nodeOf(major);
	const hasRun = options.report && versionOf(binary) === process.versions.node;
	const result = judge(
		`Node ${versionOf(binary)}, n8n ${NEWEST}`,
		hasRun ? readReport(options.report) : jest(binary, []),
	);
	rows.push([NEWEST, pairOf(root), versionOf(binary), 'The whole suite', result]);
}

const head = ['n8n', 'n8n-core, n8n-workflow', 'Node', 'What ran', 'Result'];
const found = `\n${table(head, [...rows, ...olderRows])}\n`;
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
