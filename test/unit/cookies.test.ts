import { readCookies } from '../../nodes/BrowserAutomation/routing/set-cookies';
import type { FailureError } from '../../nodes/shared/failure';

const cookie = { name: 'sid', value: 'topsecretvalue', domain: '.example.com', path: '/', httpOnly: true };
const one = (change: object) => readCookies([{ ...cookie, ...change }])[0];

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
		['an object as text', ` \n${JSON.stringify({ cookies: [cookie] })}\n`],
		['text with a byte order mark', `\uFEFF${JSON.stringify([cookie])}`],
		['text that was made text twice', JSON.stringify(JSON.stringify([cookie]))],
		['the export of a browser extension', [ofExtension], { ...cookie, ...extension, sameSite: 'None' }],
	])('reads %s', (_name, given, expected = cookie) => {
		expect(readCookies(given)).toEqual([expected]);
	});

	const NO_LIST = "'Cookies' must be a list of cookies, or an object with a list named cookies";
	const NEITHER = "'Cookies' is neither JSON nor a cookies.txt file";
	it.each([
		[undefined, "'Cookies' is empty"],
		[null, "'Cookies' is empty"],
		['  ', "'Cookies' is empty"],
		[[], "'Cookies' contains no cookies"],
		[{ cookies: [] }, "'Cookies' contains no cookies"],
		['# Netscape HTTP Cookie File\n', "'Cookies' contains no cookies"],
		[7, NO_LIST],
		[cookie, NO_LIST],
		['[{"name": "sid", "value": topsecretvalue}]', "'Cookies' is not valid JSON"],
		['sid=topsecretvalue', `${NEITHER}: line 1 is not a cookie`],
		['# Netscape HTTP Cookie File\r\r.example.com\tTRUE\t/\ttopsecretvalue', `${NEITHER}: line 3 is not a cookie`],
		// A row of a browser's developer tools, and a line without its time.
		['sid\ttopsecretvalue\t.example.com\t/\tSession\t17\t✓\t✓', `${NEITHER}: line 1 is not a cookie`],
		['.example.com\tTRUE\t/\tTRUE\tsid\ttopsecretvalue', `${NEITHER}: line 1 is not a cookie`],
		[['sid=topsecretvalue'], 'Cookie 1 is not an object'],
		[[cookie, null], 'Cookie 2 is not an object'],
	])('rejects %j', (given, problem) => {
		expect(problemOf(given)).toBe(problem);
	});
});

describe('fields', () => {
	const each = (field: string, values: unknown[], problem: string) =>
		values.map((value): [object, string] => [{ [field]: value }, problem]);
	const bad = 'Cookie 2 ("sid") cannot be used';
	it.each<[object, string]>([
		...each('name', [undefined, null, '', ' '], 'Cookie 2 has no name'),
		...['value', 'domain', 'path', 'httpOnly'].flatMap((name) =>
			each(name, [undefined], `Cookie 2 ("sid") has no ${name}`),
		),
		[{ domain: '' }, 'Cookie 2 ("sid") has no domain'],
		[{ path: '' }, 'Cookie 2 ("sid") has no path'],
		[{ value: { a: 1 } }, `${bad}: value must be text`],
		[{ storeId: [] }, `${bad}: storeId must be text`],
		[{ httpOnly: 'maybe' }, `${bad}: httpOnly must be true or false`],
		[{ secure: 2 }, `${bad}: secure must be true or false`],
		...each('domain', ['https://example.com', 'example.com/'], `${bad}: domain must be a host, such as example.com`),
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
		[{ secure: undefined, session: undefined, storeId: undefined }, [null, '']],
	])('reads %j from every spelling', (expected, spellings) => {
		const as = (given: unknown) => Object.fromEntries(Object.keys(expected).map((field) => [field, given]));
		for (const given of spellings) expect([given, one(as(given))]).toEqual([given, { ...cookie, ...expected }]);
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
	for (const end of ['\n', '\r\n', '\r']) expect(readCookies(lines.join(end))).toEqual(expected);
	expect(readCookies(lines.map((line) => `  ${line}`).join('\n'))).toEqual(expected);
});
