import { startServer } from './server.mjs';

/** Milliseconds on a clock that all processes of a machine share. */
export const clock = () => Number(process.hrtime.bigint() / 1000n) / 1000;

/**
 * Starts a server that answers as the service does, with as little work as can be, in a process of its own.
 *
 * A start whose task is a number is a run that takes so many milliseconds. The task `silent` opens its stream, begins a
 * text, and is silent from then on; `mute` is not even answered. Detached starts and searches are answered at once.
 *
 * @returns {Promise<{
 *   target: { baseUrl: string, automationUrl: string, apiKey: string },
 *   next: (about: 'begun' | 'closed', count?: number) => Promise<number>,
 *   stop: () => void,
 * }>} what a credential for it holds; when the last of so many runs from now on has begun, or was closed by the client
 * before its end, on `clock`
 */
export async function startService() {
	const { url, onMessage, stop } = await startServer(new URL('./service-process.mjs', import.meta.url), {});
	let waiting = [];
	onMessage(({ about, at }) => {
		for (const waiter of waiting) if (waiter.about === about && --waiter.left === 0) waiter.resolve(at);
		waiting = waiting.filter(({ left }) => left > 0);
	});
	return {
		target: { baseUrl: url, automationUrl: url, apiKey: 'bench-key' },
		next: (about, count = 1) => new Promise((resolve) => waiting.push({ about, left: count, resolve })),
		stop,
	};
}
