import { chunksWithoutTokens, TokenFilter, withoutTokens } from '../../nodes/shared/mask/file-tokens';
import { each } from '../support/each';

const base64 = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
const jwt = (payload: object) => `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64(payload)}.sig_n-t`;
const TOKEN = jwt({ id: 'filesystem-v2:a', iat: 1, exp: 2 });
const LINK = `https://n8n.example/rest/binary-data/signed?token=${TOKEN}`;
const MASKED = LINK.replace(TOKEN, '***');

const SHOP = 'https://shop.example/signed?token=abc.def-123';
const OTHERS = [SHOP, encodeURIComponent(SHOP), jwt({ id: 'user-1' }), jwt({ id: 17 }), 'eyJ is how a token begins'];

const piecesOf = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, 'g'))!;

it.each<[string, string]>([
	[`See ${LINK} and more`, `See ${MASKED} and more`],
	[`(${LINK})`, `(${MASKED})`],
	[`The token is ${TOKEN}, the keys are they`, 'The token is ***, the keys are they'],
	[encodeURIComponent(LINK), encodeURIComponent(MASKED)],
	[`x${TOKEN.replace(/^[^.]+\./, '')}`, 'x***'],
	...each(
		['filesystem:a', 'database:1', 's3:b/c', 'azure:d'].map((id) => jwt({ id, iat: 1 })),
		'***',
	),
	['https://cdn.example/x/binary-data/signed?token=abc.d-1', 'https://cdn.example/x/binary-data/signed?token=***'],
	...OTHERS.map((other): [string, string] => [other, other]),
])('removes the tokens of file links from %s, however it is cut into pieces', (text, expected) => {
	expect(withoutTokens(text)).toBe(expected);
	for (const size of [1, 2, 3, 5, 8, 13, 50, text.length]) {
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
		expect([size, ...results]).toEqual([size, expected, expected, expected]);
		expect(JSON.stringify(chunks)).toBe(before);
	}
});

it('shows a text without links as it comes, and a link once it has ended', () => {
	const filter = new TokenFilter();
	const shown = ['One ', 'two', ' http', 's://a.example/b', ' c'].map((piece) => filter.push(piece));
	expect(shown).toEqual(['One ', 'two', ' http', '', 's://a.example/b c']);
	expect(filter.push('价格https://a.example/b')).toBe('价格');
	expect(filter.push('。')).toBe('https://a.example/b。');
});

it('removes a token from a word that is too long to be kept back', () => {
	for (let behind = 4600; behind <= 5200; behind += 100) {
		const filter = new TokenFilter();
		const word = `${'x'.repeat(100)}/${LINK}&${'/y'.repeat(behind / 2)}`;
		const shown = piecesOf(word, 64).map((piece) => filter.push(piece));
		expect(shown.join('') + filter.end()).toBe(word.replace(TOKEN, '***'));
	}
});

it('removes a token from the deltas of a part, whatever other parts have the same ID', () => {
	const [one, two] = [TOKEN.slice(0, 40), TOKEN.slice(40)].map((delta) => ({ type: 'text-delta', id: '1', delta }));
	for (const other of [
		{ type: 'data-progress', id: '1' },
		{ type: 'reasoning-delta', id: '1', delta: 'a' },
	]) {
		const shown = chunksWithoutTokens([one, other, two].map((chunk) => ({ ...chunk })));
		expect([shown[0], shown[2]].map((chunk) => chunk!.delta).join('')).toBe('***');
	}
});
