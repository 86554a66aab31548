import { sleep } from 'n8n-workflow';

import { events, runStream, textChunks } from '../engine/serve-stream';

const finish = { type: 'finish', finishReason: 'stop' };

describe('a response to a start that is unusual', () => {
	it('is a stream with status 201, too, if its header says so', async () => {
		const { items } = await runStream((_query, response) => {
			response
				.writeHead(201, { 'x-any-ai-ui-message-stream': 'v1', 'x-thread-id': 'thread-1' })
				.end(events(...textChunks('Done'), finish));
		});
		expect(items[0].json).toMatchObject({ status: 'completed', text: 'Done', thread_id: 'thread-1' });
	});

	it('is not waited for once its JSON is whole, although its connection stays open', async () => {
		const begin = performance.now();
		const { items } = await runStream(
			(_query, response) => {
				response.writeHead(202, { 'content-type': 'application/json' }).write('{"thread_id":"thread-1"');
				void sleep(100).then(() => response.write(',"status":"started"}'));
			},
			{ operation: 'background', options: { idleTimeout: 5 } },
		);
		expect(items[0].json).toMatchObject({ status: 'started', thread_id: 'thread-1' });
		expect(performance.now() - begin).toBeLessThan(4000);
	});

	it.each([
		['breaks off', events(...textChunks('Done'))],
		['fails', events({ type: 'error', errorText: 'Blocked' })],
	])('does not send a person to a thread that nobody knows if it %s', async (_name, body) => {
		const { error } = await runStream((_query, response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body);
		});
		expect(error?.description).toContain('Look for the run in the web console before you start another one');
		expect(error?.description).not.toMatch(/Open the thread|Thread ID/);
	});
});
