import {
	NodeApiError,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { tokenErrorOf } from '../../shared/access-token';
import { noAnswerReason } from '../../shared/no-answer';
import { apiError } from '../../shared/service-error';
import { withoutSecrets } from '../../shared/service-reason';
import { tellAgent } from '../../shared/tool-use';
import { credentialSecrets, credentialType, USER_LOGIN } from './credential';
import { sendWithToken } from './send-with-token';

type Send = (
	this: IExecutePaginationFunctions,
	request: DeclarativeRestApiSettings.ResultOptions,
) => Promise<INodeExecutionData[]>;

/**
 * Makes the function that sends the request of an operation, once, or once more where a token had to be renewed. It is
 * n8n's own request but for one thing: the error of n8n's client, where no answer came, holds the headers and the body of
 * the request, and so the key, cookies and the like.
 *
 * @param advice what to do where no answer came, but for the reason that there is no token
 */
export const sendWithAdvice = (advice: string): Send =>
	async function (request) {
		try {
			if (credentialType(this) === USER_LOGIN) return await sendWithToken.call(this, request);
			return await this.makeRoutingRequest(request);
		} catch (error) {
			throw await withoutRequest(this, error as Error, advice);
		}
	};

/** Sends the request of an operation that can be repeated without harm. */
export const sendRequest = sendWithAdvice(
	'Check the URL in the credential, and whether the service can be reached from this n8n',
);

/**
 * Whether an error is about an answer. Every status comes back as one, so that an error with any other code is of n8n's
 * client. So is one with the code of a success and no description: the body broke off, or is not compressed as announced.
 */
function isAboutAnswer({ httpCode, description }: NodeApiError): boolean {
	return /^2\d\d$/.test(httpCode ?? '') ? Boolean(description) : /^\d{3}$/.test(httpCode ?? '');
}

async function withoutRequest(context: IExecutePaginationFunctions, cause: Error, advice: string): Promise<Error> {
	if (!(cause instanceof NodeApiError) || isAboutAnswer(cause)) return cause;
	const { message: text, httpCode } = cause;
	const { sentence, advice: tokenAdvice } = tokenErrorOf(cause);
	const given = sentence ?? noAnswerReason({ code: httpCode, message: text });
	const reason = withoutSecrets(given, await credentialSecrets(context));
	const options = { itemIndex: context.getItemIndex(), httpCode: httpCode ?? undefined };
	return tellAgent(context, apiError(context.getNode(), reason, tokenAdvice ?? advice, options));
}
