/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { Readable } from 'node:stream';
import { UserError, type IHttpRequestHelper } from 'n8n-workflow';

import type { CredentialError } from '../../nodes/shared/failure/failure';
import { requestToken } from '../../credentials/request-token';

const user = { username: ' ann ', password: 'pass word', baseUrl: 'https://api.example.com' };

/** Requests a token of a service that responds as given, and gives the token, or why there is none. */
async function ask(respond: () => object, change = {}): Promise<string> {
	const httpRequest = async () => {
		const { body, ...response } = respond() as { body?: unknown };
		const text = typeof body === 'string' ? body : JSON.stringify(body);
		return await Promise.resolve({
			headers: {},
			...response,
			body: body instanceof Readable ? body : Readable.from([Buffer.from(text)]),
		});
	};
	const context = { helpers: { httpRequest } } as unknown as IHttpRequestHelper;
	return await requestToken(context, { ...user, ...change }).catch(({ message }: CredentialError) => message);
}

// postman-runtime#398, teiid#780
it.each(['Bearer', 'Bearer ', ' bearer', null, '', undefined])('takes a token of the type %j', async (token_type) => {
	expect(await ask(() => ({ statusCode: 201, body: { access_token: 'new', token_type } }))).toBe('new');
});

const ERRORS = ['invalid_client', 'invalid_grant', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope'];
it.each<[string, number, unknown]>([
	...ERRORS.map((error): [string, number, unknown] => [`the error ${error}`, 400, { error }]),
	['the error invalid_grant', 403, { error: 'invalid_grant' }],
	...[401, 403, 404, 405, 422, 429, 500].map((status): [string, number, unknown] => ['no reason', status, {}]),
	['a token', 300, { access_token: 'new' }],
	['a token', 199, { access_token: 'new' }],
	['a token of another kind', 200, { access_token: 'new', token_type: 'mac' }],
	['no token', 200, {}],
	['an error with success', 200, { error: 'server_error', error_description: 'Later' }],
	['an error that every object has', 400, { error: 'constructor' }],
	['an empty token', 200, { access_token: '' }],
	['a text that may be the token', 200, 'eyJhbGciOi'],
	['a text that says why', 500, 'No. The service is full'],
	['a web page', 200, '<html><title>Sign in</title></html>'],
	['the password', 400, { error_description: 'Not pass word, nor pass+word' }],
])('%s with status %i is a reason and what to do', async (_what, statusCode, body) => {
	expect(await ask(() => ({ statusCode, body }))).toMatchSnapshot();
});

it.each<[string, Error]>([
	['no response', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
	['a domain that n8n does not allow', new UserError('Domain not allowed')],
])('%s is a reason and what to do', async (_what, error) => {
	const respond = () => {
		throw error;
	};
	expect(await ask(respond)).toMatchSnapshot();
});

it.each([{ username: ' ' }, { password: '' }])('nothing is sent with %j', async (change) => {
	const respond = jest.fn(() => ({}));
	expect(await ask(respond, change)).toMatch(/^'(User Name|Password)' is empty. Enter it in the credential$/);
	expect(respond).not.toHaveBeenCalled();
});

it('no token of a response is a part of its reason', async () => {
	const body = { refresh_token: 'refresh-123', access_token: ['token-1'], message: 'Bad refresh-123, token%2D1' };
	expect(await ask(() => ({ statusCode: 400, body }))).toContain('Sign-in failed: Bad ***, ***. ');
});

// E13.
it.each(['tok\u00e9n', 'two tokens', 'to\nken', ' token'])(
	'refuses a token that HTTP cannot carry: %j',
	async (token) => {
		const said = await ask(() => ({ statusCode: 200, body: { access_token: token } }));
		expect(said).toMatch(/^Sign-in failed: the service returned a token that cannot be sent\. .*with an API key$/);
	},
);

it('half a token is none', async () => {
	const cut = async function* () {
		yield Buffer.from('{"access_token":"new"}');
		await Promise.reject(new Error('aborted'));
	};
	const said = await ask(() => ({ statusCode: 200, body: Readable.from(cut()) }));
	expect(said).toMatch(/^Sign-in failed: the service's response ended early: aborted/);
});

// trinity#2322
it.each<[number, unknown]>([
	[200, { mfa_required: true }],
	[401, { error: 'mfa_required' }],
	[403, { error: { code: 'MFA_REQUIRED' } }],
	[200, { challengeName: 'SMS_MFA', session: 'x' }],
	[400, { error: 'invalid_grant', mfa_token: 'x' }],
	[401, { requires_two_factor: true }],
	[401, { errors: [{ code: 'two_factor_required' }] }],
])('with status %i, %j means a second factor', async (statusCode, body) => {
	expect(await ask(() => ({ statusCode, body }))).toBe(
		'Sign-in failed: this user needs a second factor, which n8n cannot enter. Use a credential with an API key, or a user without a second factor',
	);
});
