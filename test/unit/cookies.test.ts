/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { decodeText, readCookies } from '../../nodes/BrowserAutomation/routing/set-cookies';
import type { FailureError } from '../../nodes/shared/failure';

const flags = { httpOnly: true, secure: false };
const cookie = { name: 'sid', value: 'topsecretvalue', domain: '.example.com', path: '/', ...flags };
const one = (change: object) => readCookies([{ ...cookie, ...change }]).cookies[0];

/** Why something is refused; no refusal quotes the value of a cookie. */
const problemOf = (given: unknown) => {
	try {
		return readCookies(given);
	} catch (error) {
		const { failure } = error as FailureError;
		expect(JSON.stringify(failure)).not.toContain('topsecret');
		return failure.reason;
	}
};

const extension = { expirationDate: 1900000000.5, hostOnly: false, secure: true, session: false, storeId: '0' };
const dropped = { id: 1, firstPartyDomain: '', partitionKey: null };
const ofExtension = { ...cookie, ...extension, ...dropped, sameSite: 'no_restriction' };

describe('shapes', () => {
	it.each<[string, unknown, object?]>([
		['a list', [cookie]],
		['an object', { cookies: [cookie], origins: [] }],
		['a list as text', JSON.stringify([cookie])],
		['a list in a fence', `\`\`\`json\n${JSON.stringify([cookie])}\n\`\`\``],
		['an object as text', ` \n${JSON.stringify({ cookies: [cookie] })}\n`],
		[
			'a number as text',
			`[${JSON.stringify(cookie).replace('"topsecretvalue"', '12.50')}]`,
			{ ...cookie, value: '12.50' },
		],
		['text with a byte order mark', `\uFEFF${JSON.stringify([cookie])}`],
		['text that was made text twice', JSON.stringify(JSON.stringify([cookie]))],
		['the export of a browser extension', [ofExtension], { ...cookie, ...extension, sameSite: 'None' }],
	])('reads %s', (_name, given, expected = cookie) => {
		expect(readCookies(given)).toEqual({ cookies: [expected], skipped: 0 });
	});

	const NO_LIST = "'Cookies' must be a list of cookies, or an object with a list named cookies";
	const NEITHER = "'Cookies' is neither JSON nor a cookies.txt file";
	const BAD = "'Cookies' cannot be used";
	it.each<[unknown, unknown]>([
		[undefined, "'Cookies' is empty"],
		[null, "'Cookies' is empty"],
		['  ', "'Cookies' is empty"],
		[[], "'Cookies' contains no cookies"],
		[{ cookies: [] }, "'Cookies' contains no cookies"],
		['# Netscape HTTP Cookie File\n', "'Cookies' contains no cookies"],
		[7, NO_LIST],
		[cookie, NO_LIST],
		['[{"name": "sid", "value": topsecretvalue}]', expect.stringMatching(/^'Cookies' is not valid JSON: .*line 1/)],
		['[{"name": "sid"},\n{"value": "topsecret"', expect.stringMatching(/^'Cookies' is not valid JSON: .+/)],
		// youtube-dl#4539, #5195, imgbrd-grabber#3364: a copied Cookie header; editors that replace tabs by blanks.
		...['sid=topsecret', 'Cookie: a=topsecret; b=2', 'a=1;b=topsecret=;', '// By EditThisCookie\na=topsecret;'].map(
			(header): [unknown, string] => [header, `${BAD}: a Cookie header has no domain`],
		),
		['.a.example TRUE / TRUE 0 sid topsecret', `${BAD}: in line 1, fields must be separated by tabs`],
		['# x\n#HttpOnly_a.example  FALSE  /  FALSE\t19  sid', `${BAD}: in line 2, fields must be separated by tabs`],
		// ysard/cookie-quick-manager#94
		[[{ 'Name raw': 'sid', 'Content raw': 'topsecret' }], "'Cookies' has no cookie with a name"],
		[[{ key: 'sid', value: 'topsecret' }, { name: ' ' }], "'Cookies' has no cookie with a name"],
		['# Netscape HTTP Cookie File\r\r.example.com\tTRUE\t/\ttopsecretvalue', `${NEITHER}: line 3 is not a cookie`],
		// A row of a browser's developer tools, and a line without its time.
		['sid\ttopsecretvalue\t.example.com\t/\tSession\t17\t✓\t✓', `${NEITHER}: line 1 is not a cookie`],
		['.example.com\tTRUE\t/\tTRUE\tsid\ttopsecretvalue', `${NEITHER}: line 1 is not a cookie`],
		[['sid=topsecretvalue'], 'Cookie 1 is not an object'],
		[[cookie, null], 'Cookie 2 is not an object'],
	])('rejects %j', (given, problem) => {
		expect(problemOf(given)).toEqual(problem);
	});
});

describe('fields', () => {
	const each = (field: string, values: unknown[], problem: string) =>
		values.map((value): [object, string] => [{ [field]: value }, problem]);
	const bad = 'Cookie 2 ("sid") cannot be used';
	it.each<[object, string]>([
		...['value', 'domain', 'path'].flatMap((name) => each(name, [undefined], `Cookie 2 ("sid") has no ${name}`)),
		[{ domain: '' }, 'Cookie 2 ("sid") has no domain'],
		[{ path: '' }, 'Cookie 2 ("sid") has no path'],
		[{ value: { a: 1 } }, `${bad}: value must be text`],
		[{ storeId: [] }, `${bad}: storeId must be text`],
		[{ httpOnly: 'maybe' }, `${bad}: httpOnly must be true or false`],
		[{ secure: 2 }, `${bad}: secure must be true or false`],
		...each(
			'domain',
			['https://example.com', 'example.com/', '*.shop.example'],
			`${bad}: domain must be a host, such as example.com`,
		),
		...each('expires', ['soon', 'topsecretvalue', true, 1e15], `${bad}: expires must be a time in Unix seconds`),
		...each('sameSite', ['sometimes', 3, 'constructor'], `${bad}: sameSite must be Lax, None, or Strict`),
		[{ name: 'topsecretvalue', path: '' }, 'Cookie 2 has no path'],
		[{ name: 'sid=topsecret', path: '' }, 'Cookie 2 has no path'],
		[{ name: { a: 1 } }, 'Cookie 2 cannot be used: name must be text'],
	])('rejects %j, naming the cookie and the field', (change, problem) => {
		expect(problemOf([cookie, { ...cookie, ...change }])).toBe(problem);
	});

	const partitionKey = { topLevelSite: 'https://shop.example', hasCrossSiteAncestor: false };
	it.each([
		[{ value: '' }, { value: '' }],
		[
			{ value: 17, storeId: 0 },
			{ value: '17', storeId: '0' },
		],
		[{ partitionKey }, { partitionKey: 'https://shop.example' }],
		[{ partitionKey: { sourceOrigin: 'https://shop.example' } }, { partitionKey: 'https://shop.example' }],
		[{ partitionKey: {} }, {}],
		[{ expiry: 1900000000 }, { expires: 1900000000 }],
		// orestbida/cookieconsent#11, golang/go#28297, SuiteCRM/SuiteCRM#10241: cookies know no ports (RFC 6265, 8.5).
		[{ domain: 'localhost:3000' }, { domain: 'localhost' }],
		[{ domain: '.shop.example:443' }, { domain: '.shop.example' }],
		[{ domain: '[::1]:3000' }, { domain: '[::1]' }],
		[{ domain: '[::1]' }, { domain: '[::1]' }],
		// As browsers do when a server sets them.
		[{ name: ' sid', value: 'a b\n', domain: '.example.com ', path: '\t/' }, { value: 'a b' }],
	])('reads %j as %j', (given, expected) => {
		expect(one(given)).toEqual({ ...cookie, ...expected });
	});

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

	it('keeps the flag of a domain without a dot', () => {
		for (const hostOnly of [true, false]) expect(one({ domain: 'a.example', hostOnly })).toMatchObject({ hostOnly });
	});

	// microsoft/playwright#12808, playwright-python#1238
	it('skips cookies without a name, and counts them', () => {
		const nameless = [undefined, null, '', ' '].map((name) => ({ ...cookie, name }));
		expect(readCookies([...nameless, cookie])).toEqual({ cookies: [cookie], skipped: 4 });
		expect(readCookies('.a.example\tTRUE\t/\tTRUE\t0\t\tv\n.a.example\tTRUE\t/\tTRUE\t0\ta\tv')).toMatchObject({
			skipped: 1,
		});
		expect(
			problemOf([
				{ ...cookie, name: '' },
				{ ...cookie, path: '' },
			]),
		).toBe('Cookie 2 ("sid") has no path');
	});
});

describe('files', () => {
	const read = (name: string) => readFileSync(path.join(__dirname, 'cookies', name));
	const sid = { name: 'sid', value: 'v1', domain: '.shop.example', path: '/', httpOnly: true, secure: true };
	const cart = { name: 'cart', value: '', domain: 'www.shop.example', path: '/shop', httpOnly: false, secure: false };
	const lines = [
		{ ...sid, hostOnly: false, httpOnly: false },
		{ ...cart, hostOnly: true },
	];
	const chrome = [
		{ ...sid, hostOnly: false, session: false, sameSite: 'None' },
		{ ...cart, hostOnly: true, session: true },
	];
	const partitionKey = 'https://shop.example';
	const time = 1900000000.5;
	const both = (cookies: object[], first: object, second: object = {}) => [
		{ ...cookies[0], ...first },
		{ ...cookies[1], ...second },
	];

	// Each written as the exporter's source writes it. The table of reference.md.
	it.each<[string, object[], number?]>([
		['cookie-editor.json', both(chrome, { expirationDate: time })],
		['cookie-editor-firefox.json', [{ ...chrome[0], expirationDate: 1900000000 }]],
		['cookie-editor.txt', both(lines, { httpOnly: true, expires: 1900000000 }, { expires: 1900000000 })],
		['edit-this-cookie.json', both(chrome, { expirationDate: time, storeId: '0' }, { storeId: '0' })],
		['edit-this-cookie.txt', both(lines, { expires: 1900000001 })],
		['get-cookies-txt-locally.txt', both(lines, { expires: 1900000001 })],
		[
			'get-cookies-txt-locally.json',
			both(chrome, { expirationDate: time, storeId: '0' }, { storeId: '0', partitionKey }),
		],
		['playwright.json', both([sid, cart], { expires: time, sameSite: 'None' }, { sameSite: 'Lax', partitionKey }), 1],
		[
			'puppeteer.json',
			both([sid, cart], { expires: time, sameSite: 'None', session: false }, { session: true, partitionKey }),
		],
		['webdriver.json', both([sid, cart], { expires: 1900000000, sameSite: 'None' }, { sameSite: 'Lax' })],
		// Writes host-only into the column for subdomains.
		['cookie-quick-manager.txt', both(lines, { expires: 1900000000 }, { hostOnly: false })],
	])('reads %s, in each encoding with a mark', (name, cookies, skipped = 0) => {
		const bytes = read(name);
		const utf16 = Buffer.from(`\uFEFF${bytes.toString()}`, 'utf16le');
		// dandv/convert-chrome-cookies-to-netscape-format#12
		const encodings = [bytes, Buffer.from(`\uFEFF${bytes.toString()}`), utf16, Buffer.from(utf16).swap16()];
		for (const encoded of encodings) expect(readCookies(decodeText(encoded))).toEqual({ cookies, skipped });
	});

	it.each([
		['cookie-quick-manager.json', "'Cookies' has no cookie with a name"],
		['edit-this-cookie-pairs.txt', "'Cookies' cannot be used: a Cookie header has no domain"],
		['get-cookies-txt-locally-header.txt', "'Cookies' cannot be used: a Cookie header has no domain"],
		['chrome-devtools.txt', "'Cookies' is neither JSON nor a cookies.txt file: line 1 is not a cookie"],
		['firefox.sqlite', "'Cookies' is neither JSON nor a cookies.txt file: line 1 is not a cookie"],
	])('rejects %s, and names the formats', (name, problem) => {
		const given = decodeText(read(name));
		expect(problemOf(given)).toBe(problem);
		expect(() => readCookies(given)).toThrow(
			expect.objectContaining({
				failure: expect.objectContaining({ advice: expect.stringContaining('Cookie-Editor') }),
			}),
		);
	});
});

it('reads the lines of cookies.txt, whatever ends them and with blanks before them', () => {
	const lines = [
		'# Netscape HTTP Cookie File',
		'',
		'#HttpOnly_.example.com\tTRUE\t/\tTRUE\t1900000000\tsid\ttopsecretvalue',
		'www.example.com\tFALSE\t/shop\tFALSE\t0\tcart\t',
		'www.example.com\tFALSE\t/\tFALSE\t0\tempty',
		'.example.com\tTRUE\t/\tTRUE\t1900000000\ttabs\ta b\tb',
	];
	const own = { value: '', domain: 'www.example.com', httpOnly: false, hostOnly: true, secure: false };
	const all = { ...cookie, hostOnly: false, secure: true, expires: 1900000000 };
	const expected = [
		all,
		{ ...own, name: 'cart', path: '/shop' },
		{ ...own, name: 'empty', path: '/' },
		{ ...all, name: 'tabs', value: 'a b\tb', httpOnly: false },
	];
	for (const end of ['\n', '\r\n', '\r']) expect(readCookies(lines.join(end)).cookies).toEqual(expected);
	expect(readCookies(lines.map((line) => `  ${line}`).join('\n')).cookies).toEqual(expected);
});
