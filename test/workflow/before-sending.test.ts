import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { BROWSER_AUTOMATION, RUN_AUTOMATION, runNode } from '../engine/run-node';
import { answering } from '../support/answering';

// What is wrong with any item is found before anything is sent.

const search = { resource: 'web', operation: 'search', searchQuery: 'a' };
const start = { resource: 'automationRun', operation: 'start', query: 'a' };
const forms: Array<[string, INodeParameters]> = [
	[BROWSER_AUTOMATION, search],
	[BROWSER_AUTOMATION, { ...search, authentication: 'oAuth2Password' }],
	[BROWSER_AUTOMATION, start],
	[RUN_AUTOMATION, { operation: 'background', query: 'a' }],
];
const wrong: Array<[object, RegExp]> = [
	[{ url: 'http://e.co' }, /^'(Base|Automation) URL' starts with http:\/\//],
	[{ secret: '' }, /^'(API Key|Password)' is empty$/],
	[{ secret: '{{ $json.x }}' }, /^'(API Key|Password)' contains an expression that is not evaluated$/],
];

it.each(forms.flatMap(([type, form]) => wrong.map(([change, message]) => [type, form, change, message] as const)))(
	"a wrong credential of the last item stops the node before others' requests: %s %j %j",
	async (type, form, change, message) => {
		const target = await answering([422, { detail: 'sent' }]);
		const url = '={{ $json.url }}';
		const user = { username: 'ann', password: '={{ $json.secret }}' };
		const perItem = { ...target, baseUrl: url, automationUrl: url, apiKey: '={{ $json.secret }}', user };
		const right = { url: target.baseUrl, secret: target.apiKey };
		const input: INodeExecutionData[] = [{ json: right }, { json: right }, { json: { ...right, ...change } }];
		const { error } = await runNode(type, perItem, form, { input });
		expect(error?.message).toMatch(message);
		expect(target.requests).toEqual([]);
	},
);
