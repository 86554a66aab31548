/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import type { IncomingHttpHeaders } from 'node:http';

import { letRead } from './let-read';
import { serve } from './serve';

/** A request as it was received, and the time then by the clock that a test may have moved, in milliseconds. */
export interface Received {
	path: string;
	headers: IncomingHttpHeaders;
	body: string;
	at: number;
}

/** Text and bytes are sent as they are, anything else as JSON. The connection may be cut behind them. */
export type Answer = [status: number, body?: unknown, headers?: Record<string, string>, end?: 'cut'];

export type Given = Answer | 'reset' | ((request: Received, all: Received[]) => Answer);

/** A service that gives these answers in turn, the last one again and again; and what it received. */
export async function answering(...answers: Given[]) {
	const requests: Received[] = [];
	const { target } = await serve((incoming, response, sent) => {
		const { url: path = '', headers } = incoming;
		const request = { path, headers, body: sent, at: performance.now() };
		const chosen = answers[Math.min(requests.push(request), answers.length) - 1];
		const answer = typeof chosen === 'function' ? chosen(request, requests) : chosen;
		if (answer === 'reset') return response.destroy();
		const [status, given = {}, more = {}, end] = answer;
		const body = typeof given === 'string' || Buffer.isBuffer(given) ? given : JSON.stringify(given);
		response.writeHead(status, { 'content-type': 'application/json', ...more });
		if (end !== 'cut') return response.end(body);
		return response.write(body, () => void letRead().then(() => response.destroy()));
	});
	return { ...target, requests };
}
