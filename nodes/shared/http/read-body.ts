// Reads JSON, error bodies and tokens, but not runs' streams. Bytes and time are limited.

import type { Problem } from '../failure/failure';
import { cutReason } from '../failure/response/no-response';
import { isPage } from '../failure/response/reason';
import { parseJson } from '../values/json';
import { ByteLimit, TooLargeError } from './download';
import { RAISE_LIMIT, type Body, type Watchdog } from './watchdog';

/** Decompressed bytes of a rejection's reason or a start's response. */
const MAX_SHORT_BODY = 64_000;

/** Milliseconds from the headers of a response to the end of its body. */
const MAX_BODY_TIME = 300_000;

export const TRY_LATER = "Try again later. If it happens again, check 'Base URL' in the credential";

/** Why this node itself has ended a request, if it has. */
export function ownEndOf(watchdog: Watchdog): Problem | undefined {
	const reason = watchdog.endReason('response');
	if (reason === undefined) return undefined;
	return { reason, advice: watchdog.expired === 'workflow' ? RAISE_LIMIT : TRY_LATER };
}

export interface ReadBody {
	/** JSON or text. Of a body that is not whole, only a page is kept: a text could end within a secret. */
	body: unknown;
	/** Why the body is not whole. */
	cut?: Problem;
}

/** Never throws: the headers may name a billed thread. */
export async function readBody(stream: Body, watchdog: Watchdog, maxBytes = MAX_SHORT_BODY): Promise<ReadBody> {
	watchdog.endWithin(MAX_BODY_TIME);
	const pieces: Uint8Array[] = [];
	const limit = new ByteLimit('The service', maxBytes, watchdog);
	let cut: Problem | undefined;
	try {
		for await (const piece of stream) pieces.push(limit.take(piece));
	} catch (error) {
		const tooLarge = { reason: `The response is larger than ${maxBytes / 1e6} MB`, advice: 'Request less data' };
		const ended = { reason: cutReason(error as Error), advice: TRY_LATER };
		cut = error instanceof TooLargeError ? tooLarge : (ownEndOf(watchdog) ?? ended);
	}
	const text = new TextDecoder().decode(Buffer.concat(pieces));
	if (cut) return { body: isPage(text) ? text : '', cut };
	const json = parseJson(text);
	return { body: json === undefined ? text : json };
}
