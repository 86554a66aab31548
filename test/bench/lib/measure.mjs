import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);

/**
 * Makes one measurement in a process of its own, so that heaps and compiled code of others do not change it.
 *
 * @param {string} module the URL of a benchmark, which exports `measurement`
 * @param {object} input what `measurement` is called with
 * @returns {Promise<any>} what it returned
 */
export async function measure(module, input) {
	const execArgv = ['--expose-gc'];
	const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
	const child = fork(self, [module], { execArgv, serialization: 'advanced', stdio });
	return await new Promise((resolve, reject) => {
		let result;
		child.on('message', (message) => (result = message));
		child.on('error', reject);
		child.on('close', (code, signal) => {
			if (result) resolve(result.value);
			else reject(new Error(`${module} ${JSON.stringify(input)} ended with ${signal ?? code}`));
		});
		child.send(input);
	});
}

// In the process of a measurement, this module is the one that was started.
if (process.argv[1] === self) {
	process.once('message', async (input) => {
		const { measurement } = await import(process.argv[2]);
		const value = await measurement(input);
		process.send({ value }, () => process.exit());
	});
}
