import { maskOf } from '../../nodes/shared/mask/secrets';
import { nodeError, withMaskedNames } from '../../nodes/shared/failure/node-error';
import { serviceFailure } from '../../nodes/shared/failure/response/service-failure';
import { executionOf } from '../support/execution';

// S13. A server's words are bounded before they are masked, and masked in any escape that servers write.

const SECRET = 'key-"that"-nobody\\may-see-0123456789';
const FAILURE = { statusCode: 500, headers: {} };
const messageOf = (body: unknown) =>
	nodeError(executionOf(), serviceFailure({ ...FAILURE, body }), {}, [SECRET]).message;

const LENGTH = 10_000_000;

it.each([
	['escapes of HTML', `&amp;amp;amp;amp;${' \u200b'.repeat(LENGTH / 2)}`],
	['percent-encoding', '%25252525'.repeat(LENGTH / 9)],
	['backslashes', '\\'.repeat(LENGTH)],
])('of a message of 10 MB of %s, no more than 65,536 characters are read', (_name, message) => {
	const { reason } = serviceFailure({ ...FAILURE, body: { success: false, message } });
	const { reason: ofText } = serviceFailure({ ...FAILURE, body: message });
	const { reason: ofList } = serviceFailure({
		...FAILURE,
		body: { errors: Array(100).fill(message.slice(0, 60_000)) },
	});
	for (const { length } of [reason, ofText, ofList]) expect(length).toBeLessThan(65_800);
});

const json = JSON.stringify(SECRET).slice(1, -1);
const encoded = encodeURIComponent(SECRET);

it.each([
	SECRET,
	json,
	encoded,
	encodeURIComponent(encoded),
	encodeURIComponent(json),
	JSON.stringify(json).slice(1, -1),
])('where a text is cut off, the beginning of a secret is masked: %s', (echo) => {
	for (let kept = 10; kept < echo.length; kept++) {
		const message = `Wrong${' '.repeat(65_536 - kept - 5)}${echo} was wrong`;
		for (const body of [message, { message, code: 'a' }, { errors: [{ message }, { message: 'x' }] }])
			expect(messageOf(body)).not.toMatch(/key/);
	}
	// Servers shorten texts, too.
	expect(maskOf([SECRET])(`Wrong: ${echo.slice(0, -3)}…`)).toMatch(/^Wrong: \*\*\*.{0,3}…$/);
});

// The limits that SECURITY.md names.
it.each([
	['abcd', false],
	['abcdef', false],
	['abcdefg', true],
	['üöäßxyz', true],
])('finds %s in base64, and if it is split into lines: %j', (secret, isFoundInLines) => {
	for (const before of ['', 'x', 'xx']) {
		const encoded = Buffer.from(`${before}${secret}zzz`).toString('base64');
		expect(maskOf([secret])(encoded)).not.toBe(encoded);
	}
	const inLines = Buffer.from(`x${secret}zzz`).toString('base64').replace(/.{3}/g, '$&\n');
	expect(maskOf([secret])(inLines) !== inLines).toBe(isFoundInLines);
});

it('the rest of a text that was cut off stays', () => {
	expect(maskOf([SECRET])('A long key…')).toBe('A long key…');
	expect(maskOf(['abcd-efgh'])('abc… abcd-… abc…')).toBe('abc… abcd-… abc…');
});

const key = 'k+ü€<"5\u00adpass';
const visibleKey = 'k+ü€<"5pass';
const percent = (times: number) => Array(times).fill(0).reduce<string>(encodeURIComponent, 'a/b c"d%e');

it.each([
	['entities of Latin-1 and the euro', visibleKey, 'k+&uuml;&euro;<"5pass'],
	['a number of Windows-1252', visibleKey, 'k+&#xfc;&#128;<"5pass'],
	['an entity without a semicolon', visibleKey, 'k+ü€&lt"5pass'],
	['an invisible entity', key, 'k+ü€<&quot5&shy;pa&ZeroWidthSpace;ss'],
	['octal escapes', visibleKey, 'k\\53\\374€\\074\\42\\65pass'],
	['wide percent-encoding', visibleKey, 'k+%u00FC%u20AC%u003c"5pass'],
	['a line that goes on', visibleKey, 'k+ü€\\\n<"5\\\r\npass'],
	['five times percent-encoded', 'a/b c"d%e', percent(5)],
	['nine times percent-encoded', 'a/b c"d%e', percent(9)],
])('is masked as %s', (_name, secret, echo) => {
	expect(maskOf([secret])(`Wrong: ${echo}, no`)).toBe('Wrong: ***, no');
});

const lines = (text: string, length: number) => text.replace(RegExp(`.{${length}}`, 'g'), '$&\n');
const long = 'secret-'.repeat(15);

it.each([
	['in lines of 76', long, lines(Buffer.from(long).toString('base64'), 76)],
	['in lines of JSON', long, lines(Buffer.from(long).toString('base64'), 16).replaceAll('\n', '\\r\\n')],
	['of Latin-1, for Basic', 'Müller-Käse!', Buffer.from('ann:Müller-Käse!', 'latin1').toString('base64')],
])('is masked in base64 %s', (_name, secret, echo) => {
	expect(maskOf([secret])(`Wrong: ${echo}, no`)).toMatch(/^Wrong: .{0,6}\*\*\*\S{0,5}, no$/);
});

describe('an error item', () => {
	const DIGITS = '49171234567890';
	const failed = (run: object, secret: string) => {
		const failure = { reason: 'x', advice: 'y', run: { thread_id: null, status: 'failed', ...run }, values: run };
		return nodeError({ ...executionOf(), continues: true }, failure, {}, [secret]).context.data;
	};

	it.each([Number(DIGITS), [1, { a: Number(DIGITS) }], { [DIGITS]: -Number(DIGITS) }])(
		'has no number that is a secret: %j',
		(data) => {
			expect(JSON.stringify(failed({ data }, DIGITS))).not.toContain(DIGITS);
			const others = { a: 1, b: [0.5, -2, 1e30], c: null, d: true };
			expect(failed({ data: others }, DIGITS)).toMatchObject({ data: others });
		},
	);

	it('names files without secrets', () => {
		const nameless = { data: 'a2V5', mimeType: 'text/csv', id: 'filesystem-v2:a' };
		const file = { ...nameless, fileName: `${encoded} of ${SECRET}.csv` };
		expect(withMaskedNames({ file_0: file, file_1: nameless }, [SECRET])).toEqual({
			file_0: { ...file, fileName: '*** of ***.csv' },
			file_1: nameless,
		});
	});
});
