/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { decodeText, readCookies } from '../../nodes/BrowserAutomation/own-steps/set-cookies';
import { cookieFields } from '../../nodes/BrowserAutomation/resources/profile';
import { each } from '../support/each';
import { failureOf } from '../support/failure-of';

const flags = { httpOnly: true, secure: false };
const cookie = { name: 'sid', value: 'topsecretvalue', domain: '.example.com', path: '/', ...flags };
const one = (change: object) => readCookies([{ ...cookie, ...change }]).cookies[0];
/** An object with each value in a field. */
const having = (field: string, ...values: unknown[]) => values.map((value) => ({ [field]: value }));

/** Why something is rejected; no rejection quotes the value of a cookie. */
const rejectionOf = (given: unknown) => {
	const failure = failureOf(() => readCookies(given));
	expect(JSON.stringify(failure)).not.toContain('topsecret');
	return failure;
};
const problemOf = (given: unknown) => rejectionOf(given).reason;

const extension = { expirationDate: 1900000000.5, hostOnly: false, secure: true, session: false, storeId: '0' };
const dropped = { id: 1, firstPartyDomain: '', partitionKey: null };
const ofExtension = { ...cookie, ...extension, ...dropped, sameSite: 'no_restriction' };

it.each(cookieFields)('the field $displayName of the form is read', ({ name, type }) => {
	const values: Record<string, unknown> = { boolean: true, number: 1900000000, options: 'Lax', string: 'text' };
	expect(one({ [name]: values[type] })).toHaveProperty(name);
});

const NEITHER = "'Cookies' is neither JSON nor a cookies.txt file: line ";

describe('shapes', () => {
	const text = JSON.stringify(cookie);
	const DIGITS = '12345678901234567890';
	it.each<[string, unknown, object?]>([
		['a list', [cookie]],
		['an object', { cookies: [cookie], origins: [] }],
		['a list as text', `[${text}]`],
		['a list in a fence', `\`\`\`json\n[${text}]\n\`\`\``],
		['a number as text', `[${text.replace('"topsecretvalue"', '12.50')}]`, { ...cookie, value: '12.50' }],
		['a long number as text', `[${text.replace('"topsecretvalue"', DIGITS)}]`, { ...cookie, value: DIGITS }],
		['text that was made text twice', JSON.stringify(`[${text}]`)],
		['the export of a browser extension', [ofExtension], { ...cookie, ...extension, sameSite: 'None' }],
	])('reads %s', (_name, given, expected = cookie) => {
		expect(readCookies(given)).toEqual({ cookies: [expected], skipped: 0 });
	});

	const NO_LIST = "'Cookies' must be a list of cookies, or an object with a list named cookies";
	const atLine = (line: number) => `${NEITHER}${line} is not a cookie with its fields separated by tabs`;
	it.each<[unknown, unknown]>([
		...each([undefined, null, '  '], "'Cookies' is empty"),
		...each([[], { cookies: [] }, '# Netscape HTTP Cookie File\n'], "'Cookies' contains no cookies"),
		...each([7, cookie], NO_LIST),
		['[{"name": "sid", "value": topsecretvalue}]', expect.stringMatching(/^'Cookies' is not valid JSON: ./)],
		['[{"name": "sid"},\n{"value": "topsecret"', expect.stringMatching(/^'Cookies' is not valid JSON: ./)],
		// youtube-dl#4539, #5195, imgbrd-grabber#3364: a copied Cookie header; editors that replace tabs by blanks.
		...each(['sid=topsecret', 'Cookie: a=topsecret; b=2', 'a=1;b=topsecret=;'], atLine(1)),
		['.a.example TRUE / TRUE 0 sid topsecret', atLine(1)],
		['# Netscape HTTP Cookie File\r\r.example.com\tTRUE\t/\ttopsecretvalue', atLine(3)],
		// ysard/cookie-quick-manager#94
		[[{ 'Name raw': 'sid', 'Content raw': 'topsecret' }], "'Cookies' has no cookie with a name"],
		[[{ key: 'sid', value: 'topsecret' }, { name: ' ' }], "'Cookies' has no cookie with a name"],
		// A row of a browser's developer tools, and a line without its time, whose name would be the value.
		[
			'sid\ttopsecretvalue\t.example.com\t/\tSession\t17\t✓\t✓',
			'Cookie 1 ("17") cannot be used: hostOnly must be true or false',
		],
		[
			'.example.com\tTRUE\t/\tTRUE\tsid\ttopsecretvalue',
			'Cookie 1 cannot be used: expires must be a time in Unix seconds',
		],
		[[cookie, null], 'Cookie 2 is not an object'],
	])('rejects %j', (given, problem) => expect(problemOf(given)).toEqual(problem));
});

describe('fields', () => {
	const bad = 'Cookie 2 ("sid") cannot be used';
	const NO_HOST = 'domain must be a host, such as example.com';
	it.each<[object, string]>([
		[{ value: undefined }, 'Cookie 2 has no value'],
		...each(having('domain', undefined, ''), 'Cookie 2 ("sid") has no domain'),
		...each(having('path', undefined, ''), 'Cookie 2 ("sid") has no path'),
		[{ value: { a: 1 } }, `${bad}: value must be text`],
		[{ storeId: [] }, `${bad}: storeId must be text`],
		...each(having('partitionKey', {}, { topLevelSite: ' ' }, [], 7, true), `${bad}: partitionKey must be a site`),
		[{ httpOnly: 'maybe' }, `${bad}: httpOnly must be true or false`],
		[{ secure: 2 }, `${bad}: secure must be true or false`],
		...each(having('domain', 'https://example.com', 'example.com/', '*.shop.example'), `${bad}: ${NO_HOST}`),
		...each(having('expires', 'soon', 'topsecretvalue', true, 1e15), `${bad}: expires must be a time in Unix seconds`),
		...each(having('sameSite', 'sometimes', 3, 'constructor'), `${bad}: sameSite must be Lax, None, or Strict`),
		[{ name: 'topsecretvalue', path: '' }, 'Cookie 2 has no path'],
		[{ name: { a: 1 } }, 'Cookie 2 cannot be used: name must be text'],
	])('rejects %j, naming the cookie and the field', (change, problem) => {
		expect(problemOf([cookie, { ...cookie, ...change }])).toBe(problem);
	});

	const SHOP = 'https://shop.example';
	const partitionKey = { topLevelSite: SHOP, hasCrossSiteAncestor: false };
	it.each<[object, object]>([
		[{ value: '' }, { value: '' }],
		[{ value: 17 }, { value: '17' }],
		...each(having('partitionKey', partitionKey, { sourceOrigin: SHOP }), { partitionKey: SHOP }),
		[{ expiry: 1900000000 }, { expires: 1900000000 }],
		// orestbida/cookieconsent#11, golang/go#28297, SuiteCRM/SuiteCRM#10241: cookies know no ports (RFC 6265, 8.5).
		[{ domain: 'localhost:3000' }, { domain: 'localhost' }],
		...each(having('domain', '[::1]:3000', '[::1]'), { domain: '[::1]' }),
		// As browsers do when a server sets them.
		[{ name: ' sid', value: 'a b\n', domain: '.example.com ', path: '\t/' }, { value: 'a b' }],
		// cookie-editor#287
		[{ session: true, expires: '1970-01-01T08:00:00Z' }, { session: true }],
		[{ session: true, expirationDate: 1_900_000_000 }, { session: true }],
		[{ expirationDate: -39_600 }, {}],
	])('reads %j as %j', (given, expected) => expect(one(given)).toEqual({ ...cookie, ...expected }));

	it.each([
		[{ sameSite: 'Lax' }, ['Lax', 'lax', 1]],
		[{ sameSite: 'Strict' }, ['Strict', 'strict', 2, '2']],
		[{ sameSite: 'None' }, ['None', 'no_restriction', 0]],
		[{ sameSite: undefined }, ['unspecified', 'Default', '', null, -1]],
		[{ expires: 1900000000 }, [1900000000, '1900000000', 1900000000000, '2030-03-17T17:46:40Z']],
		[{ expires: 1900000000.25 }, [1900000000.25]],
		[{ expires: undefined }, [-1, 0, 'Session', '', null]],
		[{ secure: true }, [true, 'true', 'TRUE', 1, '1']],
		[{ secure: false }, [false, 'false', 0, '0']],
		// microsoft/playwright#30666, #36124
		[{ httpOnly: false, secure: false }, [undefined, null, '']],
		[{ session: undefined, storeId: undefined }, [null, '']],
		// ysard/cookie-quick-manager#96, #182, Edit-This-Cookie#99: a leading dot means subdomains, whatever the flag says.
		[{ hostOnly: false }, [true, 'TRUE', 1, false]],
	])('reads %j from every spelling', (expected, spellings) => {
		const as = (given: unknown) => Object.fromEntries(Object.keys(expected).map((field) => [field, given]));
		for (const given of spellings) expect([given, one(as(given))]).toEqual([given, { ...cookie, ...expected }]);
	});

	// microsoft/playwright#12808, playwright-python#1238
	it('skips cookies without a name, and counts them', () => {
		const nameless = [undefined, null, '', ' '].map((name) => ({ ...cookie, name }));
		expect(readCookies([...nameless, cookie])).toEqual({ cookies: [cookie], skipped: 4 });
		const line = '.a.example\tTRUE\t/\tTRUE\t0\t';
		expect(readCookies(`${line}\tv\n${line}a\tv`)).toMatchObject({ skipped: 1 });
		const invalid = { ...cookie, path: '' };
		expect(problemOf([nameless[0], invalid])).toBe('Cookie 2 ("sid") has no path');
	});
});

describe('files', () => {
	const read = (name: string) => readFileSync(path.join(__dirname, 'cookies', name));
	const sid = { name: 'sid', value: 'v1', domain: '.shop.example', path: '/', httpOnly: true, secure: true };
	const cart = { name: 'cart', value: '', domain: 'www.shop.example', path: '/shop', httpOnly: false, secure: false };
	const both = (cookies: object[], ...changes: object[]) =>
		cookies.map((cookie, index) => ({ ...cookie, ...changes[index] }));
	const lines = both([sid, cart], { hostOnly: false, httpOnly: false }, { hostOnly: true });
	const sameSite = 'None';
	const chrome = both([sid, cart], { hostOnly: false, session: false, sameSite }, { hostOnly: true, session: true });
	const partitionKey = 'https://shop.example';
	const time = 1900000000.5;
	const sent = [{ ...sid, expires: time, sameSite }, cart];
	const timed = { expirationDate: time, storeId: '0' };

	// Each written as the exporter's source writes it. The table of reference.md.
	it.each<[string, object[], number?]>([
		['cookie-editor.json', both(chrome, { expirationDate: time })],
		['cookie-editor-firefox.json', [{ ...chrome[0], expirationDate: 1900000000 }]],
		['cookie-editor.txt', both(lines, { httpOnly: true, expires: 1900000000 }, { expires: 1900000000 })],
		['edit-this-cookie.json', both(chrome, timed, { storeId: '0' })],
		...each(['edit-this-cookie.txt', 'get-cookies-txt-locally.txt'], both(lines, { expires: 1900000001 })),
		['get-cookies-txt-locally.json', both(chrome, timed, { storeId: '0', partitionKey })],
		['playwright.json', both(sent, {}, { sameSite: 'Lax', partitionKey }), 1],
		['puppeteer.json', both(sent, { session: false }, { session: true, partitionKey })],
		['webdriver.json', both(sent, { expires: 1900000000 }, { sameSite: 'Lax' })],
		// Writes host-only into the column for subdomains.
		['cookie-quick-manager.txt', both(lines, { expires: 1900000000 }, { hostOnly: false })],
	])('reads %s, in each encoding with a mark', (name, cookies, skipped = 0) => {
		const bytes = read(name);
		const utf16 = Buffer.from(`\uFEFF${bytes.toString()}`, 'utf16le');
		// dandv/convert-chrome-cookies-to-netscape-format#12
		const encodings = [bytes, Buffer.from(`\uFEFF${bytes.toString()}`), utf16, Buffer.from(utf16).swap16()];
		for (const encoded of encodings) expect(readCookies(decodeText(encoded))).toEqual({ cookies, skipped });
	});

	it.each<[string, string]>([
		['cookie-quick-manager.json', "'Cookies' has no cookie with a name"],
		...each(['edit-this-cookie-pairs.txt', 'get-cookies-txt-locally-header.txt', 'firefox.sqlite'], NEITHER),
		['chrome-devtools.txt', 'Cookie 1 '],
	])('rejects %s, and names the formats', (name, problem) => {
		const { reason, advice } = rejectionOf(decodeText(read(name)));
		expect(reason).toContain(problem);
		expect(advice).toContain('Cookie-Editor');
	});
});
