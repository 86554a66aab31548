import type { IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData } from 'n8n-workflow';

import { threadIdIn } from '../../../../starts/outcome';
import { toObject } from '../../../routing/return-items';

/** Takes the thread ID from the header if the body has none: without it a run that is billed is lost. */
export async function keepThreadId(
	this: IExecuteSingleFunctions,
	_items: INodeExecutionData[],
	{ body, headers }: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	const threadId = threadIdIn(headers, body);
	return [{ json: { ...toObject(body), ...(threadId === undefined ? {} : { thread_id: threadId }) } }];
}
