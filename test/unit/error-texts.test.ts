import { brokenReason, noResponseReason } from '../../nodes/shared/failure/response/no-response';
import { reasonFor } from '../../nodes/shared/failure/response/service-failure';
import { CHECK_BEFORE_RESTART, backgroundStartIn, startFailure } from '../../nodes/shared/start/start-response';
import { threadIdIn } from '../../nodes/shared/start/start-response';
import { each } from '../support/each';
import { failureOf } from '../support/failure-of';

const labels = { depth: "'Depth'", mailbox_id: "'Mailbox ID'", namespace: "'Namespace'" };
it.each([
	['body.depth', "Input should be 'fast' or 'deep'", "'Depth': Input should be 'fast' or 'deep'"],
	['path.mailbox_id', 'Field required', "'Mailbox ID': Field required"],
	['query.namespace', 'Field required', "'Namespace': Field required"],
	...['body.constructor', 'header.depth', 'body.depth.0'].map((at) => [at, 'Field required', `${at}: Field required`]),
])('the reason of a validation error calls a field as the form does, if it has it: %s %s', (path, msg, reason) => {
	const body = { detail: [{ loc: path.split('.'), msg, type: 'some_type' }] };
	expect(reasonFor({ statusCode: 422, headers: {}, body, labels })).toBe(reason);
});

const [ONE, TWO] = ['8f14e45f-ceea-467f-9575-000000000001', '8F14E45F-CEEA-467F-9575-000000000002'];
const CHECK_FIRST = new RegExp(CHECK_BEFORE_RESTART);
const REDIRECTED = /^To protect your credential/;
it.each<[statusCode: number, id: string | undefined, thread: string | undefined, advice: RegExp]>([
	[401, undefined, undefined, /^Check 'API Key'/],
	...each([402, 429], ONE, ONE, /./),
	...each([402, 503, 200, 429], ONE, undefined, CHECK_FIRST),
	[529, undefined, undefined, /./],
	...each([503, 200, 409], undefined, undefined, CHECK_FIRST),
	...each([429, 402], TWO, ONE, CHECK_FIRST),
	[502, ONE, ONE, CHECK_FIRST],
	[300, undefined, undefined, REDIRECTED],
	[302, ONE, undefined, REDIRECTED],
])('the advice after %d with the ID %s for a start in the thread %s is: %s', (statusCode, id, thread, advice) => {
	const failure = startFailure({ statusCode, headers: { 'x-thread-id': id }, body: '' }, thread?.toUpperCase());
	const mayHaveStarted = [CHECK_FIRST, REDIRECTED].includes(advice);
	expect(failure).toMatchObject({
		advice: expect.stringMatching(advice),
		effect: mayHaveStarted ? (id && id !== thread ? 'run' : 'maybe') : 'none',
	});
	expect(failure.run).toEqual(mayHaveStarted ? { thread_id: id ?? null, status: 'interrupted' } : undefined);
});

it('a page instead of a thread that is continued points to the URL', () => {
	const { advice } = startFailure({ statusCode: 404, headers: {}, body: '<html><title>Not found</title></html>' }, ONE);
	expect(advice).toBe("Check 'Automation URL' in the credential");
});

it('a page in a success without a thread points to the URL, and may still hide a run', () => {
	const failure = startFailure({ statusCode: 200, headers: {}, body: '<html><title>Sign in</title></html>' });
	expect(failure.effect).toBe('maybe');
	expect(failure.advice).toMatch(/^Check that 'Automation URL' in the credential points to the service/);
});

// opencloud-eu/web#460, envoyproxy/envoy#23584, #9019
it.each<[unknown, unknown, string | undefined]>([
	[ONE, 'a text', ONE],
	[ONE, { thread_id: TWO }, TWO],
	[ONE, { thread_id: 'null' }, ONE],
	['', { thread_id: 7 }, undefined],
	...each([`${ONE}, ${ONE}`, [ONE, ONE], `"${ONE}"`, ` '${ONE}' `], {}, ONE),
	[`${TWO},${TWO.toLowerCase()}, "${TWO}"`, {}, TWO],
	...each([`${ONE}, ${TWO}`, `${ONE}-more`, `more-${ONE}`], {}, undefined),
	...each(['undefined', 'null', 'NaN', '[object Object]', 'not one', undefined], null, undefined),
])('the thread of a start with the header %j and the body %j is %j', (header, body, id) => {
	expect(threadIdIn({ 'x-thread-id': header }, body)).toBe(id);
});

it.each([
	['Parse Error: Header overflow', 'its headers are too large'],
	['Parse Error: Expected HTTP/, RTSP/ or ICE/', 'it is not HTTP'],
	...each(['incorrect header check', 'incorrect data check'], 'its compressed data is corrupt'),
	...each(['stream has been aborted', 'unexpected end of file'], 'it ended early'),
])('an error of reading is said in plain words: %s', (message, meaning) => {
	const reason = `The service sent an unreadable response: ${meaning}`;
	expect(noResponseReason({ code: undefined, message })).toBe(reason);
	expect(noResponseReason({ code: undefined, message: `No ${message}` })).toBe(`No ${message}`);
	expect(brokenReason({ code: 'Z_DATA_ERROR', message })).toBe(reason);
});

const NO_TLS = 'write EPROTO 80:error:0A00010B:SSL routines:x:wrong version number:a.c:1:';
it.each([
	[{ code: 'Z_DATA_ERROR', message: 'invalid distance too far back' }, 'its compressed data is corrupt'],
	[{ code: 'ERR__ERROR_FORMAT_PADDING_1', message: 'Decompression failed' }, 'its compressed data is corrupt'],
	[{ code: 'EPROTO', message: NO_TLS }, 'it is not HTTPS'],
])('what cannot be read is no connection that broke: %j', (error, meaning) => {
	const reason = `The service sent an unreadable response: ${meaning}`;
	expect([brokenReason(error), noResponseReason(error)]).toEqual([reason, reason]);
});

it.each([
	['ECONNRESET', ' (connection reset)'],
	['EOTHER', ' (EOTHER)'],
])('a connection that breaks during a run says why: %s', (code, why) => {
	const reason = `The connection to the service was lost during the run${why}`;
	expect(brokenReason({ code, message: 'aborted' })).toBe(reason);
	expect(brokenReason({ message: 'aborted' })).toBe('The rest of the output could not be read: aborted');
});

it('a run in the background is what the response to its start says', () => {
	const response = { statusCode: 202, headers: { 'x-thread-id': ONE }, body: {} as unknown };
	const known = { thread_id: ONE, url: null, status: 'started' };
	expect(backgroundStartIn({ ...response, statusCode: 200 })).toEqual(known);
	for (const body of [{}, 'accepted', '', [1], null]) expect(backgroundStartIn({ ...response, body })).toEqual(known);
	const body = { url: 'u', status: 'queued', thread_id: TWO, error: null, more: 1 };
	expect(backgroundStartIn({ ...response, body })).toEqual(body);
});

it.each<[object, object]>([
	[
		{ headers: { 'content-type': 'application/json' } },
		{
			reason: 'The service returned application/json instead of a thread ID (status 202)',
			...{ advice: CHECK_BEFORE_RESTART, run: { thread_id: null, status: 'interrupted' } },
		},
	],
	[{ statusCode: 429 }, { run: { thread_id: ONE, status: 'interrupted' } }],
	...each([{ body: { error: { message: 'No' } } }, { body: { detail: 'No', thread_id: null } }], {
		...{ reason: 'No', advice: CHECK_BEFORE_RESTART, effect: 'run' },
		run: { thread_id: ONE, status: 'interrupted' },
	}),
	[{ body: { thread_id: ONE, success: false, message: 'No' } }, { reason: 'No', effect: 'run' }],
	...each([{ statusCode: 300 }, { statusCode: 302 }], { advice: expect.stringMatching(REDIRECTED) as unknown }),
])('a run in the background is not started by a response with %j', (change, failure) => {
	const response = { statusCode: 202, headers: { 'x-thread-id': ONE }, body: {}, ...change };
	expect(failureOf(() => backgroundStartIn(response))).toMatchObject(failure);
});

describe('a redirect of https://service.example/v1', () => {
	const NEW_URL = /Set 'Automation URL' in the credential to the new URL$/;
	const SIGN_IN =
		/^To protect your credential, redirects are not followed\. Allow n8n to reach 'Automation URL' without/;
	const [SERVICE, OTHER] = ['The service', 'A proxy or a sign-in page'];
	// Nexus-Stack#893, skypilot#9485, bitly/oauth2_proxy#449: only the same site is advised, or the key would go to a stranger.
	it.each<[string | undefined, string, string, RegExp]>([
		...each(['https://service.example/v2', '/v2'], SERVICE, 'https://service.example/v2', NEW_URL),
		['https://www.service.example/v1?state=secret', SERVICE, 'https://www.service.example/v1', NEW_URL],
		['//login.example/sign-in', OTHER, 'https://login.example', SIGN_IN],
		['https://service.example.evil/v1', OTHER, 'https://service.example.evil', SIGN_IN],
		['https://login.service.example/', OTHER, 'https://login.service.example', SIGN_IN],
		['http://service.example/v1', OTHER, 'http://service.example', SIGN_IN],
		[undefined, SERVICE, 'another URL', SIGN_IN],
	])('to %s is of %s', (location, who, target, advice) => {
		const url = 'https://service.example/v1';
		const failure = startFailure({ statusCode: 308, headers: { location }, body: '', url });
		expect(failure.reason).toBe(`${who} redirected the request to ${target}`);
		expect(failure.advice).toMatch(advice);
	});

	it('is also of the service from http:// to https://', () => {
		const headers = { location: 'https://a.example/' };
		expect(startFailure({ statusCode: 301, headers, body: '', url: 'http://a.example' }).advice).toMatch(NEW_URL);
	});
});

describe('the advice names who responded', () => {
	const page = '<html><title>Sign in</title></html>';
	const OWN_PASSWORD = /^A proxy .* requires a password of its own/;
	const NO_TLS = /^Change http:\/\/ to https/;
	const no = { detail: 'No' };
	it.each<[number, Record<string, string>, unknown, RegExp]>([
		// wp-api-jwt-auth#291, home-assistant.io#6350
		[401, { 'www-authenticate': 'Basic realm="x"' }, no, OWN_PASSWORD],
		[401, { 'www-authenticate': 'NTLM, Negotiate' }, '', OWN_PASSWORD],
		[401, {}, page, OWN_PASSWORD],
		[401, { 'www-authenticate': 'Bearer' }, no, /^Check 'API Key'/],
		// aws/chalice#12, data-store#328
		[403, {}, { message: 'Missing Authentication Token' }, /missing permission .*, and check 'Automation URL'$/],
		...each([403, 400], {}, page, /^A proxy or firewall/),
		[403, {}, no, /^Grant the API key/],
		// wechat-chatgpt#810
		[400, {}, '<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>', NO_TLS],
		[400, {}, 'Client sent an HTTP request to an HTTPS server.\n', NO_TLS],
		[400, {}, "<p>You're speaking plain HTTP to an SSL-enabled server port.", NO_TLS],
		[403, { 'cf-mitigated': 'challenge' }, page, /^A firewall in front of the service wants to see a browser/],
		[200, {}, page, /^Check that 'Automation URL'/],
		[200, { 'x-thread-id': ONE }, page, CHECK_FIRST],
		// A proxy in front of the service shows a page, too, if it has waited for too long.
		[504, {}, page, CHECK_FIRST],
	])('%i with %j and %j', (statusCode, headers, body, advice) => {
		expect(startFailure({ statusCode, headers, body }).advice).toMatch(advice);
	});

	it.each<[unknown, string | undefined, RegExp]>([
		...each(
			['', no],
			ONE,
			/^Check whether the thread still exists\. If it does, check 'Automation URL' in the credential/,
		),
		[page, ONE, /^Check 'Automation URL'/],
		...each(['', no, page], undefined, /^'Automation URL' responds but cannot start runs\./),
	])('404 with %j in the thread %s', (body, thread, advice) => {
		expect(startFailure({ statusCode: 404, headers: {}, body }, thread).advice).toMatch(advice);
	});
});
