// Limits the bytes of bodies, and reads JSON, error bodies and tokens, but not runs' streams.

import type { Problem } from '../failure/failure';
import { isPage } from '../failure/response/reason';
import { parseJson } from '../values/json';
import { nodeEndOf, TRY_LATER, type Body, type Watchdog } from './watchdog';

/** Its message is the reason. */
export class NoFileError extends Error {}

export class TooLargeError extends NoFileError {}

/** Each piece resets the watchdog. */
export class ByteLimit {
	size = 0;

	constructor(
		private readonly maxBytes: number,
		private readonly watchdog: Watchdog,
	) {}

	/** @throws TooLargeError */
	take(piece: Uint8Array): Uint8Array {
		this.watchdog.touch();
		this.size += piece.length;
		if (this.size > this.maxBytes) throw new TooLargeError(`it is larger than ${this.maxBytes / 1e6} MB`);
		return piece;
	}

	/** @throws NoFileError */
	rejectEmpty(sender: string): void {
		if (this.size === 0) throw new NoFileError(`${sender} sent no data`);
	}
}

/** Decompressed bytes of a rejection's reason or a start's response. */
const MAX_SHORT_BODY = 64_000;

/** Milliseconds from the headers of a response to the end of its body. */
const MAX_BODY_TIME = 300_000;

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
	const limit = new ByteLimit(maxBytes, watchdog);
	let cut: Problem | undefined;
	try {
		for await (const piece of stream) pieces.push(limit.take(piece));
	} catch (error) {
		const tooLarge = { reason: `The response is larger than ${maxBytes / 1e6} MB`, advice: 'Request less data' };
		const ended = { reason: `The service's response ended early: ${(error as Error).message}`, advice: TRY_LATER };
		cut = error instanceof TooLargeError ? tooLarge : (nodeEndOf(watchdog) ?? ended);
	}
	const text = new TextDecoder().decode(Buffer.concat(pieces));
	if (cut) return { body: isPage(text) ? text : '', cut };
	const json = parseJson(text);
	return { body: json === undefined ? text : json };
}
