import nock from 'nock';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { issuedFor } from '../../nodes/shared/http/credential';
import { BROWSER_AUTOMATION, callAsAgent, operate } from '../engine/run-node';
import { answering } from '../support/answering';
import { usePauses } from '../support/clock';
import { useService } from '../support/use-service';

const PASSWORD = 'pass word+&=%é';
const FORM_PASSWORD = new URLSearchParams({ password: PASSWORD }).toString().slice('password='.length);

// What nock replaces is Node's own, and stays so for the files that the same worker runs next.
afterAll(() => nock.restore());

const service = useService({ username: 'ann@example.com', password: PASSWORD });

const searchQuery = '={{ $json.q ?? "library hours" }}';
const search = { resource: 'web', operation: 'search', searchQuery, splitIntoItems: false };
const items = (count: number): INodeExecutionData[] =>
	Array.from({ length: count }, (_, index) => ({ json: { q: `query ${index}` } }));

const run = async (parameters: INodeParameters = search, options: Parameters<typeof operate>[2] = {}) =>
	await operate(service, { authentication: 'oAuth2Password', ...parameters }, options);

/** What n8n keeps in the credential after a run, for the next one. */
const kept = (ran: Awaited<ReturnType<typeof run>>) => ran.credentials.browserAutomationOAuth2PasswordApi;

const tokenRequests = () => service.requests.filter(({ path }) => path.endsWith('/token'));
const statuses = () => service.requests.filter(({ path }) => !path.endsWith('/token')).map(({ status }) => status);

describe('a token', () => {
	it('is asked for as RFC 6749 has it, sent as bearer, and kept by n8n', async () => {
		const ran = await run();
		const [asked, used] = service.requests;
		expect(asked).toMatchObject({ method: 'POST', path: '/rest/token', query: {}, status: 200 });
		expect(asked.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
		const sent = Object.fromEntries(new URLSearchParams(String(asked.body)));
		expect(sent).toEqual({ grant_type: 'password', username: 'ann@example.com', password: PASSWORD });
		expect(asked.headers).not.toHaveProperty('authorization');
		expect(used.headers.authorization).toBe(`Bearer ${service.tokens.issued[0]}`);
		expect(kept(ran)).toMatchObject({ accessToken: service.tokens.issued[0] });
	});

	it('serves all items and the runs that follow', async () => {
		const first = await run(search, { input: items(25) });
		await run(search, { input: items(5), credentials: kept(first) });
		expect(statuses()).toEqual(Array(30).fill(200));
		expect(tokenRequests()).toHaveLength(1);
	});

	it.each([false, true])('is renewed once when it expires halfway (a new one ends the old: %s)', async (newest) => {
		Object.assign(service.tokens, { uses: 3, onlyNewest: newest });
		const first = await run(search, { input: items(2) });
		service.tokens.uses = Infinity;
		const second = await run(search, { input: items(8), credentials: kept(first) });
		expect(second.error).toBeUndefined();
		expect(second.items.map(({ pairedItem }) => pairedItem)).toEqual(items(8).map((_, item) => ({ item })));
		expect(tokenRequests()).toHaveLength(2);
		expect(statuses().filter((status) => status === 401)).toHaveLength(7);
		expect(statuses().filter((status) => status === 200)).toHaveLength(2 + 8);
		expect(kept(second).accessToken).toBe(service.tokens.issued[1]);
	});

	describe('(with pauses that are over at once)', () => {
		usePauses();

		it('is renewed for one request of several that an item makes', async () => {
			service.tokens.uses = 1;
			const form = { resource: 'session', operation: 'getReplay', sessionId: 'processing-1', waitForRecording: true };
			expect((await run(form)).items).toHaveLength(1);
			expect(statuses()).toEqual([404, 401, 200]);
			expect(tokenRequests()).toHaveLength(2);
		});
	});
});

describe('without a token that works', () => {
	it('sends each request twice at most, gets one more token for all of them, and says that it was rejected', async () => {
		const first = await run();
		service.tokens.revoke();
		service.tokens.bornRevoked = true;
		const options = { input: items(5), credentials: kept(first) };
		const { items: failed } = await run(search, { ...options, node: { onError: 'continueRegularOutput' } });
		expect(failed.map(({ json }) => json)).toMatchObject(Array(5).fill({ error: 'The token was revoked' }));
		expect(statuses()).toEqual([200, ...Array(10).fill(401)]);
		expect(tokenRequests()).toHaveLength(2);
		const { error } = await run();
		expect(error).toMatchObject({ name: 'NodeApiError', message: 'The token was revoked', httpCode: '401' });
		expect(error!.description).toMatchSnapshot();
	});

	it('says that user name or password are wrong, after one try for all items', async () => {
		const options = { input: items(6), credentials: { password: 'wrong' } };
		const { error } = await run(search, options);
		const message = 'Sign-in failed: Incorrect user name or password (invalid_grant)';
		const description = "Check 'User Name' and 'Password' in the credential";
		expect(error).toMatchObject({ name: 'NodeOperationError', message, description, context: { itemIndex: 0 } });
		const { items: found } = await run(search, { ...options, node: { onError: 'continueRegularOutput' } });
		expect(found).toMatchObject(found.map((_, item) => ({ json: { error: message }, pairedItem: { item } })));
		expect(found).toHaveLength(6);
		expect(service.requests.map(({ path, status }) => [path, status])).toEqual(Array(2).fill(['/rest/token', 400]));
	});

	const page = '<!DOCTYPE html><title>Sign in</title>';
	const echo = { error: 'invalid_grant', error_description: `Not ${PASSWORD}, sent as ${FORM_PASSWORD}` };
	// The other reasons are in test/unit/request-token.test.ts.
	it.each<[string, number, object | string, string, RegExp]>([
		['a password', 400, echo, 'Not ***, sent as *** (invalid_grant)', /^Check 'User Name' and 'Password'/],
		['a firewall', 403, page, 'the service returned a web page titled "Sign in" (status 403)', /^A proxy or firewall/],
		[
			'a redirect',
			307,
			'',
			'the request was redirected to https://elsewhere.example.test',
			/redirects are not followed, to protect the key$/,
		],
	])('explains %s', async (_, status, body, reason, advice) => {
		const headers = status === 307 ? { Location: 'https://elsewhere.example.test/' } : undefined;
		nock('https://api.example.test').post('/v1/token').reply(status, body, headers);
		const { error } = await run(search, { credentials: { baseUrl: 'https://api.example.test/v1/' } });
		const description = expect.stringMatching(advice) as string;
		expect(error).toMatchObject({ message: `Sign-in failed: ${reason}`, description, context: { itemIndex: 0 } });
		expect(nock.isDone()).toBe(true);
	});

	// fastapi/full-stack-fastapi-template#1783, n8n#17450, n8n PRs #33144, #24697
	it.each([401, 403])('renews a stored token once after %i, for all items', async (status) => {
		const { baseUrl, requests } = await answering(({ path, headers }) => {
			if (path === '/token') return [200, { access_token: 'new', token_type: null }];
			const isNew = headers.authorization === 'Bearer new';
			return isNew ? [200, { results: [{ a: 1 }] }] : [status, { detail: 'Token expired' }];
		});
		const issuedForToken = issuedFor({ username: 'ann@example.com', password: PASSWORD, baseUrl });
		const credentials = { baseUrl, accessToken: 'old', issuedForToken };
		const { items: found, error } = await run(search, { input: items(3), credentials });
		expect([error?.message, found.length]).toEqual([undefined, 3]);
		const sent = requests.map(({ headers }) => headers.authorization);
		expect(sent.toSorted()).toEqual([
			...['new', 'old'].flatMap((token) => Array(3).fill(`Bearer ${token}`)),
			undefined,
		]);
	});
});

// A token is requested by the credential itself, and there n8n adds no host.
it.each([
	['elsewhere.example', 'Domain not allowed: This credential is restricted from accessing 127.0.0.1'],
	['', 'No allowed domains specified'],
	['127.0.0.1', undefined],
])("a token that n8n does not request because of '%s' has n8n's reason", async (allowedDomains, reason) => {
	const { error } = await run(search, { credentials: { allowedHttpRequestDomains: 'domains', allowedDomains } });
	const description = "Check 'Base URL' and 'Allowed HTTP Request Domains' in the credential";
	if (reason) expect(error).toMatchObject({ message: expect.stringMatching(`^${reason}`), description });
	else expect(error).toBeUndefined();
});

it("a call of n8n's own Agents, which have no execution, gets a token, keeps it for the next call, and renews it", async () => {
	service.tokens.uses = 2;
	const form = { ...search, authentication: 'oAuth2Password', searchQuery: 'lamps' };
	const called = await callAsAgent(service, BROWSER_AUTOMATION, [form, form, form]);
	expect(called.map((items) => items.length)).toEqual([1, 1, 1]);
	expect(statuses()).toEqual([200, 200, 401, 200]);
	expect(tokenRequests()).toHaveLength(2);
});

it('an API key is what a start takes, whatever the form held before', async () => {
	const { error } = await run({ resource: 'automationRun', operation: 'start', query: 'quick' });
	expect([error?.message, error?.description]).toMatchSnapshot();
	expect(service.requests).toEqual([]);
});
