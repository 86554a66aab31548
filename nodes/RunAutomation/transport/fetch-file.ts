import type { IExecuteFunctions } from 'n8n-workflow';

import { stopSignalOf, Watchdog, type Limits } from './watchdog';

type Body = AsyncIterable<Uint8Array> & { on?(event: 'error', listener: () => void): void };

/**
 * Fetches a file by its link, without the key, with n8n's own client, which guards internal addresses if n8n is set up
 * to. The connection is closed when the file is too large, when a limit passes, and when the execution is stopped.
 *
 * @returns the bytes, or undefined if there are more than `maxBytes`
 * @throws an error that says why, which names the limit that passed
 */
export async function fetchFile(
	context: IExecuteFunctions,
	url: string,
	maxBytes: number,
	limits: Limits,
): Promise<Buffer | undefined> {
	const watchdog = new Watchdog(limits, stopSignalOf(context));
	const pieces = await readPieces(context, url, maxBytes, watchdog).then(
		(read) => read,
		(error: Error) => (watchdog.expired ? LIMIT_PASSED[watchdog.expired] : error.message),
	);
	watchdog.close();
	if (typeof pieces === 'string') throw new Error(pieces);
	return pieces && Buffer.concat(pieces);
}

const LIMIT_PASSED = {
	idle: 'nothing was received for the Idle Timeout',
	total: 'the Total Timeout passed',
};

async function readPieces(
	context: IExecuteFunctions,
	url: string,
	maxBytes: number,
	watchdog: Watchdog,
): Promise<Uint8Array[] | undefined> {
	const { signal } = watchdog;
	const options = { url, encoding: 'stream' as const, abortSignal: signal, timeout: 0 };
	const body = (await context.helpers.httpRequest(options)) as Body;
	// The body of a file that is too large is closed while it is received, and raises its error where nobody listens.
	body.on?.('error', () => {});
	const pieces: Uint8Array[] = [];
	let size = 0;
	for await (const piece of body) {
		watchdog.touch();
		size += piece.length;
		if (size > maxBytes) return undefined;
		pieces.push(piece);
	}
	return pieces;
}
