import { fork } from 'node:child_process';

/**
 * Makes one measurement in a process of its own, so that heaps and compiled code of others do not change it.
 *
 * @param {URL} file a module that calls {@link answer}
 * @param {object} input what to measure
 * @param {{ execPath?: string, execArgv?: string[], env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<any>} what the module answered
 */
export async function measure(file, input, { execPath = process.execPath, execArgv = [], env = process.env } = {}) {
	const child = fork(file, {
		execPath,
		execArgv,
		env,
		serialization: 'advanced',
		stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
	});
	return await new Promise((resolve, reject) => {
		let result;
		child.on('message', (message) => (result = message));
		child.on('error', reject);
		child.on('close', (code, signal) => {
			if (code === 0 && result) resolve(result.value);
			else reject(new Error(`${file.pathname} ${JSON.stringify(input)} ended with ${signal ?? code}`));
		});
		child.send(input);
	});
}

/**
 * Answers the one question that {@link measure} asks this process.
 *
 * @param {(input: any) => unknown} measurement
 */
export function answer(measurement) {
	process.once('message', async (input) => {
		const value = await measurement(input);
		process.send({ value }, () => process.exit());
	});
}
