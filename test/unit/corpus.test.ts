import { readerOf } from '../support/reader';
import { events } from '../engine/serve-stream';
import corpus from '../corpus/ui-message-stream.json';

interface Entry {
	id: string;
	title: string;
	chunks: unknown[];
	expected: {
		message: { parts: Array<{ state?: string }> };
		finished: boolean;
		aborted: boolean;
		errors: string[];
		finishReason: string | null;
		invalid: { index: number } | null;
	};
}
const entries = corpus.entries as unknown as Entry[];

const sent = ({ chunks, expected }: Entry) => chunks.slice(0, expected.invalid?.index ?? chunks.length);

function statusOf(entry: Entry): string {
	const { message, finished, aborted, errors, finishReason } = entry.expected;
	if (errors.length) return 'failed';
	if (aborted) return 'aborted';
	const hasFinish = (sent(entry) as Array<{ type: string }>).some(({ type }) => type === 'finish');
	if (!finished || !hasFinish) return 'interrupted';
	if (finishReason === 'error') return 'failed';
	return message.parts.some(({ state }) => state === 'approval-requested') ? 'needs_approval' : 'completed';
}

// The AI SDK keeps the kind of a call that is dynamic in one chunk only. We take the last one.
const OTHER = 'peer-v7-158';
const named = entries.filter(({ id }) => id !== OTHER).map((entry) => [entry.id, entry.title, entry] as const);
it.each(named)('folds %s %s into the message of the AI SDK', (_id, _title, entry) => {
	const reader = readerOf();
	reader.write(Buffer.from(events(...sent(entry))));
	reader.end();
	const { status, reason, message } = reader.finish();
	expect([status, reason !== undefined]).toEqual([statusOf(entry), status !== 'completed']);
	expect(JSON.parse(JSON.stringify(message))).toEqual(entry.expected.message);
});
