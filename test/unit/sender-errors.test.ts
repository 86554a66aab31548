import { hasError } from '../../nodes/shared/failure/response/reason';
import { each } from '../support/each';

const OF_COOKIES = ['success', 'cookies_count', 'mode', 'message'];
const OF_WALLET = ['id', 'mode', 'status'];

// n8n#38508, n8n#32423, BerriAI/litellm#40578, apache/rocketmq-dashboard#2178, open-webui#29628: an error in a success.
it.each<[unknown, string[]]>([
	...each([{ error: { message: 'Upstream model overloaded' } }, { errors: [{ message: 'No' }] }], []),
	...each([{ detail: 'Not authenticated' }, { errorMessage: 'Task timed out' }], []),
	...each([{ object: 'error', message: 'Overloaded' }, { ok: false }], []),
	...each([{ deleted: false, message: 'No such secret' }, { deleted: 0 }, { deleted: [] }, { status: 'error' }], []),
	...each([{ status: 'Failed' }, { status: 502, title: 'Bad gateway' }], []),
	[{ statusCode: 401, message: 'Unauthorized' }, []],
	...each([{ error: 'Token expired' }, { error: 'Token expired', results: null, answer: '' }], ['results', 'answer']),
	// An independent contract test: names that a success has, and an error, too.
	[{ error: 'forbidden', message: 'Too many profiles' }, OF_COOKIES],
	[{ ok: false, message: 'Too many profiles', mode: 'append' }, OF_COOKIES],
	[{ status: 'error', message: 'No', mode: 'replace' }, OF_COOKIES],
	[{ errors: ['No'], mode: 'append' }, OF_COOKIES],
	[{ success: 'false', message: 'No' }, OF_COOKIES],
	[{ ok: 'False', message: 'No' }, OF_COOKIES],
	[{ code: 403, message: 'No' }, OF_COOKIES],
	[{ status: 'fail', message: 'No' }, OF_COOKIES],
	[{ result: 'error', message: 'No' }, OF_COOKIES],
	[{ error: 'forbidden', mode: 'live', status: 'x' }, OF_WALLET],
	[{ status: 'error', mode: 'live' }, OF_WALLET],
	[{ success: false, cookies_count: 0, mode: 'replace' }, ['success', 'cookies_count', 'mode']],
	[{ status: 'error', error: 'x' }, OF_WALLET],
])('%j is an error of its sender where %j is promised', (body, promised) => {
	expect(hasError(body, promised)).toBe(true);
});

it.each<[unknown, string[]]>([
	[{ id: 'c', mode: 'live', status: 'failed', error_code: 'expired' }, OF_WALLET],
	[{ message: '2 cookies set', mode: 'append', error: null }, OF_COOKIES],
	[{ cookies_count: 2, message: '2 set', error: 'One was skipped' }, OF_COOKIES],
	[{ results: [], error: 'Some sources were not reachable' }, ['results', 'answer']],
	[{ answer: 'Yes', detail: 'long' }, ['results', 'answer']],
	...each([{ error: null, errors: [], detail: ' ' }, { error: false, errors: {} }, { status: 'ok' }], []),
	...each([{ status: 200 }, {}, { code: 200 }, { code: 'ok', result: 'x' }, { success: 'true' }], []),
	...each([{ deleted: true }, { deleted: 1, ok: true, success: true }], []),
	[{ title: 'A page', url: 'https://shop.example' }, []],
	...each(['error', '', null, 7, [{ error: 'x' }]], []),
])('%j is none where %j is promised', (body, promised) => expect(hasError(body, promised)).toBe(false));
