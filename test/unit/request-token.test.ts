/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { Readable } from 'node:stream';
import { UserError, type IHttpRequestHelper } from 'n8n-workflow';

import type { CredentialError } from '../../nodes/shared/failure/credential-error';
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
it.each<[object | undefined]>([
	[undefined],
	...['Bearer', 'Bearer ', ' bearer', null, ''].map((type): [object] => [{ token_type: type }]),
])('a token of the type %j is taken', async (more) => {
	expect(await ask(() => ({ statusCode: 201, body: { access_token: 'new', ...more } }))).toBe('new');
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

// Services repeat what they issued, also if n8n cannot use it.
it.each<[object | string, string]>([
	[{ refresh_token: 'refresh-123', message: 'Bad refresh-123' }, 'Bad ***'],
	[{ access_token: ['token-123456'], detail: 'No token-123456' }, 'No ***'],
	[{ data: { session: { token: 'token-123456' } }, error_description: 'No token%2D123456' }, 'No ***'],
	[{ access_token: 1234567890123, message: 'No 1234567890123' }, 'No ***'],
	[{ refresh_token: ['refresh-123'] }, 'refresh_token: ***'],
	['{"id_token":"token-123456","message":"No token-123456"}', 'No ***'],
	[
		{ token: 'short', hint: 'two words here', error: 'invalid_grant', message: 'A short one: two words here' },
		'A short one: two words here (invalid_grant)',
	],
])('a value of a response is no part of its reason: %j', async (body, reason) => {
	expect(await ask(() => ({ statusCode: 400, body }))).toContain(`Sign-in failed: ${reason}. `);
});

// The limits that SECURITY.md names.
it('masks the first 200 values of a response, at most six levels deep', async () => {
	const tokenAt = (index: number) => `token-${1000 + index}`;
	const tokens = Array.from({ length: 201 }, (_, index) => tokenAt(index));
	const body = { tokens, message: `Bad ${tokenAt(0)}, ${tokenAt(199)}, ${tokenAt(200)}` };
	expect(await ask(() => ({ statusCode: 400, body }))).toContain(`Bad ***, ***, ${tokenAt(200)}. `);
	const nested = (levels: number): object => (levels === 1 ? { id: 'token-123456' } : { a: nested(levels - 1) });
	for (const [levels, shown] of [
		[6, '***'],
		[7, 'token-123456'],
	] as const) {
		const deep = { ...nested(levels), message: 'Bad token-123456' };
		expect(await ask(() => ({ statusCode: 400, body: deep }))).toContain(`Bad ${shown}. `);
	}
});

// trinity#2322
it.each<[number, unknown]>([
	[200, { mfa_required: true }],
	[202, { mfa_required: 'true', ticket: 'x' }],
	[401, { error: 'mfa_required' }],
	[403, { error: { code: 'MFA_REQUIRED' } }],
	[200, { challengeName: 'SMS_MFA', session: 'x' }],
	[400, { error: 'invalid_grant', mfa_token: 'x' }],
	[401, { requires_two_factor: true }],
	[403, { error: 'totp_required' }],
	[401, { errors: [{ code: 'two_factor_required' }] }],
	[200, [{ status: 'OTP_REQUIRED' }]],
])('with status %i, %j means a second factor', async (statusCode, body) => {
	expect(await ask(() => ({ statusCode, body }))).toBe(
		'Sign-in failed: this user needs a second factor, which n8n cannot enter. Use a credential with an API key, or a user without a second factor',
	);
});

it.each<[number, unknown]>([
	[401, { error: 'invalid_grant', mfa_required: false }],
	[401, { message: 'No mfa_required here, only a wrong password' }],
])('with status %i, %j means no second factor', async (statusCode, body) => {
	expect(await ask(() => ({ statusCode, body }))).toContain("Check 'User Name' and 'Password'");
});

it('a challenge of a firewall is none of the URL', async () => {
	const headers = { 'x-amzn-waf-action': 'challenge' };
	expect(await ask(() => ({ statusCode: 202, headers, body: '' }))).toContain('A firewall in front of the service');
});

// ChainForge#406
it('410 is about the URL', async () => {
	expect(await ask(() => ({ statusCode: 410, body: {} }))).toContain("Check 'Base URL'");
});

const [blank, brace] = [' ', '{"a":'].map((text) => Buffer.from(text.repeat(1000)));
it.each<[string, number, Buffer]>([
	['blanks', 200, blank!],
	['JSON', 401, brace!],
])('a response without an end is read up to a limit: %s', async (_what, statusCode, piece) => {
	let pieces = 0;
	const endless = function* () {
		for (; pieces < 100_000; pieces++) yield piece;
	};
	expect(await ask(() => ({ statusCode, body: Readable.from(endless()) }))).toContain('Sign-in failed');
	expect(pieces * piece.length).toBeLessThan(1e6);
});
