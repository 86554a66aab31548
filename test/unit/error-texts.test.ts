import { brokenReason, noResponseReason } from '../../nodes/shared/no-response';
import { reasonFor } from '../../nodes/shared/service-failure';
import { CHECK_BEFORE_RESTART, readStart, startFailure } from '../../nodes/shared/start-response';
import { threadIdIn } from '../../nodes/shared/thread';
import { each } from '../support/each';

const labels = { depth: "'Depth'", mailbox_id: "'Mailbox ID'", namespace: "'Namespace'" };
it.each([
	['body.depth', "Input should be 'fast' or 'deep'", "'Depth': Input should be 'fast' or 'deep'"],
	['path.mailbox_id', 'Field required', "'Mailbox ID': Field required"],
	['query.namespace', 'Field required', "'Namespace': Field required"],
	['body.constructor', 'Field required', 'body.constructor: Field required'],
	['header.depth', 'Field required', 'header.depth: Field required'],
	['body.depth.0', 'Field required', 'body.depth.0: Field required'],
])('the reason of a validation error calls a field as the form does, if it has it: %s %s', (path, msg, reason) => {
	const body = { detail: [{ loc: path.split('.'), msg, type: 'some_type' }] };
	expect(reasonFor({ statusCode: 422, headers: {}, body, labels })).toBe(reason);
});

const CHECK_THREAD = "Check whether the thread still exists. If it does, check 'Automation URL' in the credential";
const REDIRECTED = /^To protect your credential/;
it.each([
	[401, undefined, 'a new thread', /^Check 'API Key'/],
	[404, undefined, 'a new thread', /^'Automation URL' responds but cannot start runs\./],
	[404, undefined, 'the same thread', new RegExp(`^${CHECK_THREAD}`)],
	...each([402, 429], '8f14e45f-ceea-467f-9575-000000000001', 'the same thread', /./),
	...each([402, 503, 200], '8f14e45f-ceea-467f-9575-000000000001', 'a new thread', new RegExp(CHECK_BEFORE_RESTART)),
	[429, '8f14e45f-ceea-467f-9575-000000000001', 'a new thread', new RegExp(CHECK_BEFORE_RESTART)],
	[529, undefined, 'a new thread', /./],
	...each([503, 200, 409], undefined, 'a new thread', new RegExp(CHECK_BEFORE_RESTART)),
	...each([429, 402], '8f14e45f-ceea-467f-9575-000000000002', 'the same thread', new RegExp(CHECK_BEFORE_RESTART)),
	[502, '8f14e45f-ceea-467f-9575-000000000001', 'the same thread', new RegExp(CHECK_BEFORE_RESTART)],
	[300, undefined, 'a new thread', REDIRECTED],
	[302, '8f14e45f-ceea-467f-9575-000000000001', 'a new thread', REDIRECTED],
])('the advice after %d with the ID %s for a start in %s is: %s', (statusCode, id, thread, advice) => {
	const response = { statusCode, headers: { 'x-thread-id': id }, body: '' };
	const isRepeated = thread === 'the same thread' && id === '8f14e45f-ceea-467f-9575-000000000001';
	const failure = startFailure(
		response,
		thread === 'the same thread' ? '8F14E45F-CEEA-467F-9575-000000000001' : undefined,
	);
	expect(failure.advice).toMatch(advice);
	const mayHaveStarted = [CHECK_BEFORE_RESTART, REDIRECTED.source].includes(advice.source);
	expect(failure.effect).toBe(mayHaveStarted ? (id && !isRepeated ? 'run' : 'maybe') : 'none');
	expect(failure.run).toEqual(mayHaveStarted ? { thread_id: id ?? null, status: 'interrupted' } : undefined);
});

const [ONE, TWO] = ['8f14e45f-ceea-467f-9575-000000000001', '8F14E45F-CEEA-467F-9575-000000000002'];
// opencloud-eu/web#460, envoyproxy/envoy#23584, #9019
it.each<[unknown, unknown, string | undefined]>([
	[ONE, 'a text', ONE],
	[ONE, { thread_id: TWO }, TWO],
	[ONE, { thread_id: 'null' }, ONE],
	['', { thread_id: 7 }, undefined],
	...each([`${ONE}, ${ONE}`, [ONE, ONE], `"${ONE}"`, ` '${ONE}' `], {}, ONE),
	[`${TWO},${TWO.toLowerCase()}, "${TWO}"`, {}, TWO],
	...each([`${ONE}, ${TWO}`, `${ONE}-more`], {}, undefined),
	...['undefined', 'null', 'NaN', '[object Object]', 'not one', undefined].map(
		(value): [unknown, unknown, undefined] => [value, null, undefined],
	),
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

it.each([
	[{ code: 'Z_DATA_ERROR', message: 'invalid distance too far back' }, 'its compressed data is corrupt'],
	[{ code: 'ERR__ERROR_FORMAT_PADDING_1', message: 'Decompression failed' }, 'its compressed data is corrupt'],
	[
		{ code: 'EPROTO', message: 'write EPROTO 80:error:0A00010B:SSL routines:x:wrong version number:a.c:1:' },
		'it is not HTTPS',
	],
])('what cannot be read is no connection that broke: %j', (error, meaning) => {
	const reason = `The service sent an unreadable response: ${meaning}`;
	expect([brokenReason(error), noResponseReason(error)]).toEqual([reason, reason]);
});

it.each([
	['ECONNRESET', ' (connection reset)'],
	['EOTHER', ' (EOTHER)'],
])('a connection that breaks during a run says why: %s', (code, why) => {
	expect(brokenReason({ code, message: 'aborted' })).toBe(
		`The connection to the service was lost during the run${why}`,
	);
	expect(brokenReason({ message: 'aborted' })).toBe('The rest of the output could not be read: aborted');
});

it('a web page in response to a start shows a wrong URL, unless it names a thread', () => {
	const response = { statusCode: 200, headers: {}, body: '<!doctype html><title>Sign in</title>' };
	const ofUrl = { advice: expect.stringMatching(/^Check that 'Automation URL'/) as string };
	expect(startFailure(response)).toMatchObject(ofUrl);
	const maybeStarted = { advice: CHECK_BEFORE_RESTART };
	expect(
		startFailure({ ...response, headers: { 'x-thread-id': '8f14e45f-ceea-467f-9575-000000000001' } }),
	).toMatchObject(maybeStarted);
	// A proxy in front of the service shows a page, too, if it has waited for too long.
	expect(startFailure({ ...response, statusCode: 504 })).toMatchObject(maybeStarted);
});

it('a run in the background is what the response to its start says', () => {
	const response = { statusCode: 202, headers: { 'x-thread-id': ONE }, body: {} as unknown };
	const known = { thread_id: ONE, url: null, status: 'started' };
	expect(readStart(response)).toEqual(known);
	for (const body of ['accepted', '', [1], null]) expect(readStart({ ...response, body })).toEqual(known);
	const body = { url: 'u', status: 'queued', thread_id: TWO, more: 1 };
	expect(readStart({ ...response, body })).toEqual(body);
	const failed = (failure: object) => expect.objectContaining({ failure: expect.objectContaining(failure) as unknown });
	expect(() => readStart({ ...response, headers: { 'content-type': 'application/json' } })).toThrow(
		failed({
			reason: 'The service returned application/json instead of a thread ID (status 202)',
			advice: CHECK_BEFORE_RESTART,
			run: { thread_id: null, status: 'interrupted' },
		}),
	);
	expect(readStart({ ...response, statusCode: 200 })).toEqual(known);
	expect(() => readStart({ ...response, statusCode: 429 })).toThrow(
		failed({ run: { thread_id: ONE, status: 'interrupted' } }),
	);
	for (const statusCode of [300, 302]) {
		expect(() => readStart({ ...response, statusCode })).toThrow(
			failed({ advice: expect.stringMatching(REDIRECTED) as unknown }),
		);
	}
});

it('a web page with 403 comes from a proxy, and not from the API key', () => {
	const page = { statusCode: 403, headers: {}, body: '<html><title>Blocked</title></html>' };
	expect(startFailure(page)).toMatchObject({ effect: 'none', advice: expect.stringMatching(/^A proxy or firewall/) });
	expect(startFailure({ ...page, body: { detail: 'No' } }).advice).toMatch(/^Grant the API key/);
});

describe('a redirect of https://service.example/v1', () => {
	const NEW_URL = /Set 'Automation URL' in the credential to the new URL$/;
	const SIGN_IN =
		/^To protect your credential, redirects are not followed\. Allow n8n to reach 'Automation URL' without/;
	// Nexus-Stack#893, skypilot#9485, bitly/oauth2_proxy#449: only the same site is advised, or the key would go to a stranger.
	it.each([
		...each(['https://service.example/v2', '/v2'], 'The service', 'https://service.example/v2', NEW_URL),
		['https://www.service.example/v1?state=secret', 'The service', 'https://www.service.example/v1', NEW_URL],
		['//login.example/sign-in', 'A proxy or a sign-in page', 'https://login.example', SIGN_IN],
		['https://service.example.evil/v1', 'A proxy or a sign-in page', 'https://service.example.evil', SIGN_IN],
		['https://login.service.example/', 'A proxy or a sign-in page', 'https://login.service.example', SIGN_IN],
		['http://service.example/v1', 'A proxy or a sign-in page', 'http://service.example', SIGN_IN],
		[undefined, 'The service', 'another URL', SIGN_IN],
	])('to %s is of %s', (location, who, target, advice) => {
		const url = 'https://service.example/v1';
		const failure = startFailure({ statusCode: 308, headers: { location }, body: '', url });
		expect(failure.reason).toBe(`${who} redirected the request to ${target}`);
		expect(failure.advice).toMatch(advice);
	});

	it('is also of the service from http:// to https://', () => {
		const response = {
			statusCode: 301,
			headers: { location: 'https://a.example/' },
			body: '',
			url: 'http://a.example',
		};
		expect(startFailure(response).advice).toMatch(NEW_URL);
	});
});

describe('the advice names who responded', () => {
	const page = '<html><title>Sign in</title></html>';
	it.each<[number, Record<string, string>, unknown, RegExp]>([
		// wp-api-jwt-auth#291, home-assistant.io#6350
		[401, { 'www-authenticate': 'Basic realm="x"' }, { detail: 'No' }, /^A proxy .* requires a password of its own/],
		[401, { 'www-authenticate': 'NTLM, Negotiate' }, '', /^A proxy .* requires a password of its own/],
		[401, {}, page, /^A proxy .* requires a password of its own/],
		[401, { 'www-authenticate': 'Bearer' }, { detail: 'No' }, /^Check 'API Key'/],
		// aws/chalice#12, data-store#328
		[403, {}, { message: 'Missing Authentication Token' }, /missing permission .*, and check 'Automation URL'$/],
		[403, {}, page, /^A proxy or firewall/],
		[400, {}, page, /^A proxy or firewall/],
		// wechat-chatgpt#810
		[
			400,
			{},
			'<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>',
			/^Change http:\/\/ to https/,
		],
		[400, {}, 'Client sent an HTTP request to an HTTPS server.\n', /^Change http:\/\/ to https/],
		[400, {}, "<p>You're speaking plain HTTP to an SSL-enabled server port.", /^Change http:\/\/ to https/],
		[403, { 'cf-mitigated': 'challenge' }, page, /^A firewall in front of the service wants to see a browser/],
	])('%i with %j and %j', (statusCode, headers, body, advice) => {
		expect(startFailure({ statusCode, headers, body }).advice).toMatch(advice);
	});
});
