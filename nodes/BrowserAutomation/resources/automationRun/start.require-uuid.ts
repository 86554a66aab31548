import type { IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { isUuid } from '../../../shared/uuid';
import { refusal } from '../../routing/refusal';

/** Refuses a thread ID that is no UUID, before a run is started that would then not be the one that was meant. */
export async function requireUuid(
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const threadId = String(this.getNodeParameter('threadId', '') ?? '').trim();
	if (threadId !== '' && !isUuid(threadId)) {
		throw refusal(
			this,
			'Thread ID is not a UUID',
			'Take it from the thread_id of an earlier run, or leave the field Thread ID empty',
		);
	}
	return request;
}
