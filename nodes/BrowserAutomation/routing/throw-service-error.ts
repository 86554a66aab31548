import type { IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData } from 'n8n-workflow';

import { serviceError, type ServiceAnswer } from '../../shared/service-error';
import { readReason } from '../../shared/service-reason';
import { tellAgent } from '../../shared/tool-use';
import { credentialSecrets, credentialType, USER_LOGIN } from './credential';

const TOKEN_ADVICE: Record<number, string> = {
	401: 'The service has refused a token that it gave only now. Check in its web console whether the user may still use it, and the Base URL in the credential',
	403: 'The user in the credential is known but may not do this. Check the permissions in the web console of the service',
};

/** Whether an answer is what was asked for. A web page is none: it comes from something else than the service. */
export function isSuccess({ statusCode, body }: IN8nHttpFullResponse): boolean {
	return statusCode >= 200 && statusCode < 300 && !(typeof body === 'string' && readReason(body).page !== undefined);
}

/** The error of an answer that is no success, without what is secret in the credential and the given further secrets. */
export async function errorOf(context: IExecuteSingleFunctions, answer: ServiceAnswer, furtherSecrets: unknown[] = []) {
	const secrets = [...(await credentialSecrets(context)), ...furtherSecrets];
	const place = { node: context.getNode(), itemIndex: context.getItemIndex(), secrets };
	const isToken = credentialType(context) === USER_LOGIN;
	const advice = answer.advice ?? (isToken ? TOKEN_ADVICE[answer.statusCode] : undefined);
	return tellAgent(context, serviceError({ ...answer, advice }, place));
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
