import type { IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData } from 'n8n-workflow';

import { serviceError, type ServiceAnswer } from '../../shared/service-error';
import { readReason } from '../../shared/service-reason';
import { tellAgent } from '../../shared/tool-use';

export const CREDENTIAL = 'browserAutomationApi';

/** Whether an answer is what was asked for. A web page is none: it comes from something else than the service. */
export function isSuccess({ statusCode, body }: IN8nHttpFullResponse): boolean {
	return statusCode >= 200 && statusCode < 300 && !(typeof body === 'string' && readReason(body).page !== undefined);
}

/** The error of an answer that is no success, without the key and the given further secrets. */
export async function errorOf(context: IExecuteSingleFunctions, answer: ServiceAnswer, furtherSecrets: unknown[] = []) {
	const { apiKey } = await context.getCredentials(CREDENTIAL);
	const secrets = [apiKey, ...furtherSecrets];
	const place = { node: context.getNode(), itemIndex: context.getItemIndex(), secrets };
	return tellAgent(context, serviceError(answer, place));
}

/** The first step of reading every answer: what is no success becomes an error in the server's own words. */
export async function throwServiceError(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	answer: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	if (isSuccess(answer)) return items;
	throw await errorOf(this, answer);
}
