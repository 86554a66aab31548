import type { IExecuteFunctions } from 'n8n-workflow';

import { bodyOf } from './body';
import { stopSignalOf, Watchdog, type Limits } from './watchdog';

/** The bytes of a file, or why it could not be downloaded. */
export type FetchedFile = { bytes: Buffer; problem?: undefined } | { bytes?: undefined; problem: string };

const LIMIT_PASSED = {
	idle: 'no data was received within Limit: Idle Timeout',
	total: 'it took longer than Limit: Total Timeout',
};

/**
 * Fetches a file by its link, without the key, with n8n's own client, which guards internal addresses if n8n is set up
 * to. The connection is closed when the file is too large, when a limit passes, and when the execution is stopped.
 */
export async function fetchFile(
	context: IExecuteFunctions,
	url: string,
	maxBytes: number,
	limits: Limits,
): Promise<FetchedFile> {
	const watchdog = new Watchdog(limits, stopSignalOf(context));
	const fetched = await readPieces(context, url, maxBytes, watchdog).then(
		(pieces): FetchedFile => (pieces ? { bytes: Buffer.concat(pieces) } : { problem: TOO_LARGE }),
		({ message }: Error) => ({ problem: watchdog.expired ? LIMIT_PASSED[watchdog.expired] : message }),
	);
	watchdog.close();
	return fetched;
}

/** Why a file has no room beside the others of its run. */
export const TOO_LARGE = 'it exceeds Limit: Response Size';

/** The bytes of a file in pieces, or undefined if there are more than `maxBytes`. */
async function readPieces(
	context: IExecuteFunctions,
	url: string,
	maxBytes: number,
	watchdog: Watchdog,
): Promise<Uint8Array[] | undefined> {
	const { signal } = watchdog;
	const options = { url, encoding: 'stream' as const, abortSignal: signal, timeout: 0 };
	const body = bodyOf(await context.helpers.httpRequest(options));
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
