import axios from 'axios';

import { continued, runAutomation, type Extra } from '../engine/run-node';
import { THREAD } from '../engine/thread-of';
import { events, runStream, streamHeaders, textChunks as text, type StartAnswer } from '../engine/serve-stream';
import { useStoppedClock } from '../support/clock';
import { letRead } from '../support/let-read';
import { useReceived } from '../support/received';
import { useService } from '../support/use-service';

const service = useService();
const run = (query: string, options = {}, extra: Extra = {}) => runAutomation(service, { query, options }, extra);
const threads = () => service.starts.map(({ threadId }) => threadId);

const partial = { options: { ifIncomplete: 'partial' } };
const stop = { type: 'finish', finishReason: 'stop' };

describe('a start in the background', () => {
	const start = (query: string) => runAutomation(service, { query, operation: 'background' });

	it('returns thread, link and status', async () => {
		const { items, error } = await start('quick Book a table');
		expect(error).toBeUndefined();
		const [{ threadId, body, headers }] = service.starts;
		const url = expect.stringContaining(threadId) as string;
		expect(items).toEqual([{ json: { thread_id: threadId, url, status: 'started' }, pairedItem: { item: 0 } }]);
		expect(body).toEqual({ query: 'quick Book a table', detach: true });
		expect(headers).toMatchObject({ authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' });
	});

	it('keeps a thread that an error names in the custom data', async () => {
		const answer: StartAnswer = (_, response) => void response.writeHead(500, { 'x-thread-id': THREAD }).end();
		const { run: execution, error } = await runStream(answer, { operation: 'background' });
		expect(execution.data.resultData.metadata).toEqual({ thread_ids: THREAD });
		expect(error).toMatchObject({ httpCode: '500', context: { data: { thread_id: THREAD } } });
	});
});

it.each([
	['failed task', 'failed', 'The site blocked the agent', 'Run failed: '],
	['aborted task', 'aborted', 'Stopped by the operator', 'Run aborted: '],
	['cut task', 'interrupted', 'The connection to the service was lost during the run (ECONNRESET)', ''],
])('an incomplete run (%s) is an error item, or a partial result', async (query, status, reason, ended) => {
	const known = (index: number) => ({ thread_id: threads()[index], status, text: 'Done: task.' });
	const { items: failed } = await run(query, {}, continued);
	const advice = expect.stringMatching(/^((?!Thread ID: |Error data).)* is billed, too$/) as string;
	const details = expect.objectContaining({ advice, run_started: 'yes', ...known(0) }) as object;
	expect(failed).toEqual([{ json: { error: ended + reason, details }, pairedItem: { item: 0 } }]);
	expect(Object.values(failed[0].json.details as object)).not.toContainEqual([]);

	const kept = await run(query, { ifIncomplete: 'partial' });
	expect(kept.error).toBeUndefined();
	expect(kept.items).toEqual([expect.objectContaining({ json: expect.objectContaining(known(1)) as object })]);
	expect(kept.items[0].json.reason).toBe(reason);
	// n8n would take an item with a field "error" for a failed one, and would start the paid run again on retry.
	expect(kept.items[0].json).not.toHaveProperty('error');
	expect(service.starts).toHaveLength(2);
});

describe('the time', () => {
	const clock = useStoppedClock();
	const onReceived = useReceived();

	const blocked = { type: 'error', errorText: 'Blocked' };
	const closed = 'The run ended, but the service kept the connection open. It was closed after 10 seconds';
	it.each<[string, object, string, string, string | undefined]>([
		['is up 10 s after the last chunk of a complete run, with a warning', stop, '', 'completed', closed],
		['goes on if a complete run starts anew', stop, events({ type: 'start' }), 'timed_out', undefined],
		['is up, too, 10 s after an abort', { type: 'abort' }, '', 'aborted', closed],
		// vercel/ai#7500: the model may continue.
		['goes on after an error', blocked, '', 'failed', 'The service sent no data for 12'],
	])('%s', async (_name, last, later, status, warning) => {
		// The connection stays open after the stream.
		const body = `${events(...text('Done'), last)}: keep-alive\n\n${later}`;
		const answer: StartAnswer = (query, response) => void response.writeHead(200, streamHeaders(query)).write(body);
		onReceived((piece) => void (piece.includes('Done') && clock.pass(12)));
		const options = { ...partial.options, idleTimeout: 12 };
		const { items, hints } = await runStream(answer, { options });
		expect(items[0].json).toMatchObject({ status, text: 'Done' });
		expect(items[0].json.warnings).toEqual(warning && [expect.stringContaining(warning)]);
		const shown = hints.map(({ message }) => message).filter((message) => message.startsWith('Warnings'));
		expect(shown).toEqual(warning ? ['Warnings of the run: 1'] : []);
	});
});

it("sets no time limit for n8n's own client, which would be up after 300 s", async () => {
	const usual = axios.defaults.timeout;
	// n8n sets 300 s there for every request that says nothing else. At 1 ms, no response would be in time.
	axios.defaults.timeout = 1;
	const { items } = await runStream((query, response) => {
		void letRead().then(() => response.writeHead(200, streamHeaders(query)).end(events(stop)));
	}).finally(() => (axios.defaults.timeout = usual));
	expect(items[0].json.status).toBe('completed');
});

it.each(['hang', 'silent', 'trickle', 'mute'])(
	'Stop closes the connection of %s, and starts no other',
	async (query) => {
		const cancelWhen = service.waitForStart().then(letRead);
		await run(query, partial.options, { cancelWhen, input: [{}, {}], ...continued });
		expect(await service.starts[0].closed).toBe('aborted');
		await letRead();
		expect(service.starts).toHaveLength(1);
	},
);
