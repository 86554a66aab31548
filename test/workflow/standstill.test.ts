/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import type { ServerResponse } from 'node:http';
import type { INodeParameters } from 'n8n-workflow';

import { operationOf } from '../engine/run-node';
import { events, finish, runStream, streamHeaders, textChunks, type StartAnswer } from '../engine/serve-stream';
import { THREAD, threadOf } from '../engine/thread-of';
import { useStoppedClock } from '../support/clock';
import { letRead } from '../support/let-read';

// AdguardForWindows#2438, got#117: n8n's process stands still, as in a blocking Code node, while a response arrives. All that was due
// meanwhile is due at once, before anything is read.

const clock = useStoppedClock();

/** Every limit of the test, in seconds. */
const LIMIT = 0.5;
const standStill = () => void jest.advanceTimersByTime(2000 * LIMIT);

const BODY = events(...textChunks('Done'), finish);

/** Hands a response to the operating system, and stands still before its client can read it. */
const endAndStandStill = (response: ServerResponse, body: string) => {
	response.end(body);
	standStill();
};

const afterHeaders: StartAnswer = (task, response) => {
	response.writeHead(200, streamHeaders(task)).write(events({ type: 'start' }));
	void letRead().then(() => endAndStandStill(response, BODY));
};
const withHeaders: StartAnswer = (task, response) =>
	endAndStandStill(response.writeHead(200, streamHeaders(task)), BODY);

it.each<[string, StartAnswer, INodeParameters]>([
	['before the headers', withHeaders, { idleTimeout: LIMIT }],
	['before the headers', withHeaders, { totalTimeout: LIMIT }],
	['after them', afterHeaders, { idleTimeout: LIMIT }],
	['after them', afterHeaders, { totalTimeout: LIMIT }],
])('a run that arrived while n8n stood still is complete: %s, with %j', async (_when, answer, options) => {
	const { items, error } = await runStream(answer, { options });
	expect(error).toBeUndefined();
	expect(items[0].json).toMatchObject({ text: 'Done', thread_id: threadOf(THREAD) });
});

it('a background start that arrived while n8n stood still keeps its thread', async () => {
	const { items } = await runStream(
		(task, response) => {
			const started = JSON.stringify({ thread_id: threadOf(task), status: 'started' });
			endAndStandStill(response.writeHead(202), started);
		},
		{ ...operationOf('background'), options: { idleTimeout: LIMIT } },
	);
	expect(items[0].json).toMatchObject({ thread_id: threadOf(THREAD) });
});

it('a run that does not continue after a standstill is timed out', async () => {
	const ran = runStream(
		(task, response) => {
			response.writeHead(200, streamHeaders(task)).write(events(...textChunks('Do')));
			void letRead().then(standStill);
		},
		{ options: { idleTimeout: LIMIT } },
	);
	const { error } = await clock.passUntil(ran);
	expect(error?.message).toMatch(/^The service sent no data for 0.5 seconds/);
});
