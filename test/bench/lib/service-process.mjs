// The service of `startService`, which tells when runs begin and when the client closes them.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { clock } from './service.mjs';

const files = new Map();
const contentOf = (path) => files.get(path) ?? files.set(path, readFileSync(path)).get(path);

function follow(task, response) {
	const [kind, value, interval] = task.split(' ');
	process.send({ about: 'begun', at: clock() });
	response.once('close', () => {
		if (!response.writableEnded) process.send({ about: 'closed', at: clock() });
	});
	if (kind === 'mute') return;
	response.writeHead(200, { 'content-type': 'text/event-stream', 'x-thread-id': randomUUID() });
	if (kind === 'file') return response.end(contentOf(value));
	response.socket.setNoDelay(true);
	const send = (chunk) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
	send({ type: 'text-start', id: '1' });
	if (kind === 'silent') return;
	// Each text says when it was written.
	const texts = setInterval(() => send({ type: 'text-delta', id: '1', delta: `<${clock()}> ` }), Number(interval));
	const end = setTimeout(() => {
		clearInterval(texts);
		send({ type: 'text-end', id: '1' });
		send({ type: 'finish', finishReason: 'stop' });
		response.end('data: [DONE]\n\n');
	}, Number(value));
	response.once('close', () => {
		clearInterval(texts);
		clearTimeout(end);
	});
}

function respond(response, status, body) {
	const text = JSON.stringify(body);
	response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
	response.end(text);
}

const server = createServer(async (request, response) => {
	let text = '';
	for await (const piece of request) text += piece;
	const { query, detach } = JSON.parse(text);
	const thread_id = randomUUID();
	if (request.url === '/search') respond(response, 200, { results: [{ title: 'A page', url: 'https://a.example' }] });
	else if (!detach) follow(query, response);
	else respond(response, 202, { thread_id, url: `https://app.example/threads/${thread_id}`, status: 'started' });
});
// Connections that may wait to be accepted: some benchmarks open a thousand at once.
server.listen(0, '127.0.0.1', 4096, () => process.send(`http://127.0.0.1:${server.address().port}`));
process.once('disconnect', () => process.exit());
