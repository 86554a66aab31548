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
const sent = { headers: { Authorization: 'Bearer some-api-key' } };
const authenticate = async (request: object, change: object = {}) =>
	await credential.authenticate({ ...good, ...change }, request as IHttpRequestOptions);

describe('the credential', () => {
	it('adds the key, and keeps the rest of the request', async () => {
		const request = { baseURL: good.baseUrl, url: '/search', headers: { Accept: 'text/plain' } };
		const headers = { Accept: 'text/plain', ...sent.headers };
		expect(await authenticate(request)).toEqual({ baseURL: 'https://api.example.com/v1', url: '/search', headers });
	});

	it.each(['url', 'uri'])("serves n8n's HTTP Request node, which gives the address as %s", async (name) => {
		const request = { [name]: 'https://api.example.com/v1/search?q=a#b' };
		expect(await authenticate(request)).toEqual({ ...request, ...sent });
		await expect(authenticate({ [name]: 'http://api.example.com/' })).rejects.toThrow('would be sent unencrypted');
	});

	it('sends the key unencrypted only if that is allowed', async () => {
		const request = { baseURL: 'http://api.example.com', url: '/x' };
		await expect(authenticate(request)).rejects.toThrow('would be sent unencrypted');
		expect(await authenticate(request, { allowUnencrypted: true })).toMatchObject(sent);
	});

	it.each(['Bearer some-api-key', ' bearer\tsome-api-key\n'])('takes the key out of %j', async (apiKey) => {
		expect(await authenticate({ baseURL: good.baseUrl }, { apiKey })).toMatchObject(sent);
	});

	it.each(['', '/', ' '])('takes the address out of the URL of a start that was pasted with "%s"', async (end) => {
		const automationUrl = `${good.automationUrl}/api/anything/start${end}`;
		expect((await authenticate({ baseURL: automationUrl }, { automationUrl })).baseURL).toBe(good.automationUrl);
	});

	const unsendable = 'API Key contains invalid characters. Copy the key';
	type Row = [object, string];
	it.each<Row>([
		...['some\u2026key', 'some\u00a0key', 'some\nkey', 'k\u00e9y'].map((apiKey): Row => [{ apiKey }, unsendable]),
		...['', ' ', 'Bearer', 'Bearer '].map((apiKey): Row => [{ apiKey }, 'API Key is empty']),
		[{}, 'Base URL does not start with https'],
	])('refuses %j: %s', async (change, problem) => {
		const baseUrl = 'api.example.com';
		await expect(authenticate({ baseURL: baseUrl }, { baseUrl, ...change })).rejects.toThrow(problem);
	});

	it('sends the key to the address in the same credential, whatever base URL n8n has read', async () => {
		const request = { baseURL: 'https://other.example.com', url: '/x', credentialUse: { address: 'baseUrl' } };
		expect(await authenticate(request)).toEqual({ baseURL: 'https://api.example.com/v1', url: '/x', ...sent });
		const { allowedDomains } = await authenticate({ ...request, allowedDomains: 'other.example.com' });
		expect(allowedDomains).toBe('api.example.com, other.example.com');
	});
});

describe('the connection test of the credential', () => {
	/** Does what n8n does: calls preAuthentication after a 401, then authenticate once more. */
	const runTest = async (outcome: object, sent: object = credential.test.request) => {
		const httpRequest = jest.fn(async () => ('code' in outcome ? await Promise.reject(outcome) : outcome));
		const helpers = { helpers: { httpRequest } } as unknown as IHttpRequestHelper;
		const credentials: ICredentialDataDecryptedObject = { ...good, probe: 'none' };
		const send = async () =>
			await credential.authenticate(credentials, { url: '/x', ...sent, baseURL: good.automationUrl });
		const first = await send().catch((error: { response?: unknown }) => error.response);
		expect(await credential.preAuthentication.call(helpers, credentials)).toEqual({});
		return { first, second: await send(), probes: httpRequest.mock.calls as unknown[][] };
	};

	it('says in a sentence that there was no response', async () => {
		const message = 'No response from the service: connection refused. Check the Automation URL';
		await expect(runTest({ code: 'ECONNREFUSED' })).rejects.toThrow(message);
	});

	it.each([{ statusCode: 500 }, { code: 'SOMETHING_ELSE' }])(
		'leaves %j to the test, and sends no key before',
		async (outcome) => {
			const { first, second, probes } = await runTest(outcome);
			expect(first).toEqual({ status: 401 });
			expect(second).toMatchObject({ baseURL: good.automationUrl, ...sent });
			expect(second).not.toHaveProperty('credentialUse');
			expect(probes).toEqual([[expect.objectContaining({ method: 'GET', baseURL: good.automationUrl })]]);
			expect(JSON.stringify(probes)).not.toContain('some-api-key');
		},
	);

	it('is the only request that is probed', async () => {
		expect((await runTest({ code: 'ECONNREFUSED' }, {})).probes).toEqual([]);
	});
});

describe('the connection test of user name and password', () => {
	it('needs a new token even if n8n keeps one, so that a wrong password is found', async () => {
		const withPassword = new BrowserAutomationPasswordOAuth2Api();
		const issuedFor = 'ann at https://api.example.com/v1';
		const user = { ...good, username: 'ann', password: 'a-password' };
		const credentials: ICredentialDataDecryptedObject = { ...user, accessToken: 'stored-token', issuedFor };
		const send = async (request: object) =>
			await withPassword.authenticate(credentials, { url: '/x', ...request, baseURL: good.baseUrl });
		expect((await send({})).headers).toEqual({ Authorization: 'Bearer stored-token' });
		const { request } = withPassword.test;
		await expect(send(request)).rejects.toMatchObject({ response: { status: 401 } });
		const httpRequest = async () => ({ statusCode: 200, headers: {}, body: { access_token: 'new-token' } });
		const helpers = { helpers: { httpRequest } } as unknown as IHttpRequestHelper;
		const output = await withPassword.preAuthentication.call(helpers, credentials);
		expect(output).toEqual({ accessToken: 'new-token', issuedFor });
		Object.assign(credentials, output);
		expect((await send(request)).headers).toEqual({ Authorization: 'Bearer new-token' });
	});
});
