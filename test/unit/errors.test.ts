import { NodeApiError, type IDataObject } from 'n8n-workflow';

import { noResponseFailure, noResponseReason } from '../../nodes/shared/failure/response/no-response';
import type { Failure, KnownRun } from '../../nodes/shared/failure/failure';
import { nodeError } from '../../nodes/shared/failure/node-error';
import { reasonFor, serviceFailure } from '../../nodes/shared/failure/response/service-failure';
import { each } from '../support/each';
import { executionOf } from '../support/execution';

const now = new Date('2026-11-20T12:00:00Z').getTime();
const KEY = 'key-that-nobody-may-see';
const run = { thread_id: '8f14e45f-ceea-467f-9575-000000000001', status: 'failed' };
const errorOf = (failure: Failure, reader = executionOf()) =>
	nodeError(reader, failure, { itemIndex: 3, startsRun: true }, [KEY]);
const runOf = ({ context }: ReturnType<typeof errorOf>) => context.data as Failure['run'];

describe('the reason of a response', () => {
	const page = (title: string) => `<!DOCTYPE html><html><head>${title}</head><body>${KEY}</body></html>`;
	const noReason = 'The service returned status 500 without a reason';
	const aPage = (title = '') => `The service returned a web page${title} (status 500)`;
	it.each<[unknown, string]>([
		[{ error: 'bad', message: 'Not so' }, 'Not so (bad)'],
		[{ error: { code: 'no', message: 'Not yours' } }, 'Not yours (no)'],
		[{ message: 'Busy', detail: 'Locked' }, 'Busy: Locked'],
		[{ detail: `No such key: ${KEY}` }, 'No such key: ***'],
		[{ detail: [{ loc: ['a', 0, {}, 'b'], msg: ' Field\n required', type: 'x' }] }, 'a.0.b: Field required'],
		// aspnetcore#53439, langwatch#25, formkit#945, messagebird-nodejs#12, farzaa/clicky#132, fastapi#14089
		[{ title: 'Invalid', status: 400, errors: { query: ['Too long'] } }, 'Invalid: query: Too long'],
		[{ query: ['This field is required.'] }, 'query: This field is required.'],
		[{ detail: [{ loc: ['body', 'q'], msg: 'No', input: { message: KEY } }], body: { message: KEY } }, 'body.q: No'],
		...each([{ detail: [] }, { detail: ' ', error: 7 }, null, '', ' '], noReason),
		['upstream connect\nerror', 'upstream connect error'],
		[page('<title> 502\nBad Gateway</title>'), aPage(' titled "502 Bad Gateway"')],
		...each([page('<title></title>'), '<?xml version="1.0"?><a/>'], aPage()),
		['<p>No <html> page</p>', '<p>No <html> page</p>'],
	])('of %j is %j', (body, reason) => {
		const error = errorOf(serviceFailure({ statusCode: 500, headers: {}, body }));
		expect(error).toMatchObject({ message: reason, httpCode: '500' });
	});

	it('is cut after 500 characters, and the key is masked before', () => {
		const detail = `${'x'.repeat(490)}${KEY.repeat(2)}${'y'.repeat(900)}`;
		const { message } = errorOf(serviceFailure({ statusCode: 500, headers: {}, body: { detail } }));
		expect(message).toBe(`${'x'.repeat(490)}******yyyy…`);
	});
});

describe('the advice for a response', () => {
	const advice = (statusCode: number, headers = {}) => serviceFailure({ statusCode, headers, body: '' }).advice;
	beforeEach(() => jest.useFakeTimers({ now }));
	afterEach(() => jest.useRealTimers());

	it.each([
		['points to the service, and that no proxy responds instead', [200, 299, 404, 405, 410, 415, 499]],
		['redirects are not followed', [300, 399]],
		['Correct the fields of this node', [400, 422]],
		["Check 'API Key'", [401]],
		['balance of your account', [402]],
		['permissions and limits', [403]],
		['Check the current state', [409]],
		['Send less data', [413]],
		['temporarily unavailable', [408, 500, 503]],
		['Try again in a few minutes', [429, 529]],
	])('says "%s" if the status is one of %j', (expected, statuses) => {
		for (const status of statuses) expect(advice(status)).toContain(expected);
	});

	it.each<[object, string]>([
		[{ 'retry-after': ' 30 ' }, '30 seconds'],
		[{ 'retry-after': '1' }, '1 second'],
		[{ 'retry-after': '120' }, '120 seconds'],
		[{ 'retry-after': '121' }, '3 minutes'],
		[{ 'retry-after': '7201' }, '121 minutes'],
		...each([{ 'retry-after': '1000000001' }, {}], 'a few minutes'),
	])('with the status 429 and %j says to try again in %s', (headers, wait) => {
		expect(advice(429, headers)).toBe(`Try again in ${wait}`);
	});
});

describe('no response', () => {
	const advice = { neverSent: 'Start', maybeSent: 'Look' };
	const UNTRUSTED = ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'];
	const failureBy = (cause: object) => noResponseFailure({ context: {}, ...cause } as NodeApiError, advice, run);

	it.each<[string, boolean]>([
		...each(['EAI_AGAIN', 'ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'], true),
		...each(UNTRUSTED, true),
		...each(['ECONNABORTED', 'ETIMEDOUT', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE', 'EOTHER'], false),
	])('with the code %s has the words of the client, and proves that nothing was sent: %s', (httpCode, isUnsent) => {
		const { reason, run: known } = failureBy({ httpCode, message: 'Its own words' });
		expect([reason, known]).toEqual(['No response from the service: Its own words', isUnsent ? undefined : run]);
	});

	it('has no more words if the client gives no code', () =>
		expect(noResponseReason({ code: undefined })).toBe('No response from the service'));

	const failing = (syscall: string, code: string, more = {}) =>
		Object.assign(new Error(`${syscall} ${code}`), { code, syscall, ...more });
	const [late, away] = ['ETIMEDOUT', 'ENETUNREACH'].map((code) => failing('connect', code));
	const reset = failing('read', 'ECONNRESET');
	const resetOf = (socket: object | null) => failing('', 'ECONNRESET', { request: { socket }, syscall: undefined });
	// nodejs/node#52075, nodejs/undici#2777, n8n#14915; nodejs/node#31189, #29644; dilame/instagram_mqtt#10
	it.each<[string, Error, boolean]>([
		['no address connects in time', new AggregateError([late, away]), true],
		['one attempt times out', late, true],
		['one of the addresses was connected', new AggregateError([late, reset]), false],
		['the look-up has no resources', failing('getaddrinfo', 'EBUSY'), true],
		['the handshake is not done', resetOf({ secureConnecting: true }), true],
		['there is no tunnel', resetOf(null), true],
		['the connection was open', resetOf({ secureConnecting: false }), false],
	])('of which the inner cause says that %s may have an effect or not', (_what, inner, isUnsent) => {
		const cause = Object.assign(new Error('Request failed', { cause: inner }), { isAxiosError: true });
		const failure = failureBy({ httpCode: null, message: 'The server closed the connection unexpectedly', cause });
		expect(failure.effect).toBe(isUnsent ? 'none' : 'maybe');
		expect(failure.reason).toMatch(/^No response from the service: (connect|read|getaddrinfo|) ?E/);
	});

	// n8n-nodes-prestashopadvanced#4, n8n#7239
	it.each([
		...each(UNTRUSTED, 'NODE_EXTRA_CA_CERTS'),
		...each(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'], 'Check the date and time of the machine that runs n8n'),
	])('of a certificate (%s) advises: %s', (httpCode, advice) =>
		expect(failureBy({ httpCode, message: 'self-signed' }).advice).toContain(advice),
	);

	const BLOCKED = 'The request was blocked because the destination is restricted';
	const REDIRECT_BLOCKED = 'Redirected request failed: The request was blocked because the destination';
	const TLS = 'wrong version number:';
	const unsent = { advice: 'Start', cause: 'noConnection' as const };
	const maybeSent = { advice: 'Look', run };
	const ofInput = { adviceForAgent: 'Tell the user: Enter', cause: 'input' as const };
	const noKey = { reason: 'No key', advice: 'Enter' };
	it.each<[object, object]>([
		[
			{ message: 'Own words', context: { data: { reason: 'No' } } },
			{ reason: 'Own words', ...maybeSent },
		],
		[{ message: `write EPROTO 80:error:0A00010B:SSL routines:x:${TLS}a.c:1:` }, unsent],
		...each([{ message: BLOCKED }, { message: REDIRECT_BLOCKED }], unsent),
		[{ context: { data: noKey } }, { ...noKey, ...ofInput }],
	])('because of %j is the failure %j', (cause, failure) => {
		expect(failureBy(cause)).toMatchObject(failure);
	});
});

describe('an error', () => {
	const failure: Failure = { reason: 'Refused (ECONNRESET)', advice: 'Wait', effect: 'run' };
	const BILLED = 'Wait. A new run is billed, too';

	it('of the service has the reason as its message, the advice below it, and what is known of the run', () => {
		const error = errorOf({ ...failure, httpCode: '500', run });
		const description = `${BILLED}. Thread ID: ${run.thread_id}`;
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ message: failure.reason, description, httpCode: '500', context: { itemIndex: 3 } });
		expect(runOf(error)).toEqual(run);
		expect(errorOf({ ...failure, run: { ...run, thread_id: null } }).description).toBe(BILLED);
		const withoutRun = errorOf(failure);
		expect([withoutRun.description, withoutRun.context]).toEqual(['Wait', { itemIndex: 3 }]);
	});

	it('has no secret in any of its parts', () => {
		const text = `Bearer ${KEY}`;
		const known = { ...run, list: [{ [KEY]: text }] } as KnownRun;
		const error = errorOf({ ...failure, reason: text, advice: text, run: known });
		const description = `Bearer ***. A new run is billed, too. Thread ID: ${run.thread_id}`;
		expect(error).toMatchObject({ message: 'Bearer ***', description });
		expect(runOf(error)).toEqual({ ...run, list: [{ '***': 'Bearer ***' }] });
	});

	it('keeps no contents of files, and nothing that is nested too deeply', () => {
		const deep = JSON.parse(`${'[{"":'.repeat(3000)}0${'}]'.repeat(3000)}`) as unknown;
		const noFile = 'data: no file, but words';
		const files = { 'data:text/plain,abc': '[text/plain, 3 bytes]', [noFile]: noFile };
		const kept = { ...run, text: `see data:,${'x'.repeat(2000)}`, none: null, is: true };
		const data = { ...kept, deep, list: Object.keys(files) };
		const shown = runOf(errorOf({ ...failure, run: data as KnownRun })) as unknown as IDataObject;
		expect(shown).toMatchObject({ ...kept, list: Object.values(files) });
		expect(JSON.stringify(shown.deep)).toBe(`${'[{"":'.repeat(99)}["[nested too deeply]"]${'}]'.repeat(99)}`);
	});
});

describe('the reader of an error', () => {
	const words: Failure = { reason: 'Refused.', advice: 'Wait', adviceForAgent: 'Ask', effect: 'run' };
	const BILLED = 'Wait. A new run is billed, too';
	const failure = (data?: object): Failure => ({ ...words, run: data as never });
	const TELL_USER = 'Tell the user. Calling this tool again starts another billed run';
	const told = (given: Failure, reader = executionOf()) => {
		const { message, description } = errorOf(given, reader);
		return [message, description];
	};

	it('finds both parts in the editor, and the reason alone in the description if it is a chat', () => {
		expect(told(failure())).toEqual(['Refused.', 'Wait']);
		const chat = executionOf({ isStreaming: true });
		expect(told(failure(), chat)).toEqual(['Refused.', 'Refused.']);
		const data = { thread_id: 't', status: 'failed', text: 'So' };
		expect(runOf(errorOf(failure(data), chat))).toEqual({ advice: BILLED, ...data });
		expect(runOf(errorOf(failure(data)))).toEqual(data);
	});

	it('gets no link or picture of others in the editor, which renders a description as HTML', () => {
		const link = '<a href="https://evil.example">Sign in</a>';
		const run = { thread_id: '<img src=x>' } as KnownRun;
		const given: Failure = { ...words, reason: link, advice: `Correct '${link}'`, run };
		const escaped = link.replaceAll('<', '‹');
		const shown = `Correct '${escaped}'. A new run is billed, too. Thread ID: ‹img src=x>`;
		expect(told(given)).toEqual([link, shown]);
		expect(told(given, executionOf({ isStreaming: true }))).toEqual([link, escaped]);
	});

	it('finds all in the message if it is an agent', () => {
		const reader = executionOf({ isTool: true });
		expect(told(failure(), reader)).toEqual(['Refused. Ask', 'Wait']);
		expect(told({ ...failure(), adviceForAgent: undefined }, reader)[0]).toBe('Refused. Tell the user: Wait');
		for (const text of ['', 7]) expect(told(failure({ text }), reader)[0]).toBe(`Refused. ${TELL_USER}`);
		expect(told(failure({ text: 'So "far"' }), reader)[0]).toBe(`Refused. ${TELL_USER}. Text so far: "So \\"far\\""`);
		expect(told(failure({ text: 'x'.repeat(2001) }), reader)[0]).toMatch(/Text so far: "x{2000}…"$/);
		const place = { itemIndex: 0, startsRun: true, mayBeInProgress: true };
		const { message } = nodeError(reader, failure({ text: '' }), place, []);
		expect(message).toBe(`Refused. The run may still be in progress. ${TELL_USER}`);
	});

	const none: Failure = { reason: 'Refused', advice: 'Wait', effect: 'none' };
	const inProgress = { hasRuns: true, mayBeInProgress: true };
	it.each<[object, Partial<Failure>, string]>([
		[{}, {}, 'No run was started. Wait'],
		[{ othersHaveRuns: true }, {}, 'No run was started for this item. Wait'],
		[{ othersHaveRuns: true, hasRuns: true }, {}, 'No further run was started. Wait'],
		[inProgress, {}, 'No further run was started, but an earlier run may still be in progress. Wait'],
		[inProgress, { cause: 'threadInUse' }, 'No further run was started. Wait'],
		[{ others: 'Another' }, {}, 'Wait. Another'],
		[{}, { effect: 'run', run: run as KnownRun }, `Wait. A new run is billed, too. Thread ID: ${run.thread_id}`],
		[{ others: 'Another' }, { effect: 'run', run }, `Wait. Another. Thread ID: ${run.thread_id}`],
		[{ startsRun: false }, {}, 'Wait'],
	])('gets one step and its cost, in the place %j after %j', (place, change, description) => {
		const given = { itemIndex: 0, startsRun: true, ...place };
		expect(nodeError(executionOf(), { ...none, ...change }, given, []).description).toBe(description);
	});
});

const labels = { depth: "'Depth'", mailbox_id: "'Mailbox ID'", namespace: "'Namespace'" };
it.each([
	['body.depth', "Input should be 'fast' or 'deep'", "'Depth': Input should be 'fast' or 'deep'"],
	['path.mailbox_id', 'Field required', "'Mailbox ID': Field required"],
	['query.namespace', 'Field required', "'Namespace': Field required"],
	...['body.constructor', 'header.depth', 'body.depth.0'].map((at) => [at, 'Field required', `${at}: Field required`]),
])('the reason of a validation error calls a field as the form does, if it has it: %s %s', (path, msg, reason) => {
	const body = { detail: [{ loc: path.split('.'), msg, type: 'some_type' }] };
	expect(reasonFor({ statusCode: 422, headers: {}, body, labels })).toBe(reason);
});
