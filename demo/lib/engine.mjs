// The packed package on n8n's engine, without n8n's server and editor.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DemoError } from './failure.mjs';
import { liveLines } from './live-lines.mjs';
import { packageFolder } from './package.mjs';
import { root } from './paths.mjs';

/** What to do if the nodes do not work on n8n's engine. */
export const TEST = 'run npm test, which names what does not work on this machine.';

/**
 * Creates the user folder of an engine, and removes it when this process ends. It is inside node_modules, where the package that is
 * unpacked into it finds n8n-workflow.
 */
export function makeUserFolder() {
	const cache = join(root, 'node_modules', '.cache');
	mkdirSync(cache, { recursive: true });
	const folder = mkdtempSync(join(cache, `demo-${process.pid}-`));
	process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/**
 * Begins to load n8n's engine, which takes seconds: in a worker, so that the package can be packed meanwhile. In the user folder, the
 * engine keeps its settings, and `installPackage` puts the package.
 */
export function startEngine(userFolder) {
	const settings = { N8N_USER_FOLDER: userFolder, N8N_ENCRYPTION_KEY: 'demo', N8N_LOG_LEVEL: 'silent' };
	const worker = new Worker(new URL('engine-worker.mjs', import.meta.url), { env: { ...process.env, ...settings } });
	// It must not keep this process alive if the package cannot be packed.
	worker.unref();
	const broken = once(worker, 'error');

	/**
	 * Executes one node of a workflow, once, and returns its items. `write` is given the run's live text as it is received, in indented
	 * lines.
	 */
	async function run(node, credential, write) {
		worker.ref();
		const live = liveLines(write);
		const ended = new Promise((resolve) =>
			worker.on('message', ({ piece, result }) => (result ? resolve(result) : live.push(piece))),
		);
		worker.postMessage({ folder: packageFolder(userFolder), node, credential });
		const { items, failure } = await Promise.race([ended, broken.then(([error]) => ({ failure: error }))]);
		live.end();
		await worker.terminate();
		if (!failure) return items;
		const output = [failure.message, failure.description].filter(Boolean).join('\n');
		throw new DemoError(`the workflow stopped at "${node.name}".`, { output, next: TEST });
	}

	return { run };
}
