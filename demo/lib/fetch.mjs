import { setTimeout as sleep } from 'node:timers/promises';

/** How long to wait before each repetition. */
const PAUSES_MS = [100, 500, 2_000];

/**
 * `fetch` for n8n, which closes idle connections: a request that is sent at that moment fails, and nobody knows whether it had an
 * effect. Each request has a connection of its own. One that only reads is repeated if its connection is lost all the same.
 *
 * Use it for every request of a process to the same n8n: a plain `fetch` leaves a connection that the next request takes. The body
 * of the response was received whole, unless the request has an effect.
 */
export async function fetchN8n(url, options = {}) {
	const headers = new Headers(options.headers);
	headers.set('connection', 'close');
	const request = { ...options, headers };
	if ((options.method ?? 'GET') !== 'GET') return await fetch(url, request);

	for (const pause of PAUSES_MS) {
		try {
			return await fetchWhole(url, request);
		} catch (error) {
			if (options.signal?.aborted) throw error;
			await sleep(pause);
		}
	}
	return await fetchWhole(url, request);
}

/** A connection can also be lost while the body is read. */
async function fetchWhole(url, request) {
	const response = await fetch(url, request);
	const body = await response.arrayBuffer();
	const isEmpty = [204, 205, 304].includes(response.status);
	return new Response(isEmpty ? null : body, response);
}
