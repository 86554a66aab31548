/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

import { serve } from '../support/serve';

// A server that streams as the service does, with as little work as can be, in a process of its own: what it costs is not counted
// as the client's. The task `500` is a run of 500 ms with a text every 100 ms.

function run(milliseconds: number, response: ServerResponse) {
	response.writeHead(200, { 'content-type': 'text/event-stream', 'x-thread-id': randomUUID() });
	const send = (chunk: object) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
	send({ type: 'text-start', id: '1' });
	const texts = setInterval(() => send({ type: 'text-delta', id: '1', delta: 'some text ' }), 100);
	setTimeout(() => {
		clearInterval(texts);
		send({ type: 'text-end', id: '1' });
		send({ type: 'finish', finishReason: 'stop' });
		response.end('data: [DONE]\n\n');
	}, milliseconds);
}

void serve((_request, response, body) => {
	const { query } = JSON.parse(body) as { query: string };
	run(Number.parseInt(query, 10), response);
}).then(({ url }) => process.send!(url));
process.once('disconnect', () => process.exit());
