import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../lib/server.mjs';

// Each text says when it was written, on the clock that all processes of a machine share.
serve(({ chunks, pause }) =>
	createServer(async (request, response) => {
		request.resume();
		response.writeHead(200, { 'content-type': 'text/event-stream', 'x-thread-id': 'thread' });
		response.socket.setNoDelay(true);
		const send = (chunk) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
		send({ type: 'text-start', id: 't' });
		for (let i = 0; i < chunks; i++) {
			await sleep(pause);
			send({ type: 'text-delta', id: 't', delta: `<${process.hrtime.bigint()}>` });
		}
		send({ type: 'text-end', id: 't' });
		send({ type: 'finish' });
		response.end('data: [DONE]\n\n');
	}),
);
