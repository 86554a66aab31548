import { readCookies } from '../../nodes/BrowserAutomation/resources/profile/setCookies/cookies';

const cookie = { name: 'sid', value: 'topsecretvalue', domain: '.example.com', path: '/', httpOnly: true };
const read = (given: unknown) => {
	const { cookies, problem } = readCookies(given);
	expect(problem).toBeUndefined();
	return cookies;
};
const one = (change: object) => read([{ ...cookie, ...change }])[0];
const problemOf = (change: object) => readCookies([cookie, { ...cookie, ...change }]).problem;

describe('shapes', () => {
	it.each([
		['a list', [cookie]],
		['an object', { cookies: [cookie], origins: [] }],
		['a list as text', JSON.stringify([cookie])],
		['an object as text', ` \n${JSON.stringify({ cookies: [cookie] })}\n`],
		['text with a byte order mark', `\uFEFF${JSON.stringify([cookie])}`],
		['text that was made text twice', JSON.stringify(JSON.stringify([cookie]))],
	])('reads %s', (_name, given) => {
		expect(read(given)).toEqual([cookie]);
	});

	it.each([
		[undefined, 'Cookies is empty'],
		[null, 'Cookies is empty'],
		['', 'Cookies is empty'],
		['  ', 'Cookies is empty'],
		[[], 'Cookies holds no cookie'],
		[{ cookies: [] }, 'Cookies holds no cookie'],
		['# Netscape HTTP Cookie File\n', 'Cookies holds no cookie'],
		[7, 'Cookies is neither a list of cookies nor an object with a list in its field cookies'],
		[cookie, 'Cookies is neither a list of cookies nor an object with a list in its field cookies'],
		['[{"name": "sid", "value": topsecretvalue}]', 'Cookies is not valid JSON'],
		['sid=topsecretvalue', 'Cookies is neither JSON nor a cookies.txt file: see line 1'],
		[['sid=topsecretvalue'], 'Cookie at index 0: is not an object'],
		[[cookie, null], 'Cookie at index 1: is not an object'],
	])('refuses %j', (given, problem) => {
		expect(readCookies(given).problem).toBe(problem);
	});
});

describe('fields', () => {
	it.each(['name', 'value', 'domain', 'path', 'httpOnly'])('refuses a cookie without %s, naming its index', (field) => {
		expect(problemOf({ [field]: undefined })).toBe(`Cookie at index 1: ${field} is missing`);
		expect(problemOf({ [field]: null })).toBe(`Cookie at index 1: ${field} is missing`);
	});

	it.each([
		[{ name: '' }, 'name is empty'],
		[{ domain: '' }, 'domain is empty'],
		[{ path: '' }, 'path is empty'],
		[{ value: { a: 1 } }, 'value is not a text'],
		[{ httpOnly: 'maybe' }, 'httpOnly is neither true nor false'],
		[{ secure: 2 }, 'secure is neither true nor false'],
		[{ expires: 'soon' }, 'expires is not a time in Unix seconds'],
		[{ expires: true }, 'expires is not a time in Unix seconds'],
		[{ expirationDate: 1e15 }, 'expirationDate is not a time in Unix seconds'],
		[{ sameSite: 'sometimes' }, 'sameSite is none of Lax, None and Strict'],
		[{ sameSite: 3 }, 'sameSite is none of Lax, None and Strict'],
		[{ sameSite: 'constructor' }, 'sameSite is none of Lax, None and Strict'],
		[{ storeId: [] }, 'storeId is not a text'],
	])('refuses %j', (change, problem) => {
		expect(problemOf(change)).toBe(`Cookie at index 1: ${problem}`);
	});

	it('keeps a cookie without a value, and turns numbers into text', () => {
		expect(one({ value: '' })).toEqual({ ...cookie, value: '' });
		expect(one({ value: 17, storeId: 0 })).toEqual({ ...cookie, value: '17', storeId: '0' });
	});

	it.each([
		['Lax', 'Lax'],
		['lax', 'Lax'],
		['Strict', 'Strict'],
		['strict', 'Strict'],
		['None', 'None'],
		['no_restriction', 'None'],
		['unspecified', undefined],
		['', undefined],
		[null, undefined],
		[-1, undefined],
		[0, 'None'],
		[1, 'Lax'],
		[2, 'Strict'],
		['2', 'Strict'],
	])('reads sameSite %j as %s', (given, expected) => {
		expect(one({ sameSite: given })).toEqual(expected ? { ...cookie, sameSite: expected } : cookie);
	});

	it.each([
		[1900000000, 1900000000],
		[1900000000.25, 1900000000.25],
		['1900000000', 1900000000],
		[1900000000000, 1900000000],
		['2030-03-17T17:46:40Z', 1900000000],
		[-1, undefined],
		[0, undefined],
		['Session', undefined],
		['', undefined],
		[null, undefined],
	])('reads the time %j as %s', (given, expected) => {
		expect(one({ expires: given })).toEqual(expected ? { ...cookie, expires: expected } : cookie);
	});

	it('reads the partition key of Chrome', () => {
		const key = { topLevelSite: 'https://shop.example', hasCrossSiteAncestor: false };
		expect(one({ partitionKey: key })).toEqual({ ...cookie, partitionKey: 'https://shop.example' });
		expect(one({ partitionKey: {} })).toEqual(cookie);
	});
});

it('reads a Playwright storage state', () => {
	const state = {
		cookies: [
			{ ...cookie, expires: -1, secure: true, sameSite: 'Lax' },
			{ ...cookie, name: 'b', expires: 1900000000.5, secure: false, sameSite: 'None' },
		],
		origins: [{ origin: 'https://example.com', localStorage: [] }],
	};
	expect(read(state)).toEqual([
		{ ...cookie, secure: true, sameSite: 'Lax' },
		{ ...cookie, name: 'b', expires: 1900000000.5, secure: false, sameSite: 'None' },
	]);
});

it('reads the export of a browser extension', () => {
	const exported = {
		...cookie,
		expirationDate: 1900000000.5,
		hostOnly: false,
		sameSite: 'no_restriction',
		secure: true,
		session: false,
		storeId: '0',
		id: 1,
		firstPartyDomain: '',
		partitionKey: null,
	};
	expect(read([exported, { ...cookie, sameSite: 'unspecified', session: true, storeId: null }])).toEqual([
		{
			...cookie,
			expirationDate: 1900000000.5,
			hostOnly: false,
			secure: true,
			session: false,
			storeId: '0',
			sameSite: 'None',
		},
		{ ...cookie, session: true },
	]);
});

describe('cookies.txt', () => {
	const head = '# Netscape HTTP Cookie File\r\n# http://curl.se/docs/http-cookies.html\r\n\r\n';
	it('reads its lines', () => {
		const lines = [
			'#HttpOnly_.example.com\tTRUE\t/\tTRUE\t1900000000\tsid\ttopsecretvalue',
			'www.example.com\tFALSE\t/shop\tFALSE\t0\tcart\t',
			'www.example.com\tFALSE\t/\tFALSE\t0\tempty',
			'.example.com\tTRUE\t/\tTRUE\t1900000000\ttabs\ta\tb',
		];
		expect(read(head + lines.join('\r\n'))).toEqual([
			{ ...cookie, hostOnly: false, secure: true, expires: 1900000000 },
			{
				name: 'cart',
				value: '',
				domain: 'www.example.com',
				path: '/shop',
				httpOnly: false,
				hostOnly: true,
				secure: false,
			},
			{
				name: 'empty',
				value: '',
				domain: 'www.example.com',
				path: '/',
				httpOnly: false,
				hostOnly: true,
				secure: false,
			},
			{
				name: 'tabs',
				value: 'a\tb',
				domain: '.example.com',
				path: '/',
				httpOnly: false,
				hostOnly: false,
				secure: true,
				expires: 1900000000,
			},
		]);
	});

	it('names the line that is none', () => {
		const problem = readCookies(`${head}.example.com\tTRUE\t/\ttopsecretvalue`).problem;
		expect(problem).toBe('Cookies is neither JSON nor a cookies.txt file: see line 4');
	});
});

it('quotes no value in any refusal', () => {
	const given = [
		'[{"name": "sid", "value": topsecretvalue}]',
		'sid=topsecretvalue',
		[{ ...cookie, domain: undefined }],
		[{ ...cookie, expires: 'topsecretvalue' }],
		[{ ...cookie, sameSite: 'topsecretvalue' }],
	];
	for (const value of given) expect(readCookies(value).problem).not.toContain('topsecret');
});
