import type { IBinaryData, IBinaryKeyData, IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { readCookies } from '../../nodes/BrowserAutomation/own-steps/set-cookies';
import { MINIMAL_COOKIE } from '../contract/operations';
import { operate, RUN_AUTOMATION, runNode, type NodeRunOptions } from '../engine/run-node';
import { finish, events, serveStream, textChunks } from '../engine/serve-stream';
import { useService } from '../support/use-service';

// What an expression leaves in a field, and what people put there, as they reported it.

const service = useService();

/** Runs a task for each item: what was asked of the agent, and why not. */
async function ask(form: INodeParameters, input: INodeExecutionData[] = [{ json: {} }], options: NodeRunOptions = {}) {
	const tasks: string[] = [];
	const { target } = await serveStream((_task, _response, _thread, query) => {
		tasks.push(query!);
		return events(...textChunks('Done'), finish);
	});
	const ran = await runNode(RUN_AUTOMATION, target, form, { input, ...options });
	return { ...ran, tasks, reason: ran.error?.message };
}

const EXPRESSION = "'Task' contains an expression that is not evaluated";

describe('a fixed text', () => {
	// n8n-mcp#677, n8n#18181
	it.each([
		'$json.task',
		'=$json.task',
		"$('On Form').item.json['the task']",
		'$input.first().json.task',
		'=$now',
		'Summarise {{ JSON.stringify($json.o) }}',
		'Until {{ DateTime.now() }}',
		"For {{ $('Shop').item.json.name }} only",
		'=Price of ${$json.product}',
		'Price of ${ $json.product }',
		'$workflow.name',
		"$fromAI('task')",
		'=$jmespath($json, "task")',
		"Find {{ $ifEmpty('', 'Lamp') }}",
	])('that is an expression, which n8n does not evaluate, starts nothing: %s', async (query) => {
		const { tasks, reason } = await ask({ query }, [{ json: { task: 'Do it', o: {}, product: 'Lamp' } }]);
		expect([tasks, reason]).toEqual([[], EXPRESSION]);
	});

	it.each([
		'Type {{first_name}} and {{ order.id }}',
		'Explain ${price} in a shell, and $json there',
		'Pay $100, or {{ amount }}',
		'Write a Blade template with {{ $user->name }}',
		'Write a Blade template with {{ $item->name }} and {{ $items }}',
		'Say what $json.task means in n8n',
	])('that only looks like one is a task: %s', async (query) => {
		const { tasks } = await ask({ query });
		expect(tasks).toEqual([expect.stringMatching(/^(Type|Explain|Pay|Write|Say) /)]);
		expect(tasks[0].startsWith(query)).toBe(true);
	});
});

describe('a word of JavaScript', () => {
	const words = 'Cannot read properties of undefined (reading x)';
	const search = { resource: 'web', operation: 'search', searchQuery: '' };

	// n8n-mcp#338
	it.each([
		'={{ $json.q.trim() }}',
		"={{ 'Why: ' + $json.q }}",
		'={{ $json.list[0].slice(0, 60) }}',
		"={{ $('Start').item.json.q.toLowerCase() }}",
	])('that stands in the data is the value: %s', async (searchQuery) => {
		const input = [{ json: { q: words, list: [words] } }];
		const { error } = await operate(service, { ...search, searchQuery }, { input });
		expect(error).toBeUndefined();
		expect(service.requests[0].body).toMatchObject({ q: expect.stringMatching(/undefined/) });
		const { hints, tasks } = await ask({ query: searchQuery }, input);
		expect([hints, tasks.length]).toEqual([[], 1]);
	});

	it.each([
		"={{ 'Why: ' + $json.none }}",
		'={{ `${$json.q.length} of ${$json.none}` }}',
		"={{ '' + Number($json.q) }}",
		"={{ $json.nan + ': ' + $json.none }}",
	])('that the expression adds is none: %s', async (searchQuery) => {
		const { error } = await operate(
			service,
			{ ...search, searchQuery },
			{
				input: [{ json: { q: 'lamps', nan: 'Why NaN' } }],
			},
		);
		expect(error?.message).toMatch(/^'Query' contains "(undefined|NaN)" instead of a value$/);
	});
});

// pipedream#20695
describe('an empty value', () => {
	it.each(['', '  ', null, []])(
		'%j of a field that is only read is missing, and the item is named',
		async (product) => {
			const query = 'Find the price of {{ $json.product }}';
			const { tasks, reason } = await ask({ query: `=${query}` }, [
				{ json: { product: 'Lamp' } },
				{ json: { product } },
			]);
			expect([tasks, reason]).toEqual([[], "{{ $json.product }} in 'Task' has no value for input item 1"]);
		},
	);

	it.each(['$json["Price (EUR)?"]', '$(\'Start\').item.json["Price (EUR)?"]'])(
		'is missing, whatever characters its name has: %s',
		async (code) => {
			const { reason } = await ask({ query: `=Find ${`{{ ${code} }}`}` }, [{ json: { 'Price (EUR)?': '' } }]);
			expect(reason).toBe(`{{ ${code} }} in 'Task' has no value`);
		},
	);

	it.each(["{{ $json.product ?? '' }}", "{{ $json.product || '' }}", "{{ $json.product.replace('a', '') }}"])(
		'that is meant is sent: %s',
		async (code) => {
			const { tasks } = await ask({ query: `=Find the price of ${code}` }, [{ json: { product: '' } }]);
			expect(tasks).toHaveLength(1);
		},
	);
});

describe('an ID', () => {
	const secret = { resource: 'secret', operation: 'delete' };

	// n8n#443
	it.each([
		'=key_{{ $json.q }}',
		'={{ $json.env }}_{{ $json.q }}',
		'={{ $json.q }}{{ $json.env }}',
		'=key_{{ $json.blank }}',
	])('whose expression has no value deletes nothing: %s', async (id) => {
		const { error } = await operate(service, { ...secret, id }, { input: [{ json: { env: 'prod', blank: '' } }] });
		expect(error?.message).toMatch(/^\{\{ \$json\.(q|blank) \}\} in 'Secret ID' has no value$/);
		expect(service.requests).toEqual([]);
	});

	// n8n-nodes-apify-old#54
	it.each<[INodeParameters, string]>([
		[{ resource: 'session', operation: 'getScript', sessionId: 'https://app.example.com/s/1' }, 'Session ID'],
		[{ ...secret, id: 'https://app.example.com/secrets/1' }, 'Secret ID'],
		[{ ...secret, id: '[Key](https://app.example.com/secrets/1)' }, 'Secret ID'],
		[{ resource: 'mailbox', operation: 'delete', mailboxId: 'HTTPS://app.example.com/m' }, 'Mailbox ID'],
		[{ resource: 'profile', operation: 'setCookies', profileId: 'http://a/p', cookiesJson: '[]' }, 'Profile ID'],
	])('that is a link is not sent: %j', async (form, label) => {
		const { error } = await operate(service, form);
		expect(error).toMatchObject({ message: `'${label}' is a link`, description: 'Enter the ID, not a link' });
		expect(service.requests).toEqual([]);
	});
});

describe('a file', () => {
	const form = { resource: 'profile', operation: 'setCookies', profileId: 'p', cookiesFrom: 'binary' };
	const text = JSON.stringify([MINIMAL_COOKIE]);
	const base64 = Buffer.from(text).toString('base64');
	const cookieOf = async (data: unknown, binaryField = 'data') => {
		const binary = { data: { data, mimeType: 'application/json' } as IBinaryData };
		const input = [{ json: {}, binary }];
		return await operate(service, { ...form, binaryField }, { input });
	};

	// n8n#37612, n8n#28843
	it.each<[string, unknown]>([
		['a data URL', `data:application/json;base64,${base64}`],
		['a data URL behind a blank', ` data:application/json;base64,${base64}`],
		['a data URL without base64', `data:application/json,${encodeURIComponent(text)}`],
		['base64 in lines, without padding', base64.replace(/(.{20})/g, '$1\r\n').replace(/=+$/, '')],
		['base64 of URLs', base64.replaceAll('+', '-').replaceAll('/', '_')],
		['a Buffer', Buffer.from(text)],
		['a Buffer as JSON', JSON.parse(JSON.stringify(Buffer.from(text)))],
	])('is read if its content is %s', async (_what, data) => {
		const { items, error } = await cookieOf(data);
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ cookies_count: 1 });
	});

	it('is rejected if its content is no base64, naming the field', async () => {
		const { error } = await cookieOf('<html>not base64</html>');
		expect(error?.message).toBe('\'Input Data Field Name\': the content of "data" is not base64');
		expect(service.requests).toEqual([]);
	});

	// n8n#21203, n8n#20831
	it.each(['={{ $binary.data }}', "={{ $('Start').item.binary.data }}", "={{ $input.item.binary['data'] }}"])(
		'that an expression returns is that file: %s',
		async (binaryField) => {
			const { items, error } = await cookieOf(base64, binaryField);
			expect(error).toBeUndefined();
			expect(items[0].json).toMatchObject({ cookies_count: 1 });
		},
	);

	it('of which an expression returns the metadata alone is rejected if it is not the item’s own', async () => {
		const binaryField = "={{ ({ fileName: 'x.json', mimeType: 'application/json' }) }}";
		const { error } = await cookieOf(base64, binaryField);
		expect(error?.message).toBe("'Input Data Field Name': the expression returns a file without its content");
		expect(error?.description).toContain("{{ $('Node').item.binary.data }}");
	});

	it('is found by its complete metadata', async () => {
		const data = { data: base64, mimeType: 'text/plain' };
		const binary = { data, other: { ...data, data: 'YQ==', fileName: 'x' } };
		const { error } = await operate(
			service,
			{ ...form, binaryField: '={{ $binary.data }}' },
			{ input: [{ json: {}, binary }] },
		);
		expect(error).toBeUndefined();
	});

	it.each([
		['={{ $binary }}', "is neither the name of a file's field nor a file"],
		['={{ $binary.none }}', 'has no value'],
	])('that an expression does not return is not replaced by another: %s', async (binaryField, why) => {
		const { error } = await cookieOf(base64, binaryField);
		expect(error?.message).toBe(`'Input Data Field Name' ${why}`);
		expect(service.requests).toEqual([]);
		if (why.startsWith('has')) return;
		const binary = { data: { data: base64, mimeType: 'text/csv' } };
		const { reason } = await ask({ query: 'Do it', options: { agentFiles: binaryField } }, [{ json: {}, binary }]);
		expect(reason).toBe(`'Files for the Agent' under 'Options', 'Data and Files' ${why}`);
	});

	// n8n#12235
	it('that n8n has deleted is named with its field', async () => {
		const binary: IBinaryKeyData = { data: { id: 'filesystem-v2:gone', data: 'filesystem-v2', mimeType: 'text/csv' } };
		const { reason } = await ask({ query: 'Do it', options: { agentFiles: 'data' } }, [{ json: {}, binary }]);
		expect(reason).toMatch(/^'Files for the Agent' under 'Options', 'Data and Files'/);
		const { error } = await operate(service, { ...form, binaryField: 'data' }, { input: [{ json: {}, binary }] });
		expect(error?.message).toMatch(/^'Input Data Field Name': the file 'data' cannot be read: /);
	});
});

// n8n-autopilot#92, n8n#6046
it.each<[INodeParameters, string]>([
	[{ options: { model: '={{ $json.a + }}' } }, "'Model' under 'Options', 'Model': "],
	[{ options: { additionalBodyFields: '={{ $json.a( }}' } }, "'Additional Body Fields' under 'Options': "],
	[{ threadId: '={{ $json.a + }}' }, "'Thread ID': "],
	[{ options: { waitIfBusy: '={{ 1 + }}' } }, "'Max Busy Wait (s)' under 'Options', 'Limits': "],
])('a reason of n8n about a field names the field: %j', async (form, start) => {
	const { reason, tasks } = await ask({ query: 'Do it', ...form });
	expect(reason?.slice(0, start.length)).toBe(start);
	expect(tasks).toEqual([]);
});

it.each<[string, INodeParameters]>([
	['Query', { resource: 'web', operation: 'search', searchQuery: '={{ $json.a + }}' }],
	[
		'Cookies',
		{
			...{ resource: 'profile', operation: 'setCookies', profileId: 'p', cookiesFrom: 'fields' },
			cookies: { cookie: [{ name: '={{ $json.a + }}', value: 'x', domain: 'a.example' }] },
		},
	],
])('a reason of n8n about a field of Browser Automation names it: %s', async (label, form) => {
	const { error } = await operate(service, form);
	expect(error?.message.startsWith(`'${label}': `)).toBe(true);
});

// cookie-editor#287
it.each<[IDataObject, IDataObject]>([
	[{ session: true, expires: '1970-01-01T08:00:00Z' }, { session: true }],
	[{ expirationDate: -39_600 }, {}],
	[{ expires: '1970-01-01T14:00:00Z' }, {}],
	[{ session: true, expirationDate: 1_900_000_000 }, { session: true }],
	[
		{ session: false, expires: 1_900_000_000 },
		{ session: false, expires: 1_900_000_000 },
	],
])('a session cookie has no expiry: %j', (given, expected) => {
	const { session, expires, expirationDate } = readCookies([{ ...MINIMAL_COOKIE, ...given }]).cookies[0];
	expect({ session, expires, expirationDate }).toEqual({
		session: undefined,
		expires: undefined,
		expirationDate: undefined,
		...expected,
	});
});

// n8n#33074, n8n#24828, n8n#16892
describe('a value of a credential', () => {
	const search = { resource: 'web', operation: 'search', searchQuery: 'lamps' };
	const values = [
		'{{$secrets.v.key}}',
		'{{ $json.key }}',
		'=$json.key',
		'undefined',
		'null',
		'__n8n_BLANK_VALUE_e5362baf',
	];

	it.each(values)('that is none is not sent as a key: %s', async (apiKey) => {
		const errors = [
			(await operate(service, search, { credentials: { apiKey } })).error,
			(await ask({ query: 'Do it' }, undefined, { credentials: { apiKey } })).error,
		];
		for (const error of errors) expect(error?.message).toMatch(/^'API Key' contains (an expression|a placeholder) /);
		expect(service.requests).toEqual([]);
	});

	it.each(
		values.flatMap((value) => [
			['password', 'Password', value],
			['username', 'User Name', value],
		]),
	)('that is none is not sent as a %s: %s, %s', async (name, label, value) => {
		const form = { ...search, authentication: 'oAuth2Password' };
		const { error } = await operate(service, form, { credentials: { [name]: value } });
		expect(error?.message.startsWith(`'${label}' contains `)).toBe(true);
		expect(service.requests).toEqual([]);
	});
});
