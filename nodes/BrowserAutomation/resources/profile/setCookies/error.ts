import type { IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData } from 'n8n-workflow';

import { readCookies } from './cookies';
import { errorOf, isSuccess } from '../../../routing/throw-service-error';
import { givenCookies } from './send';

/** The first step of reading every response: an error without the values of the cookies, should a server echo them. */
export async function throwCookieError(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	if (isSuccess(response)) return items;
	const { cookies } = readCookies(await givenCookies(this));
	const values = cookies.map(({ value }) => value);
	throw await errorOf(this, response, { secrets: values });
}
