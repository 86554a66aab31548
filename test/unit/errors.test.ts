import { NodeApiError, NodeOperationError, type IDataObject } from 'n8n-workflow';

import { noResponseFailure, noResponseReason } from '../../nodes/shared/failure/response/no-response';
import { withAdvice, type Failure, type KnownRun } from '../../nodes/shared/failure/failure';
import { nodeError } from '../../nodes/shared/failure/node-error';
import { reasonFor, serviceFailure } from '../../nodes/shared/failure/response/service-failure';
import { readReason } from '../../nodes/shared/failure/response/reason';
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
	const long = 'x'.repeat(1000);
	const noReason = 'The service returned status 500 without a reason';
	const aPage = (title = '') => `The service returned a web page${title} (status 500)`;
	it.each<[unknown, string]>([
		[{ error: 'bad', message: 'Not so' }, 'Not so (bad)'],
		[{ error: 'bad', error_description: 'Not so', code: 'x' }, 'Not so (bad)'],
		[{ error: 'Not', message: 'Not so' }, 'Not so'],
		[{ error: { code: 'no', message: 'Not yours' } }, 'Not yours (no)'],
		[{ message: 'Busy', detail: 'Locked' }, 'Busy: Locked'],
		[{ message: 'Busy', detail: 'Busy' }, 'Busy'],
		[{ error: 'boom', code: 'x' }, 'boom'],
		[{ error: ' ', code: 'x' }, 'x'],
		[{ detail: `No such key: ${KEY}` }, 'No such key: ***'],
		[{ detail: [{ loc: ['a', 0, {}, 'b'], msg: ' Field\n required', type: 'x' }] }, 'a.0.b: Field required'],
		[{ detail: [{ loc: 'body', msg: '', type: 'missing' }, 'And this', 7, null, {}] }, 'missing; And this'],
		[[{ msg: 'One' }, { msg: 'Two' }], 'One; Two'],
		// aspnetcore#53439, langwatch#25, formkit#945, messagebird-nodejs#12, farzaa/clicky#132, fastapi#14089
		[{ title: 'Invalid', status: 400, errors: { query: ['Too long'] } }, 'Invalid: query: Too long'],
		[{ error: { issues: [{ path: ['query'], message: 'Required' }] } }, 'query: Required'],
		[{ errors: [{ message: 'One' }, { message: 'Two' }] }, 'One; Two'],
		[{ detail: { msg: 'Not so' } }, 'Not so'],
		[{ type: 'error', error: { message: 'Overloaded' } }, 'Overloaded'],
		[
			{ detail: [{ loc: ['body', 42], msg: 'No JSON', ctx: { error: 'Expecting value' } }] },
			'body.42: No JSON: Expecting value',
		],
		[{ fault: { faultstring: 'No quota', detail: { errorcode: 'q.1' } } }, 'q.1: No quota'],
		[{ response: { data: { error_message: 'Deep' } } }, 'Deep'],
		[{ errors: { fieldErrors: { mode: ['Bad mode'] }, formErrors: [] } }, 'mode: Bad mode'],
		[{ query: ['This field is required.'] }, 'query: This field is required.'],
		[{ detail: [{ loc: ['body', 'q'], msg: 'No', input: { message: KEY } }], body: { message: KEY } }, 'body.q: No'],
		[{ request: { message: 'What a person typed' }, status: 400 }, noReason],
		...each([{ detail: [] }, { detail: ' ', error: 7 }, null, '', ' '], noReason),
		['17', '17'],
		['"quoted"', 'quoted'],
		['{"detail":"As text"}', 'As text'],
		['upstream connect\nerror', 'upstream connect error'],
		[page('<title> 502\nBad Gateway</title>'), aPage(' titled "502 Bad Gateway"')],
		[page('<h1 class="x">Sign in</h1>'), aPage(' titled "Sign in"')],
		...each([page('<title></title>'), page('<title'), '<?xml version="1.0"?><a/>', `\n ${page('')}`], aPage()),
		['<p>No <html> page</p>', '<p>No <html> page</p>'],
	])('of %j is %j', (body, reason) => {
		const error = errorOf(serviceFailure({ statusCode: 500, headers: {}, body }));
		expect(error).toMatchObject({ message: reason, httpCode: '500', context: { itemIndex: 3 } });
	});

	/** A text whose runs of one letter are counted, so that a failure can be read. */
	const short = (text: string) => text.replace(/(\w)\1{50,}/g, (letters, letter) => `${letter}{${letters.length}}`);

	it.each<[string, unknown, string]>([
		['a text', 'x'.repeat(4001), 'x{4000}…'],
		['a list', { detail: Array(5).fill(long) }, 'x{1000}; x{1000}; x{1000}; x{994}…'],
		// Whole in the text that is cut, so that it can be found.
		['a text, after the key was masked,', { detail: `${'x'.repeat(3990)}${KEY.repeat(2)}` }, 'x{3990}******'],
	])('is cut after 4000 characters of %s', (_what, body, reason) => {
		const { message } = errorOf(serviceFailure({ statusCode: 500, headers: {}, body }));
		expect(short(message)).toBe(reason);
	});

	it('is read from five bodies inside one another, and not from a sixth', () => {
		const nested = (depth: number): object => ({ detail: depth ? nested(depth - 1) : 'Deep' });
		expect([readReason(nested(4)), readReason(nested(5))]).toEqual([{ reason: 'Deep' }, { reason: undefined }]);
	});

	it.each(['data: ', 'data:'])('reads an event inside of events once, however deep: %j', (data) => {
		expect(readReason(`${data}${data}x`)).toEqual({ reason: `${data}x` });
		expect(readReason(data.repeat(1_000_000)).reason).toMatch(/^data:/);
		const lines = 'data: {"a":1}\n'.repeat(1_000_000);
		expect(readReason(lines).reason?.length).toBeLessThan(100_000);
	});

	const unknownType = 'The service returned an unknown type instead of a stream (status 200)';
	it.each<[number, Record<string, string>, string | undefined, string]>([
		[200, {}, 'a stream', unknownType],
		[200, { 'content-type': 'a/b' }, 'a stream', 'The service returned a/b instead of a stream (status 200)'],
		[200, {}, undefined, 'The service returned status 200 without a reason'],
		[300, {}, 'a stream', 'The service redirected the request to another URL'],
		[400, {}, 'a stream', 'The service returned status 400 without a reason'],
		[413, {}, undefined, 'The request is too large (status 413)'],
		[429, {}, undefined, 'Too many requests (status 429)'],
		[529, {}, undefined, 'The service is overloaded (status 529)'],
	])('of the status %d with %j, if %s was expected, is: %s', (statusCode, headers, expected, reason) => {
		expect(reasonFor({ statusCode, headers, body: {}, expected })).toBe(reason);
	});
});

describe('the advice for a response', () => {
	const advice = (statusCode: number, headers = {}) => serviceFailure({ statusCode, headers, body: '' }).advice;
	beforeEach(() => jest.useFakeTimers({ now }));
	afterEach(() => jest.useRealTimers());

	it.each([
		[
			'points to the service, and that no proxy responds instead',
			[200, 299, 404, 405, 411, 415, 417, 418, 421, 426, 428, 464, 499],
		],
		['To protect your credential', [300, 399]],
		['Correct the fields of this node', [400, 422]],
		["Check 'API Key'", [401]],
		['balance of your account', [402]],
		['missing permission', [403]],
		['The service timed out', [408]],
		['The current state does not allow this', [409]],
		['no longer exists', [410]],
		['Send less data', [413]],
		['temporarily unavailable', [500, 503]],
		['Try again in a few minutes', [429, 529]],
	])('says "%s" if the status is one of %j', (expected, statuses) => {
		for (const status of statuses) expect(advice(status)).toContain(expected);
	});

	it.each<[object, string]>([
		[{ 'retry-after': ' 30 ', 'x-ratelimit-reset': '1' }, '30 seconds'],
		[{ 'retry-after': '5 minutes', 'x-ratelimit-reset': now / 1000 + 8.5 }, '9 seconds'],
		[{ 'retry-after': '1' }, '1 second'],
		[{ 'retry-after': '120' }, '120 seconds'],
		[{ 'retry-after': '121' }, '3 minutes'],
		[{ 'retry-after': '7201' }, '121 minutes'],
		...each([{ 'retry-after': '1000000001' }, {}], 'a few minutes'),
	])('with the status 429 and %j says to try again in %s', (headers, wait) => {
		expect(advice(429, headers)).toBe(`Try again in ${wait}`);
	});

	it('is that of the endpoint if it has its own', () => {
		const failure = serviceFailure({ statusCode: 404, headers: {}, body: '', advice: 'Wait' });
		expect(failure.advice).toBe('Wait');
	});
});

describe('no response', () => {
	const advice = { neverSent: 'Start', maybeSent: 'Look' };
	const failureBy = (cause: object) => noResponseFailure({ context: {}, ...cause } as NodeApiError, advice, run);

	const NOT_TRUSTED = 'its certificate is not trusted';
	it.each<[string, string, boolean]>([
		['EAI_AGAIN', 'host name lookup failed', true],
		...each(['ECONNABORTED', 'ETIMEDOUT'], 'timed out', false),
		['ECONNREFUSED', 'connection refused', true],
		['ECONNRESET', 'connection reset', false],
		...each(['EHOSTUNREACH', 'ENETUNREACH'], 'host unreachable', false),
		['ENOTFOUND', 'unknown host name', true],
		['EPIPE', 'connection closed', false],
		['CERT_HAS_EXPIRED', 'its certificate has expired', true],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is self-signed', true],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host name', true],
		...each(['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'], NOT_TRUSTED, true),
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', NOT_TRUSTED, true],
	])('with the code %s is reported as "%s", and proves that nothing was sent: %s', (httpCode, cause, isUnsent) => {
		const { reason, run: known } = failureBy({ httpCode, message: 'Try again' });
		expect([reason, known]).toEqual([`No response from the service: ${cause}`, isUnsent ? undefined : run]);
	});

	it('with another code keeps its own words', () => {
		expect(noResponseReason({ code: 'EOTHER', message: 'Own words' })).toBe('Own words');
		expect(noResponseReason({ code: undefined })).toBe('No response from the service');
	});

	const failing = (syscall: string, code: string, more = {}) =>
		Object.assign(new Error(`${syscall} ${code}`), { code, syscall, ...more });
	const [late, away] = ['ETIMEDOUT', 'ENETUNREACH'].map((code) => failing('connect', code));
	const reset = failing('read', 'ECONNRESET');
	const resetOf = (socket: object | null) => failing('', 'ECONNRESET', { request: { socket }, syscall: undefined });
	// nodejs/node#52075, nodejs/undici#2777, n8n#14915; nodejs/node#31189, #29644; dilame/instagram_mqtt#10
	it.each<[string, Error, string, boolean]>([
		['no address connects in time', new AggregateError([late, away]), 'timed out', true],
		['one attempt times out', late, 'timed out', true],
		['one of the addresses was connected', new AggregateError([late, reset]), 'timed out', false],
		['the look-up has no resources', failing('getaddrinfo', 'EBUSY'), 'host name lookup failed', true],
		['the handshake is not done', resetOf({ secureConnecting: true }), 'the TLS handshake failed', true],
		['there is no tunnel', resetOf(null), 'connection reset', true],
		['the connection was open', resetOf({ secureConnecting: false }), 'connection reset', false],
	])('of which the inner cause says that %s', (_what, inner, why, isUnsent) => {
		const cause = Object.assign(new Error('Request failed', { cause: inner }), { isAxiosError: true });
		const failure = failureBy({ httpCode: null, message: 'The server closed the connection unexpectedly', cause });
		const effect = isUnsent ? 'none' : 'maybe';
		expect(failure).toMatchObject({ reason: `No response from the service: ${why}`, effect });
	});

	// n8n-nodes-prestashopadvanced#4, n8n#7239
	it.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])(
		'of a certificate that is not trusted (%s) names the setting of n8n',
		(httpCode) => expect(failureBy({ httpCode, message: 'self-signed' }).advice).toContain('NODE_EXTRA_CA_CERTS'),
	);

	const BLOCKED = 'The request was blocked because the destination is restricted';
	const REDIRECT_BLOCKED = 'Redirected request failed: The request was blocked because the destination';
	const TLS = 'wrong version number:';
	const unsent = { advice: 'Start', cause: 'noConnection' as const };
	const maybeSent = { advice: 'Look', run };
	const noTls = { ...unsent, reason: 'The service sent an unreadable response: it is not HTTPS' };
	const own = { ...maybeSent, reason: 'Own words' };
	const unanswered = (httpCode: string, why: string) => ({ reason: `No response from the service: ${why}`, httpCode });
	const eproto = (message: string) => ({ httpCode: 'EPROTO', message });
	const ofInput = { adviceForAgent: 'Tell the user: Enter', cause: 'input' as const };
	it.each<[object, Failure]>([
		[{ httpCode: 'EPIPE' }, { ...unanswered('EPIPE', 'connection closed'), ...maybeSent }],
		[{ httpCode: 'ENOTFOUND' }, { ...unanswered('ENOTFOUND', 'unknown host name'), ...unsent }],
		...each([eproto('Own words')], { httpCode: 'EPROTO', ...own }),
		...each([eproto(`write EPROTO 80:SSL:${TLS}../ssl.c:350:`)], { httpCode: 'EPROTO', ...noTls }),
		[{ httpCode: null, message: 'Own words', context: { data: { reason: 'No' } } }, own],
		[{ message: `write EPROTO 80:error:0A00010B:SSL routines:x:${TLS}a.c:1:` }, noTls],
		...[BLOCKED, REDIRECT_BLOCKED].map((reason): [object, Failure] => [{ message: reason }, { reason, ...unsent }]),
		[{ context: { data: { reason: 'No key', advice: 'Enter' } } }, { reason: 'No key', advice: 'Enter', ...ofInput }],
	])('because of %j is the failure %j', (cause, failure) => {
		const effect = failure.cause ? 'none' : failure.run && 'maybe';
		expect(failureBy(cause)).toEqual({ ...failure, effect });
	});
});

describe('an error', () => {
	const failure = { reason: 'Refused (ECONNRESET)', advice: 'Wait' };
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

	it('of the input names what is wrong and the item', () => {
		const error = errorOf({ reason: 'No task', advice: 'Enter a task', cause: 'input' as const });
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({ message: 'No task', description: 'Enter a task', context: { itemIndex: 3 } });
	});

	it('has no secret in any of its parts', () => {
		const text = `Bearer ${KEY}`;
		const error = errorOf({ reason: text, advice: text, run: { ...run, list: [{ [KEY]: text }] } as KnownRun });
		const description = `Bearer ***. A new run is billed, too. Thread ID: ${run.thread_id}`;
		expect(error).toMatchObject({ message: 'Bearer ***', description });
		expect(runOf(error)).toEqual({ ...run, list: [{ '***': 'Bearer ***' }] });
	});

	it('lists first what a person looks for first', () => {
		const data = { tools: [], text: 't', warnings: [], reason: 'r', ...run };
		const keys = ['status', 'thread_id', 'reason', 'warnings', 'text', 'tools'];
		expect(Object.keys(runOf(errorOf({ ...failure, run: data }))!)).toEqual(keys);
	});

	it.each([...each(['Refused', 'Refused. .\n'], 'Refused. Wait'), ['...', '. Wait']])(
		'whose reason is %j continues with its advice as %j',
		(reason, both) => expect(withAdvice(reason, 'Wait')).toBe(both),
	);

	it('keeps no contents of files, and nothing that is nested too deeply', () => {
		const deep = JSON.parse(`${'[{"":'.repeat(3000)}0${'}]'.repeat(3000)}`) as unknown;
		const files = {
			'data:text/plain,abc': '[text/plain, 3 bytes]',
			'DATA:image/png;base64,AAAA': '[image/png, 3 bytes]',
			'data:a/b;x=yz;base64;x,AAAA': '[a/b, 4 bytes]',
			'data:,abc': '[file, 3 bytes]',
			'data: no file, but words': 'data: no file, but words',
		};
		const kept = { ...run, text: `see data:,${'x'.repeat(2000)}`, none: null, is: true };
		const data = { ...kept, deep, list: Object.keys(files) };
		const shown = runOf(errorOf({ ...failure, run: data as KnownRun })) as unknown as IDataObject;
		expect(shown).toMatchObject({ ...kept, list: Object.values(files) });
		expect(JSON.stringify(shown.deep)).toBe(`${'[{"":'.repeat(99)}["[nested too deeply]"]${'}]'.repeat(99)}`);
	});
});

describe('the reader of an error', () => {
	const words = { reason: 'Refused.', advice: 'Wait', adviceForAgent: 'Ask' };
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
		const given = { reason: link, advice: `Correct '${link}'`, run: { thread_id: '<img src=x>' } as never };
		const shown = `Correct '${link.replaceAll('<', '‹')}'. A new run is billed, too. Thread ID: ‹img src=x>`;
		expect(told(given)).toEqual([link, shown]);
		expect(told(given, executionOf({ isStreaming: true }))).toEqual([link, link]);
	});

	it('is reported where the text of the run is kept', () => {
		const kept = failure({ thread_id: 't', status: 'completed', text: 'So' });
		const inEditor = `${BILLED}. The full reply is under 'Error data' in the execution of this node (open 'From Run Automation')`;
		expect(told(kept)[1]).toBe(`${inEditor}. Thread ID: t`);
		const chat = executionOf({ isStreaming: true });
		expect(runOf(errorOf(kept, chat))).toMatchObject({ advice: BILLED, text: 'So' });
		const advice = `${BILLED}. The full reply is in details.text`;
		expect(runOf(errorOf(kept, executionOf({ continues: true })))).toMatchObject({ advice, text: 'So' });
		const parameters = { threadId: "={{ $fromAI('Thread') }}" };
		const agent = executionOf({ isTool: true, node: { ...executionOf().node, parameters } });
		expect(told(kept, agent)[0]).toBe('Refused. Ask. The new run is billed. Thread ID: t. Text so far: "So"');
	});

	it('finds all in the message if it is an agent', () => {
		const reader = executionOf({ isTool: true });
		expect(told(failure(), reader)).toEqual(['Refused. Ask', 'Wait']);
		expect(told({ ...failure(), adviceForAgent: undefined }, reader)[0]).toBe('Refused. Tell the user: Wait');
		for (const text of ['', 7]) expect(told(failure({ text }), reader)[0]).toBe(`Refused. ${TELL_USER}`);
		expect(told(failure({ text: 'So "far"' }), reader)[0]).toBe(`Refused. ${TELL_USER}. Text so far: "So \\"far\\""`);
		expect(told(failure({ text: 'x'.repeat(2001) }), reader)[0]).toMatch(/Text so far: "x{2000}…"$/);
		for (const status of ['interrupted', 'timed_out'])
			expect(told(failure({ status }), reader)[0]).toBe(`Refused. The run may still be in progress. ${TELL_USER}`);
	});

	it.each([
		[{}, 'No run was started'],
		[{ othersHaveRuns: true }, 'No run was started for this item'],
		[{ othersHaveRuns: true, hasRuns: true }, 'No further run was started'],
	])('learns how far a start without an effect says that nothing runs: %j', (place, sentence) => {
		const none: Failure = { reason: 'Refused', advice: 'Wait', effect: 'none' };
		expect(nodeError(executionOf(), none, { itemIndex: 0, startsRun: true, ...place }, []).description).toBe(
			`${sentence}. Wait`,
		);
		const given = nodeError(executionOf(), none, { itemIndex: 0, startsRun: true, ...place, others: ['Another'] }, []);
		expect(given.description).toBe(`${sentence}. Wait. Another. A new run is billed`);
	});

	it('is an agent and the chat that it is used in', () => {
		const reader = executionOf({ isTool: true, isStreaming: true });
		expect(told(failure({ text: 'So' }), reader)).toEqual([`Refused. ${TELL_USER}. Text so far: "So"`, 'Refused.']);
	});
});
