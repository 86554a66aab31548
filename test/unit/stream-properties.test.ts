import type { UIMessage, UIMessageChunk } from 'ai7';
import fc from 'fast-check';

import { MessageFold } from '../../nodes/RunAutomation/stream/message';
import { RunReader, type Chunk } from '../../nodes/RunAutomation/stream';
import { LiveOutput } from '../../nodes/RunAutomation/output/live';
import { resultOf } from '../../nodes/RunAutomation/output/result';
import { fuzz } from './fuzz';
import { anyChunk, validChunks } from './stream-arbitraries';

const prototypes = [Object.prototype, Array.prototype, String.prototype, Function.prototype, Map.prototype];
const snapshot = () => prototypes.map((prototype) => Reflect.ownKeys(prototype));

describe('any sequence of chunks', () => {
	it('is read to its end, and reaches no prototype', () => {
		const before = snapshot();
		fc.assert(
			fc.property(fc.array(anyChunk, { maxLength: 30 }), fc.constantFrom('result', 'rows'), (chunks, operation) => {
				const seen: Chunk[] = [];
				const context = { isStreaming: () => true, sendChunk: () => undefined };
				const request = { itemIndex: 0, operation, live: ['text', 'tools', 'data'] };
				const live = new LiveOutput(context as never, request as never, String);
				const reader = new RunReader((chunk) => {
					seen.push(chunk);
					live.onChunk(chunk);
				});
				const sent = chunks.map((chunk) => JSON.stringify(chunk));
				for (const text of sent) reader.write(Buffer.from(`data: ${text}\n\n`));
				reader.end();
				const run = reader.finish();
				expect(seen).toHaveLength(chunks.length);
				expect(typeof run.status).toBe('string');
				expect(() => JSON.stringify(resultOf('thread', run))).not.toThrow();
				for (const part of run.message.parts) expect(Object.getPrototypeOf(part)).toBe(Object.prototype);
				expect(Object.getPrototypeOf(run.data)).toBe(Object.prototype);
			}),
			fuzz(),
		);
		expect(snapshot()).toEqual(before);
	});
});

const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

/** The message that the AI SDK's own reader gives, and what it threw, if anything. */
async function readWithSdk(chunks: Chunk[]) {
	// jest loads no ES module by `require`.
	const { readUIMessageStream } = await import('ai7');
	const stream = new ReadableStream<UIMessageChunk>({
		start(controller) {
			for (const chunk of structuredClone(chunks)) controller.enqueue(chunk as UIMessageChunk);
			controller.close();
		},
	});
	let message: UIMessage = { id: '', role: 'assistant', parts: [] };
	let refusal: unknown;
	const onError = (error: unknown) => {
		// An `error` chunk is told here too, in an error of its own kind.
		if ((error as Error).name === 'AI_UIMessageStreamError') refusal ??= error;
	};
	for await (const snapshot of readUIMessageStream({ stream, onError })) message = snapshot;
	return { message, refusal };
}

/** The chunks without the deltas of texts that nothing has started: the AI SDK throws for them, and we keep them. */
function withoutLooseText(chunks: Chunk[]): Chunk[] {
	let open = new Set<unknown>();
	let message: unknown = '';
	return chunks.filter(({ type, id, messageId = message }) => {
		if (type === 'reset-step' || messageId !== message) open = new Set();
		message = messageId;
		if (type === 'text-start') open.add(id);
		if (type === 'text-end') open.delete(id);
		return type !== 'text-delta' || open.has(id);
	});
}

const call = { toolCallId: 'a', toolName: 'search' };
const startedCall = { type: 'tool-input-start', ...call };
const delta = { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: '[' };
const dynamicCall = { ...startedCall, dynamic: true };
const available = { type: 'tool-input-available', ...call, toolCallId: 'b', input: 1 };
const approval = { type: 'tool-approval-request', approvalId: 'x', reason: null };
const data = { type: 'data-x', id: 'd', data: 1, toolCallId: 'b' };
const output = { type: 'tool-output-available', output: 1 };
const approved = { type: 'tool-approval-response', approvalId: 'x', approved: true };

/** Sequences that once were folded otherwise; too rare to be met by chance each time. */
const FOUND: Array<[Chunk[]]> = [
	[[dynamicCall, { type: 'start-step' }, delta]],
	[[dynamicCall, delta, { type: 'start-step' }, delta]],
	[[startedCall, available, { ...approval, toolCallId: 'b' }, { ...approval, toolCallId: 'a' }, approved]],
	[[available, { ...approval, toolCallId: 'b' }, { type: 'start-step' }, { type: 'reset-step' }, approved]],
	[[data, { type: 'start-step' }, { type: 'reset-step' }, { ...data, data: 2 }]],
	[[available, { type: 'start-step' }, data, { type: 'reset-step' }, { ...output, toolCallId: 'b' }]],
];

/** Every type that the newest AI SDK sends: an update with another one fails the type check here. */
const TYPES = {
	...{ start: true, finish: true, abort: true, error: true, 'message-metadata': true, 'steering-message': true },
	...{ 'start-step': true, 'finish-step': true, 'reset-step': true, custom: true, file: true, 'reasoning-file': true },
	...{ 'text-start': true, 'text-delta': true, 'text-end': true, 'source-url': true, 'source-document': true },
	...{ 'reasoning-start': true, 'reasoning-delta': true, 'reasoning-end': true },
	...{ 'tool-input-start': true, 'tool-input-delta': true, 'tool-input-available': true, 'tool-input-error': true },
	...{ 'tool-output-available': true, 'tool-output-error': true, 'tool-output-denied': true },
	...{ 'tool-approval-request': true, 'tool-approval-response': true },
} satisfies Record<Exclude<UIMessageChunk['type'], `data-${string}`>, true>;

describe('the fold', () => {
	it.each([...Object.keys(TYPES), 'data-any'])('knows the type %s of the newest AI SDK', (type) => {
		expect(new MessageFold().apply({ type })?.text ?? '').not.toContain('unknown');
	});

	it("takes what the AI SDK's own reader takes, and gives the same message", async () => {
		let taken = 0;
		const cases = fuzz();
		await fc.assert(
			fc.asyncProperty(validChunks, async (chunks) => {
				const fold = new MessageFold();
				// The reader shows a message after those chunks only that change what people see: the last one does.
				const shown = [...withoutLooseText(chunks), { type: 'message-metadata', messageMetadata: {} }];
				const refused = shown.map((chunk) => fold.apply(structuredClone(chunk)) !== undefined);
				const accepted = shown.filter((_, index) => !refused[index]);
				const { message, refusal } = await readWithSdk(accepted);
				expect(refusal).toBeUndefined();
				expect(plain(fold.message())).toEqual(plain(message));
				if (accepted.length < shown.length) {
					expect((await readWithSdk(shown.slice(0, refused.indexOf(true) + 1))).refusal).toBeDefined();
				}
				taken += accepted.length;
			}),
			{ ...cases, examples: FOUND },
		);
		expect(taken).toBeGreaterThan(5 * cases.numRuns);
	});
});
