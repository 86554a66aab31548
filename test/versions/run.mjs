// Runs the suite on every supported Node, and the packed package on older versions of n8n. The table of what ran goes
// into docs/compatibility.md: with --write it is written, else the run fails if it differs. With --report <file>, what
// jest wrote there (`npm test -- --json --outputFile <file>`) stands for a run of the suite on this Node.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');
const packages = path.join(here, 'packages');
const folder = mkdtempSync(path.join(tmpdir(), 'versions-'));
const { values: options } = parseArgs({ options: { write: { type: 'boolean' }, report: { type: 'string' } } });

const NODES = ['20', '22', '24'];
/** The version of n8n whose pair of packages is the one of the repository. */
const NEWEST = '2.41.1';

/**
 * The older versions of n8n. Tests may behave differently there for reasons that the package cannot change: those that
 * are named here must fail, and no others may.
 */
const OLDER = [
	{
		n8n: '2.20.12',
		tests:
			/Allowed HTTP Request Domains in Browser Automation set to (domains "(elsewhere\.example)?"|none "") leaves the hosts/,
		why: 'n8n holds *Browser Automation* to *Allowed HTTP Request Domains* even for the hosts of the credential',
	},
	{ n8n: '2.0.0' },
	{
		n8n: '1.115.0',
		tests: / starts each item with continueErrorOutput$/,
		why: 'n8n drops the reason from the items at the error output of *Browser Automation*',
	},
];

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const run = (command, args, cwd = root) => execFileSync(command, args, { stdio: 'inherit', cwd });

/** Installs what the tests need, and unpacks the package as it would be published. */
function install() {
	const installing = path.join(root, 'test/support/install.mjs');
	for (const cwd of [root, packages]) run(process.execPath, [installing], cwd);
	run('npm', ['run', 'build', '--silent']);
	run('npm', ['pack', '--silent', '--pack-destination', folder]);
	const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
	run('tar', ['-xzf', tarball], folder);
}

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

/** Runs jest and gives the names of the tests by how they ended, and what jest says of those that failed. */
function jest({ binary }, args, env = {}) {
	const file = path.join(folder, 'report.json');
	rmSync(file, { force: true });
	const PATH = `${path.dirname(binary)}${path.delimiter}${process.env.PATH}`;
	const { stderr } = spawnSync(
		binary,
		['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--json', '--outputFile', file, ...args],
		{ cwd: root, encoding: 'utf8', maxBuffer: 2 ** 30, env: { ...process.env, PATH, ...env } },
	);
	return { ...readReport(file), stderr };
}

/** The names of the tests in a report of jest, by how they ended. */
function readReport(file) {
	const { testResults } = existsSync(file) ? readJson(file) : { testResults: [] };
	const broken = testResults.filter(({ status, assertionResults }) => status === 'failed' && !assertionResults.length);
	const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
	const named = (status) => tests.filter((test) => test.status === status).map(({ fullName }) => fullName);
	const failed = [...named('failed'), ...broken.map(({ name }) => `${path.relative(root, name)} does not run`)];
	return { passed: named('passed'), failed: tests.length === 0 ? [...failed, 'no test ran'] : failed };
}

const problems = [];

/** Prints how a run of jest ended, and gives what the table says of it. */
function judge(label, { passed, failed, stderr = '' }, { tests, why } = {}) {
	const isKnown = (name) => tests?.test(name) ?? false;
	const wrong = [
		...failed.filter((name) => !isKnown(name)),
		...passed.filter(isKnown).map((name) => `${name} (is listed as different, but passes)`),
		...(tests && !failed.some(isKnown) ? [`nothing shows: ${why}`] : []),
	];
	console.log(`${label}: ${passed.length} tests passed, ${failed.length} failed, ${wrong.length} not as expected`);
	if (wrong.length === 0) return why ? `passes; ${why}` : 'passes';
	console.log([stderr, ...wrong].join('\n  '));
	problems.push(label);
	return `${wrong.length} tests fail`;
}

install();
// Not before the packages are installed.
const { tsImport } = await import('tsx/esm/api');
const { readSection, table, writeSection } = await tsImport('../support/report.ts', import.meta.url);

/** A row of the table: a pair of packages, the Node, and what ran. */
const row = (n8n, place, { version }, what, result) => {
	const { dependencies, devDependencies } = readJson(path.join(place, 'package.json'));
	const versions = dependencies ?? devDependencies;
	return [n8n, `${versions['n8n-core']}, ${versions['n8n-workflow']}`, version, what, result];
};

const rows = NODES.map((major) => {
	const node = nodeOf(major);
	const hasRun = options.report && node.version === process.versions.node;
	const result = hasRun ? readReport(options.report) : jest(node, []);
	return row(NEWEST, root, node, 'The whole suite', judge(`Node ${node.version}, n8n ${NEWEST}`, result));
});

const newestNode = nodeOf(NODES.at(-1));
const onPackage = (version, n8n, suites, known) => {
	const args = [
		'--config',
		'test/versions/jest.config.js',
		'--forceExit',
		'test/versions/packed-package.ts',
		...suites,
	];
	const env = { PACKAGE_FOLDER: path.join(folder, 'package'), N8N_FOLDER: n8n };
	return judge(`The packed package on n8n ${version}`, jest(newestNode, args, env), known);
};
onPackage(NEWEST, root, []);
for (const known of OLDER) {
	const n8n = path.join(packages, `n8n-${known.n8n}`);
	const what = 'The packed package: loading, every operation, both suites on the engine';
	const result = onPackage(known.n8n, n8n, ['test/contract', 'test/workflow'], known);
	rows.push(row(known.n8n, n8n, newestNode, what, result));
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
