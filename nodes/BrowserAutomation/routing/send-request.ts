import {
	NodeApiError,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { apiError, isMadeHere, isNodeError, type RunData } from '../../errors/node-error';
import { noResponseReason, wasNothingSent } from '../../errors/no-response';
import { forReader } from '../../errors/reader';
import { withoutSecrets } from '../../errors/secrets';
import { tokenErrorOf } from '../../shared/access-token';
import { credentialSecrets, credentialType, USER_LOGIN } from './credential';
import { sendWithToken } from './send-with-token';

type Send = (
	this: IExecutePaginationFunctions,
	request: DeclarativeRestApiSettings.ResultOptions,
) => Promise<INodeExecutionData[]>;

/** What to say if no response came, and what is then known of the run that the request may have started. */
interface NoResponse {
	advice(isUnsent: boolean): string;
	run?: RunData;
}

/**
 * Makes the function that sends the request of an operation, once, or once more if a token had to be renewed. It is n8n's
 * own request, except that the error of n8n's client, if no response came, holds the headers and the body of the request,
 * and so the key and the cookies: it is replaced.
 */
export const sendOnce = (noResponse: NoResponse): Send =>
	async function (request) {
		try {
			if (credentialType(this) === USER_LOGIN) return await sendWithToken.call(this, request);
			return await this.makeRoutingRequest(request);
		} catch (error) {
			throw await withoutRequest(this, error as Error, noResponse);
		}
	};

/** What to say if a request got no response that can be repeated without harm. */
export const REPEATABLE: NoResponse = {
	advice: () => 'Check the URL in the credential, and that this n8n can reach the service',
};

/**
 * Makes the function that n8n calls to send the request of an operation. Every error of sending and of reading the
 * response leaves through here, complete, so that it is put into words for its reader here.
 */
export const toReader = (send: Send): Send =>
	async function (request) {
		try {
			return await send.call(this, request);
		} catch (error) {
			throw isNodeError(error) ? forReader(this, error) : error;
		}
	};

/** Sends the request of an operation that can be repeated without harm. */
export const sendRequest = toReader(sendOnce(REPEATABLE));

/** An error of n8n's client, said in our own words; any other error as it is. */
async function withoutRequest(
	context: IExecutePaginationFunctions,
	cause: Error,
	noResponse: NoResponse,
): Promise<Error> {
	if (!(cause instanceof NodeApiError) || isMadeHere(cause)) return cause;
	const { message, httpCode } = cause;
	const token = tokenErrorOf(cause);
	const isUnsent = wasNothingSent(httpCode) || token.sentence !== undefined;
	const reason = token.sentence ?? noResponseReason({ code: httpCode, message });
	return apiError(context.getNode(), {
		reason: withoutSecrets(reason, await credentialSecrets(context)),
		advice: token.advice ?? noResponse.advice(isUnsent),
		itemIndex: context.getItemIndex(),
		httpCode: httpCode ?? undefined,
		run: isUnsent ? undefined : noResponse.run,
	});
}
