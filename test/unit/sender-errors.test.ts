import { hasError } from '../../nodes/shared/failure/response/reason';
import { each } from '../support/each';

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
	...each(
		[
			{ error: 'forbidden', message: 'Too many profiles' },
			{ ok: false, message: 'Too many profiles', mode: 'append' },
			{ status: 'error', message: 'No', mode: 'replace' },
			{ errors: ['No'], mode: 'append' },
			{ success: 'false', message: 'No' },
			{ ok: 'False', message: 'No' },
			{ code: 403, message: 'No' },
			{ status: 'fail', message: 'No' },
			{ result: 'error', message: 'No' },
		],
		['success', 'cookies_count', 'mode', 'message'],
	),
	...each(
		[
			{ error: 'forbidden', mode: 'live', status: 'x' },
			{ status: 'error', mode: 'live' },
		],
		['id', 'mode', 'status'],
	),
	[{ success: false, cookies_count: 0, mode: 'replace' }, ['success', 'cookies_count', 'mode']],
	[{ status: 'error', error: 'x' }, ['id', 'mode', 'status']],
])('%j is an error of its sender where %j is promised', (body, promised) => {
	expect(hasError(body, promised)).toBe(true);
});

it.each<[unknown, string[]]>([
	[{ id: 'c', mode: 'live', status: 'failed', error_code: 'expired' }, ['id', 'mode', 'status']],
	[{ message: '2 cookies set', mode: 'append', error: null }, ['success', 'cookies_count', 'mode', 'message']],
	[{ cookies_count: 2, message: '2 set', error: 'One was skipped' }, ['success', 'cookies_count', 'mode', 'message']],
	[{ results: [], error: 'Some sources were not reachable' }, ['results', 'answer']],
	[{ answer: 'Yes', detail: 'long' }, ['results', 'answer']],
	...each([{ error: null, errors: [], detail: ' ' }, { error: false, errors: {} }, { status: 'ok' }], []),
	...each([{ status: 200 }, {}, { code: 200 }, { code: 'ok', result: 'x' }, { success: 'true' }], []),
	...each([{ deleted: true }, { deleted: 1, ok: true, success: true }], []),
	[{ title: 'A page', url: 'https://shop.example' }, []],
	...each(['error', '', null, 7, [{ error: 'x' }]], []),
])('%j is none where %j is promised', (body, promised) => expect(hasError(body, promised)).toBe(false));
