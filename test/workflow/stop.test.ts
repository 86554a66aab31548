/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { operations } from '../contract/operations';
import { serve } from '../support/serve';
import { runNode } from './browser-automation';

describe('Stop', () => {
	it.each(operations)('closes the connection of $resource $operation', async ({ resource, operation, full }) => {
		// A service that takes every request and never responds.
		const { server, target, stop } = await serve(() => {});
		const received = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
		const closed = received.then(async ([, response]) => await once(response, 'close'));
		const { status } = await runNode(target, { resource, operation, ...full }, { cancelWhen: received });
		expect(status).toBe('canceled');
		await closed;
		await stop();
	});
});
