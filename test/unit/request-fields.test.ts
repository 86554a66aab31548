import { inPath, type Operation } from '../../nodes/BrowserAutomation/resources/operation';
import { readForm } from '../../nodes/BrowserAutomation/routing/request-fields';
import { executionOf } from '../support/execution';

const sessionId = inPath('session_id', 'Session ID', 'sessionId', {
	displayOptions: { show: { operation: ['get'] } },
});

it.each([
	['get', '/sessions/{session_id}', '/sessions/a%2Fb', 'a/b'],
	['list', '/sessions', '/sessions', undefined],
])('the ID of a resource is read only for the operations that it names: %s', (value, url, sentTo, id) => {
	const operation: Operation = { name: '', value, propertyHint: '', fields: [sessionId] };
	const qs = value === 'get' ? { '{session_id}': 'a/b' } : {};
	const { request, values } = readForm({} as never, executionOf(), operation, { url, qs });
	expect([request.url, request.qs, values.sessionId]).toEqual([sentTo, {}, id]);
});
