import fc from 'fast-check';

import { nodeError, withMaskedNames } from '../../nodes/shared/failure/node-error';
import { maskOf } from '../../nodes/shared/mask/secrets';
import { executionOf } from '../support/execution';
import { fuzz } from './fuzz';

const SECRET = 'key-"that"-nobody\\may-see-0123456789';
// A promise of SECURITY.md.
describe('No error, log line or hint contains a key, a password or a token of at least four characters, neither unchanged nor in an encoding that is undone (What is masked)', () => {
	it('takes a secret out of any text', () => {
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
	const ofEach =
		(prefix: string, radix: number, length: number, suffix = '') =>
		(text: string) =>
			[...text]
				.map((letter) => prefix + letter.codePointAt(0)!.toString(radix).padStart(length, '0') + suffix)
				.join('');
	const only = (pattern: RegExp, escape: (text: string) => string) => (text: string) => text.replace(pattern, escape);
	const small = only(/%../g, (one) => one.toLowerCase());
	const json = (text: string) => JSON.stringify(text).slice(1, -1);
	const ESCAPES: Array<[string, (text: string) => string]> = [
		['as sent', String],
		['in JSON', json],
		['in JSON with escaped slashes', (text) => json(text).replaceAll('/', '\\/')],
		['in JSON, all characters', ofEach('\\u', 16, 4)],
		['in JSON, some characters', only(/[+/ü]/g, ofEach('\\u', 16, 4))],
		['percent-encoded', encodeURIComponent],
		['percent-encoded in small letters', (text) => small(encodeURIComponent(text))],
		['percent-encoded, all characters', (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&')],
		['as a form', (text) => new URLSearchParams({ text }).toString().slice('text='.length)],
		['in decimal entities', ofEach('&#', 10, 0, ';')],
		['in hexadecimal entities', ofEach('&#x', 16, 0, ';')],
		['in named entities', only(/["]/g, () => '&quot;')],
		['in JavaScript', ofEach('\\x', 16, 2)],
	];
	const twice = ESCAPES.slice(1).flatMap(([first, escape]) =>
		[ESCAPES[1], ESCAPES[5], ESCAPES[9]].map(([second, again]): [string, (text: string) => string] => [
			`${first}, then ${second}`,
			(text) => again(escape(text)),
		]),
	);
	it.each([...ESCAPES, ...twice])('masks a secret that a server echoes %s', (_name, escape) => {
		expect(maskOf([key])(`Bad key: <${escape(key)}> 100% &amp; %zz`)).toBe('Bad key: <***> 100% &amp; %zz');
	});

	it.each(['a'.repeat(40_000), '/'.repeat(16_000), '%2F'.repeat(16_000), '('.repeat(16_000), '\\'.repeat(16_001)])(
		'masks a secret, whatever its length and characters are',
		(secret) => {
			expect(maskOf([secret])(`In "${secret}": no`)).toBe('In "***": no');
			expect(maskOf([secret])(JSON.stringify({ secret }))).toBe('{"secret":"***"}');
		},
	);

	it.each([1, 2, 3])('masks a secret in base64 that begins %i characters before it', (length) => {
		for (const echo of [inBase64, (text: string) => Buffer.from(text).toString('base64url')]) {
			const masked = maskOf([key])(echo(`${'u'.repeat(length)}${key}:`));
			// What is left are the characters around it, and at most one on either side that it shares with them.
			expect(masked).toContain('***');
			expect(masked.length).toBeLessThan(length * 2 + 10);
		}
	});

	it.each([
		['abc abcd YWJj', ['abc', ' abc ', 7, undefined], 'abc abcd YWJj'],
		['abcd, abcde abcd', [' abcd\n'], '***, ***e ***'],
		['abcd wxyz', ['abcd', 'wxyz'], '*** ***'],
		// A reason has each blank once, and one secret may begin another.
		['a b c, a  b\tc', ['a  b\tc'], '***, ***'],
		['abcdef', ['abcd', 'abcdef'], '***'],
		['\ud800 abcd', ['\ud800abc', 'abcd'], '\ud800 ***'],
		// What is left of base64 is what the secret shares a character with.
		[inBase64('uabcdefgh::'), ['abcdefgh'], 'dW***Ojo='],
	])('masks secrets in %j completely, and nothing else', (text, secrets, masked) => {
		expect(maskOf(secrets)(text)).toBe(masked);
	});
});

describe('an error item', () => {
	const DIGITS = '49171234567890';
	const failed = (run: object) => {
		const known = { thread_id: null, status: 'failed', ...run };
		const failure = { reason: 'x', advice: 'y', effect: 'run' as const, run: known, values: run };
		const place = { itemIndex: 0, startsRun: true };
		return nodeError(executionOf({ continues: true }), failure, place, [DIGITS]).context.data;
	};

	it.each([Number(DIGITS), [1, { a: Number(DIGITS) }], { [DIGITS]: -Number(DIGITS) }])(
		'has no number that is a secret: %j',
		(data) => expect(JSON.stringify(failed({ data }))).not.toContain(DIGITS),
	);

	it('names files without secrets', () => {
		const nameless = { data: 'a2V5', mimeType: 'text/csv', id: 'filesystem-v2:a' };
		const file = { ...nameless, fileName: `${encodeURIComponent(SECRET)} of ${SECRET}.csv` };
		const masked = { file_0: { ...file, fileName: '*** of ***.csv' }, file_1: nameless };
		expect(withMaskedNames({ file_0: file, file_1: nameless }, [SECRET])).toEqual(masked);
	});
});
