import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { serve } from '../lib/server.mjs';

serve(({ file }) => {
	const body = readFileSync(file);
	return createServer((request, response) => {
		request.resume().on('end', () => {
			response.writeHead(200, { 'content-type': 'text/event-stream', 'x-thread-id': 'thread' });
			response.end(body);
		});
	});
});
