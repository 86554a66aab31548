// The service of `startService`, which tells when runs begin and when the client closes them.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { serve } from './server.mjs';
import { clock } from './service.mjs';

const event = (chunk) => `data: ${JSON.stringify(chunk)}\n\n`;
const BEGINNING = [
	{ type: 'start', messageId: 'message' },
	{ type: 'text-start', id: '1' },
]
	.map(event)
	.join('');
const END = `${[
	{ type: 'text-end', id: '1' },
	{ type: 'finish', finishReason: 'stop' },
]
	.map(event)
	.join('')}data: [DONE]\n\n`;

/** Milliseconds between two deltas of a run that takes its time. */
const INTERVAL = 100;

function follow(task, response) {
	process.send({ about: 'begun', at: clock() });
	response.once('close', () => {
		if (!response.writableEnded) process.send({ about: 'closed', at: clock() });
	});
	if (task === 'mute') return;
	response.writeHead(200, { 'content-type': 'text/event-stream', 'x-thread-id': randomUUID() });
	response.write(BEGINNING);
	if (task === 'silent') return;
	let sent = 0;
	const interval = setInterval(() => {
		response.write(event({ type: 'text-delta', id: '1', delta: `word-${++sent} ` }));
	}, INTERVAL);
	const end = setTimeout(() => response.end(END), Number(task));
	response.once('close', () => {
		clearInterval(interval);
		clearTimeout(end);
	});
}

function answer(response, status, body) {
	const text = JSON.stringify(body);
	response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
	response.end(text);
}

serve(() =>
	createServer(async (request, response) => {
		let text = '';
		for await (const piece of request) text += piece;
		const { query, detach } = JSON.parse(text);
		if (request.url === '/search')
			return answer(response, 200, { results: [{ title: 'A page', url: 'https://a.example' }] });
		if (!detach) return follow(query, response);
		const thread_id = randomUUID();
		answer(response, 202, { thread_id, url: `https://app.example/threads/${thread_id}`, status: 'started' });
	}),
);
