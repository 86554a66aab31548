import type { IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData } from 'n8n-workflow';

import { readCookies } from './cookies';
import { errorOf, isSuccess } from '../../../routing/throw-service-error';
import { givenCookies } from './send';

const NOT_SET = 'The cookies were not set. Check the Profile ID and the cookies';

/** Whether the service says in the body that it did not do what its status says. */
const isRefused = ({ body }: IN8nHttpFullResponse) => (Object(body) as { success?: unknown }).success === false;

/** The first step of reading every response: an error without the values of the cookies, should a server echo them. */
export async function throwCookieError(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	const isRead = isSuccess(response);
	if (isRead && !isRefused(response)) return items;
	const { cookies } = readCookies(await givenCookies(this));
	const values = cookies.map(({ value }) => value);
	throw await errorOf(this, isRead ? { ...response, advice: NOT_SET } : response, { secrets: values });
}
