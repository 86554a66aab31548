import {
	NodeApiError,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { noAnswerReason } from '../../shared/no-answer';
import { apiError } from '../../shared/service-error';
import { withoutSecrets } from '../../shared/service-reason';
import { tellAgent } from '../../shared/tool-use';
import { credentialProblemOf } from '../../token/credential-error';
import type { CredentialUse, RequestWithUse, TokenUse } from '../../token/credential-use';
import { sendWithSharedToken } from '../../token/share-token';
import { credentialSecrets, credentialType, USER_LOGIN } from './credential';

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
 * @param address the field of the credential with the address of the operation
 */
export const sendWithAdvice = (advice: string, address: CredentialUse['address'] = 'baseUrl'): Send =>
	async function (request) {
		try {
			const send = async (token?: TokenUse) => await this.makeRoutingRequest(withUse(request, { address, token }));
			if (credentialType(this) !== USER_LOGIN) return await send();
			return await sendWithSharedToken(this, await this.getCredentials(USER_LOGIN), send);
		} catch (error) {
			throw await withoutRequest(this, error as Error, advice);
		}
	};

const withUse = (
	request: DeclarativeRestApiSettings.ResultOptions,
	credentialUse: CredentialUse,
): DeclarativeRestApiSettings.ResultOptions => {
	const options = { ...request.options, credentialUse } as RequestWithUse;
	return { ...request, options: options as typeof request.options };
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
	const problem = credentialProblemOf(cause);
	const given = problem?.reason ?? noAnswerReason({ code: httpCode, message: text });
	const reason = withoutSecrets(given, await credentialSecrets(context));
	const options = { itemIndex: context.getItemIndex(), httpCode: httpCode ?? undefined };
	return tellAgent(context, apiError(context.getNode(), reason, problem?.advice ?? advice, options));
}
