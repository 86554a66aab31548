import {
	NodeApiError,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { Failed, type Failure, type RunData } from '../../errors/failure';
import { noResponseFailure } from '../../errors/no-response';
import { isNodeError, nodeError } from '../../errors/node-error';
import { secretsIn, type CredentialUse, type TokenUse } from '../../token/credential';
import { sendWithSharedToken, tokensInUse } from '../../token/share-token';

export const API_KEY = 'browserAutomationApi';
export const USER_LOGIN = 'browserAutomationOAuth2PasswordApi';

/** The type of credential that the form chooses; an API key unless it chooses another. */
export const credentialType = (context: IExecuteSingleFunctions) =>
	context.getNodeParameter('authentication', 'apiKey') === 'oAuth2Password' ? USER_LOGIN : API_KEY;

/** What of the chosen credential must not be shown, wherever a server has repeated it. */
async function credentialSecrets(context: IExecuteSingleFunctions): Promise<unknown[]> {
	const type = credentialType(context);
	const secrets = secretsIn(await context.getCredentials(type));
	return type === USER_LOGIN ? [...secrets, ...tokensInUse(context)] : secrets;
}

/** Sends the request of an operation and reads the response. */
export type Send = (
	this: IExecutePaginationFunctions,
	request: DeclarativeRestApiSettings.ResultOptions,
) => Promise<INodeExecutionData[]>;

interface Sending {
	address: CredentialUse['address'];
	advice(isUnsent: boolean): string;
	/** What is then known of the run that the request may have started. */
	run?: RunData;
}

/** An error of n8n's client as what happened: it has the headers and the body of the request, and so the key and the cookies. */
const withoutRequest = (cause: Error, { advice, run }: Sending): Error =>
	cause instanceof NodeApiError ? new Failed(noResponseFailure(cause, advice, run)) : cause;

/**
 * Makes the function that sends the request of an operation, once, or once more if a token had to be renewed. It is n8n's
 * own request, except for what it throws.
 */
export const sendOnce = (sending: Sending): Send =>
	async function (request) {
		try {
			const send = async (token?: TokenUse) => {
				const credentialUse: CredentialUse = { address: sending.address, token };
				const options = { ...request.options, credentialUse } as typeof request.options;
				return await this.makeRoutingRequest({ ...request, options });
			};
			if (credentialType(this) !== USER_LOGIN) return await send();
			return await sendWithSharedToken(this, await this.getCredentials(USER_LOGIN), send);
		} catch (error) {
			throw withoutRequest(error as Error, sending);
		}
	};

/** Sends a request to the main interface that can be repeated without harm. */
export const sendRepeatable = sendOnce({
	address: 'baseUrl',
	advice: (isUnsent) =>
		isUnsent
			? "Check 'Base URL' in the credential, and that n8n can reach it"
			: "Try again later. If it happens again, check 'Base URL' in the credential",
});

/** What happened, told by an error; undefined for what the code of this package does not throw. */
function failureIn(error: unknown): Failure | undefined {
	if (error instanceof Failed) return error.failure;
	// Errors of n8n's own helpers are about the input, such as a missing file.
	return isNodeError(error)
		? { reason: error.message, advice: error.description ?? '', isInput: !(error instanceof NodeApiError) }
		: undefined;
}

/**
 * Makes node errors of the failures of a function around or before the sending of an operation, where they leave the node. n8n
 * means `pagination` for paging, but nothing else can wrap the sending of a declarative operation, and what is before it, the
 * checks of the form, n8n calls outside of it.
 */
export const withNodeErrors = <Context extends IExecuteSingleFunctions, Request, Result>(
	step: (this: Context, request: Request) => Promise<Result>,
) =>
	async function (this: Context, request: Request): Promise<Result> {
		return await step.call(this, request).catch(async (error: Error) => {
			const failure = failureIn(error);
			throw failure ? nodeError(this, failure, this.getItemIndex(), await credentialSecrets(this)) : error;
		});
	};
