import {
	NodeApiError,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type INodeExecutionData,
	type PreSendAction,
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

async function leavingError(context: IExecuteSingleFunctions, error: unknown): Promise<Error> {
	const failure = failureIn(error);
	if (!failure) return error as Error;
	return nodeError(context, failure, context.getItemIndex(), await credentialSecrets(context));
}

/**
 * The last function around the sending of an operation: here, its failures become the error that leaves the node. n8n means
 * `pagination` for paging, but nothing else can wrap the sending of a declarative operation.
 */
export const paginationOf = (send: Send): Send =>
	async function (request) {
		try {
			return await send.call(this, request);
		} catch (error) {
			throw await leavingError(this, error);
		}
	};

/** A check of the form, or a change of the request. Its failures leave the node here: n8n has not called `pagination` yet. */
export const preSendOf = (step: PreSendAction): PreSendAction =>
	async function (request) {
		try {
			return await step.call(this, request);
		} catch (error) {
			throw await leavingError(this, error);
		}
	};
