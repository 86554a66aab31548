import { chunksWithoutTokens, TokenFilter, withoutTokens } from '../../nodes/shared/mask/file-tokens';
import { changeTexts } from '../../nodes/shared/values/nested';
import { each } from '../support/each';

const base64 = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
const jwt = (payload: object, head: object = { alg: 'HS256' }) => `${base64(head)}.${base64(payload)}.sig_n-t`;
const TOKEN = jwt({ id: 'filesystem-v2:a', iat: 1, exp: 2 }, { alg: 'HS256', typ: 'JWT' });
const LINK = `https://n8n.example/rest/binary-data/signed?token=${TOKEN}`;
const MASKED = LINK.replace(TOKEN, '***');

const stored = (id: string) => jwt({ id, iat: 1 });
const SHOP = 'https://shop.example/signed?token=abc.def-123';
const TEXTS: Array<[string, string]> = [
	[`See ${LINK} and more`, `See ${MASKED} and more`],
	[`(${LINK})`, `(${MASKED})`],
	[`The token is ${TOKEN}, the keys are they`, 'The token is ***, the keys are they'],
	[encodeURIComponent(LINK), encodeURIComponent(MASKED)],
	[encodeURIComponent(encodeURIComponent(LINK)), encodeURIComponent(encodeURIComponent(MASKED))],
	[`/rest/binary-data/signed?token=${TOKEN}`, '/rest/binary-data/signed?token=***'],
	...each(['filesystem:a', 'database:1', 's3:b/c', 'azure:d'].map(stored), '***'),
	[
		'a https://cdn.example/x/binary-data/signed?token=abc.def-1',
		'a https://cdn.example/x/binary-data/signed?token=***',
	],
	...[
		...[SHOP, encodeURIComponent(SHOP), jwt({ id: 'user-1' }), jwt({ id: 17 })],
		'https://shop.example/?token=abc eyJh.eyJzdWIi.abc they',
	].map((other): [string, string] => [other, other]),
];

// S14. A token with characters that are escaped, or that nobody sees.
const REAL = `${jwt({ id: 'filesystem-v2:workflows/a/b', iat: 1, exp: 2 }, { alg: 'HS256', typ: 'JWT' }).slice(0, -7)}${'s_-4'.repeat(10)}abc`;
const every = (count: number, what: string) => REAL.replace(new RegExp(`.{${count}}(?=.)`, 'g'), `$&${what}`);
const STRANGE: Array<[string, string]> = [
	...[TOKEN, REAL].flatMap(
		(token): Array<[string, string]> => [
			[`(${token.replaceAll('.', '%2E')})`, '(***)'],
			[`${LINK.replace(TOKEN, token.replace('.', '%2e'))}!`, `${MASKED}!`],
			[`<${token.replaceAll('.', '&#46;')}>`, '<***>'],
			[`"${token.replaceAll('e', '\\u0065')}"`, '"***"'],
			[`the ${token.replaceAll('.', ' . ')}, they`, 'the ***, they'],
			[`the ${token.replaceAll('.', '\u200b.\u00ad')} they`, 'the *** they'],
		],
	),
	[`See ${every(20, '\n')} and more`, 'See *** and more'],
	[`See ${every(7, ' \u2060')}. And more`, 'See ***. And more'],
	[`See ${every(40, '%20')}, and more`, 'See ***, and more'],
	[`See ${every(9, '&shy;')}, and more`, 'See ***, and more'],
	[`See ${every(9, '\0')}, and more`, 'See ***, and more'],
	[`See ${every(9, '\\u0000')}, and more`, 'See ***, and more'],
	[`See ${every(9, '&ZeroWidthSpace;')}, and more`, 'See ***, and more'],
	[`See ${REAL.replaceAll('e', '\\145').replaceAll('.', '\\56')}, and more`, 'See ***, and more'],
	[`See ${REAL.replaceAll('.', '%25252525252E')}, and more`, 'See ***, and more'],
	[`${LINK.replace(TOKEN, every(3, '\u200d'))} and more`, `${MASKED} and more`],
	...['eyJ is how a token begins. eyJ is not one.', 'a %2E b &#46; c \\u002e', 'they eye e y J'].map(
		(other): [string, string] => [other, other],
	),
];

const piecesOf = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, 'g'))!;

it.each([...TEXTS, ...STRANGE])('%s', (text, expected) => {
	expect(withoutTokens(text)).toBe(expected);
	const differing: unknown[] = [];
	for (let size = 1; size <= text.length; size++) {
		const pieces = piecesOf(text, size);
		const filter = new TokenFilter();
		const chunks = pieces.flatMap((delta) => [
			{ type: 'text-delta', id: '1', delta },
			{ type: 'tool-input-delta', toolCallId: '2', inputTextDelta: delta },
		]);
		const before = JSON.stringify(chunks);
		const shown = chunksWithoutTokens(chunks);
		const results = [
			pieces.map((piece) => filter.push(piece)).join('') + filter.end(),
			...['delta', 'inputTextDelta'].map((field) => shown.map((chunk) => chunk[field]).join('')),
		];
		// An `expect` for each of these thousands would take longer than all else.
		differing.push(...results.filter((result) => result !== expected).map((result) => [size, result]));
		if (JSON.stringify(chunks) !== before) differing.push([size, chunks]);
	}
	expect(differing).toEqual([]);
});

it('shows a text without links as it comes, and a link once it has ended', () => {
	const filter = new TokenFilter();
	const shown = ['One ', 'two', ' http', 's://a.example/b', ' c'].map((piece) => filter.push(piece));
	expect(shown).toEqual(['One ', 'two', ' http', '', 's://a.example/b c']);
	expect(filter.push('价格https://a.example/b')).toBe('价格');
	expect(filter.push('。')).toBe('https://a.example/b。');
});

it('leaves chunks of other kinds as they are, and ends a part with its last delta', () => {
	const chunksWith = (link: string) => [
		{ type: 'start', messageMetadata: { task: link } },
		{ type: 'text-delta', id: '1', delta: `Open ${link}` },
		{ type: 'text-end', id: '1' },
		{ type: 'text-delta', id: '1', delta: 'end' },
	];
	const chunks = chunksWith(LINK);
	expect(chunksWithoutTokens(chunks)).toEqual(chunksWith(MASKED));
	expect(changeTexts(chunks, withoutTokens)[0]).toEqual(chunksWithoutTokens(chunks)[0]);
});

it('takes a token out of a word that is too long to be kept back', () => {
	for (let behind = 4600; behind <= 5200; behind += 20) {
		const filter = new TokenFilter();
		const word = `${'x'.repeat(100)}/${LINK}&${'/y'.repeat(behind / 2)}`;
		const shown = piecesOf(word, 64).map((piece) => filter.push(piece));
		expect(shown.join('') + filter.end()).toBe(word.replace(TOKEN, '***'));
	}
});
