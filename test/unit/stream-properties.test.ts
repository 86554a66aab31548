import type { UIMessage, UIMessageChunk } from 'ai7';
import fc from 'fast-check';

import { MessageFold } from '../../nodes/RunAutomation/run/message';
import type { Chunk } from '../../nodes/RunAutomation/run/chunk';
import { executionOf } from '../support/execution';
import { readerOf } from '../support/reader';
import { LiveOutput } from '../../nodes/RunAutomation/output/live';
import { events, finish } from '../engine/serve-stream';
import { fuzz } from './fuzz';
import { anyChunk, KNOWN_TYPES, sentChunks, validChunk } from './stream-arbitraries';

const prototypes = [Object.prototype, Array.prototype, String.prototype, Function.prototype, Map.prototype];
const snapshot = () => prototypes.map((prototype) => Reflect.ownKeys(prototype));

it('any sequence of chunks is read to its end, and reaches no prototype', () => {
	const before = snapshot();
	fc.assert(
		fc.property(fc.array(anyChunk, { maxLength: 30 }), fc.constantFrom('result', 'rows'), (chunks, operation) => {
			const seen: Chunk[] = [];
			const context = { sendChunk: () => undefined };
			const secrets = { quote: String };
			const request = { itemIndex: 0, operation, liveKinds: ['text', 'tools', 'data'], secrets };
			const live = new LiveOutput(
				{ context, execution: executionOf({ isStreaming: true }) } as never,
				request as never,
			);
			const reader = readerOf({ operation });
			seen.push(...reader.write(Buffer.from(events(...chunks))), ...reader.end());
			live.showChunks(seen);
			const run = reader.finish();
			// Its timer would keep the process.
			live.end(undefined, undefined);
			expect(seen).toHaveLength(chunks.length);
			expect(typeof run.status).toBe('string');
			expect(() => JSON.stringify(run)).not.toThrow();
			for (const part of run.message.parts) expect(Object.getPrototypeOf(part)).toBe(Object.prototype);
			expect(Object.getPrototypeOf(run.data)).toBe(Object.prototype);
		}),
		fuzz(),
	);
	expect(snapshot()).toEqual(before);
});

const plain = (message: object) => JSON.parse(JSON.stringify(message)) as UIMessage;

/** The AI SDK's reader shows a message after those chunks only that change what people see, as this one does. */
const shows = { type: 'message-metadata', messageMetadata: {} };

async function readWithSdk(chunks: Chunk[]): Promise<UIMessage> {
	// jest loads no ES module by `require`.
	const { readUIMessageStream } = await import('ai7');
	const stream = ReadableStream.from(structuredClone(chunks) as UIMessageChunk[]);
	let message: UIMessage = { id: '', role: 'assistant', parts: [] };
	for await (const snapshot of readUIMessageStream({ stream, terminateOnError: true })) message = snapshot;
	return message;
}

/** Folds chunks as the reader of a run does; says which of them could not be applied. */
function foldAll(chunks: Chunk[]) {
	let fold = new MessageFold();
	const refused = chunks.map((chunk) => {
		fold = fold.forChunk(chunk);
		return fold.apply(structuredClone(chunk)) !== undefined;
	});
	return { refused, message: fold.message() };
}

/** Both messages without inputs that never became complete JSON, of which the AI SDK makes a value; we keep their text, and for longer. */
function withoutIncompleteInputs(ours: UIMessage, ofSdk: UIMessage): [UIMessage, UIMessage] {
	const kept: object[] = [];
	const parts = ofSdk.parts.map((part, index) => {
		const { rawInput, ...own } = ours.parts[index] as { type: string; rawInput?: string };
		expect('input' in own && rawInput !== undefined).toBe(false);
		kept.push(own);
		if (!/^(tool-|dynamic-tool$)/.test(own.type)) return part;
		const { rawInput: known, ...rest } = part as { input?: unknown; rawInput?: string };
		if ('input' in own) {
			if (known !== undefined) expect(own.input).toEqual(JSON.parse(known));
			return rest;
		}
		expect((rawInput ?? '').startsWith(known ?? '')).toBe(true);
		delete rest.input;
		return rest;
	});
	expect(ours.parts).toHaveLength(parts.length);
	return [
		{ ...ours, parts: kept as never },
		{ ...ofSdk, parts: parts as never },
	];
}

describe('the fold', () => {
	it.each(KNOWN_TYPES)('knows the type %s of the newest AI SDK', (type) => {
		expect(new MessageFold().apply({ type })?.text ?? '').not.toContain('unknown');
	});

	it("gives the message of the AI SDK's own reader", async () => {
		await fc.assert(
			fc.asyncProperty(sentChunks, async (chunks) => {
				const shown = [{ type: 'start', messageId: 'm' }, ...chunks, shows];
				const { refused, message: folded } = foldAll(shown);
				expect(refused).toEqual(shown.map(() => false));
				const [ours, ofSdk] = withoutIncompleteInputs(plain(folded), plain(await readWithSdk(shown)));
				expect(ours).toEqual(ofSdk);
			}),
			fuzz(),
		);
	});
});

/** Lines as they go over the wire: each payload with what stands before it, and what ends it. */
const framing = fc.record({
	before: fc.constantFrom('', '', ': keep-alive\n', 'event: message\n', '\r\n', 'id: 1\r'),
	prefix: fc.constantFrom('data: ', 'data: ', 'data:'),
	end: fc.constantFrom('\n\n', '\n\n', '\n', '\r\n\r\n', '\r\n', '\r'),
});

/** What happens to a payload: nothing, mostly; or some of it is missing, is another text, or stands in a line of its own. */
const damage = fc.oneof(
	{ weight: 8, arbitrary: fc.constant((payload: string) => payload) },
	{
		weight: 1,
		arbitrary: fc
			.tuple(fc.nat(200), fc.nat(20), fc.constantFrom('', '', '"', '}', '\\', 'x', '\u0000', '\uFFFD', '\n', '\r'))
			.map(([start, length, other]) => (payload: string) => {
				const from = start % payload.length;
				return payload.slice(0, from) + other + payload.slice(from + length + 1);
			}),
	},
);

/** The chunk in what is left of a payload, or whether it is lost: read in the plainest way. */
function readPlainly(payload: string): { chunk?: Chunk; isLost: boolean } {
	const text = payload.trim();
	try {
		const value = JSON.parse(text, (key, inner: unknown) => (key === '__proto__' ? undefined : inner)) as Chunk | null;
		const isChunk = typeof value === 'object' && !Array.isArray(value) && typeof value?.type === 'string';
		return { chunk: isChunk ? value : undefined, isLost: false };
	} catch {
		return { isLost: /[{}"\uFFFD\0]/.test(text) };
	}
}

/** What changes the status, or begins another message. */
const LEFT_OUT = ['start', 'finish', 'error', 'abort'];
const RESULT = ['text-delta', 'source-url', 'source-document', 'file', 'tool-approval-request'];
const kept = validChunk.filter(({ type }) => !LEFT_OUT.includes(type));
const sentLine = fc.tuple(kept, framing, damage).map(([chunk, { before, prefix, end }, damaged]) => {
	const payload = damaged(JSON.stringify(chunk)).toWellFormed();
	return { payload, wire: before + prefix + payload + end };
});
const sentLines = fc.array(sentLine, { maxLength: 40 });

it('a stream that is damaged on its way gives the message of the lines that are complete, and is not complete if a line of the result is lost', () => {
	const seen = { lost: 0, whole: 0 };
	fc.assert(
		fc.property(sentLines, fc.array(fc.nat(300)), fc.boolean(), (sent, cuts, hasMark) => {
			const wire = sent.map((line) => line.wire).join('');
			const bytes = Buffer.from(`${hasMark ? '\uFEFF' : ''}${wire}${events(finish)}`);
			const chunks: Chunk[] = [];
			const reader = readerOf();
			const take = (bytes: Buffer) => chunks.push(...structuredClone(reader.write(bytes)));
			let start = 0;
			for (const length of cuts) take(bytes.subarray(start, (start += length)));
			take(bytes.subarray(start));
			chunks.push(...structuredClone(reader.end()));
			const run = reader.finish();

			const read = sent.map(({ payload }) => readPlainly(payload.split(/[\n\r]/)[0]));
			const expected = read.flatMap(({ chunk }) => chunk ?? []);
			// Damage can make an `error` of a `tool-input-error`.
			fc.pre(expected.every(({ type }) => !LEFT_OUT.includes(type)));
			expect(chunks.slice(0, -1)).toEqual(expected);
			const { refused: skipped } = foldAll(expected);
			const accepted = expected.filter((_, index) => !skipped[index]);
			const refused = expected.filter((chunk) => !accepted.includes(chunk) && RESULT.includes(chunk.type));
			expect(plain(run.message).parts).toEqual(plain(foldAll(accepted).message).parts);
			const lost = read.filter(({ isLost }) => isLost).length + refused.length;
			expect(run.warnings.length).toBeGreaterThanOrEqual(lost);
			if (run.approvals.length === 0) expect(run.status).toBe(lost ? 'incomplete' : 'completed');
			seen[lost ? 'lost' : 'whole']++;
		}),
		fuzz(),
	);
	expect(Math.min(seen.lost, seen.whole)).toBeGreaterThan(50);
});
