/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import type { ServerResponse } from 'node:http';
import type { INodeParameters } from 'n8n-workflow';

import { operationOf } from '../engine/run-node';
import { events, finish, runStream, streamHeaders, textChunks, type StartAnswer } from '../engine/serve-stream';
import { THREAD, threadOf } from '../engine/thread-of';

// AdguardForWindows#2438, got#117: n8n's process stands still, as in a blocking Code node, while a response arrives.

/** What nothing ever wakes a wait for. */
const never = new Int32Array(new SharedArrayBuffer(4));

/** Every limit of the test, in seconds. */
const LIMIT = 0.5;

/** Blocks the process, which is also that of the server, for longer than the limit. Sleeping leaves the processor to other tests. */
const standStill = () => void Atomics.wait(never, 0, 0, 700);

const BODY = events(...textChunks('Done'), finish);

/** Hands a response to the operating system, and blocks before its client can read it. */
const endAndBlock = (response: ServerResponse, body: string) => {
	response.end(body);
	standStill();
};

const afterHeaders: StartAnswer = (task, response) => {
	response.writeHead(200, streamHeaders(task)).write(events({ type: 'start' }));
	setTimeout(() => endAndBlock(response, BODY), 100);
};
const withHeaders: StartAnswer = (task, response) => {
	response.writeHead(200, streamHeaders(task));
	endAndBlock(response, BODY);
};
const LIMITS: INodeParameters[] = [{ idleTimeout: LIMIT }, { totalTimeout: LIMIT }];

it.each(
	LIMITS.flatMap(
		(limits) =>
			[
				['before the headers', withHeaders, limits],
				['after them', afterHeaders, limits],
			] as const,
	),
)('a run that arrived while n8n stood still is complete: %s, with %j', async (_when, answer, options) => {
	const { items, error } = await runStream(answer, { options });
	expect(error).toBeUndefined();
	expect(items[0].json).toMatchObject({ text: 'Done', thread_id: threadOf(THREAD) });
});

it('a background start that arrived while n8n stood still keeps its thread', async () => {
	const { items } = await runStream(
		(task, response) =>
			endAndBlock(response.writeHead(202), JSON.stringify({ thread_id: threadOf(task), status: 'started' })),
		{ ...operationOf('background'), options: { idleTimeout: LIMIT } },
	);
	expect(items[0].json).toMatchObject({ thread_id: threadOf(THREAD) });
});

it('a run that does not continue after a standstill is timed out', async () => {
	const { error } = await runStream(
		(task, response) => {
			response.writeHead(200, streamHeaders(task)).write(events(...textChunks('Do')));
			setTimeout(standStill, 100);
		},
		{ options: { idleTimeout: LIMIT } },
	);
	expect(error?.message).toMatch(/^The service sent no data for 0.5 seconds/);
});
