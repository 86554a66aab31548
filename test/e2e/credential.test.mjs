// The connection tests of the credentials, as a real n8n runs them, and how it keeps tokens. A good and a wrong key or password
// are tried in editor.test.mjs. What the credentials find themselves is in test/unit/credential.test.ts, and what they do
// about a token that does not work in test/workflow/oauth2-password.test.ts.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, it } from 'node:test';
import { fetchN8n } from '../../demo/lib/fetch.mjs';
import { nodeOf, withParameters, workflowFor } from './instance.mjs';
import { n8n } from './shared.mjs';

const KEY = 'browserAutomationApi';
const PASSWORD = 'browserAutomationOAuth2PasswordApi';

const good = () => {
	const { baseUrl, automationUrl, apiKey, user } = n8n.service;
	return { baseUrl, automationUrl, allowUnencrypted: false, apiKey, ...user };
};

/** Stores a credential as its form does. */
const store = async (type) => await n8n.call('POST', '/credentials', { name: 'Local service', type, data: good() });

/** Servers that are not the service, by the beginning of the address; those under /tokens issue tokens. */
const OTHERS = [
	[/^\/tokens\/any\/moved/, 302, '', { location: '/page' }],
	[/^\/tokens\/\w+\/token$/, 200, '{"access_token":"token-of-another-service","token_type":"bearer"}'],
	[/^(\/tokens)?\/page/, 200, '<!DOCTYPE html><title>Hi</title>', { 'content-type': 'text/html' }],
	[/^(\/tokens)?\/json/, 200, '{"ok":true}'],
	[/^\/tokens\/refused/, 401],
	[/^\/moved/, 302, '', { location: '/page' }],
];
/** The paths that were asked for there. */
const reached = [];
const other = createServer(({ url }, response) => {
	reached.push(url);
	const [, status, body, headers] = OTHERS.find(([address]) => address.test(url));
	response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}).listen(0, '127.0.0.1');
after(() => other.close());

const at = (path) => `http://127.0.0.1:${other.address().port}${path}`;

const nowhere = (field) => (service) => ({ [field]: `${service[field]}/nowhere` });
const swapped = ({ baseUrl, automationUrl }) => ({ baseUrl: automationUrl, automationUrl: baseUrl });

for (const [type, name, change, message] of [
	[KEY, 'a wrong path', nowhere('automationUrl'), /^This 'Automation URL' responds but cannot start runs/],
	[KEY, 'a web page', () => ({ automationUrl: at('/page') }), /Automation URL/],
	[KEY, 'another service', () => ({ automationUrl: at('/json') }), /Automation URL/],
	[KEY, 'a redirect', () => ({ automationUrl: at('/moved') }), /^This 'Automation URL' redirects to another URL/],
	[KEY, 'a refused connection', () => ({ automationUrl: 'http://127.0.0.1:1' }), /^ECONNREFUSED$/],
	[KEY, 'a Base URL that is no address', () => ({ baseUrl: 'not an address at all' }), /^'Base URL' does not start/],
	[KEY, 'two swapped addresses', swapped, /the two URLs may be swapped/i],
	[PASSWORD, 'two swapped addresses', swapped, /the two URLs may be swapped/i],
	[PASSWORD, 'an Automation URL that is no address', () => ({ automationUrl: 'a/b' }), /^'Automation URL' does not/],
	[PASSWORD, 'no Automation URL', () => ({ automationUrl: '' }), /^Connection successful!$/],
	[PASSWORD, 'a wrong path', nowhere('baseUrl'), /Not Found.*Check 'Base URL'/],
	[PASSWORD, 'another service with tokens and pages', () => ({ baseUrl: at('/tokens/page') }), /Base URL/],
	[PASSWORD, 'another service with tokens', () => ({ baseUrl: at('/tokens/json') }), /Base URL/],
	[PASSWORD, 'a service that refuses its tokens', () => ({ baseUrl: at('/tokens/refused') }), /does not accept it/],
]) {
	it(`the test of a credential of type ${type} reports ${name}`, async () => {
		const { id } = await store(type);
		const data = { ...good(), ...change(good()) };
		reached.length = 0;
		const result = await n8n.call('POST', '/credentials/test', { credentials: { id, name: 'Changed', type, data } });
		assert.match(result.message, message);
		assert.equal(result.status, message.source.includes('successful') ? 'OK' : 'Error');
		assert.ok(!reached.includes('/page'), 'a redirect was followed');
		for (const secret of [data.apiKey, data.password, ...n8n.service.tokens.issued]) {
			assert.ok(!result.message.includes(secret), `a secret is in "${result.message}"`);
		}
	});
}

it('n8n knows how both types authenticate, and so offers them in its HTTP Request node', async () => {
	const types = await (await fetchN8n(`${n8n.url}/types/credentials.json`, { headers: { cookie: n8n.cookie } })).json();
	for (const type of [KEY, PASSWORD]) assert.ok(types.find(({ name }) => name === type).authenticate, type);
});

const ITEMS = 20;
const NODE = 'Run Automation';

/** The example that has an item for each task, with a search in place of the run. */
function searches({ id, name }) {
	const tasks = JSON.stringify({ tasks: Array.from({ length: ITEMS }, (_, index) => `search ${index}`) });
	const workflow = withParameters(workflowFor('batch'), { Tasks: { jsonOutput: tasks } });
	const search = { resource: 'web', operation: 'search', searchQuery: '={{ $json.task }}', splitIntoItems: false };
	Object.assign(nodeOf(workflow, NODE), {
		type: 'n8n-nodes-browser-automation.browserAutomation',
		parameters: { authentication: 'oAuth2Password', ...search },
		credentials: { [PASSWORD]: { id, name } },
		onError: 'stopWorkflow',
	});
	return workflow;
}

it('a token serves many items and the next runs, is renewed once, and is shown nowhere', async () => {
	const { service } = n8n;
	const { id } = await n8n.createWorkflow(searches(await store(PASSWORD)));
	const execute = async () => {
		const { items, errorOf } = await n8n.execute(id);
		const tokens = service.requests.filter(({ path }) => path.endsWith('/token')).length;
		return [errorOf(NODE)?.message ?? items(NODE).length, tokens];
	};
	assert.deepEqual(await execute(), [ITEMS, 1]);
	assert.deepEqual(await execute(), [ITEMS, 1]);
	service.tokens.revoke();
	assert.deepEqual(await execute(), [ITEMS, 2]);
	service.tokens.revoke();
	service.tokens.bornRevoked = true;
	assert.deepEqual(await execute(), ['The token was revoked', 3]);

	const { results } = await n8n.call('GET', '/executions?limit=50');
	const executions = results.map(async (execution) => await n8n.call('GET', `/executions/${execution.id}`));
	const everything = JSON.stringify(await Promise.all(executions));
	for (const secret of [service.user.password, ...service.tokens.issued]) {
		assert.ok(!everything.includes(secret), 'a secret is in an execution');
		assert.ok(!n8n.log().includes(secret), 'a secret is in the log');
	}
});
