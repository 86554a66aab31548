/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Events of a stream as they go over the wire. */
export const events = (...chunks: unknown[]): string =>
	chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');

/** What a stream begins with. The thread is named like the task. */
export const streamHeaders = (query: string) => ({ 'content-type': 'text/event-stream', 'x-thread-id': query });

/**
 * A server that answers a start with bytes that a test wrote itself, for streams that the stand-in service never sends.
 *
 * @param streamFor the body for a task
 * @param other what answers every other path
 * @param respond what answers a start, if the usual headers and an end of the body will not do
 */
export async function serveStream(
	streamFor: (query: string) => string,
	other: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.writeHead(404).end(),
	respond: (response: ServerResponse, query: string, threadId?: string) => void = (response, query) =>
		response.writeHead(200, streamHeaders(query)).end(streamFor(query)),
) {
	const server = createServer((request, response) => {
		if (request.url !== '/api/anything/start') return other(request, response);
		let body = '';
		request.on('data', (bytes: Buffer) => (body += bytes.toString()));
		request.on('end', () => {
			const { query, thread_id } = JSON.parse(body) as { query: string; thread_id?: string };
			respond(response, query, thread_id);
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
