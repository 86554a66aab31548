import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installN8n, isN8nReady } from '../../../demo/lib/install.mjs';
import { step } from '../../../demo/lib/progress.mjs';

const self = fileURLToPath(import.meta.url);

/**
 * Makes one measurement in a process of its own, so that heaps and compiled code of others do not change it.
 *
 * @param {string} module the URL of a benchmark, which exports `measurement`
 * @param {object} input what `measurement` is called with
 * @param {string} [execPath] the Node to run it on
 * @returns {Promise<any>} what it returned
 */
export async function measure(module, input, execPath = process.execPath) {
	// The expression engine of n8n is loaded by import(), from code that n8n runs in a context of its own.
	const execArgv = ['--expose-gc', '--experimental-vm-modules', '--no-warnings'];
	const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
	const child = fork(self, [module], { execPath, execArgv, serialization: 'advanced', stdio });
	return await new Promise((resolve, reject) => {
		let result;
		child.on('message', (message) => (result = message));
		child.on('error', reject);
		child.on('close', (code, signal) => {
			// Once it has sent its result, the sandbox of n8n's expressions may still crash the process that ends.
			if (result) resolve(result.value);
			else reject(new Error(`${module} ${JSON.stringify(input)} ended with ${signal ?? code}`));
		});
		child.send(input);
	});
}

/** Makes one measurement in a process that may call `loadEngine`: on the Node of that n8n, which is installed if need be. */
export async function measureOnEngine(module, input) {
	const { node } = isN8nReady() ? await installN8n() : await step('n8n', installN8n);
	return await measure(module, input, node);
}

// In the process of a measurement, this module is the one that was started.
if (process.argv[1] === self) {
	process.once('message', async (input) => {
		const { measurement } = await import(process.argv[2]);
		const value = await measurement(input);
		process.send({ value }, () => process.exit());
	});
}
