import { fork } from 'node:child_process';

/** Milliseconds on a clock that all processes of a machine share. */
export const clock = () => Number(process.hrtime.bigint() / 1000n) / 1000;

/**
 * Starts a server that responds as the service does, with as little work as can be, in a process of its own: what it costs is
 * not counted as the client's.
 *
 * The task of a start says what is sent: `run 2000 100` is a run of 2,000 ms with a text every 100 ms, `silent` begins a
 * text and is silent from then on, `mute` sends not even headers, `file <path>` sends the stream in that file.
 * Detached starts and searches are answered at once.
 *
 * @returns {Promise<{
 *   target: { baseUrl: string, automationUrl: string, apiKey: string },
 *   next: (about: 'begun' | 'closed', count?: number) => Promise<number>,
 *   stop: () => void,
 * }>} what a credential for it holds; when the last of so many runs from now on has begun, or was closed by the client
 * before its end, on `clock`
 */
export async function startService() {
	const file = new URL('./service-process.mjs', import.meta.url);
	const child = fork(file, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
	const url = await new Promise((resolve, reject) => {
		child.once('message', resolve);
		child.once('exit', (code) => reject(new Error(`The server ended with ${code}`)));
	});
	let waiting = [];
	child.on('message', ({ about, at }) => {
		for (const waiter of waiting) if (waiter.about === about && --waiter.left === 0) waiter.resolve(at);
		waiting = waiting.filter(({ left }) => left > 0);
	});
	return {
		target: { baseUrl: url, automationUrl: url, apiKey: 'bench-key', allowUnencrypted: false },
		next: (about, count = 1) => new Promise((resolve) => waiting.push({ about, left: count, resolve })),
		stop: () => child.kill(),
	};
}
