import { MessageFold } from '../../nodes/RunAutomation/stream/message';
import type { Chunk, Message } from '../../nodes/RunAutomation/stream';
import corpus from '../corpus/ui-message-stream.json';

interface Entry {
	id: string;
	title: string;
	initialMessage?: Message;
	chunks: Chunk[];
	expected: { message: Message; invalid: { index: number } | null; finishReason: string | null };
}
const entries = corpus.entries as unknown as Entry[];

/** Chunks that are folded into a message with these parts. */
const chunksOf = ({ id, metadata: messageMetadata, parts }: Message): Chunk[] => [
	{ type: 'start', messageId: id, messageMetadata },
	...parts.flatMap((part, index): Chunk[] => {
		const { type, toolCallId, text: delta, approval, ...fields } = part as typeof part & { approval?: object };
		if (type === 'step-start') return [{ type: 'start-step' }];
		if (type === 'text') {
			const [start, change, end] = ['text-start', 'text-delta', 'text-end'].map((kind) => ({
				type: kind,
				id: `${index}`,
			}));
			return [start, { ...change, delta }, end];
		}
		if (type.startsWith('data-')) return [{ ...part }];
		const dynamic = type === 'dynamic-tool';
		const call = { toolName: type.slice('tool-'.length), ...fields, toolCallId, dynamic };
		const { id: approvalId, ...response } = (approval ?? {}) as { id?: string };
		const given = Object.entries({ 'tool-output-available': 'output', 'tool-output-error': 'errorText' });
		return [
			{ ...call, type: 'tool-input-available' },
			...given.filter(([, field]) => field in part).map(([kind]) => ({ ...call, type: kind })),
			...(approval ? [{ type: 'tool-approval-request', toolCallId, approvalId }] : []),
			...(approval ? [{ ...response, type: 'tool-approval-response', approvalId }] : []),
		];
	}),
];

const withoutUndefined = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe('the message that a stream is folded into', () => {
	it.each(entries.map((entry) => [entry.id, entry.title, entry] as const))(
		'is the one that the AI SDK gives: %s %s',
		(_id, _title, { chunks, expected, initialMessage }) => {
			const fold = new MessageFold();
			const upTo = expected.invalid ? expected.invalid.index : chunks.length;
			const earlier = initialMessage ? chunksOf(initialMessage) : [];
			for (const chunk of structuredClone([...earlier, ...chunks.slice(0, upTo)])) {
				expect(fold.apply(chunk)).toBeUndefined();
			}
			// A text that a stream brought always has a state; that of a stored message may have none.
			const parts = expected.message.parts.map((part) => (part.type === 'text' ? { state: 'done', ...part } : part));
			expect(withoutUndefined(fold.message())).toEqual({ ...expected.message, parts });
			if (!expected.invalid) expect(fold.finishReason ?? null).toBe(expected.finishReason);
			else expect(fold.apply(structuredClone(chunks[upTo]))).toMatch(/^Skipped/);
		},
	);
});
