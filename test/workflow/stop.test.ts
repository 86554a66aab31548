/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { operations } from '../contract/operations';
import { runNode } from './browser-automation';

let server: Server;
beforeAll(async () => {
	// A service that takes every request and never responds.
	server = createServer(() => {}).listen(0, '127.0.0.1');
	await once(server, 'listening');
});
afterAll(() => {
	server.closeAllConnections();
	server.close();
});

describe('Stop', () => {
	it.each(operations)('closes the connection of $resource $operation', async ({ resource, operation, full }) => {
		const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const target = { baseUrl: address, automationUrl: address, apiKey: 'some-key' };
		const received = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
		const closed = received.then(async ([, response]) => await once(response, 'close'));
		const { status } = await runNode(target, { resource, operation, ...full }, { cancelWhen: received });
		expect(status).toBe('canceled');
		await closed;
	});
});
