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

// What the credentials themselves find in a key or an address: test/unit/credential.test.ts. What they say of a token
// that they do not get: test/workflow/oauth2-password.test.ts.
const keyCases = [
	['a good key', () => ({}), /^Connection successful!$/],
	['a wrong key', () => ({ apiKey: 'a-wrong-key' }), /API Key/],
	['a blank key', () => ({ apiKey: '  ' }), /^API Key is empty/],
	['a wrong path', () => ({ automationUrl: `${n8n.service.automationUrl}/nowhere` }), /^Nothing .* Automation URL/],
	['a web page', () => ({ automationUrl: addressOf('/page') }), /Automation URL/],
	['another service', () => ({ automationUrl: addressOf('/json') }), /Automation URL/],
	['a redirect', () => ({ automationUrl: addressOf('/moved') }), /./],
	['a server that is down', () => ({ automationUrl: addressOf('/down') }), /./],
	['a refused connection', () => ({ automationUrl: 'http://127.0.0.1:1' }), /connection refused/],
];

const passwordCases = [
	['a good password', () => ({}), /^Connection successful!$/],
	['no Automation URL', () => ({ automationUrl: '' }), /^Connection successful!$/],
	['a wrong password', () => ({ password: 'wrong' }), /Incorrect user name or password.*Check User Name and Password/],
	['a wrong path', () => ({ baseUrl: `${n8n.service.baseUrl}/nowhere` }), /Not Found.*Check the Base URL/],
	['another service with tokens and pages', () => ({ baseUrl: addressOf('/tokens/page') }), /Base URL/],
	['another service with tokens', () => ({ baseUrl: addressOf('/tokens/json') }), /Base URL/],
	['a service that refuses its own tokens', () => ({ baseUrl: addressOf('/tokens/refused') }), /does not accept it/],
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
	const node = workflow.nodes.find((candidate) => candidate.name === NODE);
	node.type = 'n8n-nodes-browser-automation.browserAutomation';
	const search = { resource: 'web', operation: 'search', searchQuery: '={{ $json.task }}', splitIntoItems: false };
	node.parameters = { authentication: 'oAuth2Password', ...search };
	Object.assign(node, { credentials: { [PASSWORD]: { id, name } }, onError: 'stopWorkflow' });
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
