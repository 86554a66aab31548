// Servers in a process of their own: what they cost is not counted as the client's.
import { fork } from 'node:child_process';

/**
 * Starts a module that calls {@link serve}
 *
 * @param {URL} file
 * @param {object} input
 * @returns {Promise<{ url: string, onMessage: (listener: (message: any) => void) => void, stop: () => void }>} its address, and
 * what it sends beside that
 */
export async function startServer(file, input) {
	const child = fork(file, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
	const url = await new Promise((resolve, reject) => {
		child.once('message', resolve);
		child.once('error', reject);
		child.once('exit', (code) => reject(new Error(`${file.pathname} ended with ${code}`)));
		child.send(input);
	});
	return { url, onMessage: (listener) => child.on('message', listener), stop: () => child.kill() };
}

/** Connections that may wait to be accepted: some benchmarks open a thousand at once. */
const BACKLOG = 4096;

/**
 * Serves what {@link startServer} asks this process for, until it is stopped.
 *
 * @param {(input: any) => import('node:http').Server} makeServer
 */
export function serve(makeServer) {
	process.once('message', (input) => {
		const server = makeServer(input).listen(0, '127.0.0.1', BACKLOG, () => {
			process.send(`http://127.0.0.1:${server.address().port}`);
		});
	});
	process.once('disconnect', () => process.exit());
}
