/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import type { ServerResponse } from 'node:http';

import { letRead } from '../support/let-read';
import { serve } from '../support/serve';
import { events, finish, streamHeaders, textChunks } from './serve-stream';
import { startedThread } from './thread-of';

/** What a service does with one start; whether it surely did not happen, and how its run ended. */
interface Answer {
	respond(response: ServerResponse, threadId: string, held: Promise<unknown>): unknown;
	isRefused?: boolean;
	/** Whether the node succeeds, both if it waits for the run and if it only starts it. */
	isSuccess?: boolean;
	/** Whether the response does not name the thread. */
	isNameless?: boolean;
}

/** What a busy service asks for: longer than a node waits, so that only n8n's further tries start again. */
const LATER = { 'retry-after': '300' };

const begin = (response: ServerResponse, threadId: string, ...chunks: unknown[]) =>
	response.writeHead(200, streamHeaders(threadId)).write(events(...chunks));
const stream =
	(...chunks: unknown[]): Answer['respond'] =>
	(response, threadId) => (begin(response, threadId, ...chunks), response.end());
const status =
	(code: number, namesThread = false): Answer['respond'] =>
	(response, threadId) => {
		const body = JSON.stringify({ message: code === 429 ? 'Slow down' : 'Out of order' });
		const later = [429, 503, 529].includes(code) ? LATER : {};
		response.writeHead(code, { ...later, ...(namesThread && { 'x-thread-id': threadId }) }).end(body);
	};
const busyFor = (seconds: number, code = 429): Answer => ({
	respond: (response) => response.writeHead(code, { 'retry-after': String(seconds) }).end('{"message":"Slow down"}'),
	isRefused: true,
});
const failsAfter =
	(wait: (held: Promise<unknown>) => Promise<unknown>): Answer['respond'] =>
	async (response, threadId, held) => {
		begin(response, threadId, { type: 'start' });
		await wait(held);
		response.end(events({ type: 'error', errorText: 'The site blocked the agent' }));
	};
const refusal = (code: number): Answer => ({ respond: status(code), isRefused: true });

const completedWith = (...chunks: unknown[]): Answer => ({ respond: stream(...chunks, finish), isSuccess: true });

const ROWS = textChunks('{"rows":[{"a":1}]}');
const pay = { type: 'tool-input-available', toolCallId: 'call', toolName: 'pay', input: { amount: 5 } };
const asked = { type: 'tool-approval-request', approvalId: 'approval', toolCallId: 'call' };

export const ANSWERS: Record<string, Answer> = {
	completed: completedWith(),
	rows: completedWith(...ROWS),
	file: completedWith({ type: 'file', url: 'data:text/plain,hello', mediaType: 'text/plain' }, ...ROWS),
	failed: { respond: stream({ type: 'error', errorText: 'The site blocked the agent' }) },
	slow: { respond: failsAfter(letRead) },
	aborted: { respond: stream({ type: 'abort' }) },
	approval: { respond: stream(pay, asked, { type: 'finish', finishReason: 'tool-calls' }) },
	interrupted: { respond: stream() },
	broken: {
		respond: (response, threadId) => {
			begin(response, threadId, { type: 'start' });
			response.write(': keep-alive\n\n', () => response.destroy());
		},
	},
	reset: { respond: (response) => response.destroy(), isNameless: true },
	'408': { respond: status(408), isNameless: true },
	'not-done': { respond: stream(...textChunks('TASK NOT DONE: A captcha'), finish) },
	busy: busyFor(1),
	'busy-503': { respond: busyFor(1, 503).respond, isNameless: true },
	'busy-529': busyFor(1, 529),
	'busy-for-long': busyFor(100),
	'429-with-thread': { respond: status(429, true) },
	'500': { respond: status(500), isNameless: true },
	'500-with-thread': { respond: status(500, true) },
	'503-with-thread': { respond: status(503, true) },
	'400': refusal(400),
	'401': refusal(401),
	'429': refusal(429),
	'503': { respond: status(503), isNameless: true },
	'529': refusal(529),
};

const DONE = '{"status":"done","json_actions":[],"python_script":""}';

/** What meets only some cases: a silent run, one that fails when the test says so, and what an operation that starts no run returns. */
const OTHERS: Record<string, Answer> = {
	silent: { respond: (response, threadId) => begin(response, threadId, { type: 'start' }) },
	held: { respond: failsAfter(async (held) => await held) },
	done: { respond: (response) => response.setHeader('content-type', 'application/json').end(DONE) },
};

/**
 * A service for which it is written down what it does with each start of an item, or with another request. The task of an item
 * begins with its number, which else stands in its path; the last answer counts for all further starts.
 *
 * @param held what the runs wait for that are held
 */
export async function serveStarts(
	script: string[][],
	onStart: () => void = () => {},
	held: Promise<unknown> = Promise.resolve(),
) {
	/** The threads of the starts that were received for each item; empty for one that was refused. */
	const starts: string[][] = script.map(() => []);
	const server = await serve((request, response, sent) => {
		const body = JSON.parse(sent || '{}') as { query?: string; q?: string; thread_id?: string };
		const named = body.thread_id?.split('-').at(-1) ?? body.query ?? body.q ?? /\d+/.exec(request.url!)![0];
		const item = Number.parseInt(named, 10);
		const name = script[item][Math.min(starts[item].length, script[item].length - 1)];
		const answer = OTHERS[name] ?? ANSWERS[name];
		const threadId = startedThread(item, starts[item].length);
		starts[item].push(answer.isRefused ? '' : threadId);
		void answer.respond(response, threadId, held);
		onStart();
	});
	return { ...server, starts };
}
