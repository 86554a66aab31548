import { readCookies } from '../../nodes/BrowserAutomation/resources/profile/setCookies/cookies';

const cookie = { name: 'sid', value: 'topsecretvalue', domain: '.example.com', path: '/', httpOnly: true };
const read = (given: unknown) => {
	const { cookies, problem } = readCookies(given);
	expect(problem).toBeUndefined();
	return cookies;
};
const one = (change: object) => read([{ ...cookie, ...change }])[0];

/** Why something is refused; no refusal quotes the value of a cookie. */
const problemOf = (given: unknown) => {
	const { problem } = readCookies(given);
	expect(problem).not.toContain('topsecret');
	return problem;
};

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
		[undefined, /empty/],
		[null, /empty/],
		['  ', /empty/],
		[[], /no cookie/],
		[{ cookies: [] }, /no cookie/],
		['# Netscape HTTP Cookie File\n', /no cookie/],
		[7, /list of cookies/],
		[cookie, /list of cookies/],
		['[{"name": "sid", "value": topsecretvalue}]', /not valid JSON/],
		['sid=topsecretvalue', /line 1/],
		['# Netscape HTTP Cookie File\n\n.example.com\tTRUE\t/\ttopsecretvalue', /line 3/],
		[['sid=topsecretvalue'], /not an object/],
		[[cookie, null], /not an object/],
	])('refuses %j', (given, problem) => {
		expect(problemOf(given)).toMatch(problem);
	});
});

describe('fields', () => {
	it.each([
		...['name', 'value', 'domain', 'path', 'httpOnly'].map((field) => ({ [field]: undefined })),
		...[{ name: null }, { name: '' }, { domain: '' }, { path: '' }, { value: { a: 1 } }],
		...[{ httpOnly: 'maybe' }, { secure: 2 }, { storeId: [] }],
		...[{ expires: 'soon' }, { expires: 'topsecretvalue' }, { expires: true }, { expirationDate: 1e15 }],
		...[{ sameSite: 'sometimes' }, { sameSite: 'topsecretvalue' }, { sameSite: 3 }, { sameSite: 'constructor' }],
	])('refuses %j and names the field', (change) => {
		expect(problemOf([cookie, { ...cookie, ...change }])).toMatch(new RegExp(`\\b${Object.keys(change)[0]}\\b`));
	});

	it('keeps a cookie without a value, and turns numbers into text', () => {
		expect(one({ value: '' })).toEqual({ ...cookie, value: '' });
		expect(one({ value: 17, storeId: 0 })).toEqual({ ...cookie, value: '17', storeId: '0' });
	});

	it.each([
		['Lax', ['Lax', 'lax', 1]],
		['Strict', ['Strict', 'strict', 2, '2']],
		['None', ['None', 'no_restriction', 0]],
		[undefined, ['unspecified', '', null, -1]],
	])('reads sameSite %s from every spelling', (sameSite, spellings) => {
		const expected = sameSite ? { ...cookie, sameSite } : cookie;
		for (const given of spellings) expect([given, one({ sameSite: given })]).toEqual([given, expected]);
	});

	it.each([
		[1900000000, [1900000000, '1900000000', 1900000000000, '2030-03-17T17:46:40Z']],
		[1900000000.25, [1900000000.25]],
		[undefined, [-1, 0, 'Session', '', null]],
	])('reads the time %s from every spelling', (expires, spellings) => {
		const expected = expires ? { ...cookie, expires } : cookie;
		for (const given of spellings) expect([given, one({ expires: given })]).toEqual([given, expected]);
	});

	it('reads the partition key of Chrome', () => {
		const key = { topLevelSite: 'https://shop.example', hasCrossSiteAncestor: false };
		expect(one({ partitionKey: key })).toEqual({ ...cookie, partitionKey: 'https://shop.example' });
		expect(one({ partitionKey: {} })).toEqual(cookie);
	});
});

it('reads a Playwright storage state', () => {
	const [lax, none] = [
		{ ...cookie, secure: true, sameSite: 'Lax' },
		{ ...cookie, name: 'b', expires: 1900000000.5, secure: false, sameSite: 'None' },
	];
	const origins = [{ origin: 'https://example.com', localStorage: [] }];
	expect(read({ cookies: [{ ...lax, expires: -1 }, none], origins })).toEqual([lax, none]);
});

it('reads the export of a browser extension', () => {
	const known = { expirationDate: 1900000000.5, hostOnly: false, secure: true, session: false, storeId: '0' };
	const further = { sameSite: 'no_restriction', id: 1, firstPartyDomain: '', partitionKey: null };
	const second = { ...cookie, sameSite: 'unspecified', session: true, storeId: null };
	expect(read([{ ...cookie, ...known, ...further }, second])).toEqual([
		{ ...cookie, ...known, sameSite: 'None' },
		{ ...cookie, session: true },
	]);
});

it('reads the lines of cookies.txt', () => {
	const lines = [
		'# Netscape HTTP Cookie File',
		'',
		'#HttpOnly_.example.com\tTRUE\t/\tTRUE\t1900000000\tsid\ttopsecretvalue',
		'www.example.com\tFALSE\t/shop\tFALSE\t0\tcart\t',
		'www.example.com\tFALSE\t/\tFALSE\t0\tempty',
		'.example.com\tTRUE\t/\tTRUE\t1900000000\ttabs\ta\tb',
	];
	const own = { value: '', domain: 'www.example.com', httpOnly: false, hostOnly: true, secure: false };
	const all = { ...cookie, hostOnly: false, secure: true, expires: 1900000000 };
	expect(read(lines.join('\r\n'))).toEqual([
		all,
		{ ...own, name: 'cart', path: '/shop' },
		{ ...own, name: 'empty', path: '/' },
		{ ...all, name: 'tabs', value: 'a\tb', httpOnly: false },
	]);
});
