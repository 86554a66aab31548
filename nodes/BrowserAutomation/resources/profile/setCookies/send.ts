import type { IDataObject, IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { readCookies } from './cookies';
import { refuse } from '../../../routing/refuse';

/** The cookies of the form as they are: a list, an object, or text. */
export async function givenCookies(context: IExecuteSingleFunctions): Promise<unknown> {
	const source = context.getNodeParameter('cookiesFrom', 'json');
	if (source === 'binary') {
		const field = String(context.getNodeParameter('binaryField', 'data'));
		context.helpers.assertBinaryData(field);
		return (await context.helpers.getBinaryDataBuffer(field)).toString('utf8');
	}
	if (source === 'fields') {
		const rows = context.getNodeParameter('cookies.cookie', []) as IDataObject[];
		return rows.map(({ options, ...required }) => ({ ...required, ...(options as IDataObject) }));
	}
	return context.getNodeParameter('cookiesJson', '');
}

/** Puts the cookies of the form into the body, checked and in the shape that the service takes. */
export async function sendCookies(
	this: IExecuteSingleFunctions,
	request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const { cookies, problem } = readCookies(await givenCookies(this));
	if (problem) throw refuse(this, problem, 'Nothing was sent. Correct the cookies, or export them again');
	return { ...request, body: { cookies: cookies as unknown as IDataObject[], ...(request.body as IDataObject) } };
}
