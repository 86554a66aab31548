import type { IHttpRequestOptions } from 'n8n-workflow';

import { readRequest } from '../../nodes/BrowserAutomation/request/request';
import { inPath, type Operation } from '../../nodes/BrowserAutomation/resources/operation';
import { executionOf } from '../support/execution';

const sessionId = inPath('session_id', 'Session ID', 'sessionId', {
	displayOptions: { show: { operation: ['get'] } },
});

it.each([
	['get', '/sessions/{session_id}', '/sessions/a%2Fb', 'a/b'],
	['list', '/sessions', '/sessions', undefined],
])('the ID of a resource is read only for the operations that it names: %s', (value, url, sentTo, id) => {
	const routing = { request: { url } as IHttpRequestOptions };
	const operation = { value, fields: [sessionId], routing } as unknown as Operation;
	const context = { getNodeParameter: () => 'a/b' } as never;
	const item = { context, execution: executionOf(), itemIndex: 0, operation, steps: {}, credentialType: '' };
	const { request, values } = readRequest(item);
	expect([request.url, request.qs, values.sessionId]).toEqual([sentTo, {}, id]);
});
