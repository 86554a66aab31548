import type { IDataObject, IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { isObject } from '../../../../values/is-object';
import { refuse } from '../../../routing/refuse';

const LABEL = 'Additional Body Fields';

/** A JSON object, also as text; undefined for any other value. No value is an empty object. */
export function readObject(value: unknown): IDataObject | undefined {
	if (value === undefined || value === null) return {};
	if (typeof value === 'string' && value.trim() === '') return {};
	try {
		const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value;
		return isObject(parsed) ? (parsed as IDataObject) : undefined;
	} catch {
		return undefined;
	}
}

/** The value of an option that is left empty. */
const isEmpty = (value: unknown) => value === undefined || value === null || value === '';

/** Adds the fields of the option to the body. What the form sends itself is not replaced. */
export async function addBodyFields(
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const fields = readObject(this.getNodeParameter('options.additionalBodyFields', {}));
	if (!fields) {
		throw refuse(this, `${LABEL} must be a JSON object`, 'Enter a JSON object, such as {"maxResults": 5}');
	}
	const own = Object.entries(request.body as IDataObject).filter(([, value]) => !isEmpty(value));
	return { ...request, body: { ...fields, ...Object.fromEntries(own) } };
}
