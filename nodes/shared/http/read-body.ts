// Reads bodies that are no stream of a run: JSON of every operation, error bodies, tokens. Each has a limit of bytes, and of time.

import { isPage } from '../failure/response/reason';
import { Brackets } from '../values/brackets';
import { parseJson } from '../values/json';
import { isObject } from '../values/nested';
import { FileCheck } from './download';
import type { Body, Watchdog } from './watchdog';

/** Decompressed bytes of a body that says why a request was rejected, or what it has started. */
export const MAX_SHORT_BODY = 64 * 1024;

/** Milliseconds from the headers of a response to the end of its body. */
export const MAX_BODY_TIME = 300_000;

/** Tells when JSON in pieces is complete: some services leave the connection open after it. It is parsed once. */
class JsonEnd {
	private readonly brackets = new Brackets();
	private hasBegun = false;
	private held = '';

	/** Whether the object that begins the text may be complete with this piece. */
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
 * Reads as far as it is received: the headers may name a thread that is billed. JSON, or text if it is none. Nothing of a text over
 * the limit is quoted, because its end may be the beginning of a secret; of a page, only the title is.
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
		// The received part is sufficient.
	}
	return jsonOrText(text);
}

function jsonOrText(text: string): unknown {
	const json = parseJson(text);
	return json === undefined ? text : json;
}

/** JSON, or text if it is none. Throws TooLarge, or an error of the connection. */
export async function readWholeBody(body: Body, watchdog: Watchdog, maxBytes: number): Promise<unknown> {
	watchdog.endWithin(MAX_BODY_TIME);
	const pieces: Uint8Array[] = [];
	const check = new FileCheck('The service', maxBytes, watchdog);
	for await (const piece of body) pieces.push(check.take(piece));
	return jsonOrText(new TextDecoder().decode(Buffer.concat(pieces)));
}
