import type { IExecuteFunctions } from 'n8n-workflow';

import type { RunRequest } from '../parameters/run-request';
import { readText, unexpectedResponseError, withStart } from './start';

/** A run that goes on in the background. */
export type DetachedStart = { thread_id: string; url: string | null; status: 'started' };

function readObject(text: string): Record<string, unknown> {
	try {
		return Object(JSON.parse(text)) as Record<string, unknown>;
	} catch {
		return {};
	}
}

/**
 * Starts a run that goes on in the background.
 *
 * @throws NodeApiError if the start was not accepted
 */
export async function startDetached(context: IExecuteFunctions, request: RunRequest): Promise<DetachedStart> {
	return await withStart(context, request, async (response) => {
		const isAccepted = response.statusCode >= 200 && response.statusCode < 300;
		const text = await readText(response);
		const { thread_id: idInBody, url } = readObject(text);
		const threadId = typeof idInBody === 'string' && idInBody !== '' ? idInBody : response.threadId;
		if (!isAccepted || threadId === undefined) {
			throw unexpectedResponseError(context, request.itemIndex, response, text, 'a thread ID');
		}
		return { thread_id: threadId, url: typeof url === 'string' ? url : null, status: 'started' };
	});
}
