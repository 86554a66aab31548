// The credential's connection test, as the editor of a real n8n runs it. Needs what `npm run demo` installs.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { installN8n } from '../../demo/lib/install.mjs';
import { owner, setUpOwner, startN8n } from '../../demo/lib/n8n.mjs';
import { buildPackage, installPackage } from '../../demo/lib/package.mjs';
import { stopAll } from '../../demo/lib/processes.mjs';
import { startService } from '../../demo/lib/service.mjs';

const userFolder = mkdtempSync(join(tmpdir(), 'n8n-e2e-'));
let service;
let other;
let testCredential;

before(async () => {
	const installation = await installN8n();
	await buildPackage();
	await installPackage(userFolder);
	service = await startService();
	other = createServer(answerAsAnotherServer).listen(0, '127.0.0.1');
	const n8n = await startN8n({ installation, userFolder });
	await setUpOwner(n8n.url);
	const login = await fetch(`${n8n.url}/rest/login`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ emailOrLdapLoginId: owner.email, password: owner.password }),
	});
	const cookie = login.headers.getSetCookie().map((value) => value.split(';')[0]).join('; ');
	const { baseUrl, automationUrl, apiKey } = service;
	const good = { baseUrl, automationUrl, apiKey, allowUnencrypted: false };
	const post = async (path, body) => {
		const response = await fetch(`${n8n.url}/rest${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', cookie },
			body: JSON.stringify(body),
		});
		const text = await response.text();
		assert.equal(response.status, 200, text);
		return JSON.parse(text).data;
	};
	const named = { name: 'Local service', type: 'browserAutomationApi' };
	const { id } = await post('/credentials', { ...named, data: good });
	testCredential = async (change) => {
		const data = { ...good, ...change };
		const result = await post('/credentials/test', { credentials: { id, ...named, data } });
		assert.ok(!result.message.includes(data.apiKey), `the key is in "${result.message}"`);
		return result;
	};
}, { timeout: 600_000 });

after(async () => {
	other?.close();
	await stopAll();
	rmSync(userFolder, { recursive: true, force: true });
});

/** A server that is not the service: /page answers with a web page, /json with JSON, /moved with a redirect. */
function answerAsAnotherServer({ url }, response) {
	if (url.startsWith('/page')) response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><title>Hi</title>');
	else if (url.startsWith('/json')) response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
	else if (url.startsWith('/moved')) response.writeHead(302, { location: '/page' }).end();
	else response.writeHead(500).end();
}

const addressOf = (path) => `http://127.0.0.1:${other.address().port}${path}`;

const cases = [
	['a good key', () => ({}), 'OK', /^Connection successful!$/],
	['a trailing slash', () => ({ automationUrl: `${service.automationUrl}/` }), 'OK', /^Connection successful!$/],
	['a wrong key', () => ({ apiKey: 'a-wrong-key' }), 'Error', /^The service does not accept this API Key/],
	['a blank key', () => ({ apiKey: '  ' }), 'Error', /^API Key is empty/],
	['a wrong path', () => ({ automationUrl: `${service.automationUrl}/nowhere` }), 'Error', /^Nothing answers at this Automation URL/],
	['a web page', () => ({ automationUrl: addressOf('/page') }), 'Error', /^Something answers at this Automation URL, but it is not/],
	['another service', () => ({ automationUrl: addressOf('/json') }), 'Error', /^Something answers at this Automation URL, but it is not/],
	['a redirect', () => ({ automationUrl: addressOf('/moved') }), 'Error', /./],
	['a server that is down', () => ({ automationUrl: addressOf('/down') }), 'Error', /./],
	['no scheme', () => ({ automationUrl: 'automation.example.com' }), 'Error', /^Automation URL has no scheme/],
	['an unencrypted address', () => ({ automationUrl: 'http://automation.example.com' }), 'Error', /^Automation URL starts with http:\/\/, so the API key/],
];

for (const [name, change, status, message] of cases) {
	test(name, async () => {
		const result = await testCredential(change());
		assert.match(result.message, message);
		assert.equal(result.status, status);
	});
}
