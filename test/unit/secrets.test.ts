import fc from 'fast-check';
import { NodeApiError } from 'n8n-workflow';

import { readCookies } from '../../nodes/BrowserAutomation/own-steps/set-cookies';
import { attachFiles } from '../../nodes/RunAutomation/output/files';
import type { FailureError } from '../../nodes/shared/failure/failure';
import { nodeError } from '../../nodes/shared/failure/node-error';
import { serviceFailure } from '../../nodes/shared/failure/response/service-failure';
import { maskOf } from '../../nodes/shared/mask/secrets';
import { operate, type NodeRunOptions } from '../engine/run-node';
import { executionOf } from '../support/execution';
import { serve } from '../support/serve';
import { fuzz } from './fuzz';
import { anyCharacter, anyJson, jsonObject } from './stream-arbitraries';

const VALUE = 'the-value-of-a-cookie';
const good = { name: 'sid', value: VALUE, domain: '.example.com', path: '/', httpOnly: true };
const fields = fc.constantFrom(...Object.keys(good), 'expires', 'expirationDate', 'secure', 'partitionKey', 'sameSite');
const change = jsonObject(fields, fc.oneof(anyJson, fc.constantFrom(VALUE, 'Lax', 'true', 0, '1900000000', '-1')));
const cookie = fc.oneof(
	change,
	change.map((fields) => ({ ...good, ...(fields as object) })),
);
const list = fc.array(fc.oneof(cookie, anyJson), { maxLength: 4 });
const line = fc.array(fc.oneof(fc.string(), fc.constant(VALUE)), { maxLength: 9 }).map((cells) => cells.join('\t'));
const given = fc.oneof(
	list,
	list.map((cookies) => ({ cookies })),
	list.map((cookies) => JSON.stringify(JSON.stringify({ cookies }))),
	anyJson.map((value) => JSON.stringify(value)),
	fc.array(line).map((lines) => lines.join('\n')),
	fc.string({ unit: anyCharacter }),
);

it('cookies of any shape are read, or rejected in a sentence without any of their values', () => {
	fc.assert(
		fc.property(given, (cookies) => {
			try {
				expect(readCookies(cookies).cookies.length).toBeGreaterThan(0);
			} catch (error) {
				const { reason, advice } = (error as FailureError).failure;
				// Its name is no part of the value of a cookie, whatever it is.
				expect(reason.replace(/^(Cookie \d+) \("[^"]*"\)/, '$1')).not.toContain(VALUE);
				expect(advice).not.toContain(VALUE);
			}
		}),
		fuzz(),
	);
});

const SECRET = 'key-"that"-nobody\\may-see-0123456789';
const words = fc.oneof(
	fc.string({ unit: anyCharacter, maxLength: 20 }),
	fc.constant(SECRET),
	// The key wherever a long text may be cut.
	fc
		.oneof(fc.integer({ min: 940, max: 1010 }), fc.integer({ min: 150, max: 210 }))
		.map((length) => `${'x'.repeat(length)}${SECRET}${'y'.repeat(20)}`),
);
const keys = fc.constantFrom(...'message,detail,error,code,loc,msg,type,input,ctx'.split(','));
const simple = fc.oneof(words, anyJson);
const field = fc.oneof(simple, fc.array(simple, { maxLength: 4 }), jsonObject(keys, simple));
const reason = fc.oneof(simple, jsonObject(keys, fc.oneof(field, fc.array(field, { maxLength: 4 }))));
const body = fc.oneof(
	reason,
	reason.map((value) => JSON.stringify(value)),
	words.map((text) => `<!doctype html><title>${text}</title><h1>${text}</h1>`),
);
const headers = fc.dictionary(
	fc.constantFrom('retry-after', 'x-ratelimit-reset', 'content-type', 'location'),
	fc.oneof(fc.string(), fc.constantFrom('7', '-1', 'soon', '1e400', 'Wed, 21 Oct 2099 07:28:00 GMT', '9'.repeat(20))),
	{ noNullPrototype: true },
);
const secrets = [SECRET, undefined, '', ` ${SECRET}\n`];
const errorOf = (response: Parameters<typeof serviceFailure>[0]) =>
	nodeError(executionOf(), serviceFailure(response), { itemIndex: 3 }, secrets);

/** The beginning of the secret, as it stands or as JSON writes it. */
const PIECE = /key-\\?"that\\?"/;

describe('responses of any shape', () => {
	it('become a node error of a bounded size, with a reason and without the key', () => {
		fc.assert(
			fc.property(fc.integer({ min: 200, max: 599 }), headers, body, (statusCode, given, answer) => {
				const error = errorOf({ statusCode, headers: given, body: answer, expected: 'a stream' });
				expect(error).toBeInstanceOf(NodeApiError);
				expect(error.message.trim()).not.toBe('');
				expect(error.context.itemIndex).toBe(3);
				const texts = [error.message, error.description!, JSON.stringify(error)];
				expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(20_000);
				expect(texts.join('\n')).not.toMatch(PIECE);
			}),
			fuzz(),
		);
	});

	it.each([
		['deeply nested', `${'{"message":'.repeat(100_000)}"x"${'}'.repeat(100_000)}`],
		['nested in lists', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
		['a long list', JSON.stringify({ detail: Array.from({ length: 100_000 }, () => ({ msg: 'Field required' })) })],
		['a page without an end', `<html>${'<title'.repeat(500_000)}`],
		['a heading without an end', `<html>${'<h1>a'.repeat(500_000)}`],
		['dots', '.'.repeat(1_000_000)],
		['blanks', `x${' '.repeat(1_000_000)}x`],
	])('%s are read without a hang, into a bounded message', (_name, text) => {
		expect(errorOf({ statusCode: 500, headers: {}, body: text }).message.length).toBeLessThan(10_000);
	});
});

it('files of any shape are put into fields, or left as links with a warning', async () => {
	const starts = fc.constantFrom('data:', 'DATA:text/plain,', 'data:;base64,', 'data:,', 'https://x/', 'ftp:', '');
	const ends = fc.oneof(fc.string(), fc.constantFrom('%', '%ff', '%e9', '%C3%A9', '..', '?', '..%2F..%2Fa', '..%5Ca'));
	const text = fc.oneof(fc.string(), anyJson);
	const url = fc.tuple(starts, ends).map((parts) => parts.join(''));
	const record = { media_type: text, filename: text, url: fc.oneof(anyJson, url) };
	const file = fc.record(record, { requiredKeys: [], noNullPrototype: true });
	const prepareBinaryData = async (data: Buffer, fileName: string) => ({ data, fileName });
	const httpRequest = async () => ({ statusCode: 200, headers: {}, body: [Buffer.from('bytes')] });
	const helpers = { prepareBinaryData, httpRequest };
	const limits = { idle: Infinity, total: Infinity };
	const request = {
		filesProperty: 'file',
		downloadLinks: true,
		includeFiles: true,
		maxBytes: 1e6,
		limits,
		credentials: {},
	};
	const item = { context: { helpers } as never, execution: executionOf(), request };
	await fc.assert(
		fc.asyncProperty(fc.array(file, { maxLength: 3 }), async (given) => {
			const { files, binary } = await attachFiles(item, given as object[] as Array<Record<string, unknown>>, Infinity);
			expect(files).toHaveLength(given.length);
			for (const { fileName } of Object.values(binary)) expect(fileName).not.toMatch(/[\\/]|^\.*$/);
		}),
		fuzz(),
	);
});

describe('a secret', () => {
	it('is taken out of any text', () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), fc.string({ minLength: 12, maxLength: 40 }), (before, after, secret) => {
				fc.pre(secret.trim().length >= 4 && !'***'.includes(secret.trim()));
				expect(maskOf([secret])(`${before}${secret}${after}`)).not.toContain(secret.trim());
			}),
			fuzz(),
		);
	});

	const key = 'k?y+/ü "that" nobody may see';
	const inBase64 = (text: string) => Buffer.from(text).toString('base64');
	const escaped = JSON.stringify(key).slice(1, -1);
	const encoded = encodeURIComponent(key);
	it.each([
		['as sent', key],
		['escaped for JSON', escaped],
		['escaped for JSON with its slashes', escaped.replaceAll('/', '\\/')],
		['URL-encoded', encoded],
		['URL-encoded in small letters', encoded.replace(/%../g, (escape) => escape.toLowerCase())],
		['URL-encoded in small letters and capitals', encoded.replace('%2F', '%2f')],
		['in base64', inBase64(key).replace(/=+$/, '')],
		['in base64 for URLs', Buffer.from(key).toString('base64url')],
	])('is taken out of a text if a server echoes it %s', (_name, echo) => {
		// Base64 shares its last character with what follows.
		expect(maskOf([key])(`Bad key: ${echo}`)).toMatch(/^Bad key: \*\*\*.?$/);
	});

	// S13.
	const escapesOf =
		(prefix: string, radix: number, length: number, suffix = '') =>
		(text: string) =>
			[...text]
				.map((letter) => prefix + letter.codePointAt(0)!.toString(radix).padStart(length, '0') + suffix)
				.join('');
	const fully = (text: string) => Buffer.from(text).toString('hex').replace(/../g, '%$&');
	const only = (pattern: RegExp, escape: (text: string) => string) => (text: string) => text.replace(pattern, escape);
	const named = only(/[+/?"]/g, (letter) => ({ '+': '&plus;', '/': '&sol;', '?': '&quest;' })[letter] ?? '&quot;');
	const WAYS: Array<[string, (text: string) => string]> = [
		['decimal entities', escapesOf('&#', 10, 0, ';')],
		['hexadecimal entities', escapesOf('&#x', 16, 0, ';')],
		['named entities', named],
		['some entities', only(/[+"]/g, escapesOf('&#', 10, 0, ';'))],
		['escapes of JSON', escapesOf('\\u', 16, 4)],
		['escapes of some characters', only(/[+/ü]/g, escapesOf('\\u', 16, 4))],
		['escapes of JavaScript', escapesOf('\\x', 16, 2)],
		['long escapes of JavaScript', escapesOf('\\u{', 16, 1, '}')],
		['every character percent-encoded', fully],
		['a form', (text) => new URLSearchParams({ text }).toString().slice('text='.length)],
		['Latin-1, percent-encoded', (text) => Buffer.from(text, 'latin1').toString('hex').replace(/../g, '%$&')],
		['invisible characters', (text) => [...text].join('\u200b')],
		['control characters, as UTF-16 that is read as bytes', (text) => [...text].join('\0')],
	];
	// A character of more than one byte has no short escape.
	const twice = WAYS.slice(0, -2).flatMap(([first, escape]) =>
		WAYS.slice(0, 9).map(([second, again]): [string, (text: string) => string] => [
			`${first}, then ${second}`,
			(text) => again(escape(text)),
		]),
	);
	it.each([...WAYS, ...twice])('is taken out of a text that has it as %s', (_name, escape) => {
		const echo = escape(key);
		expect(maskOf([key])(`Bad key: <${echo}> \\u0041 100% &amp; %zz`)).toBe('Bad key: <***> \\u0041 100% &amp; %zz');
	});

	it.each([
		['&#43; \\u002b %2B %25', ['some-key']],
		['100%, &unknown; \\q \\ud800 %ff %c3( &#xffffff; \\u{fffffff}', ['some-key', '\udc00abc', '%%%%']],
		['\ufffe\ud800 %', ['\ud800\ud800\ud800\ud800', '((((((', '[a-z]+$', '\\\\\\\\x']],
	])('leaves every other byte of %j as it is', (text, secrets) => {
		expect(maskOf(secrets)(text)).toBe(text);
	});

	it.each([
		['a'.repeat(40_000)],
		['/'.repeat(16_000)],
		['%2F'.repeat(16_000)],
		[`${'/'.repeat(20_000)}x`],
		['('.repeat(16_000)],
		['\\'.repeat(16_001)],
	])('is masked whatever its length and characters are', (secret) => {
		expect(maskOf([secret])(`In "${secret}": no`)).toBe('In "***": no');
		expect(maskOf([secret])(JSON.stringify({ secret }))).toBe('{"secret":"***"}');
	});

	it.each([1, 2, 3, 4, 5, 6])('is taken out of base64 that begins %i characters before it', (length) => {
		const echo = inBase64(`${'u'.repeat(length)}${key}:`);
		const masked = maskOf([key])(echo);
		// What is left are the characters around it, and at most one on either side that it shares with them.
		expect(masked).toContain('***');
		expect(masked.length).toBeLessThan(length * 2 + 10);
	});

	it.each([
		['abc abcd YWJj', ['abc', ' abc ', 7, undefined], 'abc abcd YWJj'],
		['abcd, abcde abcd', [' abcd\n'], '***, ***e ***'],
		['abcd wxyz', ['abcd', 'wxyz'], '*** ***'],
		['\\"abc "abc', ['"abc'], '*** ***'],
		['a%20b%2Fc a b/c', ['a b/c'], '*** ***'],
		['a%2Fb a%2fb %3f%3F', ['a%2fb'], '*** *** %3f%3F'],
		['a%2fb a%2Fb', ['a%2Fb'], '*** ***'],
		// A reason has each blank once, and one secret may begin another.
		['a b c, a  b\tc', ['a  b\tc'], '***, ***'],
		['abcdef', ['abcd', 'abcdef'], '***'],
		['\ud800 abcd', ['\ud800abc', 'abcd'], '\ud800 ***'],
		// What is left of base64 is what the secret shares a character with.
		[inBase64('abcdefg::'), ['abcdefg'], '***zo6'],
		[inBase64('uabcdefgh::'), ['abcdefgh'], 'dW***Ojo='],
		[inBase64('uuabcdef::'), ['abcdef'], 'dXV***Y6Og=='],
		[inBase64('uk?y+/ü>>>::'), ['k?y+/ü>>>'], 'dW***46Og=='],
		[Buffer.from('k?y+/ü>>>').toString('base64url'), ['k?y+/ü>>>'], '***g'],
	])('is masked completely in %j, and nothing else is', (text, secrets, masked) => {
		expect(maskOf(secrets)(text)).toBe(masked);
	});
});

it('the key of another item is masked in the error of an item that was not sent', async () => {
	const keys: unknown[] = [];
	const { target } = await serve(({ headers: { authorization } }, response) => {
		keys.push(authorization);
		response.writeHead(429, { 'retry-after': '500' }).end(JSON.stringify({ detail: authorization }));
	});
	// One more than are sent at the same time.
	const input = Array.from({ length: 11 }, (_, item) => ({ json: { key: `key-of-item-${item}` } }));
	const options: NodeRunOptions = { input, node: { onError: 'continueRegularOutput' } };
	const form = { resource: 'web', operation: 'search', searchQuery: 'x' };
	const { items } = await operate({ ...target, apiKey: '={{ $json.key }}' }, form, options);
	expect(items.map(({ json }) => json.error)).toEqual(input.map(() => 'Bearer ***'));
	expect(keys).toEqual(input.slice(0, 10).map(({ json: { key } }) => `Bearer ${key}`));
});
