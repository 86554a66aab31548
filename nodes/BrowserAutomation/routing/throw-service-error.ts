import type { IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData } from 'n8n-workflow';

import type { RunData } from '../../errors/node-error';
import { serviceError, type ServiceResponse } from '../../errors/service-error';
import { readReason } from '../../errors/service-reason';
import { credentialSecrets, credentialType, USER_LOGIN } from './credential';

const TOKEN_ADVICE: Record<number, string> = {
	401: 'The service refused a token that it has just issued. Check the Base URL in the credential',
	403: 'The user in the credential lacks a permission. Grant it in the web console of the service',
};

/** Whether a response is a success. A web page is not: it is not from the service. */
export function isSuccess({ statusCode, body }: IN8nHttpFullResponse): boolean {
	return statusCode >= 200 && statusCode < 300 && !(typeof body === 'string' && readReason(body).page !== undefined);
}

/**
 * The error for a response that is not a success, without what is secret in the credential.
 *
 * @param further secrets of the request, and what is known of the run that it started
 */
export async function errorOf(
	context: IExecuteSingleFunctions,
	response: ServiceResponse,
	{ secrets = [], run }: { secrets?: unknown[]; run?: RunData } = {},
) {
	const isToken = credentialType(context) === USER_LOGIN;
	const advice = response.advice ?? (isToken ? TOKEN_ADVICE[response.statusCode] : undefined);
	return serviceError(
		{ ...response, advice },
		{
			node: context.getNode(),
			itemIndex: context.getItemIndex(),
			secrets: [...(await credentialSecrets(context)), ...secrets],
			run,
		},
	);
}

/** The first step of reading every response: what is not a success becomes an error in the server's own words. */
export async function throwServiceError(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	if (isSuccess(response)) return items;
	throw await errorOf(this, response);
}
