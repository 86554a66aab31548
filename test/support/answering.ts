import { serve } from './serve';

/** A request as it was received, and the time then by the clock that a test may have moved, in milliseconds. */
export interface Received {
	path: string;
	body: string;
	at: number;
}

/** Text and bytes are sent as they are, anything else as JSON. */
export type Answer = [status: number, body?: unknown, headers?: Record<string, string>];

type Given = Answer | 'reset' | ((request: Received, all: Received[]) => Answer);

/** A service that gives these answers in turn, the last one again and again; and what it received. */
export async function answering(...answers: Given[]) {
	const requests: Received[] = [];
	const { target } = await serve((incoming, response, sent) => {
		const request = { path: incoming.url!, body: sent, at: performance.now() };
		const given = answers[Math.min(requests.push(request), answers.length) - 1];
		const answer = typeof given === 'function' ? given(request, requests) : given;
		if (answer === 'reset') return response.destroy();
		const [status, body = {}, headers = {}] = answer;
		const isWhole = typeof body === 'string' || Buffer.isBuffer(body);
		response.writeHead(status, { 'content-type': 'application/json', ...headers });
		return response.end(isWhole ? body : JSON.stringify(body));
	});
	return { ...target, requests };
}
