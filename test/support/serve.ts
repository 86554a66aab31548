/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What responds to a request, whose body is given as text. */
export type Responder = (request: IncomingMessage, response: ServerResponse, body: string) => unknown;

/** How to stop those that are still running. */
const running = new Set<() => Promise<void>>();
// Programs that are no tests stop theirs.
if (typeof afterAll !== 'undefined')
	afterAll(async () => await Promise.all([...running].map(async (stop) => await stop())));

/** A server that does only what a test wants. It ends with the file of the test, if it is not stopped before. */
export async function serve(respond: Responder) {
	const closings: Array<Promise<unknown>> = [];
	const server = createServer(async (request, response) => {
		closings.push(new Promise((resolve) => response.once('close', resolve)));
		// A client that is gone has sent no whole body.
		const body = await text(request).catch(() => undefined);
		if (body !== undefined) respond(request, response, body);
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const stop = async () => {
		running.delete(stop);
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	};
	running.add(stop);
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url,
		server,
		/** What a credential for this server holds. */
		target: { baseUrl: url, automationUrl: url, apiKey: 'some-api-key' },
		/** Resolves once every response so far is closed: what the server itself does not end, a client has to close. */
		allClosed: async () => await Promise.all(closings),
		stop,
	};
}
