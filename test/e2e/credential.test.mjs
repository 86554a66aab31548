// The connection tests of the credentials, as the editor of a real n8n runs them, and how n8n keeps tokens. Needs what `npm run demo` installs.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, it } from 'node:test';
import { example, withParameters } from './instance.mjs';
import { n8n } from './shared.mjs';

const KEY = 'browserAutomationApi';
const PASSWORD = 'browserAutomationOAuth2PasswordApi';

const addresses = () => {
	const { baseUrl, automationUrl } = n8n.service;
	return { baseUrl, automationUrl, allowUnencrypted: false };
};
const good = {
	[KEY]: () => ({ ...addresses(), apiKey: n8n.service.apiKey }),
	[PASSWORD]: () => ({ ...addresses(), ...n8n.service.user }),
};

/** Stores a credential as its form does. */
const store = async (type, change = {}) =>
	await n8n.call('POST', '/credentials', { name: 'Local service', type, data: { ...good[type](), ...change } });

/** Presses *Test* in the form of a stored credential. */
async function testCredential(type, change) {
	const { id, name } = await store(type);
	const data = { ...good[type](), ...change };
	const result = await n8n.call('POST', '/credentials/test', { credentials: { id, name, type, data } });
	for (const secret of [data.apiKey, data.password, ...n8n.service.tokens.issued]) {
		assert.ok(!secret?.trim() || !result.message.includes(secret), `a secret is in "${result.message}"`);
	}
	return result;
}

/** Servers that are not the service, by the beginning of the address; those under /tokens issue tokens. */
const OTHERS = [
	[/^\/tokens\/\w+\/token$/, 200, '{"access_token":"token-of-another-service","token_type":"bearer"}'],
	[/^(\/tokens)?\/page/, 200, '<!DOCTYPE html><title>Hi</title>', { 'content-type': 'text/html' }],
	[/^(\/tokens)?\/json/, 200, '{"ok":true}'],
	[/^\/tokens\/refused/, 401],
	[/^\/moved/, 302, '', { location: '/page' }],
	[/^/, 500],
];
const other = createServer(({ url }, response) => {
	const [, status, body, headers] = OTHERS.find(([address]) => address.test(url));
	response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}).listen(0, '127.0.0.1');
after(() => other.close());

const addressOf = (path) => `http://127.0.0.1:${other.address().port}${path}`;

const keyCases = [
	['a good key', () => ({}), /^Connection successful!$/],
	['a trailing slash', () => ({ automationUrl: `${n8n.service.automationUrl}/` }), /^Connection successful!$/],
	['a wrong key', () => ({ apiKey: 'a-wrong-key' }), /API Key/],
	['a blank key', () => ({ apiKey: '  ' }), /^API Key is empty/],
	['a wrong path', () => ({ automationUrl: `${n8n.service.automationUrl}/nowhere` }), /^Nothing .* Automation URL/],
	['a web page', () => ({ automationUrl: addressOf('/page') }), /Automation URL/],
	['another service', () => ({ automationUrl: addressOf('/json') }), /Automation URL/],
	['a redirect', () => ({ automationUrl: addressOf('/moved') }), /./],
	['a server that is down', () => ({ automationUrl: addressOf('/down') }), /./],
	['no scheme', () => ({ automationUrl: 'automation.example.com' }), /^Automation URL does not start with https/],
	['a refused connection', () => ({ automationUrl: 'http://127.0.0.1:1' }), /connection refused/],
	['an unknown host', () => ({ automationUrl: 'https://unknown.invalid' }), /host name/],
	['a key with the word Bearer', () => ({ apiKey: `Bearer ${n8n.service.apiKey}` }), /^Connection successful!$/],
	[
		'the address of a start',
		() => ({ automationUrl: `${n8n.service.automationUrl}/api/anything/start` }),
		/^Connection successful!$/,
	],
	['a key that no header can carry', () => ({ apiKey: 'key\u2026' }), /^API Key contains invalid characters/],
	[
		'an unencrypted address',
		() => ({ automationUrl: 'http://a.example.com' }),
		/^Automation URL .*http:\/\/.* API key/,
	],
];

const passwordCases = [
	['a good password', () => ({}), /^Connection successful!$/],
	['a trailing slash', () => ({ baseUrl: `${n8n.service.baseUrl}/` }), /^Connection successful!$/],
	['no Automation URL', () => ({ automationUrl: '' }), /^Connection successful!$/],
	['a wrong password', () => ({ password: 'wrong' }), /Incorrect user name or password.*Check User Name and Password/],
	['a blank user name', () => ({ username: ' ' }), /^User Name is empty/],
	['a wrong path', () => ({ baseUrl: `${n8n.service.baseUrl}/nowhere` }), /Not Found.*Check the Base URL/],
	['a web page', () => ({ baseUrl: addressOf('/page') }), /a web page titled "Hi".*Check the Base URL/],
	['another service', () => ({ baseUrl: addressOf('/json') }), /token.*Check the Base URL/],
	['another service with tokens and pages', () => ({ baseUrl: addressOf('/tokens/page') }), /Base URL/],
	['another service with tokens', () => ({ baseUrl: addressOf('/tokens/json') }), /Base URL/],
	['a service that refuses its own tokens', () => ({ baseUrl: addressOf('/tokens/refused') }), /does not accept it/],
	['a redirect', () => ({ baseUrl: addressOf('/moved') }), /another address/],
	['a server that is down', () => ({ baseUrl: 'http://127.0.0.1:1' }), /connection.* refused/],
	['no scheme', () => ({ baseUrl: 'api.example.com' }), /^Base URL does not start with https/],
	['an unencrypted address', () => ({ baseUrl: 'http://api.example.com' }), /^Base URL .*http:\/\/.* password/],
];

for (const [type, cases] of [
	[KEY, keyCases],
	[PASSWORD, passwordCases],
]) {
	for (const [name, change, message] of cases) {
		it(`the test of a credential of type ${type} tells of ${name}`, async () => {
			const result = await testCredential(type, change());
			assert.match(result.message, message);
			assert.equal(result.status, message.source.includes('successful') ? 'OK' : 'Error');
		});
	}
}

const ITEMS = 20;
const NODE = 'Run Automation';

/** The example that has an item for each task, with a search in place of the run. */
function searches({ id, name }) {
	const tasks = Array.from({ length: ITEMS }, (_, index) => `search ${index}`);
	const workflow = withParameters(example('batch-with-error-branch'), {
		Tasks: { jsonOutput: JSON.stringify({ tasks }) },
	});
	Object.assign(
		workflow.nodes.find((node) => node.name === NODE),
		{
			type: 'n8n-nodes-browser-automation.browserAutomation',
			parameters: {
				...{ authentication: 'oAuth2Password', resource: 'web', operation: 'search' },
				searchQuery: '={{ $json.task }}',
				splitIntoItems: false,
			},
			credentials: { [PASSWORD]: { id, name } },
			onError: 'stopWorkflow',
		},
	);
	return workflow;
}

it('a token serves many items and the next runs, and is renewed once', async () => {
	const { service } = n8n;
	const credential = await store(PASSWORD);
	const { id } = await n8n.createWorkflow(searches(credential));
	const tokens = () => service.requests.filter(({ path }) => path.endsWith('/token')).length;
	const execute = async () => {
		const { items, errorOf } = await n8n.execute(id);
		return [errorOf(NODE)?.message ?? items(NODE).length, tokens()];
	};

	assert.deepEqual(await execute(), [ITEMS, 1]);
	assert.deepEqual(await execute(), [ITEMS, 1]);
	service.tokens.revoke();
	assert.deepEqual(await execute(), [ITEMS, 2]);
	service.tokens.uses = ITEMS * 1.5;
	service.tokens.revoke();
	assert.deepEqual(await execute(), [ITEMS, 3]);
	// Half of these items use what is left of the token.
	assert.deepEqual(await execute(), [ITEMS, 4]);
	service.tokens.revoke();
	service.tokens.bornRevoked = true;
	assert.deepEqual(await execute(), ['The token was revoked', 5]);

	const wrong = await store(PASSWORD, { password: `not-${service.user.password}` });
	const failed = await n8n.execute((await n8n.createWorkflow(searches(wrong))).id);
	assert.match(failed.errorOf(NODE).message, /Incorrect user name or password \(invalid_grant\)/);
	assert.equal(tokens(), 6);

	const { results } = await n8n.call('GET', '/executions?limit=50');
	const executions = results.map(async (execution) => await n8n.call('GET', `/executions/${execution.id}`));
	const everything = JSON.stringify(await Promise.all(executions));
	for (const secret of [service.user.password, ...service.tokens.issued]) {
		assert.ok(!everything.includes(secret), 'a secret is in an execution');
		assert.ok(!n8n.log().includes(secret), 'a secret is in the log');
	}
});
