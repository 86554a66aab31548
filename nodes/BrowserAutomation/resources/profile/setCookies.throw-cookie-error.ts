import type { IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData } from 'n8n-workflow';

import { readCookies } from '../../cookies';
import { errorOf, isSuccess } from '../../routing/throw-service-error';
import { givenCookies } from './setCookies.send-cookies';

/** Reads every answer to Set Cookies first. The values of the cookies are kept out of the error, should a server echo them. */
export async function throwCookieError(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	answer: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	if (isSuccess(answer)) return items;
	const { cookies } = readCookies(await givenCookies(this));
	const values = cookies.map(({ value }) => value);
	throw await errorOf(this, answer, values);
}
