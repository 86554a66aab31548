import type { IExecuteFunctions } from 'n8n-workflow';

import type { RunRequest } from '../parameters/run-request';
import { readText, unexpectedAnswerError, withStart } from './start';

/** A run that goes on in the background (contract, section 2.3). */
export type DetachedStart = { thread_id: string; url: string | null; status: 'started' };

function readObject(text: string): Record<string, unknown> {
	try {
		return Object(JSON.parse(text)) as Record<string, unknown>;
	} catch {
		return {};
	}
}

/**
 * Starts a run that goes on in the background (contract, section 4.2).
 *
 * @throws NodeApiError where the start was not accepted
 */
export async function startDetached(context: IExecuteFunctions, request: RunRequest): Promise<DetachedStart> {
	return await withStart(context, request, async (answer) => {
		const isAccepted = answer.statusCode >= 200 && answer.statusCode < 300;
		const text = await readText(answer);
		const { thread_id: idInBody, url } = readObject(text);
		const threadId = typeof idInBody === 'string' && idInBody !== '' ? idInBody : answer.threadId;
		if (!isAccepted || threadId === undefined) {
			throw unexpectedAnswerError(context, request.itemIndex, answer, text, 'a thread ID');
		}
		return { thread_id: threadId, url: typeof url === 'string' ? url : null, status: 'started' };
	});
}
