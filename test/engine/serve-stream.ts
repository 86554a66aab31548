/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Events of a stream as they go over the wire. */
export const events = (...chunks: unknown[]): string =>
	chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');

/**
 * A server that answers a start with bytes that a test wrote itself, for streams that the stand-in service never sends.
 *
 * @param streamFor the body for a task; every other path is answered by `other`
 */
export async function serveStream(
	streamFor: (query: string) => string,
	other: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.writeHead(404).end(),
) {
	const server = createServer((request, response) => {
		if (request.url !== '/api/anything/start') return other(request, response);
		let body = '';
		request.on('data', (bytes: Buffer) => (body += bytes.toString()));
		request.on('end', () => {
			const { query } = JSON.parse(body) as { query: string };
			response.writeHead(200, { 'content-type': 'text/event-stream', 'x-thread-id': query });
			response.end(streamFor(query));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url,
		/** What a credential for this server holds. */
		target: { baseUrl: url, automationUrl: url, apiKey: 'stream-test-key' },
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
