// The connection tests of the credentials, as the editor of a real n8n runs them, and how n8n keeps tokens. Needs what `npm run demo` installs.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { startInstance } from './instance.mjs';

const PASSWORD = 'pass-word-that-nobody-may-see';
const KEY = 'browserAutomationApi';
const PASSWORD_TYPE = 'browserAutomationOAuth2PasswordApi';

let instance;
let service;
let other;

before(
	async () => {
		const env = { N8N_LOG_LEVEL: 'debug' };
		instance = await startInstance({ env, service: { user: { username: 'ann', password: PASSWORD } } });
		service = instance.service;
		other = createServer(answerAsAnotherServer).listen(0, '127.0.0.1');
	},
	{ timeout: 600_000 },
);

after(async () => {
	other?.close();
	await instance?.stop();
});

const addresses = () => ({ baseUrl: service.baseUrl, automationUrl: service.automationUrl, allowUnencrypted: false });
const good = {
	[KEY]: () => ({ ...addresses(), apiKey: service.apiKey }),
	[PASSWORD_TYPE]: () => ({ ...addresses(), ...service.user }),
};

/** Stores a credential as its form does. */
const store = async (type, change = {}) =>
	await instance.call('POST', '/credentials', { name: 'Local service', type, data: { ...good[type](), ...change } });

/** Presses *Test* in the form of a stored credential. */
async function testCredential(type, change) {
	const { id, name } = await store(type);
	const data = { ...good[type](), ...change };
	const result = await instance.call('POST', '/credentials/test', { credentials: { id, name, type, data } });
	for (const secret of [data.apiKey, data.password, ...service.tokens.issued]) {
		assert.ok(!secret?.trim() || !result.message.includes(secret), `a secret is in "${result.message}"`);
	}
	return result;
}

/** A server that is not the service: /page answers with a web page, /json with JSON, /moved with a redirect. */
function answerAsAnotherServer({ url }, response) {
	if (url.startsWith('/page'))
		response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><title>Hi</title>');
	else if (url.startsWith('/json')) response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
	else if (url === '/with-tokens/refused/payments/connect') response.writeHead(401).end();
	else if (url === '/with-tokens/page/payments/connect')
		response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><title>Hi</title>');
	else if (/^\/with-tokens\/\w+\/token$/.test(url))
		response
			.writeHead(200, { 'content-type': 'application/json' })
			.end('{"access_token":"token-of-another-service","token_type":"bearer"}');
	else if (url.startsWith('/with-tokens'))
		response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
	else if (url.startsWith('/moved')) response.writeHead(302, { location: '/page' }).end();
	else response.writeHead(500).end();
}

const addressOf = (path) => `http://127.0.0.1:${other.address().port}${path}`;

const keyCases = [
	['a good key', () => ({}), 'OK', /^Connection successful!$/],
	['a trailing slash', () => ({ automationUrl: `${service.automationUrl}/` }), 'OK', /^Connection successful!$/],
	['a wrong key', () => ({ apiKey: 'a-wrong-key' }), 'Error', /^The service does not accept this API Key/],
	['a blank key', () => ({ apiKey: '  ' }), 'Error', /^API Key is empty/],
	[
		'a wrong path',
		() => ({ automationUrl: `${service.automationUrl}/nowhere` }),
		'Error',
		/^Nothing responds at this Automation URL/,
	],
	[
		'a web page',
		() => ({ automationUrl: addressOf('/page') }),
		'Error',
		/^Unexpected response\. Check that the Automation URL points/,
	],
	[
		'another service',
		() => ({ automationUrl: addressOf('/json') }),
		'Error',
		/^Unexpected response\. Check that the Automation URL points/,
	],
	['a redirect', () => ({ automationUrl: addressOf('/moved') }), 'Error', /./],
	['a server that is down', () => ({ automationUrl: addressOf('/down') }), 'Error', /./],
	[
		'a refused connection',
		() => ({ automationUrl: 'http://127.0.0.1:1' }),
		'Error',
		/^No response from the Automation URL: the connection was refused\. Check the Automation URL/,
	],
	[
		'an unknown host',
		() => ({ automationUrl: 'https://unknown.invalid' }),
		'Error',
		/^No response from the Automation URL: its host name (is not known|could not be looked up)\. Check/,
	],
	['a key with the word Bearer', () => ({ apiKey: `Bearer ${service.apiKey}` }), 'OK', /^Connection successful!$/],
	[
		'the address of a start',
		() => ({ automationUrl: `${service.automationUrl}/api/anything/start` }),
		'OK',
		/^Connection successful!$/,
	],
	[
		'a key that no header can carry',
		() => ({ apiKey: 'key\u2026' }),
		'Error',
		/^API Key contains a character that cannot be sent/,
	],
	['no scheme', () => ({ automationUrl: 'automation.example.com' }), 'Error', /^Automation URL has no scheme/],
	[
		'an unencrypted address',
		() => ({ automationUrl: 'http://automation.example.com' }),
		'Error',
		/^Automation URL starts with http:\/\/, so the API key/,
	],
];

const passwordCases = [
	['a good password', () => ({}), 'OK', /^Connection successful!$/],
	['a trailing slash', () => ({ baseUrl: `${service.baseUrl}/` }), 'OK', /^Connection successful!$/],
	['no Automation URL', () => ({ automationUrl: '' }), 'OK', /^Connection successful!$/],
	[
		'a wrong password',
		() => ({ password: 'wrong' }),
		'Error',
		/^No token: Incorrect user name or password \(invalid_grant\)\. Check User Name and Password/,
	],
	[
		'a wrong password while n8n keeps a token',
		() => ({
			password: 'wrong',
			accessToken: service.tokens.issued.at(-1),
			issuedFor: `${service.user.username} at ${service.baseUrl}`,
		}),
		'Error',
		/^No token: Incorrect user name or password/,
	],
	['a blank user name', () => ({ username: ' ' }), 'Error', /^User Name is empty\. Enter it/],
	[
		'a wrong path',
		() => ({ baseUrl: `${service.baseUrl}/nowhere` }),
		'Error',
		/^No token: Not Found\. Check the Base URL/,
	],
	[
		'a web page',
		() => ({ baseUrl: addressOf('/page') }),
		'Error',
		/^No token: The service answered with status 200 and a web page titled "Hi"\. Check the Base URL/,
	],
	[
		'another service',
		() => ({ baseUrl: addressOf('/json') }),
		'Error',
		/^No token: .* instead of a token\. Check the Base URL/,
	],
	[
		'another service with tokens and pages',
		() => ({ baseUrl: addressOf('/with-tokens/page') }),
		'Error',
		/^Unexpected response\. Check that the Base URL points/,
	],
	[
		'another service with tokens',
		() => ({ baseUrl: addressOf('/with-tokens/json') }),
		'Error',
		/^Unexpected response\. Check that the Base URL points/,
	],
	[
		'a service that refuses its own tokens',
		() => ({ baseUrl: addressOf('/with-tokens/refused') }),
		'Error',
		/^The service gave a token for this user, but does not accept it/,
	],
	['a redirect', () => ({ baseUrl: addressOf('/moved') }), 'Error', /^No token: .*leads to another address/],
	[
		'a server that is down',
		() => ({ baseUrl: 'http://127.0.0.1:1' }),
		'Error',
		/^No token: the service gave no answer, the connection was refused\. Check the Base URL/,
	],
	['no scheme', () => ({ baseUrl: 'api.example.com' }), 'Error', /^Base URL has no scheme/],
	[
		'an unencrypted address',
		() => ({ baseUrl: 'http://api.example.com' }),
		'Error',
		/^Base URL starts with http:\/\/, so the password would travel/,
	],
];

for (const [type, cases] of [
	[KEY, keyCases],
	[PASSWORD_TYPE, passwordCases],
]) {
	for (const [name, change, status, message] of cases) {
		test(`${type}: ${name}`, async () => {
			const result = await testCredential(type, change());
			assert.match(result.message, message);
			assert.equal(result.status, status);
		});
	}
}

const ITEMS = 20;

/** A workflow that searches the web once for each of many items, with user name and password. */
const searches = ({ id, name }) => ({
	name: 'Many searches',
	settings: { executionOrder: 'v1' },
	nodes: [
		{ name: 'Try It Now', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
		{
			name: 'Numbers',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: { mode: 'raw', jsonOutput: JSON.stringify({ index: [...Array(ITEMS).keys()] }) },
		},
		{ name: 'Items', type: 'n8n-nodes-base.splitOut', typeVersion: 1, parameters: { fieldToSplitOut: 'index' } },
		{
			name: 'Search',
			type: 'n8n-nodes-browser-automation.browserAutomation',
			typeVersion: 1,
			parameters: {
				authentication: 'oAuth2Password',
				resource: 'web',
				operation: 'search',
				searchQuery: '={{ $json.index }}',
			},
			credentials: { [PASSWORD_TYPE]: { id, name } },
		},
	].map((node, index) => ({ ...node, id: String(index), position: [index * 220, 0] })),
	connections: Object.fromEntries(
		[
			['Try It Now', 'Numbers'],
			['Numbers', 'Items'],
			['Items', 'Search'],
		].map(([from, node]) => [from, { main: [[{ node, type: 'main', index: 0 }]] }]),
	),
});

test('a token serves many items and the next runs, and is renewed once', async () => {
	service.reset();
	const credential = await store(PASSWORD_TYPE);
	const { id } = await instance.createWorkflow(searches(credential));
	const tokens = () => service.requests.filter(({ path }) => path.endsWith('/token')).length;
	const found = async () => {
		const { items, error } = await instance.execute(id);
		assert.equal(error, undefined);
		return items('Search').length;
	};

	assert.equal(await found(), ITEMS);
	assert.equal(tokens(), 1);
	assert.equal(await found(), ITEMS);
	assert.equal(tokens(), 1);
	service.tokens.revoke();
	assert.equal(await found(), ITEMS);
	assert.equal(tokens(), 2);
	service.tokens.uses = ITEMS * 1.5;
	service.tokens.revoke();
	assert.equal(await found(), ITEMS);
	assert.equal(tokens(), 3);
	// Half of these items use what is left of the token.
	assert.equal(await found(), ITEMS);
	assert.equal(tokens(), 4);

	service.tokens.revoke();
	service.tokens.bornRevoked = true;
	const refused = await instance.execute(id);
	assert.equal(refused.errorOf('Search').message, 'The token was revoked');
	assert.equal(tokens(), 5);

	const { id: wrong } = await instance.createWorkflow(
		searches(await store(PASSWORD_TYPE, { password: `not-${PASSWORD}` })),
	);
	const failed = await instance.execute(wrong);
	assert.equal(failed.errorOf('Search').message, 'No token: Incorrect user name or password (invalid_grant)');
	assert.equal(tokens(), 6);

	const everything = JSON.stringify(await Promise.all((await allExecutions()).map(readRaw)));
	for (const secret of [PASSWORD, ...service.tokens.issued]) {
		assert.ok(!everything.includes(secret), 'a secret is in an execution');
		assert.ok(!instance.log().includes(secret), 'a secret is in the log');
	}
});

const allExecutions = async () => (await instance.call('GET', '/executions?limit=50')).results;
const readRaw = async ({ id }) => await instance.call('GET', `/executions/${id}`);
