import type { IHttpRequestOptions } from 'n8n-workflow';
import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';

const credential = new BrowserAutomationApi();
const good = {
	apiKey: ' some-api-key ',
	baseUrl: 'https://api.example.com/v1/',
	automationUrl: 'https://automation.example.com',
	allowUnencrypted: false,
};
const authenticate = async (request: object, change: object = {}) =>
	await credential.authenticate({ ...good, ...change }, request as IHttpRequestOptions);

describe('the credential', () => {
	test('adds the key, without the blanks around it, and keeps the rest of the request', async () => {
		const request = { baseURL: good.baseUrl, url: '/search', headers: { Accept: 'text/plain' } };
		expect(await authenticate(request)).toEqual({
			baseURL: 'https://api.example.com/v1',
			url: '/search',
			headers: { Accept: 'text/plain', Authorization: 'Bearer some-api-key' },
		});
	});

	test.each(['url', 'uri'])("serves n8n's HTTP Request node, which gives the address as %s", async (name) => {
		const request = { [name]: 'https://api.example.com/v1/search?q=a#b' };
		expect(await authenticate(request)).toEqual({ ...request, headers: { Authorization: 'Bearer some-api-key' } });
		await expect(authenticate({ [name]: 'http://api.example.com/' })).rejects.toThrow('would travel unencrypted');
	});

	test.each([
		'http://localhost:1/a',
		'http://api.localhost',
		'http://127.8.0.1',
		'http://[::1]:1',
		'https://a.example',
	])('sends the key to %s', async (baseURL) => {
		expect((await authenticate({ baseURL, url: '/x' })).headers).toHaveProperty('Authorization');
	});

	test.each([
		'http://10.0.0.1',
		'http://api.example.com',
		'http://localhost.example.com',
		'http://127.0.0.1.example.com',
	])('sends the key to %s only where unencrypted connections are allowed', async (baseURL) => {
		await expect(authenticate({ baseURL, url: '/x' })).rejects.toThrow('would travel unencrypted');
		const { headers } = await authenticate({ baseURL, url: '/x' }, { allowUnencrypted: true });
		expect(headers).toHaveProperty('Authorization');
	});

	test('names the field that is wrong', async () => {
		const baseUrl = 'api.example.com';
		await expect(authenticate({ baseURL: baseUrl, url: '/x' }, { baseUrl })).rejects.toThrow(/^Base URL has no scheme/);
		await expect(authenticate({ baseURL: good.baseUrl, url: '/x' }, { apiKey: ' ' })).rejects.toThrow(
			/^API Key is empty/,
		);
	});
});
