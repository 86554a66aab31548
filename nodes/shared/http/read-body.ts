// Reads JSON, error bodies and tokens, but not runs' streams. Bytes and time are limited.

import { cutReason } from '../failure/response/no-response';
import { isPage } from '../failure/response/reason';
import { parseJson } from '../values/json';
import { ByteLimit, TooLargeError } from './download';
import { STOPPED, WORKFLOW_LIMIT, type Body, type Watchdog } from './watchdog';

/** Decompressed bytes of a rejection's reason or a start's response. */
const MAX_SHORT_BODY = 64 * 1024;

/** Milliseconds from the headers of a response to the end of its body. */
const MAX_BODY_TIME = 300_000;

function jsonOrText(text: string): unknown {
	const json = parseJson(text);
	return json === undefined ? text : json;
}

/** Words for `watchdog.expired`. */
export const EXPIRED_REASONS = {
	idle: 'No response from the service: timed out',
	total: "The service's response took too long",
	workflow: WORKFLOW_LIMIT,
};

export interface ReadBody {
	/** JSON or text. Of a body that is not whole, only a page is kept: a text could end within a secret. */
	body: unknown;
	/** Why the body is not whole. */
	cut?: string;
	/** TooLargeError, or the connection's. */
	error?: Error;
}

/** Never throws: the headers may name a billed thread. */
export async function readBody(stream: Body, watchdog: Watchdog, maxBytes = MAX_SHORT_BODY): Promise<ReadBody> {
	watchdog.endWithin(MAX_BODY_TIME);
	const pieces: Uint8Array[] = [];
	const limit = new ByteLimit('The service', maxBytes, watchdog);
	let error: Error | undefined;
	try {
		for await (const piece of stream) pieces.push(limit.take(piece));
	} catch (thrown) {
		error = thrown as Error;
	}
	const text = new TextDecoder().decode(Buffer.concat(pieces));
	if (!error) return { body: jsonOrText(text) };
	const { expired, isStopped } = watchdog;
	const ownReason = expired ? EXPIRED_REASONS[expired] : isStopped ? STOPPED : undefined;
	const reason = error instanceof TooLargeError ? "The service's response is too large" : cutReason(error);
	return { body: isPage(text) ? text : '', cut: ownReason ?? reason, error };
}
