import type { IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData } from 'n8n-workflow';

import { errorOf, isSuccess } from '../../../routing/throw-service-error';
import { readOutcome, threadIdIn } from '../../../../starts/outcome';

/** The first step of reading every response to a start. If an error names a thread, its ID is kept: a run may have started. */
export async function throwStartError(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	if (isSuccess(response)) return items;
	const { statusCode, headers, body } = response;
	const hasThread = this.getNodeParameter('threadId', '') !== '';
	const { advice, run } = readOutcome(statusCode, threadIdIn(headers, body), hasThread);
	throw await errorOf(this, { ...response, advice }, { run });
}
