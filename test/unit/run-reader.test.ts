import { MAX_WARNINGS, RunReader, type Chunk, type StopCause } from '../../nodes/RunAutomation/stream';

const ended: StopCause = { kind: 'ended' };
const broken: StopCause = { kind: 'broken', reason: 'The connection was closed' };
const timedOut: StopCause = { kind: 'timed_out', reason: 'No byte for 300 s' };

function read(text: string, cause: StopCause = ended, onChunk?: (chunk: Chunk) => void) {
	const reader = new RunReader(onChunk);
	reader.write(Buffer.from(text));
	return reader.finish(cause);
}
const sse = (...chunks: Array<Chunk | string>) =>
	chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('');
const text = (delta: string): Chunk[] => [
	{ type: 'text-start', id: '1' },
	{ type: 'text-delta', id: '1', delta },
	{ type: 'text-end', id: '1' },
];

describe('how a run ended', () => {
	const finish = { type: 'finish', finishReason: 'stop' };
	const error = { type: 'error', errorText: 'The site blocked the agent' };
	const abort = { type: 'abort', reason: 'Stopped by the user' };
	test.each([
		['finish', sse(finish), ended, 'completed', undefined],
		['[DONE] alone', sse('[DONE]'), ended, 'completed', undefined],
		['finish, then the connection breaks', sse(finish), broken, 'completed', undefined],
		['finish, then silence', sse(finish), timedOut, 'completed', undefined],
		['error', sse(error), ended, 'failed', 'The site blocked the agent'],
		['error, then finish and [DONE]', sse(error, finish, '[DONE]'), ended, 'failed', 'The site blocked the agent'],
		['error, then the connection breaks', sse(error), broken, 'failed', 'The site blocked the agent'],
		['error without a text', sse({ type: 'error' }), ended, 'failed', 'The run failed and gave no reason'],
		['abort', sse(abort, '[DONE]'), ended, 'aborted', 'Stopped by the user'],
		['abort, then error', sse(abort, error), ended, 'aborted', 'Stopped by the user'],
		[
			'neither',
			sse(...text('x')),
			ended,
			'interrupted',
			'The stream ended before the service said that the run is finished',
		],
		['a broken connection', sse(...text('x')), broken, 'interrupted', 'The connection was closed'],
		['silence', sse(...text('x')), timedOut, 'timed_out', 'No byte for 300 s'],
		['nothing at all', '', ended, 'interrupted', 'The stream ended before the service said that the run is finished'],
	] as const)('%s', (_name, body, cause, status, reason) => {
		expect(read(body, cause)).toMatchObject({ status });
		expect(read(body, cause).reason).toBe(reason);
	});
});

describe('what cannot be read', () => {
	test('becomes a warning, and the rest of the run survives', () => {
		const run = read(
			[
				sse({ type: 'novelty', value: 1 }, '{"type":"text-start","id":', '42', '', {
					type: 'text-delta',
					id: 'orphan',
					delta: 'x',
				}),
				'<html>oops</html>\n\n',
				sse(...text('still here'), { type: 'finish' }),
			].join(''),
		);
		expect(run.status).toBe('completed');
		expect(run.message.parts).toEqual([{ type: 'text', text: 'still here', state: 'done' }]);
		expect(run.warnings).toEqual([
			'Skipped a chunk of the unknown type "novelty"',
			'Skipped a data line that is not a chunk: "{\\"type\\":\\"text-start\\",\\"id\\":"',
			'Skipped a data line that is not a chunk: "42"',
			'Skipped an empty data line',
			'Skipped a chunk of type "text-delta": no part with the id "orphan" was started',
			'Skipped a line that is not a data line: "<html>oops</html>"',
		]);
	});

	test('is listed up to a limit, then counted', () => {
		const run = read(sse(...Array.from({ length: MAX_WARNINGS + 5 }, () => ({ type: 'novelty' }))));
		expect(run.warnings).toHaveLength(MAX_WARNINGS + 1);
		expect(run.warnings.at(-1)).toBe('5 more warnings are not listed');
	});
});

describe('a payload in several data lines', () => {
	const pieces = ['data: {"type":"text-delta",', 'data: "id":"1",', 'data: "delta":"joined"}'];
	test.each([
		['in one event', `${sse({ type: 'text-start', id: '1' })}${pieces.join('\n')}\n\n`],
		[
			'before a line that is a chunk by itself',
			`${sse({ type: 'text-start', id: '1' })}${pieces.join('\n')}\n${sse({ type: 'finish' })}`,
		],
		['at the end of the stream', `${sse({ type: 'text-start', id: '1' })}${pieces.join('\n')}`],
	])('%s', (_name, body) => {
		for (const size of [1, 7, body.length]) {
			const reader = new RunReader();
			for (let i = 0; i < body.length; i += size) reader.write(Buffer.from(body.slice(i, i + size)));
			const run = reader.finish(ended);
			expect(run.message.parts).toEqual([{ type: 'text', text: 'joined', state: 'streaming' }]);
			expect(run.warnings).toEqual([]);
		}
	});

	test('lines of two events are never joined', () => {
		const run = read('data: {"type":"text-start",\n\ndata: "id":"1"}\n\n');
		expect(run.message.parts).toEqual([]);
		expect(run.warnings).toHaveLength(2);
	});
});

describe('the reading', () => {
	test('hands every chunk over at once, in order, as received', () => {
		const seen: Chunk[] = [];
		const chunks = [{ type: 'start', messageId: 'm' }, ...text('a'), { type: 'novelty', x: 1 }];
		read(sse(...chunks), ended, (chunk) => seen.push(chunk));
		expect(seen).toEqual(chunks);
	});

	test('stops at [DONE]', () => {
		const reader = new RunReader();
		reader.write(Buffer.from(sse(...text('a'), '[DONE]', ...text('b'))));
		expect(reader.isDone).toBe(true);
		expect(reader.finish(ended).message.parts).toHaveLength(1);
	});

	test('keeps the last data of each kind, but not of transient ones', () => {
		const run = read(
			sse(
				{ type: 'data-progress', id: 'p', data: { done: 1 } },
				{ type: 'data-progress', id: 'p', data: { done: 2 } },
				{ type: 'data-status', data: 'hidden', transient: true },
				{ type: 'data-__proto__', data: { polluted: true } },
			),
		);
		expect(run.data).toEqual({ progress: { done: 2 } });
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	test('takes no prototype from the stream', () => {
		const run = read(
			sse(
				'{"type":"start","messageMetadata":{"__proto__":{"polluted":1},"a":{"\\u005f_proto__":{"polluted":1},"b":1}}}',
				'{"type":"message-metadata","messageMetadata":{"constructor":{"prototype":{"polluted":1}},"a":{"c":2}}}',
			),
		);
		expect(run.message.metadata).toEqual({ a: { b: 1, c: 2 } });
		expect(Object.hasOwn((run.message.metadata as { a: object }).a, '__proto__')).toBe(false);
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	test('shows the input of a tool call as far as it has arrived', () => {
		const start = { type: 'tool-input-start', toolCallId: 'c', toolName: 'search' };
		const delta = (inputTextDelta: string) => ({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta });
		const run = read(sse({ type: 'start-step' }, start, delta('{"q":"che'), delta('ap","n":[1,2')));
		expect(run.message.parts[1]).toEqual({
			type: 'tool-search',
			toolCallId: 'c',
			state: 'input-streaming',
			input: { q: 'cheap', n: [1, 2] },
			rawInput: '{"q":"cheap","n":[1,2',
		});
	});
});
