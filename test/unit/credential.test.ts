import type { ICredentialDataDecryptedObject, IHttpRequestHelper, IHttpRequestOptions } from 'n8n-workflow';
import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';
import { BrowserAutomationPasswordOAuth2Api } from '../../credentials/BrowserAutomationPasswordOAuth2Api.credentials';

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
	it('adds the key, without the blanks around it, and keeps the rest of the request', async () => {
		const request = { baseURL: good.baseUrl, url: '/search', headers: { Accept: 'text/plain' } };
		expect(await authenticate(request)).toEqual({
			baseURL: 'https://api.example.com/v1',
			url: '/search',
			headers: { Accept: 'text/plain', Authorization: 'Bearer some-api-key' },
		});
	});

	it.each(['url', 'uri'])("serves n8n's HTTP Request node, which gives the address as %s", async (name) => {
		const request = { [name]: 'https://api.example.com/v1/search?q=a#b' };
		expect(await authenticate(request)).toEqual({ ...request, headers: { Authorization: 'Bearer some-api-key' } });
		await expect(authenticate({ [name]: 'http://api.example.com/' })).rejects.toThrow('would be sent unencrypted');
	});

	it('sends the key unencrypted only if that is allowed', async () => {
		const request = { baseURL: 'http://api.example.com', url: '/x' };
		await expect(authenticate(request)).rejects.toThrow('would be sent unencrypted');
		expect((await authenticate(request, { allowUnencrypted: true })).headers).toHaveProperty('Authorization');
	});

	it.each(['Bearer some-api-key', ' bearer\tsome-api-key\n'])(
		'takes the key out of what was pasted: %j',
		async (apiKey) => {
			const { headers } = await authenticate({ baseURL: good.baseUrl, url: '/x' }, { apiKey });
			expect(headers).toEqual({ Authorization: 'Bearer some-api-key' });
		},
	);

	it.each(['', '/', ' '])('takes the address out of what was pasted: the URL of a start%s', async (end) => {
		const automationUrl = `${good.automationUrl}/api/anything/start${end}`;
		const request = { baseURL: automationUrl, url: '/api/anything/start' };
		expect((await authenticate(request, { automationUrl })).baseURL).toBe(good.automationUrl);
	});

	const unsendable = 'API Key contains invalid characters. Copy the key';
	it.each([
		...['some\u2026key', 'some\u00a0key', 'some\nkey', 'k\u00e9y'].map((apiKey) => [apiKey, unsendable]),
		...['', ' ', 'Bearer', 'Bearer '].map((apiKey) => [apiKey, 'API Key is empty']),
	])('refuses the key %j: %s', async (apiKey, problem) => {
		await expect(authenticate({ baseURL: good.baseUrl, url: '/x' }, { apiKey })).rejects.toThrow(problem);
	});

	it('sends the key to the address in the same credential, whatever base URL n8n has read', async () => {
		const request = { baseURL: 'https://other.example.com', url: '/x', credentialUse: { address: 'baseUrl' } };
		const sent = {
			baseURL: 'https://api.example.com/v1',
			url: '/x',
			headers: { Authorization: 'Bearer some-api-key' },
		};
		expect(await authenticate(request)).toEqual(sent);
		const restricted = await authenticate({ ...request, allowedDomains: 'other.example.com' });
		expect(restricted.allowedDomains).toBe('api.example.com, other.example.com');
	});

	it('names the field that is wrong', async () => {
		const baseUrl = 'api.example.com';
		const sent = authenticate({ baseURL: baseUrl, url: '/x' }, { baseUrl });
		await expect(sent).rejects.toThrow(/^Base URL does not start with https/);
	});
});

describe('the connection test of the credential', () => {
	const { request } = credential.test as { request: object };

	/** Does what n8n does: calls preAuthentication after a 401, then authenticate once more. */
	const test = { ...request, baseURL: good.automationUrl };
	const runTest = async (outcome: () => Promise<unknown>, sent: object = test) => {
		const httpRequest = jest.fn(outcome);
		const helpers = { helpers: { httpRequest } } as unknown as IHttpRequestHelper;
		const credentials: ICredentialDataDecryptedObject = { ...good, probe: 'none' };
		const send = async () => await credential.authenticate(credentials, { ...sent } as IHttpRequestOptions);
		const first = await send().catch((error: { response?: unknown }) => error.response);
		expect(await credential.preAuthentication.call(helpers, credentials)).toEqual({});
		return { first, second: await send(), probes: httpRequest.mock.calls.map(([probe]: unknown[]) => probe) };
	};
	const failWith = (code: string) => async () => await Promise.reject(Object.assign(new Error(`${code} x`), { code }));

	it.each([
		['ECONNREFUSED', 'connection refused'],
		['ENOTFOUND', 'unknown host name'],
	])('says in a sentence that there was no response (%s)', async (code, cause) => {
		const error = await runTest(failWith(code)).catch((reason: Error) => reason);
		expect(error).toMatchObject({ message: expect.stringContaining(cause) });
		expect((error as Error).message).toMatch(/^No response from the service: .*\. Check the Automation URL/);
		expect(error).not.toHaveProperty('code');
	});

	it.each([
		['a response', async () => ({ statusCode: 500 })],
		['every other problem', failWith('SOMETHING_ELSE')],
	])('leaves %s to the test itself, and sends no key before', async (_name, outcome) => {
		const { first, second, probes } = await runTest(outcome);
		expect(first).toEqual({ status: 401 });
		expect(second).toMatchObject({ baseURL: good.automationUrl, headers: { Authorization: 'Bearer some-api-key' } });
		expect(second).not.toHaveProperty('credentialUse');
		expect(probes).toEqual([expect.objectContaining({ method: 'GET', baseURL: good.automationUrl })]);
		expect(JSON.stringify(probes)).not.toContain('some-api-key');
	});

	it('is the only request that is probed', async () => {
		const { probes } = await runTest(failWith('ECONNREFUSED'), { baseURL: good.baseUrl, url: '/x' });
		expect(probes).toEqual([]);
	});
});

describe('the connection test of user name and password', () => {
	it('needs a new token even if n8n keeps one, so that a wrong password is found', async () => {
		const withPassword = new BrowserAutomationPasswordOAuth2Api();
		const baseURL = good.baseUrl;
		const issuedFor = 'ann at https://api.example.com/v1';
		const user = { ...good, username: 'ann', password: 'a-password' };
		const credentials: ICredentialDataDecryptedObject = { ...user, accessToken: 'stored-token', issuedFor };
		const { request } = withPassword.test as { request: object };
		const send = async (sent: object) =>
			await withPassword.authenticate(credentials, { baseURL, url: '/x', ...sent } as IHttpRequestOptions);
		expect((await send({})).headers).toEqual({ Authorization: 'Bearer stored-token' });
		await expect(send(request)).rejects.toMatchObject({ response: { status: 401 } });

		const httpRequest = async () => ({ statusCode: 200, headers: {}, body: { access_token: 'new-token' } });
		const helpers = { helpers: { httpRequest } } as unknown as IHttpRequestHelper;
		const output = await withPassword.preAuthentication.call(helpers, credentials);
		expect(output).toEqual({ accessToken: 'new-token', issuedFor });
		Object.assign(credentials, output);
		expect((await send(request)).headers).toEqual({ Authorization: 'Bearer new-token' });
	});
});
