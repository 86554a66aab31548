import type {
	IDataObject,
	IExecuteSingleFunctions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	PostReceiveAction,
} from 'n8n-workflow';

import type { RunData } from '../../errors/node-error';
import { serviceError, type ServiceResponse } from '../../errors/service-error';
import { readReason } from '../../errors/service-reason';
import { isObject } from '../../values/is-object';
import { credentialSecrets, credentialType, USER_LOGIN } from './send-request';

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

/** Any value as the `json` of an item: nothing as `{}`, what is not an object as `{ data: … }`. */
export function toObject(value: unknown): IDataObject {
	if (isObject(value)) return value as IDataObject;
	if (value === undefined || value === '') return {};
	return { data: value as IDataObject['data'] };
}

/**
 * Makes the function that returns one item for each element of a list in the response, if the option *Split Into Items*
 * is on. A response without that list passes through. What is in its item beside the JSON goes to the first of the new
 * items.
 *
 * @param property name of the list in the response
 * @param parameter name of the option
 */
export const splitIntoItems = (property: string, parameter: string): PostReceiveAction =>
	async function (items) {
		if (this.getNodeParameter(parameter, false) !== true) return items;
		return items.flatMap((item) => {
			const list = (item.json as IDataObject | null)?.[property];
			if (!Array.isArray(list)) return [item];
			if (list.length === 0) return item.binary ? [item] : [];
			return list.map((element, index) => ({ ...(index === 0 ? item : {}), json: toObject(element) }));
		});
	};

/**
 * The last step of reading every response. n8n hangs on items whose `json` is not an object, and loses track of items
 * that do not say which input item they come from.
 */
export async function returnItems(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const pairedItem = { item: this.getItemIndex() };
	return items.flatMap((item) => {
		const json: unknown = item.json;
		if (!Array.isArray(json)) return [{ ...item, json: toObject(json), pairedItem }];
		return json.map((element) => ({ json: toObject(element), pairedItem }));
	});
}
