import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DemoError } from './failure.mjs';
import { root } from './paths.mjs';
import { npm, run } from './processes.mjs';

/** Builds the nodes and credentials into dist/. */
export async function buildPackage() {
	await orExplain([...npm(), 'run', 'build'], root, 'the package was not built.', 'correct what the compiler reports');
}

/**
 * Packs the package as it would be published and unpacks it into n8n's folder for community packages.
 *
 * @param {string} userFolder the N8N_USER_FOLDER of the n8n that should load it
 * @returns {Promise<string>} name and version of the package
 */
export async function installPackage(userFolder) {
	const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	const nodes = join(userFolder, '.n8n', 'nodes');
	const target = join(nodes, 'node_modules', name);
	mkdirSync(nodes, { recursive: true });

	const packing = mkdtempSync(join(nodes, 'packing-'));
	try {
		await orExplain(
			[...npm(), 'pack', '--pack-destination', packing],
			root,
			'the package could not be packed.',
			'read the output above',
		);
		await orExplain(
			['tar', '-xzf', `${name}-${version}.tgz`],
			packing,
			'the package could not be unpacked.',
			'install tar',
		);
		rmSync(target, { recursive: true, force: true });
		mkdirSync(join(nodes, 'node_modules'), { recursive: true });
		renameSync(join(packing, 'package'), target);
	} finally {
		rmSync(packing, { recursive: true, force: true });
	}
	register(join(nodes, 'package.json'), name, version);
	return `${name} ${version}`;
}

/** n8n loads what the package.json of its folder for community packages names. */
function register(file, name, version) {
	const manifest = existsSync(file)
		? JSON.parse(readFileSync(file, 'utf8'))
		: { name: 'installed-nodes', private: true };
	manifest.dependencies = { ...manifest.dependencies, [name]: version };
	writeFileSync(file, JSON.stringify(manifest, null, 2));
}

async function orExplain(command, cwd, message, next) {
	const { code, output } = await run(command, { cwd });
	if (code !== 0) throw new DemoError(message, { output, next: `${next}, then run this command again.` });
}
