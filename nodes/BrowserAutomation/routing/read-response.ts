import type {
	IDataObject,
	IExecuteSingleFunctions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	INodeProperties,
	PostReceiveAction,
} from 'n8n-workflow';

import { Failed, type Failure, quoted } from '../../errors/failure';
import { serviceFailure, type ServiceResponse } from '../../errors/service-error';
import { readReason } from '../../errors/service-reason';
import { labelsOf } from '../../form/read-field';
import { isObject } from '../../values';
import { isOn } from './request-fields';
import { credentialType, USER_LOGIN } from './send-request';

const TOKEN_ADVICE: Record<number, string> = {
	401: "The service refused a token that it has just issued. Check 'Base URL' in the credential",
	403: 'The user in the credential lacks a permission. Grant it in the web console of the service',
};

/** What an operation knows about a response that is not a success, better than its status tells. */
export type Explain = (
	context: IExecuteSingleFunctions,
	failure: Failure,
	response: ServiceResponse,
) => Failure | Promise<Failure>;

/** Whether a response is a success. A web page is not: it is not from the service. */
function isSuccess({ statusCode, body }: IN8nHttpFullResponse): boolean {
	return statusCode >= 200 && statusCode < 300 && !(typeof body === 'string' && readReason(body).page !== undefined);
}

/** A field that tells which thing a request is about, and where its value is. */
interface Naming {
	label: string;
	parameter: string;
}

/** The fields that name what a request is about: its IDs, and what else is required beside them. */
const namingFields = (form: INodeProperties[], path = ''): Naming[] =>
	form.flatMap((field): Naming[] => {
		const { displayName, name, required, options, type, routing } = field;
		if (type === 'collection') return namingFields(options as INodeProperties[], `${name}.`);
		const { property = '', type: place } = routing?.send ?? {};
		const isNaming = /^\{|_id$/.test(property) || (place === 'query' && required);
		return isNaming ? [{ label: quoted(displayName), parameter: path + name }] : [];
	});

function notFoundAdvice(context: IExecuteSingleFunctions, fields: Naming[]): string {
	const given = fields.filter(({ parameter }) => context.getNodeParameter(parameter, '') !== '');
	if (given.length === 0) return "Nothing responds at this address. Check 'Base URL' in the credential";
	const labels = given.map(({ label }) => label).join(' and ');
	return `Check ${labels}. If ${given.length > 1 ? 'they are' : 'it is'} correct, check 'Base URL' in the credential`;
}

/** Makes the first step of reading every response: what is not a success becomes a failure in the words of the service. */
export function throwFailure(form: INodeProperties[], explain?: Explain): PostReceiveAction {
	return async function (items, response) {
		if (isSuccess(response)) return items;
		const { statusCode } = response;
		const byCredential = credentialType(this) === USER_LOGIN ? TOKEN_ADVICE[statusCode] : undefined;
		const advice = statusCode === 404 ? notFoundAdvice(this, namingFields(form)) : byCredential;
		const told = { ...response, labels: labelsOf(form) };
		const failure = serviceFailure({ ...told, advice });
		throw new Failed(explain ? await explain(this, failure, told) : failure);
	};
}

/** Any value as the `json` of an item: nothing as `{}`, what is not an object as `{ data: … }`. */
export function toObject(value: unknown): IDataObject {
	if (isObject(value)) return value as IDataObject;
	if (value === undefined || value === '') return {};
	return { data: value as IDataObject['data'] };
}

/**
 * Makes the function that returns one item for each element of a list in the response, if a switch is on. A response without
 * that list passes through. What is in its item beside the JSON goes to the first of the new items.
 */
export const splitIntoItems = (property: string, isWanted: INodeProperties): PostReceiveAction =>
	async function (items) {
		if (!isOn(this, isWanted)) return items;
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
