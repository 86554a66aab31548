import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DemoError } from './failure.mjs';
import { demo, root } from './paths.mjs';
import { environmentWith, npm, run } from './processes.mjs';

const NODE_MAJOR = 24;
const NATIVE_MODULES = ['sqlite3', 'isolated-vm'];
const n8nScript = join(demo, 'node_modules', 'n8n', 'bin', 'n8n');
const stamp = join(demo, 'node_modules', '.ready');

/** Installs the packages of the repository if they are missing or older than the lock file. */
export async function installRoot() {
	const { code, output } = await run([process.execPath, 'test/support/install.mjs'], { cwd: root });
	if (code !== 0) {
		throw new DemoError('the packages of the repository were not installed.', {
			output,
			next: 'check the connection to the npm registry (npm ping), then run this command again.',
		});
	}
}

/**
 * Installs n8n, and the Node it needs, into demo/node_modules. Does nothing if that was done before with the same
 * lock file and the same Node.
 *
 * @param {(text: string) => void} [note] is told what was found or done
 * @returns {Promise<{ node: string, script: string }>} the Node to run n8n with, and n8n's command line script
 */
export async function installN8n(note = () => {}) {
	if (!isReady()) {
		await installPackages();
		const node = requireNode();
		await buildNativeModules(node);
		writeFileSync(stamp, fingerprint(node));
		note('installed');
	} else {
		note('already installed');
	}
	const node = requireNode();
	note(`Node ${node.version}`);
	return { node: node.binary, script: n8nScript };
}

function isReady() {
	const node = findNode();
	return (
		node !== undefined &&
		existsSync(n8nScript) &&
		existsSync(stamp) &&
		readFileSync(stamp, 'utf8') === fingerprint(node)
	);
}

function fingerprint(node) {
	const lock = readFileSync(join(demo, 'package-lock.json'));
	return `${createHash('sha256').update(lock).digest('hex')} ${node.version} ${process.platform} ${process.arch}`;
}

// npm ci would be stricter, but insists on platform packages that not every registry mirror has; --no-save leaves the
// lock file as it is. For the same mirrors, the overrides in demo/package.json name the newest version that they have of
// packages that n8n itself asks for in a later patch version.
async function installPackages() {
	rmSync(stamp, { force: true });
	const { code, output } = await run([...npm(), 'install', '--no-save', '--loglevel=error'], { cwd: demo });
	if (code !== 0) {
		throw new DemoError('n8n was not installed.', {
			output,
			next: 'check the connection to the npm registry (npm ping) and that about 3 GB are free, then run this command again.',
		});
	}
}

async function buildNativeModules(node) {
	const { code, output } = await run(
		[...npm(node.binary), 'rebuild', '--ignore-scripts=false', '--loglevel=error', ...NATIVE_MODULES],
		{ cwd: demo, env: environmentWith(node.binary, node.headers ? { npm_config_nodedir: node.headers } : {}) },
	);
	if (code !== 0) {
		throw new DemoError(`the native modules of n8n (${NATIVE_MODULES.join(', ')}) were not built.`, {
			output,
			next: 'install python3, make and g++ (Debian and Ubuntu: apt-get install python3 make g++; macOS: xcode-select --install), then run this command again.',
		});
	}
}

function requireNode() {
	const node = findNode();
	if (node) return node;
	throw new DemoError(
		`n8n needs Node ${NODE_MAJOR}, and npm has no package of it for ${process.platform} on ${process.arch}.`,
		{ next: `install Node ${NODE_MAJOR} (https://nodejs.org/en/download) and run this command with it.` },
	);
}

/** The Node that runs n8n: this one if it is recent enough, otherwise the one from the npm package. */
function findNode() {
	if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) {
		const headers = dirname(dirname(process.execPath));
		return {
			binary: process.execPath,
			version: process.versions.node,
			headers: existsSync(join(headers, 'include', 'node', 'node.h')) ? headers : undefined,
		};
	}
	const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
	const manifest = join(demo, 'node_modules', name, 'package.json');
	if (!existsSync(manifest)) return undefined;
	const { bin, version } = createRequire(import.meta.url)(manifest);
	const folder = dirname(manifest);
	return {
		binary: join(folder, bin.node),
		version,
		headers: existsSync(join(folder, 'include', 'node', 'node.h')) ? folder : undefined,
	};
}
