import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { threadIdIn } from '../../starts/outcome';
import type { RunRequest } from '../parameters/run-request';
import { readObject, readText, unexpectedResponseError, withStart } from './start';

/** A run in the background, with every field of the response to its start. */
export type DetachedStart = IDataObject & { thread_id: string; url: string | null; status: string };

const textOr = <T>(value: unknown, fallback: T): string | T =>
	typeof value === 'string' && value !== '' ? value : fallback;

/**
 * Starts a run in the background.
 *
 * @throws NodeApiError if the start was not accepted
 */
export async function startDetached(context: IExecuteFunctions, request: RunRequest): Promise<DetachedStart> {
	return await withStart(context, request, async (response) => {
		const isAccepted = response.statusCode >= 200 && response.statusCode < 300;
		const text = await readText(response);
		const body = readObject(text);
		const threadId = threadIdIn(response.headers, body);
		if (!isAccepted || threadId === undefined) {
			throw unexpectedResponseError(context, request, response, text, 'a thread ID');
		}
		const known = { thread_id: threadId, url: textOr(body.url, null), status: textOr(body.status, 'started') };
		return { ...known, ...body, ...known };
	});
}
