/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

import { serve } from '../support/serve';

/** Events of a stream as they go over the wire. */
export const events = (...chunks: unknown[]): string =>
	chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');

/** What a stream begins with. The thread is named like the task. */
export const streamHeaders = (query: string) => ({ 'content-type': 'text/event-stream', 'x-thread-id': query });

/**
 * A server that answers a start with bytes that a test wrote itself, for streams that the stand-in service never sends.
 *
 * @param streamFor the body for a task
 * @param other what answers every other path
 * @param respond what answers a start, if the usual headers and an end of the body will not do
 */
export const serveStream = async (
	streamFor: (query: string) => string,
	other: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.writeHead(404).end(),
	respond: (response: ServerResponse, query: string, threadId?: string) => void = (response, query) =>
		response.writeHead(200, streamHeaders(query)).end(streamFor(query)),
) =>
	await serve(async (request, response) => {
		if (request.url !== '/api/anything/start') return other(request, response);
		const { query, thread_id } = (await json(request)) as { query: string; thread_id?: string };
		respond(response, query, thread_id);
	});
