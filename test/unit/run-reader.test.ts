import type { Chunk } from '../../nodes/RunAutomation/run/chunk';
import { CONNECTION_CLOSED as ended, type StopCause } from '../../nodes/RunAutomation/run/ending';
import { RunReader } from '../../nodes/RunAutomation/run/run-reader';

const broken: StopCause = { status: 'interrupted', reason: 'The connection was closed' };
const timedOut: StopCause = { status: 'timed_out', reason: 'No byte for 300 s' };

function read(text: string, cause: StopCause = ended, onChunk?: (chunk: Chunk) => void) {
	const reader = new RunReader(onChunk);
	reader.write(Buffer.from(text));
	reader.end();
	return reader.finish(cause);
}
const sse = (...chunks: Array<Chunk | string>) =>
	chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('');
const text = (delta: string): Chunk[] => [
	{ type: 'text-start', id: '1' },
	{ type: 'text-delta', id: '1', delta },
	{ type: 'text-end', id: '1' },
];

const garbled = 'x"type":"text-delta","id":"1","delta":"000"}';
const finish = { type: 'finish', finishReason: 'stop' };
const finishWith = (finishReason: string) => ({ type: 'finish', finishReason });

/** What a server sends with the AI SDK after a person has decided on a call of the message before. */
async function continuation(version: string, approved: boolean): Promise<Chunk[]> {
	// jest loads no ES module by `require`. Both versions take the same values, in types of their own.
	const sdk = (await (version === 'ai7' ? import('ai7') : import('ai'))) as typeof import('ai');
	const usage = { inputTokens: {}, outputTokens: {} };
	const model = {
		...{ specificationVersion: version === 'ai7' ? 'v4' : 'v3', provider: 'p', modelId: 'm', supportedUrls: {} },
		doStream: () => ({
			stream: sdk.simulateReadableStream({
				chunks: [...text('Paid.'), { type: 'finish', finishReason: { unified: 'stop' }, usage }],
			}),
		}),
	};
	const inputSchema = sdk.jsonSchema({ type: 'object' });
	const tools = { pay: sdk.tool({ inputSchema, needsApproval: true, execute: () => 'paid' }) };
	const approval = { id: 'approval', approved };
	const call = { type: 'tool-pay', toolCallId: 'call', state: 'approval-responded', input: {}, approval };
	const messages = await sdk.convertToModelMessages([
		{ role: 'user', parts: [{ type: 'text', text: 'Pay' }] },
		{ role: 'assistant', parts: [{ type: 'step-start' }, call as never] },
	]);
	const sent: Chunk[] = [];
	for await (const chunk of sdk.streamText({ model: model as never, tools, messages }).toUIMessageStream())
		sent.push(chunk);
	return sent;
}

describe('how a run ended', () => {
	const error = { type: 'error', errorText: 'The site blocked the agent' };
	const abort = { type: 'abort', reason: 'Stopped by the user' };
	const noEnd = 'The connection closed before the run finished';
	const early = (why: string) => `The run stopped early because ${why}. The text may be incomplete`;
	const tooLong = "it reached the model's length limit";
	const filtered = "the model's content filter blocked the rest";
	const noReason = 'The run failed without giving a reason';
	const odd: StopCause = { ...broken, warning: 'The service did not end the stream' };

	it.each([
		['finish', sse(finish), ended, 'completed', undefined],
		['[DONE] alone', sse('[DONE]'), ended, 'completed', undefined],
		['finish in a last line without an end', sse(finish).trimEnd(), ended, 'completed', undefined],
		['finish, then a broken connection', sse(finish), broken, 'completed', undefined],
		['finish, then a further start', sse(finish, { type: 'start' }), ended, 'interrupted', noEnd],
		['finish, start and finish', sse(finishWith('length'), { type: 'start' }, finish), ended, 'completed', undefined],
		['finish with error', sse(finishWith('error'), '[DONE]'), ended, 'failed', noReason],
		['error, then finish with error', sse(error, finishWith('error')), ended, 'failed', 'The site blocked the agent'],
		['length', sse(finishWith('length'), { type: 'finish' }), ended, 'incomplete', early(tooLong)],
		['a content filter', sse(finishWith('content-filter'), '[DONE]'), ended, 'incomplete', early(filtered)],
		['interrupted', sse(finishWith('interrupted')), ended, 'incomplete', early('it was interrupted')],
		['error', sse(error), ended, 'failed', 'The site blocked the agent'],
		['error, then finish and [DONE]', sse(error, finish, '[DONE]'), ended, 'failed', 'The site blocked the agent'],
		['error twice, as masked ones are', sse(error, error), ended, 'failed', 'The site blocked the agent'],
		['error without text', sse({ type: 'error' }), ended, 'failed', noReason],
		['error with a blank text', sse({ type: 'error', errorText: ' ' }), ended, 'failed', noReason],
		['error, then abort', sse(error, abort), ended, 'failed', 'The site blocked the agent'],
		['abort', sse(abort, '[DONE]'), ended, 'aborted', 'Stopped by the user'],
		['abort without a reason', sse({ type: 'abort' }), ended, 'aborted', 'The run was aborted without giving a reason'],
		['blanks around [DONE]', 'data:  [DONE] \n\n', ended, 'completed', undefined],
		['no end', sse(...text('x')), ended, 'interrupted', noEnd],
		['a broken connection', sse(...text('x')), broken, 'interrupted', 'The connection was closed'],
		['a cause with a warning', sse(...text('x')), odd, 'interrupted', 'The connection was closed'],
		['silence', sse(...text('x')), timedOut, 'timed_out', 'No byte for 300 s'],
		['nothing at all', '', ended, 'interrupted', noEnd],
	] as const)('is told after %s', (_name, body, cause, status, reason) => {
		const run = read(body, cause);
		expect(run).toMatchObject({ status, warnings: [], notes: [] });
		expect(run.reason).toBe(reason);
	});

	// QwenLM/qwen-code#9884, metabase/metabase#80959, huggingface/chat-ui#2385: gateways send the words of other services.
	it.each([
		...['MAX_TOKENS', 'max_tokens', 'LENGTH', 'maxOutputTokens'].map((word) => [word, 'incomplete', early(tooLong)]),
		...['content_filter', 'SAFETY', 'RECITATION', 'refusal'].map((word) => [word, 'incomplete', early(filtered)]),
		['ERROR', 'failed', noReason],
		...['STOP', 'end_turn', 'TOOL_CALLS', 'FINISH_REASON_UNSPECIFIED'].map((word) => [word, 'completed', undefined]),
	])('is told by the finish reason %s, in any spelling: %s', (word, status, reason) => {
		const run = read(sse(...text('Half a'), finishWith(word!), '[DONE]'));
		expect(run).toMatchObject({ status, finishReason: word, warnings: [] });
		expect(run.reason).toBe(reason);
	});

	it.each([
		[abort, 'aborted', 'Stopped by the user'],
		[{ type: 'error', errorText: 'First' }, 'failed', 'First'],
	])('is reported by the first error or abort, and a later error becomes a warning', (first, status, reason) => {
		const warnings = ['The run also reported: The site blocked the agent'];
		expect(read(sse(first, error))).toMatchObject({ status, reason, warnings });
	});

	it('leaves out the reason of a complete run, and the reason to finish if there is none', () => {
		const always = ['status', 'approvals', 'message', 'data', 'warnings', 'notes'];
		expect(Object.keys(read(sse('[DONE]')))).toEqual(always);
		expect(Object.keys(read(sse(finish)).message)).toEqual(['id', 'role', 'parts']);
		expect(read(sse(finish)).finishReason).toBe('stop');
	});

	it('is complete, with the warning of the cause, if the reading ended after finish', () => {
		expect(read(sse(finish), odd)).toMatchObject({ status: 'completed', warnings: [odd.warning] });
	});

	it.each([error, abort])('is reported with the warning of the cause, if the reading ended after %j', (last) => {
		expect(read(sse(last), odd)).toMatchObject({
			warnings: [odd.warning],
			mayBeRunning: true,
		});
		expect(read(sse(last), broken)).not.toHaveProperty('mayBeRunning');
	});

	it('lets the reading stop after finish, unless a further start opens the message again, and after an abort', () => {
		const reader = new RunReader();
		const afterwards = (...chunks: Chunk[]) => {
			reader.write(Buffer.from(sse(...chunks)));
			return reader.hasEnded;
		};
		expect(afterwards(...text('x'))).toBe(false);
		expect(afterwards(finish)).toBe(true);
		expect(afterwards({ type: 'message-metadata', messageMetadata: { usage: 1 } })).toBe(true);
		expect(afterwards({ type: 'start' })).toBe(false);
		expect(afterwards(finish)).toBe(true);
		for (const last of [error, abort]) {
			const ended = new RunReader();
			ended.write(Buffer.from(sse(last, { type: 'start' })));
			expect(ended.hasEnded).toBe(last === abort);
		}
	});

	// vercel/ai#7500, #17563, #17578: what a server of the AI SDK sends if its model continues after an error.
	const [opened, delta, closed] = text(' on');
	const warnings = ['The run also reported: The site blocked the agent'];
	it.each<[string, Chunk[], object]>([
		['completed by finish with stop', [delta, closed, finish], { status: 'completed', warnings }],
		['incomplete by length', [delta, finishWith('length')], { status: 'incomplete', warnings }],
		['completed after two errors', [delta, { ...error, errorText: 'B' }, delta, finish], { status: 'completed' }],
		['failed without a finish reason', [delta, { type: 'finish' }], { status: 'failed', warnings: [] }],
		['failed by [DONE] alone', [delta], { status: 'failed', warnings: [] }],
		['failed by finish with error', [delta, finishWith('error')], { status: 'failed', warnings: [] }],
		['failed without text after the error', [closed, finish], { status: 'failed', warnings: [] }],
		['failed if the last error ends it', [delta, error, finish], { status: 'failed', warnings: [] }],
	])('of a run that continued after an error is %s', (_name, later, expected) => {
		const run = read(sse(opened, delta, error, ...later, '[DONE]'));
		expect(run).toMatchObject(expected);
		if (run.status === 'completed') expect(run).not.toHaveProperty('reason');
		if (run.status === 'failed') expect(run.reason).toBe(error.errorText);
	});

	// BerriAI/litellm#40578, apache/rocketmq-dashboard#2178, open-webui#29628: an error of a gateway, which knows no chunks.
	describe.each([
		['at the beginning', []],
		['after text', text('{"rows":[{"a":1}]}')],
	])('is failed by an error of a gateway %s', (_when, before) => {
		it.each([
			['data: {"error":{"message":"Upstream model overloaded"}}', 'Upstream model overloaded'],
			['data: {"error":"Token expired","code":401}', 'Token expired'],
			['data: {"detail":"Not authenticated"}', 'Not authenticated'],
			['data: {"type":null,"object":"error","message":"No worker"}', 'No worker'],
			['event: error\ndata: {"message":"Out of credits"}', 'Out of credits'],
			['event: error\ndata: {"type":"api_error","message":"Overloaded"}', 'Overloaded'],
			['event:error\r\ndata:upstream request timed out\r\n', 'upstream request timed out'],
			['event: error\ndata:', noReason],
			['event: error\ndata: <html><title>502</title></html>', 'The service returned a web page titled "502"'],
			// farzaa/clicky#132
			['data: {"type":"error","error":{"message":"Overloaded"}}', 'Overloaded'],
			['data: {"type":"error","errorText":{"message":"Overloaded"}}', 'Overloaded'],
		])('%s', (line, reason) => {
			for (const end of [sse('[DONE]'), sse(finish, '[DONE]'), ''])
				for (const separator of ['\n', '\n\n'])
					expect(read(sse(...before) + line + separator + end)).toMatchObject({
						...{ status: 'failed', reason, warnings: [], notes: [] },
						message: { parts: before.length ? [{ text: before[1].delta }] : [] },
					});
		});
	});

	it('is not changed by what keeps a connection open', () => {
		const lines = [
			'null',
			'"ping"',
			'[]',
			'{}',
			'[{}]',
			'{"type":null}',
			'{"ping":1}',
			'{"error":null}',
			'{"ok":true}',
			'{"status":"ok","message":"error"}',
			'"error"',
		];
		const named = 'event: error\n\nevent: ping\ndata: {}\n\n: error\n\n';
		expect(read(named + sse(...lines, ...text('x'), finish))).toMatchObject({ status: 'completed', warnings: [] });
	});
});

describe('a tool call', () => {
	const input = { amount: 5 };
	const call = (toolCallId: string, toolName = 'pay') => {
		return { type: 'tool-input-available', toolCallId, toolName, input };
	};
	const request = (id: string, more = {}) => {
		return { type: 'tool-approval-request', toolCallId: id, approvalId: `approval-${id}`, ...more };
	};
	const asked = [call('1'), request('1')];
	const response = (approved: boolean) => ({ type: 'tool-approval-response', approvalId: 'approval-1', approved });
	const output = { type: 'tool-output-available', toolCallId: '1', output: 'paid' };
	const done = finishWith('tool-calls');

	it('that waits for a person makes the run need an approval', () => {
		const reason = 'More than 3 EUR';
		const approvals = [{ approval_id: 'approval-1', tool: 'pay', tool_call_id: '1', input, reason }];
		expect(read(sse(call('1'), request('1', { reason }), done))).toMatchObject({
			...{ status: 'needs_approval', approvals, warnings: [] },
			reason: 'The run is waiting for approval of pay {"amount":5} (More than 3 EUR)',
		});
	});

	it('that waits is named, among several', () => {
		const calls = [...asked, call('2'), request('2'), call('3', 'click'), request('3')];
		const run = read(sse(...calls, '[DONE]'));
		expect(run.status).toBe('needs_approval');
		const named = 'pay {"amount":5}, pay {"amount":5}, click {"amount":5}';
		expect(run.reason).toBe(`The run is waiting for approval of ${named}`);
		expect(run.approvals.map((approval) => approval.tool_call_id)).toEqual(['1', '2', '3']);
	});

	it.each([
		['allowed', [...asked, response(true), output]],
		['denied', [...asked, response(false), { type: 'tool-output-denied', toolCallId: '1' }]],
		['given an output', [...asked, output]],
		[
			'left behind by another message',
			[{ type: 'start', messageId: 'a' }, ...asked, { type: 'start', messageId: 'b' }],
		],
	])('that was %s waits no longer', (_name, chunks) => {
		expect(read(sse(...chunks, done))).toMatchObject({ status: 'completed', approvals: [], warnings: [] });
	});

	it('whose approval is automatic waits for nobody', () => {
		const run = read(sse(call('1'), request('1', { isAutomatic: true }), done));
		expect(run).toMatchObject({ status: 'completed', approvals: [] });
	});

	it('without an input and a reason is named by its tool, and other parts are not', () => {
		const begun = { type: 'tool-input-start', toolCallId: '1', toolName: 'pay' };
		const data = { type: 'data-x', state: 'approval-requested' };
		const run = read(sse(...text('x'), data, begun, request('1', { reason: 7 }), done));
		expect(run.reason).toBe('The run is waiting for approval of pay');
		expect(run.approvals).toEqual([{ approval_id: 'approval-1', tool: 'pay', tool_call_id: '1', reason: null }]);
	});

	describe('with an input that never became complete', () => {
		const delta = (inputTextDelta: string) => ({ type: 'tool-input-delta', toolCallId: '1', inputTextDelta });
		const rawInput = '{"to":"Ann","amount":5';
		const begun = { type: 'tool-input-start', toolCallId: '1', toolName: 'pay' };
		const half = [delta(rawInput.slice(0, 9)), delta(rawInput.slice(9))];

		it.each<[string, Chunk[], object]>([
			['alone', [], { state: 'input-streaming' }],
			['and an output', [output], { state: 'output-available', output: 'paid' }],
			['and an error', [{ type: 'tool-output-error', toolCallId: '1', errorText: 'x' }], { state: 'output-error' }],
			['and a refusal', [{ type: 'tool-output-denied', toolCallId: '1' }], { state: 'output-denied' }],
			['and an approval', [request('1'), response(true)], { state: 'approval-responded' }],
			[
				'and an output between its deltas',
				[output, delta('0')],
				{ state: 'input-streaming', rawInput: `${rawInput}0` },
			],
		])('keeps the text so far, and no input: %s', (_name, more, expected) => {
			for (const dynamic of [undefined, true])
				for (const inputEncoding of [undefined, 'text']) {
					const { parts } = read(sse({ ...begun, dynamic, inputEncoding }, ...half, ...more)).message;
					expect(parts).toEqual([expect.objectContaining({ rawInput, ...expected })]);
					expect(parts[0]).not.toHaveProperty('input');
				}
		});

		// vercel/ai's adapter for LangGraph and pydantic-ai end no input: complete JSON is the input, as in the AI SDK.
		it.each<[string, Chunk[]]>([
			['alone', []],
			['and an output', [output, output]],
			['and an error', [{ type: 'tool-output-error', toolCallId: '1', errorText: 'x' }]],
			['and a refusal', [{ type: 'tool-output-denied', toolCallId: '1' }]],
			['and an approval', [request('1'), response(true), output]],
		])('is an input if its text is complete JSON: %s', (_name, more) => {
			const complete = (inputEncoding?: string) =>
				read(sse({ ...begun, inputEncoding }, ...half, delta('}'), ...more)).message.parts[0];
			expect(complete()).toMatchObject({ input: { to: 'Ann', amount: 5 } });
			expect(complete()).not.toHaveProperty('rawInput');
			expect(complete('text')).toMatchObject({ rawInput: `${rawInput}}` });
		});

		it('stays text if its JSON is nested too deeply, and continues after an output', () => {
			const deep = '['.repeat(300) + ']'.repeat(300);
			expect(read(sse(begun, delta(deep), output)).message.parts[0]).toMatchObject({ rawInput: deep });
			const continued = read(sse(begun, ...half, delta('}'), output, delta(' '), output)).message.parts;
			expect(continued).toMatchObject([{ input: { amount: 5 }, output: 'paid' }]);
		});

		it('is shown to the person who approves', () => {
			const run = read(sse(begun, ...half, request('1'), done));
			expect(run.approvals).toMatchObject([{ tool: 'pay', input: rawInput }]);
			expect(run.reason).toBe(`The run is waiting for approval of pay ${rawInput}`);
		});

		it('has no text of its own once it is complete, or begins again', () => {
			const rawInputAfter = (...more: Chunk[]) => read(sse(begun, ...half, ...more)).message.parts[0].rawInput;
			for (const last of [call('1'), { ...call('1'), type: 'tool-input-error', errorText: 'x' }, begun]) {
				expect(rawInputAfter(last, output)).toBeUndefined();
			}
			expect(rawInputAfter(begun, delta('{'))).toBe('{');
		});
	});

	it.each([
		['failed', [{ type: 'error', errorText: 'x' }], ended],
		['incomplete', [finishWith('length')], ended],
		['interrupted', [], broken],
	] as const)('that waits is listed, too, if the run is %s', (status, chunks, cause) => {
		const run = read(sse(...asked, ...chunks), cause);
		expect(run).toMatchObject({ status, approvals: [{ tool_call_id: '1' }] });
	});

	it.each(['tool-calls', 'other', 'unknown'])('without an output is warned of if the finish reason is %s', (reason) => {
		const begun = { type: 'tool-input-start', toolCallId: '3', toolName: 'click' };
		const run = read(sse(...text('x'), call('1'), output, call('2', 'search'), begun, finishWith(reason)));
		expect(run.status).toBe('completed');
		expect(run.warnings).toEqual(['The run ended before "search", "click" returned output']);
	});

	it('without an output is not warned of if the run stopped as planned', () => {
		for (const end of [finish, '[DONE]']) expect(read(sse(call('1'), end)).warnings).toEqual([]);
	});
});

describe('what cannot be read', () => {
	it('is noted, except for lines that are no data lines, and a run that lost nothing by it is complete', () => {
		const orphans = [
			{ type: 'text-end', id: 'orphan' },
			{ type: 'reasoning-delta', id: 'orphan', delta: 'x' },
			{ type: 'tool-input-delta', toolCallId: 'orphan', inputTextDelta: '' },
			{ type: 'tool-output-denied', toolCallId: 'orphan' },
			{ type: 'tool-approval-response', approvalId: 'orphan' },
		];
		const odd = sse({ type: 'novelty', value: 1 }, '{"ping":1}', '42', 'null', 'keep-alive', '', ...orphans);
		const run = read(`${odd}<html>oops</html>\n\n${sse(...text('still here'), { type: 'finish' })}`);
		expect(run).toMatchObject({ status: 'completed', warnings: [] });
		expect(run.message.parts).toEqual([{ type: 'text', text: 'still here', state: 'done' }]);
		expect(run.notes).toEqual([
			'Skipped a chunk of the unknown type "novelty"',
			'Skipped a data line that is not a chunk: "{\\"ping\\":1}"',
			'Skipped a data line that is not a chunk: "42"',
			'Skipped a data line that is not a chunk: "null"',
			'Skipped a data line that is not a chunk: "keep-alive"',
			'Skipped an empty data line',
			'Skipped a chunk of type "text-end": no part with the id "orphan" was started',
			'Skipped a chunk of type "reasoning-delta": no part with the id "orphan" was started',
			'Skipped a chunk of type "tool-input-delta": no tool call with the id "orphan" was started',
			'Skipped a chunk of type "tool-output-denied": no tool call with the id "orphan" was started',
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
		['a garbled [DONE]', '[DONF]'],
		['a chunk that is cut off', '{"type":"text-start","id":'],
		['a line of NUL bytes', '\0\0'],
		['two words', 'not json'],
		['a text delta without a text', { type: 'text-delta', id: '1', delta: 5 }],
		['a text delta without an ID', { type: 'text-delta', delta: 'x' }],
		['a source without an address', { type: 'source-url', sourceId: 's' }],
		['a document without a title', { type: 'source-document', sourceId: 's', mediaType: 'a/b' }],
		['a file without an address', { type: 'file', mediaType: 'a/b' }],
		['a request for an approval of nothing', { type: 'tool-approval-request', approvalId: 'a', toolCallId: '?' }],
	])('makes a run incomplete that else completed, if it is %s', (_name, line) => {
		const [begin, , end] = text('');
		const run = read(sse(begin, line, end, finish));
		expect(run).toMatchObject({ ...lost(1), finishReason: 'stop', notes: [] });
		expect(run.warnings).toEqual([expect.stringMatching(/^Skipped a (chunk of type|data line)/)]);
		expect(read(sse(begin, line, line, end, '[DONE]'))).toMatchObject(lost(2));
	});

	// apache/servicecomb-java-chassis#5125, dart-archive/sse#75, durable-streams/durable-streams#262
	const twice = (value: unknown) => JSON.stringify(JSON.stringify(value));
	it.each([
		['encoded twice', sse(...[...text('Hi'), finish].map(twice), '"[DONE]"')],
		['encoded twice, with [DONE] alone', sse(...text('Hi').map(twice), '"[DONE]"')],
		['in a list', sse(JSON.stringify(text('Hi')), finish)],
		['in a list that is encoded twice', sse(twice([...text('Hi'), finish]))],
	])('is not a chunk %s', (_how, body) => {
		const run = read(body);
		expect(run).toMatchObject({ status: 'completed', warnings: [], notes: [] });
		expect(run.message.parts).toEqual([{ type: 'text', text: 'Hi', state: 'done' }]);
		expect(read(sse(JSON.stringify([{ error: { message: 'Overloaded' } }])))).toMatchObject({ reason: 'Overloaded' });
	});

	it.each([{ data: text('Hi')[1] }, { data: JSON.stringify(text('Hi')[1]) }, [text('Hi')]])(
		'is a chunk inside of other JSON, which makes a run incomplete: %j',
		(payload) => expect(read(sse(JSON.stringify(payload), finish))).toMatchObject(lost(1)),
	);

	it('does not hide how a run ended otherwise', () => {
		const call = { type: 'tool-input-available', toolCallId: '1', toolName: 'pay', input: {} };
		const asked = [call, { type: 'tool-approval-request', toolCallId: '1', approvalId: 'a' }];
		expect(read(sse(garbled, { type: 'error', errorText: 'Blocked' })).reason).toBe('Blocked');
		expect(read(sse(garbled, ...asked, finish)).status).toBe('needs_approval');
		expect(read(sse(garbled), broken)).toMatchObject(broken);
	});

	it('is noted only after finish, until the message continues', () => {
		const run = read(sse(finish, garbled, '[DONE]'));
		expect(run).toMatchObject({ status: 'completed', warnings: [], notes: [expect.stringContaining('a data line')] });
		expect(read(sse(finish, { type: 'start' }, garbled, finish))).toMatchObject(lost(1));
	});

	it('is forgotten with the message that it belongs to', () => {
		const start = (messageId: string) => ({ type: 'start', messageId });
		const run = read(sse(start('a'), garbled, start('b'), ...text('whole'), finish));
		expect(run).toMatchObject({ status: 'completed', warnings: [], notes: [expect.stringContaining('a data line')] });
		expect(read(sse(start('a'), garbled, start('a'), finish))).toMatchObject(lost(1));
	});

	it('is never a text whose beginning is missing: it becomes a part of its own', () => {
		const delta = { type: 'text-delta', id: '2', delta: 'kept' };
		const run = read(sse(...text('a'), delta, delta, { type: 'text-end', id: '2' }, { ...delta, id: '1' }, finish));
		expect(run).toMatchObject({ status: 'completed', warnings: [], notes: [] });
		expect(run.message.parts).toEqual([
			{ type: 'text', text: 'a', state: 'done' },
			{ type: 'text', text: 'keptkept', state: 'done' },
			{ type: 'text', text: 'kept', state: 'streaming' },
		]);
	});

	// neuron-core/neuron-ai#610: each delta under an ID of its own.
	it.each<[string, Chunk[], string[]]>([
		['as long as nothing comes between', [], ['One, two, three']],
		['but not across another part', [{ type: 'data-x', data: 1 }], ['One, ', 'two, three']],
		['but not across steps', [{ type: 'finish-step' }, { type: 'start-step' }], ['One, ', 'two, three']],
		['but not across its end', [{ type: 'text-end', id: '0' }], ['One, ', 'two, three']],
		['but not across another text', text('x'), ['One, ', 'x', 'two, three']],
	])('joins deltas of texts that nothing has started, %s', (_name, between, texts) => {
		const [one, two, three] = ['One, ', 'two, ', 'three'].map((value, id) => ({
			...{ type: 'text-delta', id: `${id}`, delta: value },
		}));
		const run = read(sse(one, ...between, two, three, finish));
		expect(run).toMatchObject({ status: 'completed', warnings: [], notes: [] });
		expect(run.message.parts.filter(({ type }) => type === 'text').map((part) => part.text)).toEqual(texts);
	});

	const answers = ['ai', 'ai7'].flatMap((sdk) => [true, false].map((approved) => [sdk, approved] as const));
	it.each(answers)('is not what %s sends after an approval (%s) of an earlier call', async (version, approved) => {
		const chunks = await continuation(version, approved);
		const output = `tool-output-${approved ? 'available' : 'denied'}`;
		expect(chunks.map(({ type }) => type).slice(0, 3)).toEqual(['start', output, 'start-step']);
		const run = read(sse(...chunks, '[DONE]'));
		expect(run).toMatchObject({ status: 'completed', warnings: [], notes: [expect.stringContaining(output)] });
		expect(run.message.parts.at(-1)).toEqual({ type: 'text', text: 'Paid.', state: 'done' });
	});

	const bytes = (...pieces: Array<string | number[]>) =>
		Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));
	const [from, to] = sse({ type: 'text-delta', id: '1', delta: '1|00 euros' }).split('|');
	const damage = 'Some characters were corrupted in transit and appear as \uFFFD';

	it.each([
		['damaged', bytes(from, [0xff, 0xc3], to), [damage]],
		['damaged, beside one that is sent so', bytes(from, '\uFFFD', [0xff], to), [damage]],
		['sent as U+FFFD', bytes(from, '\uFFFD', to), []],
		['of four bytes', bytes(from, '😀', to), []],
	])('names a character that was %s, however it is cut', (_name, delta, warnings) => {
		for (const size of [1, 2, 3, delta.length]) {
			const reader = new RunReader();
			for (let at = 0; at < delta.length; at += size) reader.write(delta.subarray(at, at + size));
			reader.write(Buffer.from(sse(finish)));
			expect([size, reader.finish()]).toMatchObject([size, { status: 'completed', warnings, notes: [] }]);
		}
	});

	it('names no damaged character in a message that another one replaced', () => {
		const reader = new RunReader();
		reader.write(bytes(sse({ type: 'start', messageId: 'a' }), from, [0xff], to));
		reader.write(Buffer.from(sse({ type: 'start', messageId: 'b' }, ...text('a'), finish)));
		expect(reader.finish()).toMatchObject({ status: 'completed', warnings: [] });
	});

	it('may be a delta that is no text, beside damaged characters', () => {
		const reader = new RunReader();
		const broken = { type: 'text-delta', id: '1', delta: { toString: 1, valueOf: 1 } };
		reader.write(bytes('data: ', [0xff], '\n\n', sse(broken, ...text('a'), finish)));
		expect(reader.finish()).toMatchObject({ status: 'incomplete', message: { parts: [{ text: 'a' }] } });
	});

	it('names damaged characters only in a text', () => {
		const note = bytes('data: {"type":"data-x","data":"', [0xff], '"}\n\n', sse(...text('a'), finish));
		const reader = new RunReader();
		reader.write(note);
		expect(reader.finish()).toMatchObject({ status: 'completed', warnings: [] });
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
		const lines = Array.from({ length: 105 }, () => ['novelty', { type: 'novelty' }, 'a b']).flat();
		const { warnings, notes } = read(sse(...lines));
		expect([warnings.length, notes.length]).toEqual([101, 101]);
		expect(warnings.at(-1)).toBe('Warnings not listed: 5');
		expect(notes.at(-1)).toBe('Warnings not listed: 110');
	});
});

describe('the reading', () => {
	it('hands every chunk over at once, in order, as received', () => {
		const seen: Chunk[] = [];
		const chunks = [{ type: 'start', messageId: 'm' }, ...text('a'), { type: 'novelty', x: 1 }];
		read(sse(...chunks), ended, (chunk) => seen.push(chunk));
		expect(seen).toEqual(chunks);
	});

	it('joins as many deltas as there are', () => {
		const deltas = Array.from({ length: 1100 }, (_, n) => ({ type: 'text-delta', id: '1', delta: `${n} ` }));
		const run = read(sse({ type: 'text-start', id: '1' }, ...deltas));
		expect(run.message.parts[0].text).toBe(deltas.map(({ delta }) => delta).join(''));
	});

	// vercel/ai#10735, mastra#21561
	it('keeps the name of a file', () => {
		const file = { type: 'file', url: 'data:,x', mediaType: 'text/csv', filename: 'Orders März.csv' };
		const reasoning = { ...file, type: 'reasoning-file' };
		expect(read(sse(file, reasoning, { ...file, filename: null })).message.parts).toEqual([
			...[file, reasoning],
			{ type: 'file', url: 'data:,x', mediaType: 'text/csv' },
		]);
	});

	// node-postgres#2080, #2936: databases refuse U+0000.
	it('removes U+0000, in names too, and nothing that only looks like it', () => {
		const seen: Chunk[] = [];
		const data = { 'a\0b': ['\0', '\\u0000', '\\\0', '\u0001'] };
		const sent = [...text('\0a\0\0b\\u0000\0'), { type: 'data-x', data }];
		const run = read(sse(...sent), ended, (chunk) => seen.push(chunk));
		const clean = { ab: ['', '\\u0000', '\\', '\u0001'] };
		expect(run).toMatchObject({ data: { x: clean }, message: { parts: [{ text: 'ab\\u0000' }, { data: clean }] } });
		expect(seen.at(-1)).toEqual({ type: 'data-x', data: clean });
		expect(read(sse('{"type":"data-x","data":{"__pro\\u0000to__":{"a":1}}}')).data).toEqual({ x: {} });
	});

	// THU-MAIC/OpenMAIC#1493, ayunis-core/ayunis-core#1613, mastra-ai/mastra#21727: databases refuse lone surrogates.
	it('removes U+0000 and half characters from the input of a tool that arrives in deltas', () => {
		const delta = { type: 'tool-input-delta', toolCallId: '1', inputTextDelta: '{"a":"\\u0000b\\ud83d"}' };
		const run = read(sse({ type: 'tool-input-start', toolCallId: '1', toolName: 'x' }, delta));
		expect(run.message.parts[0].input).toEqual({ a: 'b\ufffd' });
	});

	it('replaces half characters, in names too, unless the next delta has the other half', () => {
		const deltas = ['a\ud83d', '\ude00b\ud83d', 'c\ude00'].map((delta) => ({ type: 'text-delta', id: '1', delta }));
		const run = read(sse(...deltas, { type: 'data-x', data: { 'a\ud83d': ['\ude00', '😀'] } }));
		expect(run).toMatchObject({
			...{ data: { x: { 'a\ufffd': ['\ufffd', '😀'] } } },
			message: { parts: [{ text: 'a😀b\ufffdc\ufffd' }, { data: { 'a\ufffd': ['\ufffd', '😀'] } }] },
		});
	});

	it('stops at [DONE]', () => {
		const reader = new RunReader();
		reader.write(Buffer.from(sse(...text('a'), '[DONE]', ...text('b'))));
		expect(reader.isDone).toBe(true);
		expect(reader.finish(ended).message.parts).toHaveLength(1);
	});

	it('keeps the last data of each kind, but not of transient ones', () => {
		const progress = { type: 'data-progress', id: 'p', data: { done: 1 } };
		const status = { type: 'data-status', data: 'hidden', transient: true };
		const hostile = { type: 'data-__proto__', data: { polluted: true } };
		const run = read(sse(progress, { ...progress, data: { done: 2 } }, status, hostile));
		expect(run.data).toEqual({ progress: { done: 2 } });
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	it('takes no prototype from the stream', () => {
		const run = read(
			sse(
				'{"type":"start","messageMetadata":{"__proto__":{"polluted":1}}}',
				'{"type":"message-metadata","messageMetadata":{"a":{"\\u005f_proto__":{"polluted":1},"b":1}}}',
				'{"type":"message-metadata","messageMetadata":{"constructor":{"prototype":{"polluted":1}},"prototype":1,"a":{"c":2}}}',
			),
		);
		expect(run.message.metadata).toEqual({ a: { b: 1, c: 2 } });
		expect(Object.hasOwn((run.message.metadata as { a: object }).a, '__proto__')).toBe(false);
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	it('begins anew with another message, but for the last data', () => {
		const began = { type: 'start', messageId: 'a', messageMetadata: { usage: 1 } };
		const call = { type: 'tool-input-available', toolCallId: '1', toolName: 'pay', input: {} };
		const data = { type: 'data-x', id: 'd', data: 1 };
		const early = { type: 'data-y', data: 2 };
		const first = [began, call, data, early, { type: 'text-start', id: '1' }, finishWith('length')];
		const output = { type: 'tool-output-available', toolCallId: '1', output: 1 };
		const run = read(sse(...first, { type: 'start', messageId: 'b' }, output, data, { type: 'reset-step' }, '[DONE]'));
		expect(run.message).toStrictEqual({ id: 'b', role: 'assistant', parts: [] });
		const known = { x: 1, y: 2 };
		expect(run).toMatchObject({ status: 'completed', data: known, notes: [expect.stringContaining('tool-output')] });
		expect('finishReason' in run).toBe(false);
	});

	it('keeps what was received before the first start, and what was lost there', () => {
		const file = { type: 'file', url: 'data:,x', mediaType: 'text/plain' };
		const metadata = { type: 'start', messageMetadata: { usage: 1 } };
		const early = [metadata, ...text('early'), file, garbled];
		const named = { type: 'start', messageId: 'a' };
		const { message, ...run } = read(sse(...early, named, ...text('late'), named, finish));
		const texts = ['early', 'late'].map((value) => ({ type: 'text', text: value, state: 'done' }));
		expect(message).toEqual({ id: 'a', role: 'assistant', metadata: { usage: 1 }, parts: [texts[0], file, texts[1]] });
		expect(run).toMatchObject({ status: 'incomplete', warnings: [expect.stringContaining('a data line')] });
		expect(read(sse(...early, named, { ...named, messageId: 'b' }, finish))).toMatchObject({
			...{ status: 'completed', warnings: [], message: { id: 'b', parts: [] } },
		});
	});

	it('merges metadata only if both are objects', () => {
		const told = (...values: unknown[]) =>
			read(sse(...values.map((messageMetadata) => ({ type: 'message-metadata', messageMetadata })))).message.metadata;
		expect(told({ a: 1 }, 'b', null)).toBe('b');
		expect(told('b', { a: 1 })).toEqual({ a: 1 });
	});
});
