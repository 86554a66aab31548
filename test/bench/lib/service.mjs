import { randomUUID } from 'node:crypto';
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);

/** Milliseconds on a clock that all processes of a machine share. */
export const clock = () => Number(process.hrtime.bigint() / 1000n) / 1000;

/**
 * Starts a server that streams as the service does, with as little work as can be, in a process of its own: what it costs is
 * not counted as the client's.
 *
 * The task of a start says what is sent: `run 2000 100` is a run of 2,000 ms with a text every 100 ms, `silent` begins a
 * text and is silent from then on, `mute` sends not even headers, `file <path>` sends the stream in that file.
 *
 * @returns {Promise<{
 *   target: { baseUrl: string, automationUrl: string, apiKey: string },
 *   next: (about: 'begun' | 'closed', count?: number) => Promise<number>,
 *   stop: () => void,
 * }>} what a credential for it holds; when the last of so many runs from now on has begun, or was closed by the client
 * before its end, on `clock`
 */
export async function startService() {
	const child = fork(self, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
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

const files = new Map();
const contentOf = (path) => files.get(path) ?? files.set(path, readFileSync(path)).get(path);

/** Does as a task says, and tells when its run begins and when the client closes it. */
function follow(task, response) {
	const [kind, value, interval] = task.split(' ');
	process.send({ about: 'begun', at: clock() });
	response.once('close', () => {
		if (!response.writableEnded) process.send({ about: 'closed', at: clock() });
	});
	if (kind === 'mute') return;
	response.writeHead(200, { 'content-type': 'text/event-stream', 'x-thread-id': randomUUID() });
	if (kind === 'file') return response.end(contentOf(value));
	const send = (chunk) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
	send({ type: 'text-start', id: '1' });
	if (kind === 'silent') return;
	const texts = setInterval(() => send({ type: 'text-delta', id: '1', delta: 'some text ' }), Number(interval));
	const end = setTimeout(() => {
		send({ type: 'text-end', id: '1' });
		send({ type: 'finish', finishReason: 'stop' });
		response.end('data: [DONE]\n\n');
	}, Number(value));
	response.once('close', () => {
		clearInterval(texts);
		clearTimeout(end);
	});
}

// In the process of the server, this module is the one that was started.
if (process.argv[1] === self) {
	const server = createServer(async (request, response) => follow((await json(request)).query, response));
	// Connections that may wait to be accepted: some benchmarks open a thousand at once.
	server.listen(0, '127.0.0.1', 4096, () => process.send(`http://127.0.0.1:${server.address().port}`));
	process.once('disconnect', () => process.exit());
}
