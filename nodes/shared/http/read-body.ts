// Reads JSON, error bodies and tokens, but not runs' streams. Bytes and time are limited.

import { isPage } from '../failure/response/reason';
import { parseJson } from '../values/json';
import { ByteLimit } from './download';
import type { Body, Watchdog } from './watchdog';

/** Decompressed bytes of a rejection's reason or a start's response. */
export const MAX_SHORT_BODY = 64 * 1024;

/** Milliseconds from the headers of a response to the end of its body. */
export const MAX_BODY_TIME = 300_000;

function jsonOrText(text: string): unknown {
	const json = parseJson(text);
	return json === undefined ? text : json;
}

/**
 * Returns JSON or text, even of a broken body, because the headers may name a billed thread. Over the limit, only a page is
 * quoted: a text could end within a secret.
 */
export async function readBody(body: Body, watchdog: Watchdog): Promise<unknown> {
	watchdog.endWithin(MAX_BODY_TIME);
	const decoder = new TextDecoder();
	let [text, bytes] = ['', 0];
	try {
		for await (const piece of body) {
			watchdog.touch();
			bytes += piece.length;
			if (bytes > MAX_SHORT_BODY) return isPage(text) ? text : '';
			text += decoder.decode(piece, { stream: true });
		}
	} catch {
		// The received part suffices.
	}
	return jsonOrText(text);
}

/**
 * Returns JSON or text.
 *
 * @throws TooLargeError, or the error of the connection
 */
export async function readWholeBody(body: Body, watchdog: Watchdog, maxBytes: number): Promise<unknown> {
	watchdog.endWithin(MAX_BODY_TIME);
	const pieces: Uint8Array[] = [];
	const check = new ByteLimit('The service', maxBytes, watchdog);
	for await (const piece of body) pieces.push(check.take(piece));
	return jsonOrText(new TextDecoder().decode(Buffer.concat(pieces)));
}
