import { MessageFold } from '../../nodes/RunAutomation/stream/message';
import type { Chunk, Message } from '../../nodes/RunAutomation/stream';
import corpus from '../corpus/ui-message-stream.json';

interface Entry {
	id: string;
	title: string;
	initialMessage?: Message;
	chunks: Chunk[];
	expected: { message: unknown; invalid: { index: number } | null; finishReason: string | null };
}
const entries = corpus.entries as unknown as Entry[];

const withoutUndefined = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe('the message that a stream is folded into', () => {
	test.each(entries.map((entry) => [entry.id, entry.title, entry] as const))(
		'%s %s',
		(_id, _title, { chunks, expected, initialMessage }) => {
			const fold = new MessageFold(structuredClone(initialMessage));
			const upTo = expected.invalid ? expected.invalid.index : chunks.length;
			for (const chunk of structuredClone(chunks.slice(0, upTo))) expect(fold.apply(chunk)).toBeUndefined();
			expect(withoutUndefined(fold.message())).toEqual(expected.message);
			if (!expected.invalid) expect(fold.finishReason ?? null).toBe(expected.finishReason);
			else expect(fold.apply(structuredClone(chunks[upTo]))).toMatch(/^Skipped/);
		},
	);
});
