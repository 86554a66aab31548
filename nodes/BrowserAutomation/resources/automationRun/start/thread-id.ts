import type { IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData } from 'n8n-workflow';

import { toObject } from '../../../routing/return-items';

/** Takes the thread ID from the header if the body has none: without it a run that is billed is lost. */
export async function keepThreadId(
	this: IExecuteSingleFunctions,
	_items: INodeExecutionData[],
	{ body, headers }: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	const json = toObject(body);
	const threadId = headers['x-thread-id'];
	const isKnown = typeof json.thread_id === 'string' && json.thread_id !== '';
	return [{ json: isKnown || threadId === undefined ? json : { ...json, thread_id: String(threadId) } }];
}
