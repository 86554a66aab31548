import type { IBinaryData, INodeParameters } from 'n8n-workflow';

import { optionFields } from '../../nodes/RunAutomation/form/options';
import { modelFields } from '../../nodes/shared/form/fields';
import { MINIMAL_COOKIE, operations } from '../contract/operations';
import { BROWSER_AUTOMATION, operate, runAutomation } from '../engine/run-node';
import { THREAD } from '../engine/thread-of';
import { answering } from '../support/answering';
import { useService } from '../support/use-service';

const service = useService();

describe('Run Automation', () => {
	const seconds = "'Run Timeout (s)' under 'Options' must be a number of at least 0";
	const FURTHER = "'Additional Body Fields' under 'Options'";
	const ADVICE =
		/^(Correct|No run was started\. (Choose one of '|Use an HTTP Request|Switch|Map|Correct|Enter|The operation))/;
	const invalid = expect.stringMatching(`^${FURTHER} is not valid: .*(position 7|line 1)`) as never;
	it.each<[INodeParameters, string]>([
		...[true, '={{ [5] }}', 'soon', -1].map((totalTimeout): [INodeParameters, string] => [{ totalTimeout }, seconds]),
		[{ totalTimeout: '={{ "1.800" }}' }, `${seconds}: 1.800 may mean 1800 or 1.8`],
		[{ parallelRuns: 0 }, "'Max Parallel Runs' under 'Options' must be a whole number of at least 1"],
		[{ idleTimeout: -1 }, "'Idle Timeout (s)' under 'Options' must be a number of at least 0"],
		[{ live: '={{ 5 }}' }, "'Live Streaming' under 'Options' is not one of its choices"],
		[{ simplify: '={{ 5 }}' }, "'Simplify' under 'Options' must be true or false"],
		[{ additionalBodyFields: '[]' }, `${FURTHER} must be a JSON object`],
		[{ additionalBodyFields: '{"a":1,}' }, invalid],
		[{ additionalBodyFields: '{"detach": false}' }, `${FURTHER} must not contain "detach"`],
		[{ additionalBodyFields: '{"thread_id": "t"}' }, `${FURTHER} must not contain "thread_id"`],
	])('rejects the options %j before anything is sent, whatever On Error is', async (options, message) => {
		const form = { query: 'quick', options };
		const input = [{}, {}, {}];
		const { error } = await runAutomation(service, form, { input });
		expect(error).toMatchObject({ name: 'NodeOperationError', message });
		expect(error?.description).toMatch(ADVICE);
		// n8n's editor adds "[item 0]" to a message that is about an item.
		expect(error?.context.itemIndex).toBe('parallelRuns' in options ? undefined : 0);
		for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
			const { items, errorItems } = await runAutomation(service, form, { input, settings: { onError } });
			expect([...items, ...errorItems].filter(({ json }) => json.error)).toHaveLength(3);
		}
		expect(service.requests).toEqual([]);
	});

	it.each<[INodeParameters, string]>([
		[{ operation: 'getRows' }, "'Operation' is not one of its choices"],
		[{ operation: '__CUSTOM_API_CALL__' }, "'Custom API Call' is not supported in this node"],
		[{ query: 'Open {{ $json.url }}' }, "'Task' contains an expression that is not evaluated"],
	])('rejects %j before anything is sent', async (form, message) => {
		const { error } = await runAutomation(service, { query: 'quick', ...form });
		expect(error).toMatchObject({ name: 'NodeOperationError', message });
		expect(error?.description).toMatch(ADVICE);
		expect(service.requests).toEqual([]);
	});

	// n8n#17147: a cell of a table that is empty.
	it.each(['', "={{ $json.none ?? '' }}", '={{ " " }}'])(
		'takes the default of every option that is %j',
		async (empty) => {
			const options = Object.fromEntries(optionFields.map(({ name }) => [name, empty]));
			const { error } = await runAutomation(service, { query: 'quick', options });
			expect([error, service.starts.length]).toEqual([undefined, 1]);
			expect(Object.keys(service.starts[0].body)).toEqual(['query']);
		},
	);
});

describe('Browser Automation', () => {
	const search = { resource: 'web', operation: 'search', searchQuery: 'lamps' };
	const wallet = { resource: 'payment', operation: 'connectWallet' };
	/** The form of an operation with its required fields only. */
	const requiredOf = (name: string): INodeParameters => {
		const { resource, operation, required } = operations.find((tested) => tested.operation === name)!;
		return { resource, operation, ...required };
	};
	const cookies = requiredOf('setCookies');

	// n8n#18163, n8n PR #3266, vertesia/llumiverse#462, sarati#35, n8n#17981.
	const ISO = '={{ DateTime.fromISO("2026-01-31T09:00:00Z", { zone: "utc" }) }}';
	const choices = { depth: '={{ "Deep" }}', outputType: '={{ "other" }}' };
	it.each<[INodeParameters, object, boolean]>([
		[{ ...search, options: choices }, { depth: 'deep', outputType: 'other' }, false],
		[{ ...search, searchQuery: ISO }, { q: '2026-01-31T09:00:00.000Z' }, false],
		[{ ...search, searchQuery: '={{ "nice😀".slice(0, 5) }}' }, { q: 'nice\ufffd' }, false],
		[{ ...search, searchQuery: '={{ "Why is x undefined?" }}' }, { q: 'Why is x undefined?' }, true],
		[{ ...search, options: { depth: '={{ "None" }}', additionalBodyFields: '={{ "null" }}' } }, { q: 'lamps' }, true],
		[{ ...wallet, mode: '={{ "Live" }}' }, { mode: 'live' }, false],
		[{ ...cookies, existingCookies: '={{ "Keep" }}' }, { mode: 'append' }, false],
	])('reads %j as %j', async (form, body, isTool) => {
		const { error } = await operate(service, form, isTool ? { node: { type: `${BROWSER_AUTOMATION}Tool` } } : {});
		expect(error).toBeUndefined();
		expect(service.requests[0].body).toMatchObject(body);
		if (isTool) expect(service.requests[0].body).toEqual(body);
	});

	const createLink = async (allowedOrigin: string) =>
		await operate(service, { ...requiredOf('createConnectLink'), allowedOrigin });

	// modelcontextprotocol/rust-sdk#1268, helidon-io/helidon#12511, expressjs/cors#201
	it.each([
		['https://app.example.com/', 'https://app.example.com'],
		['https://app.example.com:443', 'https://app.example.com'],
		['HTTP://App.Example.com:80/', 'http://app.example.com'],
		['https://app.example.com:8443', 'https://app.example.com:8443'],
		['https://m\u00fcller.example', 'https://xn--mller-kva.example'],
	])("sends 'Allowed Origin' %j as browsers send it", async (origin, sent) => {
		await createLink(origin);
		expect(service.requests[0].body).toMatchObject({ allowed_origin: sent });
	});

	it.each(['', "={{ $json.none ?? '' }}"])(
		'sends no option that is %j, and the default of any other field',
		async (empty) => {
			const own = { asWorkflow: empty, options: { mode: empty, requestOrigin: empty } };
			for (const name of ['setCookies', 'getScript', 'connectWallet'])
				await operate(service, { ...requiredOf(name), ...own });
			expect(service.requests.map(({ query }) => query)).toEqual([{}, { as_workflow: 'true' }, {}]);
			expect(service.requests[0].body).toEqual({ cookies: [expect.anything()], mode: 'append' });
			expect(service.requests[2].headers).not.toHaveProperty('x-service-request-origin');
		},
	);

	const secret = { resource: 'secret', operation: 'delete' };
	// n8n-nodes-apify-old#54
	it.each<[INodeParameters, string]>([
		[{ resource: 'session', operation: 'getScript', sessionId: 'https://app.example.com/s/1' }, 'Session ID'],
		[{ ...secret, id: '[Key](https://app.example.com/secrets/1)' }, 'Secret ID'],
		[{ resource: 'mailbox', operation: 'delete', mailboxId: 'HTTPS://app.example.com/m' }, 'Mailbox ID'],
	])('sends no link as an ID: %j', async (form, label) => {
		const { error } = await operate(service, form);
		expect(error).toMatchObject({ message: `'${label}' is a link`, description: 'Enter the ID, not a link' });
		expect(service.requests).toEqual([]);
	});

	const text = JSON.stringify([MINIMAL_COOKIE]);
	const base64 = Buffer.from(text).toString('base64');
	// n8n#37612, n8n#28843
	it.each<[string, unknown]>([
		['a data URL', `data:application/json;base64,${base64}`],
		['a data URL behind a blank', ` data:application/json;base64,${base64}`],
		['a data URL without base64', `data:application/json,${encodeURIComponent(text)}`],
		['base64 in lines, without padding', base64.replace(/(.{20})/g, '$1\r\n').replace(/=+$/, '')],
		['base64 of URLs', base64.replaceAll('+', '-').replaceAll('/', '_')],
		['a Buffer', Buffer.from(text)],
	])('reads a file whose content is %s', async (_what, data) => {
		const binary = { data: { data, mimeType: 'application/json' } as IBinaryData };
		const form = { ...cookies, cookiesFrom: 'binary', binaryField: 'data' };
		const { items, error } = await operate(service, form, { input: [{ json: {}, binary }] });
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ cookies_count: 1 });
	});
});

it.each(modelFields.map(({ name }) => name))('both nodes send the option %s of an agent', async (name) => {
	const server = await answering([202, { status: 'started' }, { 'x-thread-id': THREAD }]);
	const options = { [name]: 'as given' };
	await runAutomation(server, { operation: 'background', query: 'Do it', options });
	await operate(server, { resource: 'automationRun', operation: 'start', query: 'Do it', options });
	const sent = expect.objectContaining({ [name]: 'as given', detach: true }) as unknown;
	expect(server.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([sent, sent]);
});
