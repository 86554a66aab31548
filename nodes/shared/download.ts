import type { IExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import type { FileInUrl } from './data-url';
import { noResponseReason } from './no-response';
import { bodyOf, Watchdog, type Limits } from './watchdog';
import { quoted } from './text';

type DownloadHelpers = Pick<IExecuteFunctions['helpers'], 'httpRequest'>;

export const TOO_LARGE = `it exceeds ${quoted('Max Response Size (MB)', 'Limits')}`;

const EXPIRED = {
	idle: `no data was received within ${quoted('Idle Timeout (Seconds)', 'Limits')}`,
	total: `it took longer than ${quoted('Run Timeout (Seconds)', 'Limits')}`,
	workflow: 'the workflow was about to reach its time limit',
};

/**
 * Fetches a file by its link, without the key, with n8n's own client, which blocks internal addresses if n8n is configured
 * to. The connection is closed if the file is too large, if a limit is reached, and when the execution is stopped.
 *
 * @param maxBytes bytes that the file may have
 */
export async function fetchFile(
	helpers: DownloadHelpers,
	url: string,
	maxBytes: number,
	limits: Limits,
	stop: AbortSignal | undefined,
): Promise<FileInUrl> {
	const watchdog = new Watchdog(limits, stop);
	try {
		const { body, problem } = await openFile(helpers, url, watchdog);
		if (!body) return { problem };
		const count = pieceCounter(maxBytes, watchdog);
		const pieces: Uint8Array[] = [];
		for await (const piece of body) pieces.push(count(piece));
		const bytes = Buffer.concat(pieces);
		return { size: bytes.length, bytes: () => bytes };
	} catch (error) {
		if (watchdog.expired) return { problem: EXPIRED[watchdog.expired] };
		const reason = noResponseReason(error as Error, 'its server');
		return { problem: reason.charAt(0).toLowerCase() + reason.slice(1) };
	} finally {
		watchdog.close();
	}
}

/**
 * Opens a file by its link, without the key, with n8n's own client, which blocks internal addresses if n8n is configured to.
 *
 * @param watchdog must be closed by the caller: it keeps and closes the connection
 * @param further options that the node sets for all of its requests
 * @returns the file, its bytes unread; or the reason why it could not be opened
 */
export async function openFile(
	helpers: DownloadHelpers,
	url: string,
	{ signal }: Watchdog,
	further: Partial<IHttpRequestOptions> = {},
) {
	const response = (await helpers.httpRequest({
		...further,
		url,
		encoding: 'stream',
		returnFullResponse: true,
		// An error of n8n's client would keep the connection open.
		ignoreHttpStatusErrors: true,
		abortSignal: signal,
		timeout: 0,
	})) as IN8nHttpFullResponse;
	const body = bodyOf(response.body);
	const { statusCode, headers } = response;
	if (statusCode < 300) return { body, mediaType: String(headers['content-type'] ?? '') };
	return { problem: `its server responded with status ${statusCode}`, statusCode };
}

/** Makes the function that receives every piece of a file: it resets the watchdog, and throws if there are too many bytes. */
export function pieceCounter(maxBytes: number, watchdog: Watchdog) {
	let size = 0;
	return (piece: Uint8Array): Uint8Array => {
		watchdog.touch();
		size += piece.length;
		if (size > maxBytes) throw new TooLarge(TOO_LARGE);
		return piece;
	};
}

export class TooLarge extends Error {}
