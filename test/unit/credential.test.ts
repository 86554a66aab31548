/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { Readable } from 'node:stream';
import { NodeApiError, type IHttpRequestHelper, type IHttpRequestOptions, type INode } from 'n8n-workflow';

import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';
import { BrowserAutomationPasswordOAuth2Api } from '../../credentials/BrowserAutomationPasswordOAuth2Api.credentials';
import { checkUrl, issuedFor, secretsIn, TOKEN_USE, trimUrl, type TokenUse } from '../../nodes/shared/http/credential';
import { sendWithSharedToken, tokensInUse } from '../../nodes/BrowserAutomation/request/send';
import { each } from '../support/each';
import { memoryOf as newMemory } from '../support/execution';
import { credentialTypes } from '../support/registered';
import { useService } from '../support/use-service';

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
		expect(await authenticate(request)).toMatchObject({ ...request, headers });
	});

	it.each([
		...['Bearer some-api-key', ' bearer\tsome-api-key\n', 'Bearer  some-api-key'],
		// datalab-org/datalab-api#14, cortexapps/cli#22, Skyvern-AI/skyvern#4553: in quotes, or with the name of a header.
		...['"some-api-key"', " 'some-api-key' ", '`some-api-key`', '\u201csome-api-key\u201d', 'Bearer "some-api-key"'],
		...['Authorization: Bearer some-api-key', '"Authorization": "Bearer some-api-key"', 'authorization:some-api-key'],
		...['"Bearer some-api-key"', 'X-API-Key: some-api-key'],
	])('reads the key in %j', async (apiKey) => {
		expect(await authenticate({ baseURL: good.baseUrl }, { apiKey })).toMatchObject(sent);
	});

	const unsendable = ['some\u2026key', 'some\u00a0key', 'some\nkey', 'k\u00e9y', "some'key", 'KEY="some-key"'];
	const keys = (apiKeys: unknown[], problem: string) =>
		apiKeys.map((apiKey): [object, string] => [{ apiKey }, `'API Key' ${problem}`]);
	it.each<[object, string]>([
		// n8n#33074, n8n#24828, n8n#16892
		...keys(['{{$secrets.v.key}}', '{{ $json.key }}'], 'contains an expression'),
		...keys(['undefined', 'null', '__n8n_BLANK_VALUE_e5362baf'], 'contains a placeholder'),
		...keys(unsendable, 'contains invalid characters. Copy the key'),
		...keys(['', ' ', '""', 'Bearer', 'Bearer ', undefined], 'is empty. Enter it'),
		[{}, "'Base URL' does not start with https"],
	])('rejects %j: %s', async (change, problem) => {
		const request = { credentialUse: { urlField: 'baseUrl' } };
		await expect(authenticate(request, { baseUrl: 'api.example.com', ...change })).rejects.toThrow(problem);
	});
});

it.each([
	[' https://e.co/v1// ', 'https://e.co/v1'],
	['https://e.co//api/anything/start/ ', 'https://e.co'],
	['https://e.co/api/anything/start/2', 'https://e.co/api/anything/start/2'],
	[undefined, ''],
])('takes blanks, slashes and the path of a start from the ends of %j', (address, trimmed) => {
	expect(trimUrl(address)).toBe(trimmed);
});

const http = (host: string) => `http://${host}`;
const UNENCRYPTED = 'starts with http://, so the API key would be sent unencrypted';
it.each<[string, string | undefined]>([
	...each(['', ' '], 'is empty'),
	...each(['127.0.0.1:1', '1https://e.co', 'ftp://e.co', 'https://'], 'does not start with https://'),
	['https://e co', 'is not a valid URL'],
	...each(['https://user@e.co', 'https://:pass@e.co'], 'contains a user name or a password'),
	...each(['https://e.co/?a', 'https://e.co/#a', 'https://e.co?', 'https://e.co/#'], 'contains "?" or "#"'),
	['https://e.co/a', undefined],
	...each(['localhost:1/a', 'api.localhost', '127.8.0.12', '0.0.0.0:1', '[::]:1', '[::1]:1'].map(http), undefined),
	...each(['e.co', '10.0.0.1', 'localhost.e.co', '127.0.0.1.e.co', 'notlocalhost'].map(http), UNENCRYPTED),
])('finds out whether %j can be a URL', (baseUrl, reason) => {
	const check = (allowUnencrypted: boolean) => checkUrl({ baseUrl, allowUnencrypted }, 'baseUrl', 'the API key');
	if (reason === undefined) return expect(() => check(false)).not.toThrow();
	expect(() => check(false)).toThrow(`'Base URL' ${reason}. `);
	if (reason === UNENCRYPTED) expect(() => check(true)).not.toThrow();
});

describe.each(credentialTypes)('every credential of the package: $name', ({ name, properties, test }) => {
	it('hides the fields of its secrets, and has their values masked', () => {
		const hidden = properties.filter(({ typeOptions }) => typeOptions?.password).map((field) => field.name);
		const secret = properties.filter((field) => /key|password|secret|token$/i.test(field.name));
		expect(hidden).toEqual(secret.map((field) => field.name));
		const stored = Object.fromEntries(hidden.map((field) => [field, `value of ${field}`]));
		expect(secretsIn(stored)).toEqual(expect.arrayContaining(Object.values(stored)));
	});

	// n8n#26305: 422 of another service, 407 of a proxy, and 200 passed.
	it('is proven by one status alone, and has a message for every other', () => {
		const proof = name === 'browserAutomationApi' ? 400 : 422;
		const ignored = test!.request.ignoreHttpStatusErrors as { ignore: true; except: number[] };
		const all = Array.from({ length: 400 }, (_, index) => 200 + index);
		expect(all.filter((status) => !ignored.except.includes(status))).toEqual([proof]);
		const said = test!.rules!.map(({ properties }) => Object.values(properties)[0] as unknown);
		const redirects = [301, 302, 303, 307, 308];
		const others = [200, 201, 202, 204, proof === 400 ? 422 : 400, 401, 403, 404, 407, ...redirects];
		expect(said).toEqual(expect.arrayContaining(others));
		expect(said).not.toContain(proof);
	});
});

const SAME = "'Base URL' and 'Automation URL' are the same. They must be different";
it.each([
	[{ baseUrl: '' }, "'Base URL' is empty"],
	[{ baseUrl: 'http://api.example.com' }, "'Base URL' starts with http://, so the API key would be sent unencrypted"],
	[{ automationUrl: '' }, "'Automation URL' is empty"],
	[{ automationUrl: 'http://automation.example.com' }, "'Automation URL' starts with http://"],
	[{ baseUrl: ` ${good.automationUrl}/api/anything/start` }, SAME],
])('the connection test rejects %j without a request: %s', async (change, problem) => {
	const { request } = credential.test;
	await expect(authenticate({ ...request, baseURL: good.automationUrl }, change)).rejects.toThrow(problem);
});

// A promise of SECURITY.md.
describe('The key and the tokens are sent only to the two URLs in the credential and to paths below them, the password only to Base URL plus /token', () => {
	const ELSEWHERE = 'https://elsewhere.example';

	describe.each(credentialTypes)('with $name', (type) => {
		const hidden = type.properties.filter(({ typeOptions }) => typeOptions?.password);
		const secrets = Object.fromEntries(hidden.map((field) => [field.name, 'some-api-key']));
		const send = async (request: object, change: object = {}) => {
			const authenticate = type.authenticate as typeof credential.authenticate;
			const stored = { ...good, username: 'ann', ...secrets, ...change };
			const credentials = { ...stored, issuedForToken: issuedFor(stored) };
			const sent = await authenticate(credentials, request as IHttpRequestOptions);
			expect(JSON.stringify(sent.headers)).toContain('some-api-key');
			return sent;
		};

		it.each([
			{ uri: 'https://api.example.com/v1/search?q=a#b' },
			{ url: 'https://api.example.com/v1' },
			{ url: 'https://api.example.com/v1/x?page=2', uri: 'https://api.example.com/v1/x?page=2' },
			{ uri: 'https://api.example.com/v1/a%20b/100%25?next=%2F..%2Fv2#/../%5C' },
			{ uri: 'https://api.example.com/v1/.well-known/%E4%BD%A0%E5%A5%BD/..a/M%C3%BCller%20%26%20Co./1.5' },
			{ uri: 'https://api.example.com/v1/x', proxy: 'http://proxy.example:3128' },
			{ uri: `${good.automationUrl}/api/anything/start`, followRedirect: true, followAllRedirects: true },
			{ baseURL: `${good.baseUrl}//`, url: '/search//a' },
		])('goes below a URL of the credential, without redirects: %j', async (request) => {
			const headers = expect.anything() as object;
			expect(await send(request)).toEqual({ ...request, headers, disableFollowRedirect: true, maxRedirects: 0 });
		});

		it.each<[object, string]>([
			[{ uri: `${ELSEWHERE}/search` }, ELSEWHERE],
			[{ baseURL: ELSEWHERE, url: '/search' }, ELSEWHERE],
			[{ uri: 'https://api.example.com@elsewhere.example/' }, ELSEWHERE],
			[{ uri: 'https://api.example.com:8443/v1' }, 'https://api.example.com:8443'],
			[{ uri: 'http://api.example.com/v1' }, 'http://api.example.com'],
			[{ uri: 'https://api.example.com.evil/' }, 'https://api.example.com.evil'],
			// n8n's client would join or prefer these in its own way.
			...each([{ url: ELSEWHERE, uri: good.baseUrl }, { uri: 'search' }, {}], 'this URL'),
			...[`${ELSEWHERE}/`, '//elsewhere.example/', '\\\\elsewhere.example/', '/\\elsewhere.example/'].map(
				(url): [object, string] => [{ baseURL: good.baseUrl, url }, 'this URL'],
			),
			// S3. A tenant of the same gateway.
			...['/v2', '/', '/v10/search', '/V1/search', '//v1/search', '/v1/%2e%2E/v2', '/v1%2Fsearch', '/v1\\..\\v2'].map(
				(path): [object, string] => [{ uri: `https://api.example.com${path}` }, 'https://api.example.com'],
			),
		])('does not go with %j to %s', async (request, origin) => {
			const said = `does not send .+ to ${origin}, which is neither at 'Base URL' nor at 'Automation URL'. Correct`;
			for (const change of [{}, { allowUnencrypted: true }, { automationUrl: 'no address' }])
				await expect(send(request, change)).rejects.toThrow(new RegExp(said));
		});

		it.each([
			...['%2F..%2Fv2', 'a%2fb', '%5c', '..%252f..', '%25252e%25252e/v2', '..;/v2', '..%3Bx/v2', '%2e%252e/a'],
			...['..%00/v2', '..%20/v2', '.%09./v2', '%2500..', '.%C2%A0./v2', '..%E2%80%8B', `%${'25'.repeat(9)}2e.`],
			...['%C0%AE%C0%AE/v2', '%EF%BC%8E%EF%BC%8E/v2', '%E2%80%A5/v2', '%25C0%25AE', '.%EF%BC%8E;x'],
			// A server that decodes first ends the path there, IIS decodes `%u`, and Windows reads wide slashes as slashes.
			...['..%3Fx', '.%2e%23/v2', '%u002e%u002e/v2', 'a%25u002fb', '..%EF%BC%8Fv2'],
		])('goes to no path that a server may read differently: /v1/%s', async (path) => {
			await expect(send({ uri: `https://api.example.com/v1/${path}` })).rejects.toThrow(
				'to a path with an encoded slash, backslash or dot. Remove',
			);
		});

		it('does not go for a node of this package to a path that leaves its URL', async () => {
			const credentialUse = { urlField: 'baseUrl' };
			for (const url of ['/secrets/..%2F..%2Fv2', '/../v2', '/secrets/%252e%252e', '/secrets/a%252F..', ELSEWHERE])
				await expect(send({ url, credentialUse })).rejects.toThrow('This credential does not send');
		});

		it('goes to the URL in the same credential if a node of this package sends it', async () => {
			const use = { credentialUse: { urlField: 'baseUrl' }, [TOKEN_USE]: undefined };
			const request = await send({ baseURL: ELSEWHERE, url: '/x', ...use });
			expect(request.baseURL).toBe('https://api.example.com/v1');
			expect(request).not.toHaveProperty('credentialUse');
			expect(Object.getOwnPropertySymbols(request)).toEqual([]);
		});

		const unencrypted = { baseUrl: 'http://api.example.com' };
		const [allowed, local] = [{ ...unencrypted, allowUnencrypted: true }, { baseUrl: 'http://localhost:8080' }];
		const proxy = 'http://proxy.example';
		// A promise of SECURITY.md.
		describe('Keys, tokens and passwords are sent unencrypted only to localhost, or if the credential allows that, and never unencrypted through a proxy that the request names', () =>
			it.each([
				[unencrypted, {}, "'Base URL' starts with http://"],
				[allowed, {}, undefined],
				[local, {}, undefined],
				[allowed, { proxy }, "in a request with 'Proxy' with an http:// URL"],
				[local, { proxy }, "in a request with 'Proxy' with an http:// URL"],
			])('with %j and %j: %s', async (change, options, problem) => {
				const sending = send({ url: `${change.baseUrl}/x`, ...options }, change);
				await (problem === undefined ? sending : expect(sending).rejects.toThrow(problem));
			}));

		// A promise of SECURITY.md.
		describe('A key or a token is not added to a request that does not check certificates, or trusts a certificate authority of its own', () =>
			it.each([{ rejectUnauthorized: false }, { skipSslCertificateValidation: true }, { agentOptions: { ca: 'x' } }])(
				'%j',
				async (options) => await expect(send({ url: good.baseUrl, ...options })).rejects.toThrow('does not send'),
			));
	});
});

describe('the connection test', () => {
	const service = useService();
	const withPassword = new BrowserAutomationPasswordOAuth2Api();
	/** What the service responds to the request of a test. */
	const responseTo = async ({ url, method, body }: typeof credential.test.request, baseUrl: string) => {
		const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
		const response = await fetch(baseUrl + url, { method, headers, body: JSON.stringify(body) });
		return [response.status, await response.json()] as const;
	};

	it('of an API key starts nothing: the service rejects the version', async () => {
		const { request } = credential.test;
		expect(request.baseURL).toBe('={{$credentials.automationUrl}}');
		const error = expect.objectContaining({ error: 'unsupported_version' }) as object;
		expect(await responseTo(request, service.automationUrl)).toEqual([400, error]);
		expect(service.starts).toEqual([]);
	});

	it('of user name and password connects no wallet: the service rejects the request, for two reasons', async () => {
		const { request } = withPassword.test;
		expect(request.baseURL).toBe('={{$credentials.baseUrl}}');
		const [status, body] = await responseTo(request, service.baseUrl);
		const { detail } = body as { detail: Array<{ loc: string[] }> };
		expect([status, detail.map(({ loc }) => loc.at(-1)).sort()]).toEqual([422, ['mode', 'x']]);
	});

	it('of user name and password needs a new token even if n8n keeps one, so that a wrong password is found', async () => {
		const user = { ...good, username: 'ann', password: 'a-password' };
		const credentials = { ...user, accessToken: 'stored-token', issuedForToken: issuedFor(user) };
		const send = async (request: object) =>
			await withPassword.authenticate(credentials, { url: '/x', ...request, baseURL: good.baseUrl });
		expect((await send({})).headers).toEqual({ Authorization: 'Bearer stored-token' });
		const { request } = withPassword.test;
		await expect(send(request)).rejects.toMatchObject({ response: { status: 401 } });
		const body = Readable.from([Buffer.from('{"access_token":"new-token"}')]);
		const httpRequest = async () => ({ statusCode: 200, headers: {}, body });
		const helpers = { helpers: { httpRequest } } as unknown as IHttpRequestHelper;
		const output = await withPassword.preAuthentication.call(helpers, credentials);
		expect(output).toEqual({ accessToken: 'new-token', issuedForToken: issuedFor(user) });
		Object.assign(credentials, output);
		expect((await send(request)).headers).toEqual({ Authorization: 'Bearer new-token' });
		credentials.automationUrl = 'http://automation.example.com';
		await expect(send(request)).rejects.toThrow("'Automation URL' starts with http://, so the token would be sent");
		credentials.automationUrl = '';
		expect((await send(request)).headers).toEqual({ Authorization: 'Bearer new-token' });
	});
});

describe('items that wait for a token which another item gets', () => {
	const user = { ...good, username: 'ann', password: 'a-password' };
	const sentWith = async (text: string) => await Promise.resolve({ statusCode: 200, text });

	it('get one of their own if that item ends without a token', async () => {
		const memory = newMemory();
		const send = async ({ value }: TokenUse) => await sentWith(`${value}`);
		const sent = [1, 2, 3].map(async () => await sendWithSharedToken(memory, user, send));
		expect(await Promise.all(sent)).toMatchObject(Array(3).fill({ text: 'undefined' }));
		await sendWithSharedToken(memory, user, async ({ onUse }) => (onUse('new'), await sentWith('next')));
		expect(tokensInUse(memory)).toEqual(['new']);
	});

	it('are masked with every token that was rejected before, not only with the last one', async () => {
		const memory = newMemory();
		let issued = 0;
		const send = async ({ value, onUse }: TokenUse) => {
			onUse(value ?? `token ${++issued}`);
			return await Promise.resolve({ statusCode: 401 });
		};
		for (let run = 0; run < 3; run++) await sendWithSharedToken(memory, user, send);
		expect(issued).toBeGreaterThan(2);
		const all = Array.from({ length: issued }, (_, index) => `token ${index + 1}`);
		expect(tokensInUse(memory)).toEqual(expect.arrayContaining(all));
	});

	it('is sent once more with another token if n8n makes an error of the 401', async () => {
		const sent: TokenUse[] = [];
		const send = async (use: TokenUse) => {
			sent.push(use);
			use.onUse(`token ${sent.length}`);
			if (sent.length > 1) return await sentWith('done');
			const node = { name: 'Node', type: 'x.y' } as INode;
			throw new NodeApiError(node, {}, { httpCode: '401', message: 'Expired' });
		};
		expect(await sendWithSharedToken(newMemory(), user, send)).toMatchObject({ text: 'done' });
		expect(sent.map(({ rejected }) => rejected)).toEqual(['', 'token 1']);
	});

	// S4. A credential with expressions.
	it('get no token of the same user at another URL or with another password, nor of another user there', async () => {
		const memory = newMemory();
		for (const [change, own, expected] of [
			[{}, 'first', 'first'],
			[{ baseUrl: 'https://other.example.com' }, 'second', 'second'],
			[{ username: 'bob' }, 'third', 'third'],
			[{ password: 'another-password' }, 'own', 'own'],
			[{ password: 'a-password ' }, 'blank', 'blank'],
			[{}, 'fourth', 'first'],
		] as const) {
			const send = async ({ value = own, onUse }: TokenUse) => (onUse(value), await sentWith(value));
			expect(await sendWithSharedToken(memory, { ...user, ...change }, send)).toMatchObject({ text: expected });
		}
	});
});
