import type { IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData } from 'n8n-workflow';

import { errorOf, isSuccess } from '../../routing/throw-service-error';

/** Reads every answer to a start first. Where an error names a thread, its ID is kept: a run of it may be going on. */
export async function throwStartError(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	answer: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	if (isSuccess(answer)) return items;
	const error = await errorOf(this, answer);
	const threadId = answer.headers['x-thread-id'];
	if (threadId) error.description = `${error.description}. Thread ID: ${String(threadId)}`;
	throw error;
}
