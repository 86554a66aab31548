import {
	NodeApiError,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { apiError, isMadeHere, isNodeError, type RunData } from '../../errors/node-error';
import { noResponseReason, wasNothingSent } from '../../errors/no-response';
import { forReader } from '../../errors/reader';
import { withoutSecrets } from '../../errors/secrets';
import { credentialProblemOf } from '../../token/credential-error';
import type { CredentialUse, RequestWithUse, TokenUse } from '../../token/credential-use';
import { secretsIn } from '../../token/credential-values';
import { sendWithSharedToken, tokensInUse } from '../../token/share-token';

export const API_KEY = 'browserAutomationApi';
export const USER_LOGIN = 'browserAutomationOAuth2PasswordApi';

/** The type of credential that the form chooses; an API key unless it chooses another. */
export const credentialType = (context: IExecuteSingleFunctions) =>
	context.getNodeParameter('authentication', 'apiKey') === 'oAuth2Password' ? USER_LOGIN : API_KEY;

/** What of the chosen credential must not be shown, wherever a server has echoed it. */
export async function credentialSecrets(context: IExecuteSingleFunctions): Promise<unknown[]> {
	const type = credentialType(context);
	const secrets = secretsIn(await context.getCredentials(type));
	return type === USER_LOGIN ? [...secrets, ...tokensInUse(context)] : secrets;
}

type Send = (
	this: IExecutePaginationFunctions,
	request: DeclarativeRestApiSettings.ResultOptions,
) => Promise<INodeExecutionData[]>;

/** What an operation needs beside its request. */
interface Sending {
	/** The field of the credential with the address of the operation. */
	address: CredentialUse['address'];
	/** What to do next if no response was received. */
	advice(isUnsent: boolean): string;
	/** What is then known of the run that the request may have started. */
	run?: RunData;
}

/**
 * Makes the function that sends the request of an operation, once, or once more if a token had to be renewed. It is n8n's
 * own request, except that the error of n8n's client is replaced: if there is no response, it contains the headers and the body
 * of the request, and so the key and the cookies.
 */
export const sendOnce = (sending: Sending): Send =>
	async function (request) {
		try {
			const send = async (token?: TokenUse) =>
				await this.makeRoutingRequest(withUse(request, { address: sending.address, token }));
			if (credentialType(this) !== USER_LOGIN) return await send();
			return await sendWithSharedToken(this, await this.getCredentials(USER_LOGIN), send);
		} catch (error) {
			throw await withoutRequest(this, error as Error, sending);
		}
	};

const withUse = (
	request: DeclarativeRestApiSettings.ResultOptions,
	credentialUse: CredentialUse,
): DeclarativeRestApiSettings.ResultOptions => {
	const options = { ...request.options, credentialUse } as RequestWithUse;
	return { ...request, options: options as typeof request.options };
};

/** For a request to the main interface that can be repeated without harm. */
export const REPEATABLE: Sending = {
	address: 'baseUrl',
	advice: (isUnsent) =>
		isUnsent
			? 'Check the Base URL in the credential, and that n8n can reach it'
			: 'Try again later. If it happens again, check the Base URL in the credential',
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
async function withoutRequest(context: IExecutePaginationFunctions, cause: Error, sending: Sending): Promise<Error> {
	if (!(cause instanceof NodeApiError) || isMadeHere(cause)) return cause;
	const { message, httpCode } = cause;
	const problem = credentialProblemOf(cause);
	const isUnsent = problem !== undefined || wasNothingSent(httpCode);
	const reason = problem?.reason ?? noResponseReason({ code: httpCode, message });
	return apiError(context.getNode(), {
		reason: withoutSecrets(reason, await credentialSecrets(context)),
		advice: problem?.advice ?? sending.advice(isUnsent),
		itemIndex: context.getItemIndex(),
		httpCode: httpCode ?? undefined,
		run: isUnsent ? undefined : sending.run,
	});
}
