import type { Chunk } from '../../nodes/RunAutomation/run/chunk';
import { CONNECTION_CLOSED as ended, type StreamEnd } from '../../nodes/RunAutomation/run/ending';
import { readerOf } from '../support/reader';

const broken: StreamEnd = { status: 'interrupted', reason: 'The connection was closed' };
const timedOut: StreamEnd = { status: 'timed_out', reason: 'No byte for 300 s' };

function read(body: string | Buffer, cause: StreamEnd = ended, onChunk?: (chunk: Chunk) => void) {
	const reader = readerOf();
	for (const chunk of [...reader.write(Buffer.from(body)), ...reader.end()]) onChunk?.(chunk);
	// `read` sets it at the end of the stream.
	Object.assign(reader, { streamEnd: cause });
	return reader.finish();
}
/** Reads a stream as a node does: the number of chunks in each of its pieces, and what its watchdog was told. */
async function readStream(reader: ReturnType<typeof readerOf>, body: Iterable<Buffer>) {
	const watchdog = { touch: jest.fn(), limitSilence: jest.fn(), close: jest.fn(), isStopped: false };
	const pieces: number[] = [];
	for await (const { length } of reader.read(body as never, watchdog as never)) pieces.push(length);
	return { ...watchdog, pieces };
}
const sse = (...chunks: Array<Chunk | string>) =>
	chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('');

const textDelta = (delta: unknown, id = '1') => ({ type: 'text-delta', id, delta });
const text = (delta: string): Chunk[] => [
	{ type: 'text-start', id: '1' },
	textDelta(delta),
	{ type: 'text-end', id: '1' },
];
/** A part of a message with a complete text. */
const done = (value: string) => ({ type: 'text', text: value, state: 'done' });
const start = (messageId?: string) => ({ type: 'start', messageId });
const data = (kind: string, value: unknown, more = {}) => ({ type: `data-${kind}`, data: value, ...more });
const failed = (errorText?: unknown) => ({ type: 'error', errorText });
const finishWith = (finishReason: string) => ({ type: 'finish', finishReason });
const finish = finishWith('stop');
const garbled = 'x"type":"text-delta","id":"1","delta":"000"}';

const input = { amount: 5 };
const tool = (event: string, toolCallId: string, more = {}) => ({ type: `tool-${event}`, toolCallId, ...more });
const begin = (id: string, toolName = 'pay') => tool('input-start', id, { toolName });
const call = (id: string, toolName = 'pay') => tool('input-available', id, { toolName, input });
const request = (id: string, more = {}) => tool('approval-request', id, { approvalId: `approval-${id}`, ...more });
const output = tool('output-available', '1', { output: 'paid' });
const denied = tool('output-denied', '1');
const toolFailed = tool('output-error', '1', { errorText: 'x' });

describe('how a run ended', () => {
	const error = failed('The site blocked the agent');
	const abort = { type: 'abort', reason: 'Stopped by the user' };
	const noEnd = 'The connection closed before the run finished';
	const early = (why: string) => `The run stopped early because ${why}, so the text may be incomplete`;
	const tooLong = "it reached the model's length limit";
	const filtered = "the model's content filter blocked the rest";
	const noReason = 'The run failed without giving a reason';
	const odd: StreamEnd = { ...broken, warning: 'The service did not end the stream' };

	it.each([
		['finish', sse(finish), ended, 'completed', undefined],
		['finish in a last line without an end', sse(finish).trimEnd(), ended, 'completed', undefined],
		['finish, then a broken connection', sse(finish), broken, 'completed', undefined],
		['finish, then a further start', sse(finish, start()), ended, 'interrupted', noEnd],
		['finish, start and finish', sse(finishWith('length'), start(), finish), ended, 'completed', undefined],
		['finish with error', sse(finishWith('error'), '[DONE]'), ended, 'failed', noReason],
		['length', sse(finishWith('length'), { type: 'finish' }), ended, 'incomplete', early(tooLong)],
		['a content filter', sse(finishWith('content-filter'), '[DONE]'), ended, 'incomplete', early(filtered)],
		['interrupted', sse(finishWith('interrupted')), ended, 'incomplete', early('it was interrupted')],
		['error', sse(error), ended, 'failed', 'The site blocked the agent'],
		['error, then finish and [DONE]', sse(error, finish, '[DONE]'), ended, 'failed', 'The site blocked the agent'],
		['error without text', sse(failed()), ended, 'failed', noReason],
		['error, then abort', sse(error, abort), ended, 'failed', 'The site blocked the agent'],
		['abort', sse(abort, '[DONE]'), ended, 'aborted', 'Stopped by the user'],
		['abort without a reason', sse({ type: 'abort' }), ended, 'aborted', 'The run was aborted without giving a reason'],
		['no end', sse(...text('x')), ended, 'interrupted', noEnd],
		['a broken connection', sse(...text('x')), broken, 'interrupted', 'The connection was closed'],
		['silence', sse(...text('x')), timedOut, 'timed_out', 'No byte for 300 s'],
		['nothing at all', '', ended, 'interrupted', noEnd],
	] as const)('is told after %s', (_name, body, cause, status, reason) => {
		const run = read(body, cause);
		expect(run).toMatchObject({ status, warnings: [], furtherWarnings: [] });
		expect(run.reason).toBe(reason);
	});

	it.each([
		[abort, 'aborted', 'Stopped by the user'],
		[failed('First'), 'failed', 'First'],
	])('is reported by the first error or abort, and a later error becomes a warning', (first, status, reason) => {
		const warnings = ['The run also reported: The site blocked the agent'];
		expect(read(sse(first, error))).toMatchObject({ status, reason, warnings });
	});

	it.each([error, abort])('is reported with the warning of the cause, if the reading ended after %j', (last) => {
		expect(read(sse(last), odd)).toMatchObject({ warnings: [odd.warning], mayBeRunning: true });
		expect(read(sse(last), broken)).not.toHaveProperty('mayBeRunning');
	});

	// vercel/ai#7500, #17563, #17578: what a server of the AI SDK sends if its model continues after an error.
	const [opened, delta, closed] = text(' on');
	const warnings = ['The run also reported: The site blocked the agent'];
	it.each<[string, Chunk[], object]>([
		['completed by finish with stop', [delta, closed, finish], { status: 'completed', warnings }],
		['incomplete by length', [delta, finishWith('length')], { status: 'incomplete', warnings }],
		['completed after two errors', [delta, failed('B'), delta, finish], { status: 'completed' }],
		...Object.entries({
			'without a finish reason': [delta, { type: 'finish' }],
			'by [DONE] alone': [delta],
			'by finish with error': [delta, finishWith('error')],
			'without text after the error': [closed, finish],
			'if the last error ends it': [delta, error, finish],
		}).map(([how, later]): [string, Chunk[], object] => [`failed ${how}`, later, { status: 'failed', warnings: [] }]),
	])('of a run that continued after an error is %s', (_name, later, expected) => {
		const run = read(sse(opened, delta, error, ...later, '[DONE]'));
		expect(run).toMatchObject(expected);
		if (run.status === 'completed') expect(run).not.toHaveProperty('reason');
		if (run.status === 'failed') expect(run.reason).toBe(error.errorText);
	});

	// BerriAI/litellm#40578, apache/rocketmq-dashboard#2178, open-webui#29628: an error of a gateway, which knows no chunks.
	it.each([
		['data: {"error":{"message":"Upstream model overloaded"}}', 'Upstream model overloaded'],
		['data: {"type":null,"object":"error","message":"No worker"}', 'No worker'],
		['event: error\ndata: {"message":"Out of credits"}', 'Out of credits'],
		['event:error\r\ndata:upstream request timed out\r\n', 'upstream request timed out'],
		['event: error\ndata: <html><title>502</title></html>', 'The service returned a web page titled "502"'],
		// farzaa/clicky#132
		['data: {"type":"error","error":{"message":"Overloaded"}}', 'Overloaded'],
	])('is failed by an error of a gateway, at the beginning or after text: %s', (line, reason) => {
		const failure = { status: 'failed', reason, warnings: [], furtherWarnings: [] };
		for (const end of [sse('[DONE]'), sse(finish, '[DONE]'), ''])
			for (const body of [`${line}\n${end}`, `${line}\n\n${end}`]) {
				expect(read(body)).toMatchObject({ ...failure, message: { parts: [] } });
				expect(read(sse(...text('Hi')) + body)).toMatchObject({ ...failure, message: { parts: [{ text: 'Hi' }] } });
			}
	});

	// No end of a run is in the text that is cut, whatever the text says.
	it('is told as interrupted wherever a stream is cut before the chunk that ends the run', () => {
		const [before, last] = [sse(start(), ...text('{"rows":[{"a":1}]}')), sse(finish)];
		const body = `${before}${last}${sse('[DONE]')}`;
		const isWhole = (end: number) => end >= (before + last).trimEnd().length;
		for (let end = 0; end <= body.length; end++) {
			const { status } = read(body.slice(0, end), broken);
			expect([end, status]).toEqual([end, isWhole(end) ? 'completed' : 'interrupted']);
		}
	});

	it('is not changed by what keeps a connection open', () => {
		const values = ['null', '"ping"', '[]', '{}', '[{}]', '"error"'];
		const named = 'event: error\n\nevent: ping\ndata: {}\n\n: error\n\n';
		const objects = ['{"type":null}', '{"ping":1}', '{"error":null}', '{"status":"ok","message":"error"}'];
		expect(read(named + sse(...values, ...objects, ...text('x'), finish))).toMatchObject({
			status: 'completed',
			warnings: [],
		});
	});
});

// E9. A run may go on after an error, but only chunks show it.
it.each<[string, Chunk[], touched: number, silence: number]>([
	['a text', text('x'), 3, 300_000],
	['finish', [finish], 1, 10_000],
	['an abort', [{ type: 'abort' }], 1, 10_000],
	['an error', [failed('x')], 1, 300_000],
	['an error, then text', [failed('x'), textDelta('y')], 3, 300_000],
	['finish, then a further start', [finish, start()], 3, 300_000],
])('keep-alives after %s extend the wait or not', async (_name, chunks, touched, silence) => {
	const keepAlive = Buffer.from(': keep-alive\n\n');
	const body = [Buffer.from(sse(...chunks)), keepAlive, keepAlive];
	const { pieces, touch, limitSilence } = await readStream(readerOf({ limits: { idle: 300_000 } }), body);
	expect(pieces).toHaveLength(4);
	expect(touch).toHaveBeenCalledTimes(touched);
	expect(limitSilence).toHaveBeenLastCalledWith(silence);
});

it('a run is complete if it ends with the bytes that pass the size limit, and else is not', async () => {
	const statusOf = async (...chunks: Array<Chunk | string>) => {
		const reader = readerOf({ maxBytes: 100 });
		const body = [`: ${'x'.repeat(100)}\n\n${sse(...chunks)}`, ': not read\n\n'].map((piece) => Buffer.from(piece));
		expect(await readStream(reader, body)).toMatchObject({ pieces: [3, 0] });
		return reader.finish();
	};
	expect(await statusOf(...text('Done'), '[DONE]')).toMatchObject({ status: 'completed', warnings: [] });
	expect((await statusOf(...text('Done'))).reason).toMatch(/^The response exceeds 0\.0001 MB/);
});

describe('a tool call', () => {
	const asked = [call('1'), request('1')];
	const response = (approved: boolean) => ({ type: 'tool-approval-response', approvalId: 'approval-1', approved });
	const waited = finishWith('tool-calls');

	// S12. Messages go to chats and logs.
	// A promise of SECURITY.md.
	it('The message about an approval names the tool, but no values of its inputs', () => {
		const given = { password: 'hunter2-secret', otp: '492817' };
		const asks = tool('input-available', '2', { toolName: 'fi\nll', input: given });
		const run = read(sse(...asked, asks, request('2', { reason: 'Code 492817' }), '[DONE]'));
		expect(run).toMatchObject({ status: 'needs_approval', reason: 'The run is waiting for approval of pay, fi ll' });
		expect(run.approvals).toMatchObject([
			{ tool_call_id: '1', input },
			{ input: given, reason: 'Code 492817' },
		]);
	});

	it.each([
		['allowed', [...asked, response(true), output]],
		['denied', [...asked, response(false), denied]],
		['given an output', [...asked, output]],
		['left behind by another message', [start('a'), ...asked, start('b')]],
	])('that was %s waits no longer', (_name, chunks) => {
		expect(read(sse(...chunks, waited))).toMatchObject({ status: 'completed', approvals: [], warnings: [] });
	});

	it('whose approval is automatic waits for nobody', () => {
		const run = read(sse(call('1'), request('1', { isAutomatic: true }), waited));
		expect(run).toMatchObject({ status: 'completed', approvals: [] });
	});

	// vercel/ai's adapter for LangGraph and pydantic-ai end no input.
	describe('with an input that arrives in pieces', () => {
		const delta = (inputTextDelta: string) => tool('input-delta', '1', { inputTextDelta });
		const rawInput = '{"to":"Ann","amount":5';
		const begun = begin('1');
		const half = [delta(rawInput.slice(0, 9)), delta(rawInput.slice(9))];
		it.each<[string, Chunk[], object]>([
			['alone', [], { state: 'input-streaming' }],
			['and an error', [toolFailed], { state: 'output-error' }],
			['and a refusal', [denied], { state: 'output-denied' }],
			['and an approval', [request('1'), response(true)], { state: 'approval-responded' }],
		])('keeps its text, and is an input once its JSON is complete: %s', (_name, more, expected) => {
			const partAfter = (...chunks: Chunk[]) => read(sse(begun, ...half, ...chunks)).message.parts[0];
			expect(partAfter(...more)).toMatchObject({ rawInput, ...expected });
			expect(partAfter(...more)).not.toHaveProperty('input');
			expect(partAfter(delta('}'), ...more)).toMatchObject({ input: { to: 'Ann', amount: 5 }, ...expected });
			expect(partAfter(delta('}'), ...more)).not.toHaveProperty('rawInput');
		});

		it('keeps a text, although it could be read as JSON', () => {
			const read42 = read(
				sse({ ...begun, inputEncoding: 'text' }, delta('42'), tool('output-available', '1', { output: 1 })),
			);
			expect(read42.message.parts[0]).toMatchObject({ rawInput: '42', state: 'output-available' });
		});
	});

	it.each([
		['failed', [failed('x')], ended],
		['incomplete', [finishWith('length')], ended],
		['interrupted', [], broken],
	] as const)('that waits is listed, too, if the run is %s', (status, chunks, cause) => {
		const run = read(sse(...asked, ...chunks), cause);
		expect(run).toMatchObject({ status, approvals: [{ tool_call_id: '1' }] });
	});
});

describe('what cannot be read', () => {
	it('is noted, except for lines that are no data lines, and a run that lost nothing by it is complete', () => {
		const orphans = [
			...[{ type: 'text-end', id: 'orphan' }],
			...[tool('input-delta', 'orphan', { inputTextDelta: '' }), tool('output-denied', 'orphan')],
			{ type: 'tool-approval-response', approvalId: 'orphan' },
		];
		// sse-starlette#51
		const ofProxies = ['2026-11-28 13:00:05', '[PING]', 'ping 17', '[DONF]', 'OK; still here', '[1,2]', '"a {note}"'];
		const notes = ['{"ping":1}', '42', '12.5', 'null', 'keep-alive', 'not json', '', ...ofProxies];
		const odd = `${sse({ type: 'novelty', value: 1 }, ...notes, ...orphans)}<html>oops</html>\n\n`;
		const run = read(odd + sse(...text('still here'), { type: 'finish' }));
		expect(run).toMatchObject({ status: 'completed', warnings: [] });
		expect(run.message.parts).toEqual([done('still here')]);
		const noChunk = (line: string) => `Skipped a data line that is not a chunk: ${JSON.stringify(line)}`;
		const orphan = (type: string, what: string) =>
			`Skipped a chunk of type "${type}": no ${what} with the id "orphan" was started`;
		expect(run.furtherWarnings).toEqual([
			'Skipped a chunk of the unknown type "novelty"',
			...notes.map(noChunk),
			orphan('text-end', 'part'),
			...['tool-input-delta', 'tool-output-denied'].map((type) => orphan(type, 'tool call')),
			'Skipped a chunk of type "tool-approval-response": no tool call asked for this approval',
		]);
	});

	const lost = (count: number) => ({
		status: 'incomplete',
		reason: `Part of the output could not be read (${count} ${count === 1 ? 'line' : 'lines'})`,
		advice: "Find the thread in the service's web console to see the full output",
	});

	it.each<[string, Chunk | string]>([
		['a garbled line', garbled],
		['a chunk that is cut off', '{"type":"text-start","id":'],
		['the end of a chunk', 'x}'],
		['the beginning of a chunk', '{'],
		['a part of a chunk', '"delta":"x"'],
		['a line of NUL bytes', '\0\0'],
		['a line with a damaged character', 'a\uFFFDb'],
		['a text delta without a text', textDelta(5)],
		['a text delta without an ID', { type: 'text-delta', delta: 'x' }],
		['a source without an address', { type: 'source-url', sourceId: 's' }],
		['a file without an address', { type: 'file', mediaType: 'a/b' }],
		['a request for an approval of nothing', { type: 'tool-approval-request', approvalId: 'a', toolCallId: '?' }],
	])('makes a run incomplete that else completed, if it is %s', (_name, line) => {
		const [begin, , end] = text('');
		const run = read(sse(begin, line, end, finish));
		expect(run).toMatchObject({ ...lost(1), finish_reason: 'stop', furtherWarnings: [] });
		expect(run.warnings).toEqual([expect.stringMatching(/^Skipped a (chunk of type|data line)/)]);
		expect(read(sse(begin, line, line, end, '[DONE]'))).toMatchObject(lost(2));
	});

	it('does not hide how a run ended otherwise', () => {
		expect(read(sse(garbled, failed('Blocked'))).reason).toBe('Blocked');
		expect(read(sse(garbled, call('1'), request('1'), finish)).status).toBe('needs_approval');
		expect(read(sse(garbled), broken)).toMatchObject(broken);
	});

	const noted = { status: 'completed', warnings: [], furtherWarnings: [expect.stringContaining('a data line')] };
	it.each<[string, Array<Chunk | string>, object]>([
		['noted only after finish', [finish, garbled, '[DONE]'], noted],
		['lost if the message continues', [finish, start(), garbled, finish], lost(1)],
		['lost if the same message begins again', [start('a'), garbled, start('a'), finish], lost(1)],
	])('is %s', (_how, chunks, expected) => expect(read(sse(...chunks))).toMatchObject(expected));

	it('is never a text whose beginning is missing: it becomes a part of its own', () => {
		const delta = textDelta('kept', '2');
		const run = read(sse(...text('a'), delta, delta, { type: 'text-end', id: '2' }, textDelta('kept'), finish));
		expect(run).toMatchObject({ status: 'completed', warnings: [], furtherWarnings: [] });
		expect(run.message.parts).toEqual([done('a'), done('keptkept'), { ...done('kept'), state: 'streaming' }]);
	});

	it('names characters that are damaged', () => {
		const body = Buffer.from(sse(textDelta('1\xff00 euros'), finish), 'latin1');
		const warnings = ['Some characters of the text are damaged, and appear as \uFFFD'];
		expect(read(body)).toMatchObject({ status: 'completed', warnings, furtherWarnings: [] });
	});

	it('is what is nested more than 200 levels deep, without the rest', () => {
		const chunk = (inner: string) => `{"type":"data-x","data":${'[{"":'.repeat(99)}${inner}${'}]'.repeat(99)}}`;
		const told = (inner: string) => {
			const { message, warnings } = read(sse(chunk(inner)));
			return [JSON.stringify(message.parts[0]), warnings];
		};
		expect(told('[null,0]')).toEqual([chunk('[null,0]'), []]);
		const warning = 'Dropped deeply nested values from a chunk of type data-x';
		expect(told('[null,[0]]')).toEqual([chunk('[null,"[nested too deeply]"]'), [warning]]);
	});

	it('is listed up to a limit, then counted', () => {
		const lines = Array.from({ length: 105 }, () => ['novelty', { type: 'novelty' }, '{a b']).flat();
		const { warnings, furtherWarnings } = read(sse(...lines));
		expect([warnings.length, warnings.at(-1)]).toEqual([101, 'Warnings not listed: 5']);
		expect([furtherWarnings.length, furtherWarnings.at(-1)]).toEqual([101, 'Warnings not listed: 110']);
	});
});

describe('the reading', () => {
	// node-postgres#2080, #2936: databases refuse U+0000.
	it('removes U+0000, in names too, and nothing that only looks like it', () => {
		const seen: Chunk[] = [];
		const sent = [...text('\0a\0\0b\\u0000\0'), data('x', { 'a\0b': ['\0', '\\u0000', '\\\0', '\u0001'] })];
		const run = read(sse(...sent), ended, (chunk) => seen.push(chunk));
		const clean = { ab: ['', '\\u0000', '\\', '\u0001'] };
		expect(run).toMatchObject({ data: { x: clean }, message: { parts: [{ text: 'ab\\u0000' }, { data: clean }] } });
		expect(seen.at(-1)).toEqual(data('x', clean));
		expect(read(sse('{"type":"data-x","data":{"__pro\\u0000to__":{"a":1}}}')).data).toEqual({ x: {} });
	});

	it('replaces half characters, in names too, unless the next delta has the other half', () => {
		const deltas = ['a\ud83d', '\ude00b\ud83d', 'c\ude00'].map((delta) => textDelta(delta));
		const run = read(sse(...deltas, data('x', { 'a\ud83d': ['\ude00', '😀'] })));
		const clean = { 'a\ufffd': ['\ufffd', '😀'] };
		expect(run).toMatchObject({
			data: { x: clean },
			message: { parts: [{ text: 'a😀b\ufffdc\ufffd' }, { data: clean }] },
		});
	});

	it('keeps the last data of each kind, but not of transient ones', () => {
		const progress = [1, 2].map((done) => data('progress', { done }, { id: 'p' }));
		const others = [data('status', 'hidden', { transient: true }), data('__proto__', { polluted: true })];
		expect(read(sse(...progress, ...others)).data).toEqual({ progress: { done: 2 } });
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	it('takes no prototype from the stream', () => {
		const { message } = read(
			sse(
				'{"type":"start","messageMetadata":{"__proto__":{"polluted":1}}}',
				'{"type":"message-metadata","messageMetadata":{"a":{"\\u005f_proto__":{"polluted":1},"b":1}}}',
				'{"type":"message-metadata","messageMetadata":{"constructor":{"prototype":{"polluted":1}},"prototype":1,"a":{"c":2}}}',
			),
		);
		expect(message.metadata).toEqual({ a: { b: 1, c: 2 } });
		expect(Object.hasOwn((message.metadata as { a: object }).a, '__proto__')).toBe(false);
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	it('keeps what was received before the first start, and what was lost there', () => {
		const file = { type: 'file', url: 'data:,x', mediaType: 'text/plain' };
		const early = [{ ...start(), messageMetadata: { usage: 1 } }, ...text('early'), file, garbled];
		const { message, ...run } = read(sse(...early, start('a'), ...text('late'), start('a'), finish));
		const parts = [done('early'), file, done('late')];
		expect(message).toEqual({ id: 'a', role: 'assistant', metadata: { usage: 1 }, parts });
		expect(run).toMatchObject({ status: 'incomplete', warnings: [expect.stringContaining('a data line')] });
	});
});

const [opened, delta, closed] = text('Hi');
const [BEGIN, END] = [sse(opened, delta), sse(closed, finish)];

// toolhive#6102
it.each([
	['between fields', '{"type":"text-delta","id":"1",\n"delta":" there"}', ' there'],
	['inside a text, whose line end counts', '{"type":"text-delta","id":"1","delta":" the\\nre"}', ' the\nre'],
])('a chunk over several lines of an event, cut %s, is one chunk', (_where, chunk, delta) => {
	const run = read(`${BEGIN}data: ${chunk.replaceAll('\n', '\ndata: ')}\n\n${END}`);
	expect(run).toMatchObject({ status: 'completed', warnings: [], message: { parts: [{ text: `Hi${delta}` }] } });
});

it('a line that is cut off takes no other with it', () => {
	const cut = 'data: {"type":"text-delta","id":"1","del\n';
	for (const body of [BEGIN + cut + END, (BEGIN + cut + END).replaceAll('\n\n', '\n')]) {
		const run = read(body);
		expect(run).toMatchObject({ status: 'incomplete', reason: expect.stringContaining('(1 line)') as string });
		expect(run.message.parts).toMatchObject([{ text: 'Hi', state: 'done' }]);
	}
});

it('an integer that JavaScript cannot hold stays as it is written', () => {
	const { data } = read(sse('{"type":"data-order","data":{"id":174322306148984899}}'));
	expect(data).toEqual({ order: { id: '174322306148984899' } });
});
