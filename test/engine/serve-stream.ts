/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import type { ServerResponse } from 'node:http';
import type { INodeParameters } from 'n8n-workflow';

import { withoutRequest } from '../service/scenarios';
import { serve, type Responder } from '../support/serve';
import { runAutomation, type Extra } from './run-node';
import { THREAD, threadOf } from './thread-of';

/** Events of a stream as they go over the wire. */
export const events = (...chunks: unknown[]): string =>
	chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');

export const textChunks = (delta: string, id = '1') => [
	{ type: 'text-start', id },
	{ type: 'text-delta', id, delta },
	{ type: 'text-end', id },
];

export const finish = { type: 'finish', finishReason: 'stop' };

/** What a stream begins with. The thread is that of the task. */
export const streamHeaders = (task: string) => ({ 'content-type': 'text/event-stream', 'x-thread-id': threadOf(task) });

/**
 * The body of the stream for a task, or what answers the start with something else.
 *
 * @param task without the request behind it to say if something stopped the agent
 * @param query the task as it was sent
 */
export type StartAnswer = (task: string, response: ServerResponse, threadId?: string, query?: string) => string | void;

/**
 * A server that answers a start with bytes that a test wrote itself, for streams that the mock service never sends.
 *
 * @param other what answers every other path
 */
export const serveStream = async (
	answer: StartAnswer,
	other: Responder = (_, response) => response.writeHead(404).end(),
) =>
	await serve((request, response, sent) => {
		if (request.url !== '/api/anything/start') return void other(request, response, sent);
		const { query, thread_id } = JSON.parse(sent) as { query: string; thread_id?: string };
		const task = withoutRequest(query);
		const body = answer(task, response, thread_id, query);
		if (body !== undefined) response.writeHead(200, streamHeaders(task)).end(body);
	});

/** Runs the task `THREAD` against such a server, which answers with chunks, with the body of a stream, or as said. */
export async function runStream(by: unknown[] | string | StartAnswer, form: INodeParameters = {}, extra: Extra = {}) {
	const answer = Array.isArray(by) ? events(...by) : by;
	const server = await serveStream(typeof answer === 'string' ? () => answer : answer);
	return await runAutomation(server.target, { query: THREAD, ...form }, extra).finally(server.stop);
}
