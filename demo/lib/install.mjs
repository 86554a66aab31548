import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { DemoError } from './failure.mjs';
import { demo, root } from './paths.mjs';
import { environmentWith, npm, run } from './processes.mjs';
import { silent, step } from './progress.mjs';

const NODE_MAJOR = 24;
const NATIVE_MODULES = ['sqlite3', 'isolated-vm'];
const QUIETLY = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
const CHECK_REGISTRY = 'check the connection to the npm registry (npm ping)';
const n8nScript = join(demo, 'node_modules', 'n8n', 'bin', 'n8n');
const stamp = join(demo, 'node_modules', '.ready');

/** Ends a command on a Node that is older than the packages of the repository, and those of n8n, work with. */
export function checkNode() {
	const version = process.versions.node;
	const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	const oldest = engines.node.replace('>=', '');
	if (version.localeCompare(oldest, 'en', { numeric: true }) >= 0) return;
	throw new DemoError(`this is Node ${version}, but Node ${oldest} or newer is required.`, {
		next: 'install a newer version (https://nodejs.org/en/download), then run this command again.',
	});
}

/**
 * Makes a folder, which git ignores, the npm package that the files beside it describe: n8n's scanner rejects a source with a second
 * package.json.
 */
function fill(folder) {
	mkdirSync(folder, { recursive: true });
	copyFileSync(join(folder, '../manifest.json'), join(folder, 'package.json'));
	copyFileSync(join(folder, '../lock.json'), join(folder, 'package-lock.json'));
}

/** Installs the packages of the repository, or of another folder. Does nothing if they are those of the lock file. */
export async function installPackages({ doing, note }, folder = root) {
	if (folder !== root) fill(folder);
	if (isCurrent(folder)) return note('already installed');
	doing('installing them with npm', 'one to two minutes');
	const message = `the packages of ${relative(root, folder) || 'the repository'} were not installed.`;
	await runTwice([...npm(), 'ci', ...QUIETLY], { cwd: folder }, message, CHECK_REGISTRY);
}

/**
 * Ends a command in a folder where n8n cannot be built, before anything is downloaded: the makefile of its database driver does
 * not quote the path.
 */
function checkPath() {
	if (!/\s/.test(demo)) return;
	throw new DemoError(`n8n cannot be built in a path that contains a space: ${demo}`, {
		next: 'move the repository to a path without spaces, then run this command again.',
	});
}

/**
 * Ends a command, before anything is downloaded, if n8n could not run then: this Node is too old for it, and npm has none for this
 * platform, such as macOS.
 */
function checkNodeForN8n() {
	const { optionalDependencies } = JSON.parse(readFileSync(join(demo, '../manifest.json'), 'utf8'));
	if (!runsN8n() && !(nodePackage() in optionalDependencies)) throw noNodeForN8n();
}

/**
 * Installs the packages of the repository and n8n side by side: neither needs anything of the other. If both fail, the packages
 * say so.
 */
export async function installBoth(withPackages = true, withN8n = true) {
	if (withN8n && !isN8nReady()) {
		checkPath();
		checkNodeForN8n();
	}
	const packages = withPackages && step('Packages of the repository', installPackages);
	const n8n = withN8n && step('n8n', installN8n);
	if (n8n) n8n.catch(() => {});
	await packages;
	return await n8n;
}

/** Runs a command that downloads, and again if it failed: one broken download among thousands is no reason to stop. */
async function runTwice(command, options, message, next) {
	const first = await run(command, options);
	const { code, output } = first.code === 0 ? first : await run(command, options);
	if (code !== 0) throw new DemoError(message, { output, next: `${next}, then run this command again.` });
}

/** Whether the packages of a folder are those of its lock file; npm lists at the end of an installation what is there. */
export function isCurrent(folder = root) {
	const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).packages;
	if (!existsSync(join(folder, 'node_modules', '.package-lock.json'))) return false;
	const found = read('node_modules/.package-lock.json');
	return Object.entries(read('package-lock.json')).every(
		([place, { version, optional }]) => place === '' || optional || found[place]?.version === version,
	);
}

/**
 * Installs n8n, and the Node it needs, into demo/installed. Does nothing if that was done before with the same lock
 * file and the same Node. Returns the Node to run n8n with, and n8n's command line script.
 */
export async function installN8n({ doing, note } = silent) {
	const isReady = isN8nReady();
	if (!isReady) {
		doing('downloading n8n, about 1,100 packages and 4 GB on disk', 'two to four minutes');
		await downloadN8n();
	}
	const node = findNode();
	if (!node) throw noNodeForN8n();
	if (!isReady) {
		doing("compiling n8n's database driver and its sandbox for expressions", 'one to two minutes');
		await buildNativeModules(node);
		writeFileSync(stamp, fingerprint(node));
	}
	note(isReady ? 'already installed' : 'installed');
	note(`Node ${node.version}`);
	return { node: node.binary, script: n8nScript };
}

/** Whether n8n was installed before, with the same lock file and the same Node. */
export function isN8nReady() {
	const node = findNode();
	return (
		node !== undefined && [n8nScript, stamp].every(existsSync) && readFileSync(stamp, 'utf8') === fingerprint(node)
	);
}

function fingerprint(node) {
	const lock = readFileSync(join(demo, '../lock.json'));
	return `${createHash('sha256').update(lock).digest('hex')} ${node.version} ${process.platform} ${process.arch}`;
}

// npm ci would be stricter, but insists on platform packages that not every registry mirror has; without --no-save, npm updates
// packages of the lock file. For the same mirrors, the overrides in demo/manifest.json name the newest version that they have of
// packages that n8n itself asks for in a later patch version.
async function downloadN8n() {
	rmSync(stamp, { force: true });
	fill(demo);
	const command = [...npm(), 'install', '--no-save', ...QUIETLY];
	const next = `${CHECK_REGISTRY} and that about 4 GB of disk space are free`;
	await runTwice(command, { cwd: demo }, 'n8n was not installed.', next);
}

async function buildNativeModules(node) {
	await runTwice(
		[...npm(node.binary), 'rebuild', '--ignore-scripts=false', '--loglevel=error', ...NATIVE_MODULES],
		{ cwd: demo, env: environmentWith(node.binary, node.headers ? { npm_config_nodedir: node.headers } : {}) },
		`n8n's native modules (${NATIVE_MODULES.join(', ')}) were not built.`,
		'install python3, make and g++ (Debian and Ubuntu: apt-get install python3 make g++; macOS: xcode-select --install)',
	);
}

const noNodeForN8n = () =>
	new DemoError(
		`n8n needs Node ${NODE_MAJOR}, and npm has no package of it for ${process.platform} on ${process.arch}.`,
		{ next: `install Node ${NODE_MAJOR} (https://nodejs.org/en/download) and run this command with it.` },
	);

/** Whether this Node is recent enough for n8n. */
const runsN8n = () => Number(process.versions.node.split('.')[0]) >= NODE_MAJOR;

/** The npm package with a Node for this platform. */
const nodePackage = () => `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** The Node that runs n8n: this one if it is recent enough, otherwise the one from the npm package. */
function findNode() {
	const headersIn = (folder) => (existsSync(join(folder, 'include', 'node', 'node.h')) ? folder : undefined);
	if (runsN8n()) {
		const { execPath: binary, versions } = process;
		return { binary, version: versions.node, headers: headersIn(dirname(dirname(binary))) };
	}
	const manifest = join(demo, 'node_modules', nodePackage(), 'package.json');
	if (!existsSync(manifest)) return undefined;
	const { bin, version } = createRequire(import.meta.url)(manifest);
	const folder = dirname(manifest);
	return { binary: join(folder, bin.node), version, headers: headersIn(folder) };
}
