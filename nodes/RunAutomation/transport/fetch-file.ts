import type { IExecuteFunctions } from 'n8n-workflow';

import { stopSignalOf, Watchdog } from './watchdog';

/**
 * Fetches a file by its link, without the key, with n8n's own client, which guards internal addresses where n8n is set
 * up to. The connection is closed when the file is too large, when a limit passes, and when the execution is stopped.
 *
 * @param limits milliseconds of silence and in total
 * @returns the bytes, or undefined where there are more than `maxBytes`
 * @throws the error of n8n's client where the file cannot be had
 */
export async function fetchFile(
	context: IExecuteFunctions,
	url: string,
	maxBytes: number,
	limits: { idle: number; total: number },
): Promise<Buffer | undefined> {
	const watchdog = new Watchdog(limits, stopSignalOf(context));
	try {
		const body = (await context.helpers.httpRequest({
			url,
			encoding: 'stream',
			abortSignal: watchdog.signal,
			timeout: 0,
		})) as AsyncIterable<Uint8Array> & { on?(event: 'error', listener: () => void): void };
		// The body of a file that is too large is closed while it comes, and raises its error where nobody listens.
		body.on?.('error', () => {});
		const pieces: Uint8Array[] = [];
		let size = 0;
		for await (const piece of body) {
			watchdog.touch();
			size += piece.length;
			if (size > maxBytes) {
				watchdog.close();
				return undefined;
			}
			pieces.push(piece);
		}
		return Buffer.concat(pieces);
	} finally {
		watchdog.close();
	}
}
