/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { IBinaryData, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { MINIMAL_COOKIE, operations } from '../contract/operations';
import { BROWSER_AUTOMATION, callAsAgent, everythingOf, operate, registry } from '../engine/run-node';
import { usePauses, useStoppedClock } from '../support/clock';
import { happens } from '../support/event';
import { useLog } from '../support/log';
import { serve, type Responder } from '../support/serve';
import { useService } from '../support/use-service';

const service = useService();

const serving = async (listener: Responder) => (await serve(listener)).target;

/** Responds to every request with a body, and remembers the requests. */
async function answering(body: unknown, headers: Record<string, string> = {}, status = 200) {
	const [bodies, urls]: string[][] = [[], []];
	const address = await serving((request, response, sent) => {
		urls.push(request.url!);
		bodies.push(sent);
		response.writeHead(status, { 'content-type': 'application/json', ...headers });
		response.end(typeof body === 'string' ? body : JSON.stringify(body));
	});
	return { ...address, bodies, urls };
}

const items = (count: number): INodeExecutionData[] => Array.from({ length: count }, (_, n) => ({ json: { n } }));
const decoded = (data: string) => Buffer.from(data, 'base64').toString();
const search = { resource: 'web', operation: 'search', searchQuery: 'x' };
const replay = { resource: 'session', operation: 'getReplay', sessionId: 'session-1' };
const script = { resource: 'session', operation: 'getScript', sessionId: 'session-1' };
const start = { resource: 'automationRun', operation: 'start', query: 'Do it' };
const wallet = { resource: 'payment', operation: 'connectWallet' };
const deleteSecret = { resource: 'secret', operation: 'delete', id: 's' };
const deleteMailbox = { resource: 'mailbox', operation: 'delete', mailboxId: 'm' };
const AS_TOOL = { node: { type: `${BROWSER_AUTOMATION}Tool` } };
const MINIMAL_THREAD = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';
const linkForm = {
	successRedirectUri: 'https://a.example/ok',
	errorRedirectUri: 'https://a.example/no',
	allowedOrigin: 'https://a.example',
};
/** What a service asks for that is busy for longer than anyone waits. */
const TOO_LATE = { 'retry-after': '200' };
const cookies = { resource: 'profile', operation: 'setCookies', profileId: 'profile-1' };

describe('items', () => {
	const linked = (list: object[]) => list.map((json) => ({ json, pairedItem: { item: 0 } }));

	it.each([
		['hello', [{ data: 'hello' }]],
		['"hello"', [{ data: 'hello' }]],
		['null', [{ data: null }]],
		['', [{}]],
		['""', [{}]],
		['7', [{ data: 7 }]],
		['false', [{ data: false }]],
		['{}', [{}]],
		['{"a":[1]}', [{ a: [1] }]],
		['[{"a":1},"b",null,[2]]', [{ a: 1 }, { data: 'b' }, { data: null }, { data: [2] }]],
		['{"answer":"a","sources":[{"url":"u"}]}', [{ answer: 'a', sources: [{ url: 'u' }] }]],
	])('are made of the body %s', async (body, expected) => {
		const address = await answering(body, { 'content-type': body === 'hello' ? 'text/plain' : 'application/json' });
		for (const form of [search, { ...search, splitIntoItems: false }]) {
			expect((await operate(address, form)).items).toEqual(linked(expected));
		}
	});

	/** The contract does not show the body of these. */
	const FREE = ['search', 'delete'];

	it.each(['hello', 'null', '', '[1]'])(
		'are made of the body %j by every operation whose body is not promised',
		async (body) => {
			const address = await answering(body, { 'content-type': 'text/plain' });
			for (const { resource, operation, full } of operations.filter(({ operation }) => FREE.includes(operation))) {
				const { items: got, error } = await operate(address, { resource, operation, ...full });
				expect(error?.message).toBeUndefined();
				expect(got).toMatchObject([{ json: {}, pairedItem: { item: 0 } }]);
				expect(Array.isArray(got[0].json)).toBe(false);
			}
		},
	);

	const others = operations.filter(({ operation }) => operation !== 'start' && !FREE.includes(operation));
	// axios#1516, #470, #3418, marklogic/node-client-api#81
	it.each(['hello', 'null', '', '[1]', '{}', 'NaN', '{"value":"abc', '{"data":{}}'])(
		'are not made of the body %j by an operation whose fields are promised',
		async (body) => {
			const address = await answering(body);
			for (const { resource, operation, full } of others) {
				const { items: got, error } = await operate(address, { resource, operation, ...full });
				expect([operation, got, error?.message]).toEqual([
					operation,
					[],
					expect.stringMatching(/^The service (returned no "|sent an unreadable response: its JSON is)/),
				]);
			}
			const cut = await operate(await answering('{"results":[{"url":"ht'), search);
			expect(cut.error?.message).toBe('The service sent an unreadable response: its JSON is incomplete or invalid');
		},
	);

	// n8n#38508, n8n#32423
	it.each<[INodeParameters, object, string]>([
		[deleteSecret, { deleted: false, message: 'No such secret' }, 'No such secret'],
		[deleteSecret, { error: 'Secret is in use' }, 'Secret is in use'],
		[deleteSecret, { success: false, message: 'The secret is in use' }, 'The secret is in use'],
		[deleteMailbox, { detail: 'Not authenticated' }, 'Not authenticated'],
		[deleteMailbox, { status: 'error' }, 'The service returned status 200 without a reason'],
		[search, { error: 'Token expired' }, 'Token expired'],
		[wallet, { status: 'failed', error: 'No' }, 'No'],
	])('of %j are none of a success that says %j', async (form, body, message) => {
		const { items: got, error } = await operate(await answering(body), form);
		expect([got, error?.message]).toEqual([[], message]);
		expect(error?.description).toMatch(/^The service did not do this\. Check/);
	});

	it('are made of a body that is promised, whatever else it says', async () => {
		const connection = { id: 'c', mode: 'test', status: 'failed', error_code: 'expired' };
		expect((await operate(await answering(connection), wallet)).items).toEqual(linked([connection]));
		const partial = await operate(await answering({ results: [{ url: 'u' }], error: 'One source failed' }), search);
		expect(partial.items).toEqual(linked([{ url: 'u' }]));
	});

	it('are the results, those that are lists as a whole, unless the response stays complete', async () => {
		const address = await answering('{"results":[{"a":1},"b",[2,3]]}');
		expect((await operate(address, search)).items).toEqual(linked([{ a: 1 }, { data: 'b' }, { data: [2, 3] }]));
		const none = await answering('{"results":[]}');
		expect((await operate(none, search)).items).toEqual([]);
		expect((await operate(none, { ...search, splitIntoItems: false })).items).toEqual(linked([{ results: [] }]));
	});
});

describe.each(operations)('$resource $operation', ({ resource, operation, required, full }) => {
	it('gives the reasons of a 422', async () => {
		const missing = { loc: ['body', 'cookies', 0, 'name'], msg: 'Field required', type: 'missing' };
		const address = await answering({ detail: [missing, { loc: ['query', 'x'], msg: 'Not some-api-key' }] }, {}, 422);
		const { error } = await operate(address, { resource, operation, ...required });
		const message = 'body.cookies.0.name: Field required; query.x: Not ***';
		expect(error).toMatchObject({ name: 'NodeApiError', message, httpCode: '422', context: { itemIndex: 0 } });
	});

	it('closes its connection on Stop', async () => {
		const { server, target } = await serve(() => {});
		const received = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
		const closed = received.then(async ([, response]) => await once(response, 'close'));
		const { status } = await operate(target, { resource, operation, ...full }, { cancelWhen: received });
		expect(status).toBe('canceled');
		await happens('the connection is closed', closed);
	});
});

describe('a value that a list of the form does not offer', () => {
	const SEARCH = "Choose one of 'Search' (search)";
	const CUSTOM = /^Use an HTTP Request node, with 'Predefined Credential Type'/;
	const RESOURCE = "'Resource' is not one of its choices";

	it.each([
		[{ ...search, operation: 'serch' }, "'Operation' is not one of its choices", SEARCH],
		[{ ...search, operation: '' }, "'Operation' is not one of its choices", SEARCH],
		[{ ...search, operation: '__CUSTOM_API_CALL__' }, "'Custom API Call' is not supported in this node", CUSTOM],
		[{ ...search, resource: '__CUSTOM_API_CALL__' }, "'Custom API Call' is not supported in this node", CUSTOM],
		[{ ...search, resource: 'Web' }, RESOURCE, /'Automation Run' \(automationRun\), .*'Web' \(web\)$/],
		[{ ...search, resource: '={{ "web" }}' }, RESOURCE, /\(web\)$/],
		[{ ...replay, operation: 'get' }, "'Operation' is not one of its choices", /'Get Replay' \(getReplay\)/],
	])('is rejected in %j before anything is sent', async (form, message, advice) => {
		const { properties } = registry.nodes[BROWSER_AUTOMATION].description;
		const lists = properties.filter(({ name }) => ['operation', 'resource'].includes(name));
		// n8n does this when it loads the package.
		const custom = { name: 'Custom API Call', value: '__CUSTOM_API_CALL__' };
		for (const { options } of lists) (options as object[]).push(custom);
		const { error } = await operate(service, form).finally(() => lists.forEach(({ options }) => options!.pop()));
		expect(error).toMatchObject({ message, context: { itemIndex: 0 } });
		expect(error!.description).toMatch(advice);
		expect(service.requests).toEqual([]);
	});
});

const secret = { resource: 'secret', operation: 'get', name: 'x', namespace: 'function_env' };
const link = { resource: 'mailbox', operation: 'createConnectLink', ...linkForm };
it.each([
	[secret, /^Check 'Name' and 'Namespace'\. If they are correct, check 'Base URL'/],
	[deleteSecret, /^It may have been deleted already\. If not, check 'Secret ID', and/],
	[search, /^This URL responds, but not to this request\. Check 'Base URL'/],
	[link, /^This URL responds, but not to this request/],
	[{ ...link, options: { mailboxId: 'm' } }, /^Check 'Mailbox ID' under 'Options'\. If it is/],
])('not found: the advice for %j names what the form has', async (form, advice) => {
	const { error } = await operate(await answering({ detail: 'Not found' }, {}, 404), form);
	expect(error).toMatchObject({ message: 'Not found', description: expect.stringMatching(advice) as string });
});

const minimalCookies = { ...cookies, cookiesJson: JSON.stringify([MINIMAL_COOKIE]) };
it.each([
	['mode', minimalCookies, "'Existing Cookies': Field required"],
	['mode', wallet, "'Mode': Field required"],
	['cookies', minimalCookies, "'Cookies': Field required"],
	['thread_id', start, "'Thread ID': Field required"],
	['reasoningEffort', start, "'Reasoning Effort' under 'Options': Field required"],
	['model', search, 'body.model: Field required'],
])('an error names the field %s of the service as the form of its operation does: %j', async (name, form, message) => {
	const detail = [{ loc: ['body', name], msg: 'Field required', type: 'missing' }];
	expect((await operate(await answering({ detail }, {}, 422), form)).error?.message).toBe(message);
});

it('option lists let an expression send any other value, and no option without a value is sent', async () => {
	const address = await answering('{}');
	await operate(address, { ...search, options: { depth: '={{ "other" }}', outputType: '={{ "another" }}' } });
	const options = { model: '', reasoningEffort: ' ', version: '={{ null }}', additionalBodyFields: '{"model": "m"}' };
	await operate(address, { ...start, query: ' Do it ', threadId: ' ', options });
	const bodies = [
		{ q: 'x', depth: 'other', outputType: 'another' },
		{ detach: true, query: 'Do it', model: 'm' },
	];
	expect(address.bodies.map((body) => JSON.parse(body) as unknown)).toEqual(bodies);
	await operate(address, { ...script, asWorkflow: '={{ "" }}', options: { inferResponseFormat: '={{ null }}' } });
	expect(address.urls.at(-1)).toBe('/sessions/session-1/workflow/code?as_workflow=true');
});

describe('Automation Run: Start', () => {
	it.each<[string, number, string, object]>([
		['cut off', 202, '{"thread_id":"paid","sta', {}],
		['damaged', 202, 'no zip', { 'content-encoding': 'gzip' }],
		['left open', 202, '{"status":"started"}', {}],
	])('keeps the thread of a response whose body is %s', async (how, status, body, headers) => {
		const closed: Array<Promise<unknown>> = [];
		const address = await serving((_request, response) => {
			closed.push(once(response, 'close'));
			response.writeHead(status, { 'x-thread-id': MINIMAL_THREAD, 'content-length': '100', ...headers });
			response.write(body, () => how === 'cut off' && response.destroy());
		});
		const { items: got } = await operate(address, start);
		expect(got.map(({ json }) => json)).toEqual([{ thread_id: MINIMAL_THREAD, url: null, status: 'started' }]);
		await happens('the connection is closed', Promise.all(closed));
	});

	it('reports that no run was started if a rejection is cut off', async () => {
		const address = await serving((_request, response) => {
			response.writeHead(400, { 'content-length': '100' }).write('Not so', () => response.destroy());
		});
		const { error } = await operate(address, start);
		const message = "The service's response ended early: aborted. Its status was 400";
		expect([error?.message, error?.description]).toEqual([message, expect.stringMatching(/^No run was started/)]);
	});

	it('reports that a run may have started if the connection breaks before the response', async () => {
		const { error } = await operate(await serving((_request, response) => void response.destroy()), start);
		expect(error!.description).toMatch(/^The run may have started: /);
		expect(error!.context.data).toMatchObject({ thread_id: null, status: 'interrupted' });
	});

	describe('(with a stopped clock)', () => {
		const clock = useStoppedClock();

		it('reports that a run may have started if there is no response before the time limit of the workflow', async () => {
			const silent = await serving(() => void clock.pass(400));
			const { error } = await operate(silent, start, { workflowSettings: { executionTimeout: 60 } });
			expect(error!.message).toMatch(/^The workflow is about to reach its time limit/);
			expect(error!.description).toMatch(/^The run may have started: /);
			expect(error!.context.data).toMatchObject({ thread_id: null, status: 'timed_out' });
		});

		it('sends no start once the time limit of the workflow is near', async () => {
			const log = useLog();
			const service = await serving((_request, response) => void response.end());
			const runtimeData = { establishedAt: Date.now() - 55_000 };
			const { error } = await operate(service, start, { workflowSettings: { executionTimeout: 60 }, runtimeData });
			expect(error!.description).toMatch(/^No run was started\. /);
			expect(log.lines()).toEqual([]);
		});

		it('closes a connection that is silent for 300 seconds', async () => {
			const respondAfter = async (seconds: number) => {
				const body = JSON.stringify({ thread_id: MINIMAL_THREAD });
				const late = await serving((_request, response) => {
					void clock.pass(seconds).then(() => response.writeHead(202).end(body));
				});
				return (await operate(late, start)).items.length;
			};
			expect([await respondAfter(299), await respondAfter(301)]).toEqual([1, 0]);
		});
	});

	it.each([
		['connection refused', { automationUrl: 'http://127.0.0.1:1' }, 'No response from the service: connection refused'],
		['no key', { apiKey: '' }, /API Key'? is empty$/],
		['no address', { automationUrl: '' }, /Automation URL'? is empty$/],
	])('reports that no run was started if nothing could be sent: %s', async (_why, change, message) => {
		const { error } = await operate({ ...service, ...change }, start);
		expect(error!.message).toMatch(message);
		expect(error!.description).toMatch(/^No run was started\. \w/);
	});

	it('takes the link of a thread for its ID, and replaces nothing that the form sends', async () => {
		const threadId = `https://app.example.com/threads/${MINIMAL_THREAD}?tab=2`;
		const further = { priority: 'low', query: 'x', model: 'z', version: 'v2' };
		const options = { model: 'large', additionalBodyFields: JSON.stringify(further) };
		await operate(service, { ...start, threadId, options });
		const own = { query: 'Do it', thread_id: MINIMAL_THREAD, model: 'large', detach: true };
		expect(service.starts.map(({ body }) => body)).toEqual([{ ...further, ...own }]);
	});

	it('starts each of several items with *Stop Workflow*', async () => {
		const { items: got, error } = await operate(
			service,
			{ ...start, query: '={{ "Do " + $json.n }}' },
			{ input: items(3) },
		);
		expect(error).toBeUndefined();
		expect(got.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		expect(new Set(got.map(({ json }) => json.thread_id)).size).toBe(3);
	});

	it('starts nothing with *Stop Workflow* if one item is invalid', async () => {
		const form = { ...start, query: '={{ $json.n === 1 ? "" : "Do " + $json.n }}' };
		const { error, items: got } = await operate(service, form, { input: items(3) });
		expect(error!.message).toBe("'Task' is empty");
		expect([got, service.requests]).toEqual([[], []]);
	});

	it('starts one run for several items that are executed once', async () => {
		await operate(service, start, { input: items(2), node: { executeOnce: true } });
		expect(service.starts).toHaveLength(1);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)('starts each item with %s', async (onError) => {
		const form = { ...start, query: '={{ $json.n === 1 ? "" : "Do " + $json.n }}' };
		const { items: got, errorItems } = await operate(service, form, { input: items(3), node: { onError } });
		expect(service.starts.map(({ body }) => body.query).sort()).toEqual(['Do 0', 'Do 2']);
		const all = [...got, ...errorItems];
		const started = all.filter(({ json }) => json.thread_id).map(({ pairedItem }) => pairedItem);
		expect(started).toEqual([{ item: 0 }, { item: 2 }]);
		const advice = 'No run was started for this item. Enter a value, or correct the expression';
		const [message, details] = ["'Task' is empty", { advice, run_started: 'no' }];
		const isSplit = onError === 'continueErrorOutput';
		const empty = isSplit ? { n: 1, error: { message, details } } : { error: message, details };
		expect(all.filter(({ json }) => json.error)).toEqual([{ json: empty, pairedItem: { item: 1 } }]);
	});
});

it.each(['...', 'a/b', '%2f'])('the ID %j is one segment of the path', async (sessionId) => {
	await operate(service, { ...script, sessionId });
	const path = `/rest/sessions/${encodeURIComponent(sessionId)}/workflow/code`;
	expect(service.requests).toMatchObject([{ path }]);
});

describe('Secret: Get', () => {
	const get = async (name: string, allowAgent: boolean | string) => {
		const form = { resource: 'secret', operation: 'get', name, namespace: 'llm_provider', allowAgent };
		const input = [{ json: { allow: true } }];
		return await operate(service, form, { ...AS_TOOL, input });
	};

	it('marks the value as sensitive', () => {
		expect(registry.nodes[BROWSER_AUTOMATION].description.sensitiveOutputFields).toEqual(['value']);
	});

	it('withholds the value from an AI agent, and reports the agent what to do', async () => {
		expect((await get('MODEL_KEY', false)).error?.message).toBe(
			"This secret is withheld from AI agents. Do the task without it, or ask the user to turn on 'Allow AI Agents to Read Value' in this tool",
		);
		expect(service.requests).toEqual([]);
	});

	it.each(["={{ $fromAI('allow', '', 'boolean') }}", '={{ $json.allow }}'])(
		'withholds it if the agent itself would decide, by %s',
		async (allowAgent) => {
			const { error, items } = await get('MODEL_KEY', allowAgent);
			expect([error?.message, items, service.requests]).toEqual([expect.stringContaining('AI Agents'), [], []]);
		},
	);

	it('returns it to an AI agent if the user allows that, or the advice of an error in its message', async () => {
		expect((await get('MODEL_KEY', true)).items[0].json).toEqual({ value: 'value-of-model-key' });
		expect((await get('UNKNOWN', true)).error?.message).toMatch(
			/^Secret not found\. Correct the input of this call, or tell the user: Check 'Name'/,
		);
	});
});

it.each([
	['secret', 'sec_1', 'id', 'secret_id'],
	['mailbox', 'mailbox-1', 'mailboxId', 'mailbox_id'],
])('Delete of the %s %s reports what is gone', async (resource, id, field, told) => {
	const { items: got } = await operate(service, { resource, operation: 'delete', [field]: ` ${id} ` });
	expect(got).toEqual([{ json: { deleted: true, [told]: id }, pairedItem: { item: 0 } }]);
});

describe('Profile: Set Cookies', () => {
	const state = { cookies: [{ ...MINIMAL_COOKIE, expires: -1, sameSite: 'Lax' }], origins: [] };
	const sent = [{ ...MINIMAL_COOKIE, secure: false, sameSite: 'Lax' }];
	const stored = () => service.state.profiles.get('profile-1');
	const netscape = '# Netscape HTTP Cookie File\n#HttpOnly_.example.com\tTRUE\t/\tTRUE\t0\tsid\tvalue-of-sid\n';
	const fileOf = (content: string) => ({ data: Buffer.from(content).toString('base64'), mimeType: 'text/plain' });

	// S13.
	it.each([
		['40 kB', 'v4lue-'.repeat(7000)],
		['slashes', '/'.repeat(16_000)],
		['percent signs', '%2F'.repeat(3000)],
		['brackets', '([{'.repeat(3000)],
		['a short one', 'value-of-the-cookie'],
	])('a rejected import shows nothing of a value, whatever it is: %s', async (_name, value) => {
		for (const escape of [
			String,
			encodeURIComponent,
			(text: string) => text.replace(/[/%a-z]/g, (one) => `&#${one.charCodeAt(0)};`),
		]) {
			const { target } = await serve(
				(_request, response) =>
					void response
						.writeHead(422, { 'content-type': 'application/json' })
						.end(JSON.stringify({ detail: `Not "${escape(value)}", sorry` })),
			);
			// A longer body is cut before it is read.
			if (escape(value).length > 60_000) continue;
			const cookiesJson = JSON.stringify([{ ...MINIMAL_COOKIE, value }]);
			const form = { resource: 'profile', operation: 'setCookies', profileId: 'p', cookiesFrom: 'json', cookiesJson };
			const { error } = await operate(target, form);
			expect(error?.message).toBe('Not "***", sorry');
		}
	});

	const utf16 = Buffer.from(`\uFEFF${JSON.stringify(state)}`, 'utf16le').toString('base64');
	const binary = {
		bom: fileOf(`\uFEFF${JSON.stringify(state)}`),
		netscape: fileOf(netscape),
		// Without a type, as a Code node may return it.
		utf16: { data: utf16 } as IBinaryData,
	};

	it.each([
		[{ cookiesJson: JSON.stringify(state) }, sent],
		[{ cookiesJson: '={{ $json.state }}' }, sent],
		[{ cookiesJson: '={{ $json.state.cookies }}' }, sent],
		[{ cookiesFrom: 'binary', binaryField: 'bom' }, sent],
		[{ cookiesFrom: 'binary', binaryField: 'utf16' }, sent],
		[{ cookiesFrom: 'binary', binaryField: 'netscape' }, [{ ...MINIMAL_COOKIE, hostOnly: false, secure: true }]],
	])('takes cookies from %j', async (form, expected) => {
		const { items: got } = await operate(service, { ...cookies, ...form }, { input: [{ json: { state }, binary }] });
		expect(got[0].json).toEqual({ success: true, message: '1 cookies set', cookies_count: 1, mode: 'append' });
		expect(stored()).toEqual(expected);
	});

	it('counts cookies that are skipped in the output', async () => {
		const cookiesJson = JSON.stringify([{ ...MINIMAL_COOKIE, name: '' }, ...sent]);
		const [{ json }] = (await operate(service, { ...cookies, cookiesJson })).items;
		expect(json).toMatchObject({ success: true, cookies_count: 1, cookies_skipped: 1 });
		expect(stored()).toEqual(sent);
	});

	it('takes fields, and leaves out what is not set', async () => {
		const options = { secure: true, sameSite: 'None' };
		const cookie = [{}, options].map((further) => ({ ...MINIMAL_COOKIE, value: '={{ "v" + 1 }}', options: further }));
		await operate(service, { ...cookies, cookiesFrom: 'fields', cookies: { cookie } });
		const minimal = { ...MINIMAL_COOKIE, value: 'v1', secure: false };
		expect(stored()).toEqual([minimal, { ...minimal, ...options }]);
	});

	it('ends in an error with the message of a service that did not set them, without their values', async () => {
		const address = await answering({ success: false, message: 'Profile is in use: value-of-sid' });
		const { error, items: got } = await operate(address, { ...cookies, cookiesJson: JSON.stringify(sent) });
		const description = expect.stringMatching(/^The service did not do this/) as string;
		expect(error).toMatchObject({ name: 'NodeApiError', message: 'Profile is in use: ***', description });
		expect(got).toEqual([]);
	});
});

describe('Session: Get Script', () => {
	const form = { ...script, addScriptFile: true };

	it('returns the script as a file beside the JSON, or beside the first action', async () => {
		const [{ json, binary }] = (await operate(service, form)).items;
		const file = { fileName: 'session-1.py', mimeType: 'text/x-python', fileExtension: 'py' };
		expect(binary!.script).toMatchObject(file);
		expect(decoded(binary!.script.data)).toBe(json.python_script);
		const { items: got } = await operate(service, { ...form, splitIntoItems: true });
		expect(got).toEqual([
			{ json: { type: 'goto', url: 'https://example.com' }, pairedItem: { item: 0 }, binary },
			{ json: { type: 'click', selector: '#next' }, pairedItem: { item: 0 } },
		]);
	});

	it('returns the file also if there is no action', async () => {
		const address = await answering({ python_script: 'pass', json_actions: [] });
		const { items: got } = await operate(address, { ...form, splitIntoItems: true });
		expect(got.map(({ binary }) => Object.keys(binary!))).toEqual([['script']]);
	});

	it('returns no file if the script is empty', async () => {
		const { items: got } = await operate(await answering({ python_script: '', json_actions: [{ a: 1 }] }), form);
		expect(got.map(({ binary }) => binary)).toEqual([undefined]);
	});
});

describe('Session: Get Replay', () => {
	usePauses();
	const wait = { waitForRecording: true, maximumWait: 20 };

	it('fetches the video without the key', async () => {
		const [{ binary }] = (await operate(service, { ...replay, downloadVideo: true })).items;
		expect(binary!.video).toMatchObject({ fileName: 'session-1.mp4', mimeType: 'video/mp4' });
		expect(Buffer.from(binary!.video.data, 'base64')).toHaveLength(300000);
		const files = service.requests.filter(({ path }) => path.startsWith('/files/'));
		expect(files.map(({ headers, status }) => [headers.authorization, status])).toEqual([[undefined, 200]]);
	});

	it('fetches the video without a limit of silence if that is 0', async () => {
		const form = { ...replay, downloadVideo: true, options: { idleTimeout: 0 } };
		const { items: got, error } = await operate(service, form);
		expect(error).toBeUndefined();
		expect(got[0].binary!.video).toMatchObject({ mimeType: 'video/mp4' });
	});

	it('returns no file if the service has none', async () => {
		const { items: got } = await operate(service, { ...replay, sessionId: 'null-fields', downloadVideo: true });
		expect(got[0].json).toMatchObject({ mp4_url: null, playlist_content: null });
		expect(got[0]).not.toHaveProperty('binary');
	});

	it('waits until the recording is ready', async () => {
		const { items: got, error } = await operate(service, { ...replay, sessionId: 'processing-1', ...wait });
		expect(error?.message).toBeUndefined();
		expect(got[0].json.mp4_url).toContain('recording.mp4');
		expect(service.state.sessions.get('processing-1')!.asks).toBe(2);
	});

	it("waits in a tool of n8n's own Agents, which cannot be stopped", async () => {
		const form = { ...replay, sessionId: 'processing-1', ...wait };
		const [[{ json }]] = await callAsAgent(service, BROWSER_AUTOMATION, [form]);
		expect(json.mp4_url).toContain('recording.mp4');
	});

	const CHECK_ID = /^Check that this is a Session ID from the web console/;
	const TURN_ON = /Turn on 'Wait for Recording'$/;
	const NEVER = /^No recording exists for this session$/;
	it.each<[number, object, number, RegExp?]>([
		[404, { detail: 'Session not found' }, 2, CHECK_ID],
		[404, { replay_status: 'unknown' }, 2, CHECK_ID],
		[404, { replay_status: 'waiting_for_session' }, 2, TURN_ON],
		[404, { replay_status: 'processing' }, 2, TURN_ON],
		[404, { retryable: true }, 2, TURN_ON],
		[404, { replay_status: 'processing', retryable: false }, 1, NEVER],
		[404, { replay_status: 'failed' }, 1, NEVER],
		[404, { replay_status: 'unavailable' }, 1, NEVER],
		[410, { detail: 'Gone' }, 1, NEVER],
		[409, { retryable: true }, 2],
		[429, { detail: 'Slow' }, 2],
		...[502, 503, 504, 529].map((status): [number, object, number] => [status, {}, 2]),
		[503, { retryable: false }, 1],
		[500, {}, 1],
		[401, {}, 1],
	])('after %d %j asks %d times if it waits, or says what to do', async (status, body, times, advice = /./) => {
		const address = await answering(body, {}, status);
		const impatient = await answering(body, TOO_LATE, status);
		const { error } = await operate(impatient, replay);
		expect(error).toMatchObject({ httpCode: String(status), description: expect.stringMatching(advice) as string });
		expect(impatient.urls).toHaveLength(1);
		const waited = await operate(address, { ...replay, ...wait, maximumWait: 0.3 });
		expect(waited.error?.httpCode).toBe(String(status));
		expect(address.urls).toHaveLength(times);
	});

	it('gives up after the time', async () => {
		const { error } = await operate(service, { ...replay, sessionId: 'processing-9', ...wait, maximumWait: 0.3 });
		const description = "Check that the session has ended, or raise 'Max Wait (s)'";
		const message = 'The replay is not ready yet';
		expect(error).toMatchObject({ message, description, httpCode: '404', context: { itemIndex: 0 } });
	});

	it.each([{}, { ...wait, maximumWait: 0.3 }])('that is not ready lets an AI agent call later: %j', async (more) => {
		const form = { ...replay, sessionId: 'processing-9', ...more };
		const { error } = await operate(service, form, AS_TOOL);
		expect(error!.message).toBe(
			'The replay is not ready yet. Recordings are created some time after the session ends. Call this tool again in a few minutes',
		);
	});

	it('does not advise to remove a field that cannot be removed', async () => {
		const { error } = await operate(service, { ...replay, ...wait, maximumWait: -1 });
		expect(error!.message).toBe("'Max Wait (s)' must be a number of at least 0");
		expect(error!.description).toBe('Correct this field. Its default is 300');
	});

	describe('the video', () => {
		/** A service whose video is at the given path of the same server. */
		const withVideo = async (listener: Responder) => {
			const address = await serving((request, response, sent) => {
				if (request.url!.startsWith('/sessions/')) {
					const body = { expires_at: 'x', mp4_url: `${address.baseUrl}/video?X-Signature=signature-of-video` };
					response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
				} else listener(request, response, sent);
			});
			return address;
		};
		const download = { ...replay, downloadVideo: true };

		it('may be elsewhere', async () => {
			const keys: unknown[] = [];
			const address = await withVideo((request, response) => {
				keys.push(request.headers.authorization);
				if (request.url!.startsWith('/video')) response.writeHead(302, { location: '/moved' }).end();
				else response.writeHead(200).end('film\0');
			});
			const { items: got } = await operate(address, download);
			expect(decoded(got[0].binary!.video.data)).toBe('film\0');
			expect(keys).toEqual([undefined, undefined]);
		});

		const STORAGE = 'The video storage responded with';
		const instead = (what: string) => `The video storage sent ${what} instead of the file`;
		const APPLE = 'application/vnd.apple.mpegurl';
		const respond =
			(status: number, body: string, headers = {}): Responder =>
			(_request, response) =>
				response.writeHead(status, headers).end(body);
		const typed = (type: string, body: string) => respond(200, body, { 'content-type': type });
		const page = typed('text/html; charset=utf-8', 'signature-of-video');
		it.each<[string, Responder, string]>([
			['is rejected', respond(403, 'signature-of-video'), `${STORAGE} status 403`],
			['is a page', page, instead('text/html')],
			// printnanny-os#287, WWBN/AVideo#6949
			['is not ready', respond(202, 'still processing'), `${STORAGE} status 202`],
			['is empty', respond(200, ''), 'The video storage sent no data'],
			['has no content', respond(204, ''), `${STORAGE} status 204`],
			['is a text', typed('text/plain', 'Link expired'), instead('text/plain')],
			['is a playlist', respond(200, '#EXTM3U\n#EXTINF:4,\na.ts'), instead('a playlist')],
			['is announced as a playlist', typed(`${APPLE}; charset=utf-8`, 'x'), instead(APPLE)],
			['cannot be reached', (request) => request.socket.destroy(), 'No response from the video storage'],
		])('that %s gives a readable error, to an AI agent with what it can do', async (_name, listener, message) => {
			const address = await withVideo(listener);
			const { error } = await operate(address, download);
			expect(error).toMatchObject({ name: 'NodeApiError', message, context: { itemIndex: 0 } });
			expect(error!.description).toMatchSnapshot();
			expect(everythingOf(error)).not.toMatch(/signature-of-video|some-api-key/);
			const told = await operate(address, download, AS_TOOL);
			expect(told.error!.message).toBe(`${message}. Tell the user: ${error!.description}`);
		});

		it('that is rejected with a page that does not end holds no connection', async () => {
			const closed: Array<Promise<unknown>> = [];
			const address = await withVideo((_request, response) => {
				closed.push(once(response, 'close'));
				response.writeHead(404).write('Gone');
			});
			const { error } = await operate(address, download);
			expect(error?.message).toBe(`${STORAGE} status 404`);
			await happens('the connection is closed', Promise.all(closed));
		});

		it('whose storage cannot be reached gives an error with the cause', async () => {
			const address = await answering({ expires_at: 'x', mp4_url: 'http://127.0.0.1:1/signature-of-video' });
			// Its own origin may be in a private network.
			const { error } = await operate({ ...address, automationUrl: 'http://127.0.0.1:1' }, download);
			expect(error).toMatchObject({
				message: 'No response from the video storage: connection refused',
				description: "Allow n8n to connect to the video storage, or turn off 'Download Video' to get only the link",
			});
			expect(everythingOf(error)).not.toContain('signature-of-video');
		});

		// S10. The service may be hostile, or a page may have steered the agent.
		it.each(['http://2130706433:1/v', 'http://[::ffff:127.0.0.1]:1/v', 'http://localhost.:1/v'])(
			'is not fetched from an internal address: %s',
			async (mp4_url) => {
				const { error } = await operate(await answering({ expires_at: 'x', mp4_url }), download);
				expect(error!.message).toMatch(/:1 is in a private network, from which no files are downloaded$/);
			},
		);

		it('is fetched from http URLs only', async () => {
			const address = await answering({ expires_at: 'x', mp4_url: 'file:///etc/passwd' });
			const { error } = await operate(address, download);
			expect(error!.message).toBe('The link to the video is not valid');
		});
	});
});
