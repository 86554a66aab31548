import { FileCheck } from './download';
import type { Body, Watchdog } from './watchdog';
import { isObject } from '../values/nested';
import { parseJson } from '../values/json';

/** Characters. */
const MAX_BODY = 64 * 1024;

/** Reads as far as it is received: the headers may name a thread that is billed. JSON, or text if it is none. */
export async function readBody(body: Body, watchdog: Watchdog): Promise<unknown> {
	const decoder = new TextDecoder();
	let text = '';
	try {
		for await (const bytes of body) {
			watchdog.touch();
			text += decoder.decode(bytes, { stream: true });
			// Some services leave the connection open after it.
			const isComplete = text.trimEnd().endsWith('}') && isObject(parseJson(text));
			if (isComplete || text.length > MAX_BODY) break;
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
	const pieces: Uint8Array[] = [];
	const check = new FileCheck('The service', maxBytes, watchdog);
	for await (const piece of body) pieces.push(check.take(piece));
	return jsonOrText(new TextDecoder().decode(Buffer.concat(pieces)));
}
