import type { IBinaryData, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { MINIMAL_COOKIE, operations } from '../contract/operations';
import { BROWSER_AUTOMATION, operate, registry } from '../engine/run-node';
import { answering } from '../support/answering';
import { useStoppedClock } from '../support/clock';
import { useLog } from '../support/log';
import { serve, type Responder } from '../support/serve';
import { useService } from '../support/use-service';

const service = useService();

const serving = async (listener: Responder) => (await serve(listener)).target;

const THREAD = '8f14e45f-ceea-467f-9575-6f4b2a1f0c3d';
const items = (count: number): INodeExecutionData[] => Array.from({ length: count }, (_, n) => ({ json: { n } }));
const search = { resource: 'web', operation: 'search', searchQuery: 'x' };
const replay = { resource: 'session', operation: 'getReplay', sessionId: 'session-1' };
const script = { resource: 'session', operation: 'getScript', sessionId: 'session-1' };
const start = { resource: 'automationRun', operation: 'start', query: 'Do it' };
const wallet = { resource: 'payment', operation: 'connectWallet' };
const secret = { resource: 'secret', operation: 'get', name: 'x', namespace: 'function_env' };
const deleteSecret = { resource: 'secret', operation: 'delete', id: 's' };
const cookies = { resource: 'profile', operation: 'setCookies', profileId: 'profile-1' };
const minimalCookies = { ...cookies, cookiesJson: JSON.stringify([MINIMAL_COOKIE]) };
const link = {
	...{ resource: 'mailbox', operation: 'createConnectLink', allowedOrigin: 'https://a.example' },
	...{ successRedirectUri: 'https://a.example/ok', errorRedirectUri: 'https://a.example/no' },
};
const AS_TOOL = { node: { type: `${BROWSER_AUTOMATION}Tool` } };

describe('items', () => {
	const linked = (list: object[]) => list.map((json) => ({ json, pairedItem: { item: 0 } }));

	it.each([
		['hello', [{ data: 'hello' }]],
		['null', [{ data: null }]],
		['', [{}]],
		['7', [{ data: 7 }]],
		['{"a":[1]}', [{ a: [1] }]],
		['[{"a":1},"b",null,[2]]', [{ a: 1 }, { data: 'b' }, { data: null }, { data: [2] }]],
		['{"answer":"a","sources":[{"url":"u"}]}', [{ answer: 'a', sources: [{ url: 'u' }] }]],
	])('are made of the body %s', async (body, expected) => {
		const address = await answering([
			200,
			body,
			{ 'content-type': body === 'hello' ? 'text/plain' : 'application/json' },
		]);
		for (const form of [search, { ...search, splitIntoItems: false }]) {
			expect((await operate(address, form)).items).toEqual(linked(expected));
		}
	});

	it('are the results, those that are lists as a whole', async () => {
		const address = await answering([200, '{"results":[{"a":1},"b",[2,3]]}']);
		expect((await operate(address, search)).items).toEqual(linked([{ a: 1 }, { data: 'b' }, { data: [2, 3] }]));
	});

	it.each([
		['secret', 'sec_1', 'id', 'secret_id'],
		['mailbox', 'mailbox-1', 'mailboxId', 'mailbox_id'],
	])('name the %s %s that was deleted, whatever the body is', async (resource, id, field, told) => {
		const form = { resource, operation: 'delete', [field]: ` ${id} ` };
		const expected = linked([{ deleted: true, [told]: id }]);
		expect((await operate(service, form)).items).toEqual(expected);
		expect((await operate(await answering([200, '[1]']), form)).items).toEqual(expected);
	});

	const promising = operations.filter(({ operation }) => !['start', 'search', 'delete'].includes(operation));
	// axios#1516, #470, #3418, marklogic/node-client-api#81
	it.each(['hello', 'null', '', '[1]', '{"value":"abc', '{"data":{}}'])(
		'are not made of the body %j by an operation whose fields are promised',
		async (body) => {
			const address = await answering([200, body]);
			for (const { resource, operation, full } of promising) {
				const { items: got, error } = await operate(address, { resource, operation, ...full });
				const message = expect.stringMatching(/^The service (returned no "|sent an unreadable response: its JSON is)/);
				expect([operation, got, error?.message]).toEqual([operation, [], message]);
			}
		},
	);

	// n8n#38508, n8n#32423
	it.each<[INodeParameters, object, string]>([
		[deleteSecret, { deleted: false, message: 'No such secret' }, 'No such secret'],
		[deleteSecret, { success: false, message: 'The secret is in use' }, 'The secret is in use'],
		[deleteSecret, { status: 'error' }, 'The service returned status 200 without a reason'],
		[search, { error: 'Token expired' }, 'Token expired'],
		[wallet, { status: 'failed', error: 'No' }, 'No'],
		[minimalCookies, { success: false, message: 'Profile is in use: value-of-sid' }, 'Profile is in use: ***'],
	])('of %j are none of a success that says %j', async (form, body, message) => {
		const { items: got, error } = await operate(await answering([200, body]), form);
		expect([got, error?.name, error?.message]).toEqual([[], 'NodeApiError', message]);
		expect(error?.description).toMatch(/^The service did not do this\. Check/);
	});
	// E11.
	const NOTHING = 'The search found nothing';
	const END = '. Later nodes do not run, unless &#39;Always Output Data&#39; is on in this node&#39;s settings';
	it.each<[object, boolean, object[], string[]]>([
		[{ results: [] }, true, [], [NOTHING + END]],
		[{ results: [] }, false, [{ results: [] }], [NOTHING]],
		[{ results: null }, true, [{ results: null }], [NOTHING]],
		[{ results: null, answer: 'a' }, true, [{ results: null, answer: 'a' }], []],
	])('of %j, split (%j), have a hint if there are no results', async (body, splitIntoItems, json, messages) => {
		const { items: got, hints } = await operate(await answering([200, body]), { ...search, splitIntoItems });
		expect(got).toEqual(linked(json));
		expect(hints.map(({ message }) => message)).toEqual(messages);
	});

	// N6.
	it('say that a deletion is pending', async () => {
		const address = await answering([202, { status: 'queued', deleted: false }]);
		const { items: got, hints } = await operate(address, deleteSecret);
		expect(got).toEqual(linked([{ deleted: false, status: 'queued', secret_id: 's' }]));
		expect(hints).toMatchObject([
			{ message: "The service accepted the deletion, but has not completed it. See 'status'" },
		]);
	});
});

it.each([
	[secret, "'Name' and 'Namespace' and "],
	[deleteSecret, "'Secret ID' and "],
	[replay, "'Session ID' and "],
	[search, ''],
	[link, ''],
	[{ ...link, options: { mailboxId: 'm' } }, "'Mailbox ID' under 'Options' and "],
])('an error of something that is not found names what the form has: %j', async (form, labels) => {
	const { error } = await operate(await answering([404, { detail: 'Not found' }]), form);
	const description = `It does not exist, or no longer. Check ${labels}'Base URL' in the credential`;
	expect(error).toMatchObject({ message: 'Not found', description });
});

describe('before anything is sent', () => {
	const CUSTOM = "'Custom API Call' is not supported in this node";
	it.each([
		[{ resource: '__CUSTOM_API_CALL__' }, CUSTOM, /^Use an HTTP Request node, with 'Predefined/],
		[{ resource: '={{ "web" }}' }, "'Resource' is not one of its choices", /\(web\)$/],
	])('a list of the form accepts only its choices: %j', async (form, message, advice) => {
		const { properties } = registry.nodes[BROWSER_AUTOMATION].description;
		const lists = properties.filter(({ name }) => ['operation', 'resource'].includes(name));
		// n8n does this when it loads the package.
		const custom = { name: 'Custom API Call', value: '__CUSTOM_API_CALL__' };
		for (const { options } of lists) (options as object[]).push(custom);
		const ran = operate(service, { ...search, ...form });
		const { error } = await ran.finally(() => lists.forEach(({ options }) => options!.pop()));
		expect(error).toMatchObject({ message, context: { itemIndex: 0 } });
		expect(error!.description).toMatch(advice);
		expect(service.requests).toEqual([]);
	});

	it('what only shapes the output, and a choice does not need, is not checked', async () => {
		const form = { ...replay, maximumWait: 'x', videoField: '', options: { maxVideoSize: -1 } };
		expect((await operate(service, form)).error).toBeUndefined();
	});
});

it.each(['a/b', '%2f', '1..2', 'a b'])('the ID %j is one segment of the path', async (sessionId) => {
	await operate(service, { ...script, sessionId });
	const path = `/rest/sessions/${encodeURIComponent(sessionId)}/workflow/code`;
	expect(service.requests).toMatchObject([{ path }]);
});
describe('Automation Run: Start', () => {
	it.each<[string, string, object]>([
		['cut off', '{"thread_id":"paid","sta', {}],
		['damaged', 'no zip', { 'content-encoding': 'gzip' }],
	])('keeps the thread of a response whose body is %s', async (_how, body, more) => {
		const headers = { 'x-thread-id': THREAD, 'content-length': '100', ...more };
		const { items: got } = await operate(await answering([202, body, headers, 'cut']), start);
		expect(got.map(({ json }) => json)).toEqual([{ thread_id: THREAD, url: null, status: 'started' }]);
	});

	it('says that no run was started if a rejection is cut off', async () => {
		const rejecting = await answering([400, 'Not so', { 'content-length': '100' }, 'cut']);
		const { error } = await operate(rejecting, start);
		expect(error!.description).toMatch(/^No run was started[.:] /);
		expect(error!.context.data).toBeUndefined();
	});

	describe('(with a stopped clock)', () => {
		const clock = useStoppedClock();

		it.each([start, search])('is not sent once the time limit of the workflow is near: %j', async (form) => {
			const log = useLog();
			const runtimeData = { establishedAt: Date.now() - 89_900 };
			const { error } = await operate(service, form, { workflowSettings: { executionTimeout: 100 }, runtimeData });
			expect(error?.message).toMatch(/^The workflow is about to reach its time limit/);
			expect([service.requests, log.lines()]).toEqual([[], []]);
		});

		it('closes a connection that is silent for 300 seconds', async () => {
			const respondAfter = async (seconds: number) => {
				const late = await serving((_request, response) => {
					void clock.pass(seconds).then(() => response.writeHead(202).end(JSON.stringify({ thread_id: THREAD })));
				});
				return (await operate(late, start)).items.length;
			};
			expect([await respondAfter(299), await respondAfter(301)]).toEqual([1, 0]);
		});
	});

	it('takes the link of a thread for its ID, and replaces nothing that the form sends', async () => {
		const threadId = `https://app.example.com/threads/${THREAD}?tab=2`;
		const further = { priority: 'low', query: 'x', model: 'z', version: 'v2' };
		const options = { model: 'large', additionalBodyFields: JSON.stringify(further) };
		await operate(service, { ...start, threadId, options });
		const own = { query: 'Do it', thread_id: THREAD, model: 'large', detach: true };
		expect(service.starts.map(({ body }) => body)).toEqual([{ ...further, ...own }]);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'starts each valid item with %s',
		async (onError) => {
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
		},
	);
});

it('marks the value of a secret as sensitive', () => {
	expect(registry.nodes[BROWSER_AUTOMATION].description.sensitiveOutputFields).toEqual(['value']);
});

it.each([false, "={{ $fromAI('allow', '', 'boolean') }}", '={{ $json.allow }}'])(
	'withholds the value of a secret from an AI agent, unless the user allows it: %s',
	async (allowAgent) => {
		const { error } = await operate(
			service,
			{ ...secret, allowAgent },
			{ ...AS_TOOL, input: [{ json: { allow: true } }] },
		);
		expect(error?.message).toContain("'Allow AI Agents to Read Value'");
		expect(service.requests).toEqual([]);
	},
);

describe('Profile: Set Cookies', () => {
	const state = { cookies: [{ ...MINIMAL_COOKIE, expires: -1, sameSite: 'Lax' }], origins: [] };
	const sent = [{ ...MINIMAL_COOKIE, secure: false, sameSite: 'Lax' }];
	const stored = () => service.state.profiles.get('profile-1');
	const netscape = '# Netscape HTTP Cookie File\n#HttpOnly_.example.com\tTRUE\t/\tTRUE\t0\tsid\tvalue-of-sid\n';
	const utf16 = Buffer.from(`\uFEFF${JSON.stringify(state)}`, 'utf16le').toString('base64');
	const binary = {
		netscape: { data: Buffer.from(netscape).toString('base64'), mimeType: 'text/plain' },
		// Without a type, as a Code node may return it.
		utf16: { data: utf16 } as IBinaryData,
	};

	it.each([
		[{ cookiesJson: JSON.stringify(state) }, sent],
		[{ cookiesJson: '={{ $json.state }}' }, sent],
		[{ cookiesJson: '={{ $json.state.cookies }}' }, sent],
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
	});
});

describe('Session: Get Script', () => {
	const form = { ...script, addScriptFile: true };

	it('returns the script as a file beside the JSON, or beside the first action', async () => {
		const [{ json, binary }] = (await operate(service, form)).items;
		const file = { fileName: 'session-1.py', mimeType: 'text/x-python', fileExtension: 'py' };
		expect(binary!.script).toMatchObject(file);
		expect(Buffer.from(binary!.script.data, 'base64').toString()).toBe(json.python_script);
		const { items: got } = await operate(service, { ...form, splitIntoItems: true });
		expect(got).toEqual([
			{ json: { type: 'goto', url: 'https://example.com' }, pairedItem: { item: 0 }, binary },
			{ json: { type: 'click', selector: '#next' }, pairedItem: { item: 0 } },
		]);
	});

	const NO_SCRIPT = `'Download Script' is on, but the response has no "python_script"`;
	it.each([
		[{ python_script: 'pass', json_actions: [] }, [['script']], 'The session has no actions'],
		[{ python_script: ' ', json_actions: [{ a: 1 }] }, [[]], NO_SCRIPT],
		[{ json_actions: [{ a: 1 }] }, [[]], NO_SCRIPT],
	])('returns a file only of a script, and a hint on what is missing: %j', async (body, fields, message) => {
		const { items: got, hints } = await operate(await answering([200, body]), { ...form, splitIntoItems: true });
		expect(got.map(({ binary }) => Object.keys(binary ?? {}))).toEqual(fields);
		expect(hints).toMatchObject([{ message }]);
	});
});
