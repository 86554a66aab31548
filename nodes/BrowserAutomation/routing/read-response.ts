import type { IDataObject, IN8nHttpFullResponse, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { quoted, type Failure } from '../../errors/failure';
import { serviceFailure } from '../../errors/service-error';
import { readReason } from '../../errors/service-reason';
import { labelsOf } from '../../form/read-field';
import { isObject } from '../../values';
import type { Call, Operation } from './operation';

/** Whether a response is a success. A web page is not: it is not from the service. */
const isSuccess = ({ statusCode, body }: IN8nHttpFullResponse): boolean =>
	statusCode >= 200 && statusCode < 300 && !(typeof body === 'string' && readReason(body).page !== undefined);

/** Whether a field tells which thing a request is about: its IDs, and what else is required beside them. */
function isNaming({ required, routing }: INodeProperties): boolean {
	const { property = '', type } = routing?.send ?? {};
	return /^\{|_id$/.test(property) || (type === 'query' && required === true);
}

function notFoundAdvice({ notFound, fields, options = [] }: Operation, { values }: Call): string {
	if (notFound) return notFound;
	const given = [...fields, ...options].filter((field) => isNaming(field) && values[field.name] !== undefined);
	if (given.length === 0) return "This address responds, but not to this request. Check 'Base URL' in the credential";
	const labels = given.map(({ displayName }) => quoted(displayName)).join(' and ');
	return `Check ${labels}. If ${given.length > 1 ? 'they are' : 'it is'} correct, check 'Base URL' in the credential`;
}

/**
 * What a response says that is not a success, in the words of the service; undefined for a success.
 *
 * @param adviceByStatus what is known of the credential
 */
export function failureIn(
	response: IN8nHttpFullResponse,
	operation: Operation,
	call: Call,
	adviceByStatus: Record<number, string>,
): Failure | undefined {
	if (isSuccess(response)) return undefined;
	const { statusCode } = response;
	const advice = statusCode === 404 ? notFoundAdvice(operation, call) : adviceByStatus[statusCode];
	const told = { ...response, labels: labelsOf([...operation.fields, ...(operation.options ?? [])]) };
	const failure = serviceFailure({ ...told, advice });
	return operation.explain?.(failure, told, call) ?? failure;
}

/** Any value as the `json` of an item: nothing as `{}`, what is not an object as `{ data: … }`. */
function toObject(value: unknown): IDataObject {
	if (isObject(value)) return value as IDataObject;
	if (value === undefined || value === '') return {};
	return { data: value as IDataObject['data'] };
}

/**
 * One item for each element of a list: the response, or what it has under a name. Anything else is one item. n8n hangs on
 * items whose `json` is not an object.
 */
export function itemsOf(body: unknown, property?: string): INodeExecutionData[] {
	const list = property === undefined ? undefined : (Object(body) as IDataObject)[property];
	const elements: unknown[] = [list, body].find(Array.isArray) ?? [body];
	return elements.map((element) => ({ json: toObject(element) }));
}
