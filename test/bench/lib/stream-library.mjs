import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../nodes/RunAutomation/stream/', import.meta.url));

/**
 * Loads the stream library, compiled as it is in the node, which exports only its class. Another process compiles it, so
 * that the memory of this one is not changed.
 */
export function loadStreamLibrary() {
	const how = { bundle: true, format: 'cjs', platform: 'node', target: 'node20', write: false };
	const compile = `process.stdout.write(require('esbuild').buildSync(${JSON.stringify({ entryPoints: ['index.ts'], ...how })}).outputFiles[0].text)`;
	const code = execFileSync(process.execPath, ['-e', compile], { cwd: folder, encoding: 'utf8' });
	const loaded = { exports: {} };
	new Function('module', code)(loaded);
	return loaded.exports;
}
