// Reads JSON, error bodies and tokens, but not runs' streams. Bytes and time are limited.

import { isPage } from '../failure/response/reason';
import { Brackets } from '../values/brackets';
import { parseJson } from '../values/json';
import { isObject } from '../values/nested';
import { ByteLimit } from './download';
import type { Body, Watchdog } from './watchdog';

/** Decompressed bytes of a rejection's reason or a start's response. */
export const MAX_SHORT_BODY = 64 * 1024;

/** Milliseconds from the headers of a response to the end of its body. */
export const MAX_BODY_TIME = 300_000;

/** Some services leave the connection open after complete JSON. */
class JsonEnd {
	private readonly brackets = new Brackets();
	private hasBegun = false;
	private held = '';

	/** True if the text begins with an object that may be complete now. */
	isAfter(piece: string): boolean {
		const text = this.held + (this.hasBegun ? piece : piece.trimStart());
		this.hasBegun ||= text !== '';
		const end = text.length - endingBackslashes(text);
		this.held = text.slice(end);
		this.brackets.read(text.slice(0, end));
		return this.hasBegun && !this.brackets.isOpen;
	}
}

function endingBackslashes(text: string): number {
	let start = text.length;
	while (text[start - 1] === '\\') start--;
	return text.length - start;
}

/**
 * Returns JSON or text, even of a broken body, because the headers may name a billed thread. Over the limit, only a page is
 * quoted: a text could end within a secret.
 */
export async function readBody(body: Body, watchdog: Watchdog): Promise<unknown> {
	watchdog.endWithin(MAX_BODY_TIME);
	const decoder = new TextDecoder();
	const end = new JsonEnd();
	let [text, bytes, isTried] = ['', 0, false];
	try {
		for await (const piece of body) {
			watchdog.touch();
			bytes += piece.length;
			if (bytes > MAX_SHORT_BODY) return isPage(text) ? text : '';
			const decoded = decoder.decode(piece, { stream: true });
			text += decoded;
			if (isTried || !end.isAfter(decoded)) continue;
			if (isObject(parseJson(text))) break;
			isTried = true;
		}
	} catch {
		// The received part suffices.
	}
	return jsonOrText(text);
}

function jsonOrText(text: string): unknown {
	const json = parseJson(text);
	return json === undefined ? text : json;
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
