import { runAutomation } from '../engine/run-node';
import { events, serveStream } from '../engine/serve-stream';
import corpus from '../corpus/ui-message-stream.json';

interface Entry {
	id: string;
	title: string;
	initialMessage?: unknown;
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
const entries = (corpus.entries as unknown as Entry[]).filter((entry) => !entry.initialMessage);

const sent = ({ chunks, expected }: Entry) => chunks.slice(0, expected.invalid?.index ?? chunks.length);

/** Serves the sequence whose number is the task: the bytes are written here, not by the stand-in service. */
let server: Awaited<ReturnType<typeof serveStream>>;
beforeAll(async () => {
	server = await serveStream((query) => events(...sent(entries[Number(query)])));
});
afterAll(async () => await server.stop());

function statusOf(entry: Entry): string {
	const { message, finished, aborted, errors, finishReason } = entry.expected;
	if (errors.length) return 'failed';
	if (aborted) return 'aborted';
	const hasFinish = (sent(entry) as Array<{ type: string }>).some(({ type }) => type === 'finish');
	if (!finished || !hasFinish) return 'interrupted';
	if (finishReason === 'error') return 'failed';
	return message.parts.some(({ state }) => state === 'approval-requested') ? 'needs_approval' : 'completed';
}

it.each(entries.map((entry, index) => [entry.id, entry.title, index, entry] as const))(
	'returns the message of %s %s as the AI SDK folds it',
	async (_id, _title, index, entry) => {
		const status = statusOf(entry);
		const { items, error } = await runAutomation(server.target, {
			operation: 'raw',
			query: String(index),
			options: { ifIncomplete: 'partial' },
		});
		expect(error).toBeUndefined();
		expect(items).toEqual([
			{
				json: {
					thread_id: String(index),
					status,
					...(status === 'completed' ? {} : { reason: expect.any(String) as string }),
					message: entry.expected.message,
					warnings: expect.any(Array) as string[],
				},
				pairedItem: { item: 0 },
			},
		]);
	},
);
