/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runAutomation } from '../engine/run-node';
import corpus from '../corpus/ui-message-stream.json';

interface Entry {
	id: string;
	title: string;
	initialMessage?: unknown;
	chunks: unknown[];
	expected: { message: unknown; finished: boolean; aborted: boolean; errors: string[]; invalid: { index: number } | null };
}
const entries = (corpus.entries as unknown as Entry[]).filter((entry) => !entry.initialMessage);

/** Serves the sequence whose number is the task: the bytes are written here, not by the stand-in service. */
let server: Server;
let url: string;
beforeAll(async () => {
	server = createServer((request, response) => {
		let body = '';
		request.on('data', (bytes: Buffer) => (body += bytes.toString()));
		request.on('end', () => {
			const { query } = JSON.parse(body) as { query: string };
			const { chunks, expected } = entries[Number(query)];
			response.writeHead(200, { 'content-type': 'text/event-stream', 'x-thread-id': query });
			for (const chunk of chunks.slice(0, expected.invalid?.index ?? chunks.length)) {
				response.write(`data: ${JSON.stringify(chunk)}\n\n`);
			}
			response.end();
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => await new Promise((resolve) => server.close(resolve)));

function statusOf({ finished, aborted, errors, invalid }: Entry['expected'], chunks: unknown[]): string {
	const sent = chunks.slice(0, invalid?.index ?? chunks.length) as Array<{ type: string }>;
	if (errors.length) return 'failed';
	if (aborted) return 'aborted';
	return finished && sent.some(({ type }) => type === 'finish') ? 'completed' : 'interrupted';
}

test.each(entries.map((entry, index) => [entry.id, entry.title, index, entry] as const))(
	'%s %s comes out of the node as the AI SDK folds it',
	async (_id, _title, index, { expected, chunks }) => {
		const { items, error } = await runAutomation(
			{ baseUrl: url, automationUrl: url, apiKey: 'corpus-key' },
			{ query: String(index), options: { output: 'message', ifIncomplete: 'partial' } },
		);
		expect(error).toBeUndefined();
		expect(items).toEqual([
			{
				json: { thread_id: String(index), status: statusOf(expected, chunks), message: expected.message },
				pairedItem: { item: 0 },
			},
		]);
	},
);
