import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DemoError } from './failure.mjs';
import { root } from './paths.mjs';
import { npm, run } from './processes.mjs';

const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Where n8n keeps the package in a user folder. */
export const packageFolder = (userFolder) => join(userFolder, '.n8n', 'nodes', 'node_modules', name);

/** Builds the nodes and credentials into dist/. */
export async function buildPackage() {
	await orExplain([...npm(), 'run', 'build'], root, 'the package was not built.', 'correct what the compiler reports');
}

/**
 * Packs the package as it would be published, and unpacks it into n8n's folder for community packages below an N8N_USER_FOLDER.
 * Returns the package's name and version.
 */
export async function installPackage(userFolder) {
	const target = packageFolder(userFolder);
	const nodes = join(userFolder, '.n8n', 'nodes');
	mkdirSync(join(nodes, 'node_modules'), { recursive: true });
	const packing = mkdtempSync(join(nodes, 'packing-'));
	try {
		const pack = [...npm(), 'pack', '--pack-destination', packing];
		const unpack = ['tar', '-xzf', `${name}-${version}.tgz`];
		await orExplain(pack, root, 'the package could not be packed.', 'read the output above');
		await orExplain(unpack, packing, 'the package could not be unpacked.', 'install tar');
		rmSync(target, { recursive: true, force: true });
		renameSync(join(packing, 'package'), target);
	} finally {
		rmSync(packing, { recursive: true, force: true });
	}
	register(join(nodes, 'package.json'));
	return `${name} ${version}`;
}

/**
 * Builds the package after each change of its sources, and tells how that ended. It is installed in an n8n with this N8N_USER_FOLDER
 * that was started with N8N_DEV_RELOAD, and loads what changes.
 */
export function rebuildOnChange(userFolder, tell) {
	const target = join(packageFolder(userFolder), 'dist');
	// Not while this file is loaded: nothing may be installed yet.
	const { watch } = createRequire(join(root, 'package.json'))('gulp');

	watch(['nodes/**', 'credentials/**', 'icons/**'], { cwd: root }, async function rebuild() {
		try {
			await buildPackage();
			cpSync(join(root, 'dist'), target, { recursive: true });
			tell(`${new Date().toLocaleTimeString()} built; n8n loads the nodes again`);
		} catch (error) {
			tell(`${error.message}\n${error.output ?? ''}`);
		}
	});
}

/** n8n loads what the package.json of its folder for community packages names. */
function register(file) {
	const { dependencies, ...manifest } = existsSync(file)
		? JSON.parse(readFileSync(file, 'utf8'))
		: { name: 'installed-nodes', private: true };
	writeFileSync(file, JSON.stringify({ ...manifest, dependencies: { ...dependencies, [name]: version } }, null, 2));
}

async function orExplain(command, cwd, message, next) {
	const { code, output } = await run(command, { cwd });
	if (code !== 0) throw new DemoError(message, { output, next: `${next}, then run this command again.` });
}
