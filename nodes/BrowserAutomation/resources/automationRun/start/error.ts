import type { IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData } from 'n8n-workflow';

import { errorOf, isSuccess } from '../../../routing/throw-service-error';
import { isRefused, responseAdvice } from '../../../../starts/outcome';

/** The first step of reading every response to a start. If an error names a thread, its ID is kept: a run may have started. */
export async function throwStartError(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	if (isSuccess(response)) return items;
	const { statusCode, headers } = response;
	const threadId = headers['x-thread-id'] ? String(headers['x-thread-id']) : undefined;
	const run = isRefused(statusCode, threadId) ? undefined : { thread_id: threadId ?? null, status: 'interrupted' };
	const hasThread = this.getNodeParameter('threadId', '') !== '';
	throw await errorOf(this, { ...response, advice: responseAdvice(statusCode, threadId, hasThread) }, { run });
}
