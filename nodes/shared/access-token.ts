import type { ICredentialDataDecryptedObject, IHttpRequestOptions, NodeApiError } from 'n8n-workflow';

import { trimUrl } from '../addresses/service-url';
import { withAdvice } from '../errors/node-error';

/** Why there is no token, in the words of the service, and what to do next. */
export class TokenError extends Error {
	/** All that older versions of n8n keep of an error, beside its message: see {@link tokenErrorOf}. */
	readonly description: string;

	constructor(
		readonly sentence: string,
		readonly advice: string,
	) {
		// All that the connection test of n8n shows is the message.
		super(withAdvice(sentence, advice));
		this.description = sentence;
	}
}

/** The parts of the error for which a request was not sent, where there was no token for it. */
export function tokenErrorOf({ message, description, cause }: NodeApiError): Partial<TokenError> {
	const error = Object(cause) as Partial<TokenError>;
	if (error.sentence !== undefined || !description) return error;
	// Older versions of n8n lose the cause.
	const start = withAdvice(description, '');
	return message.startsWith(start) ? { sentence: description, advice: message.slice(start.length) } : {};
}

/** What a node and the credential tell each other about the token of a request. */
export interface TokenUse {
	/** The token that the service has just refused; empty where there is none. */
	refused: string;
	/** Called with the token that the request carries, before it is sent. */
	onUse: (token: string) => void;
}

export type RequestWithToken = IHttpRequestOptions & { tokenUse?: TokenUse };

/** For whom a token was issued: a token of another user or another service must not be used. */
export const issuedFor = ({ username, baseUrl }: ICredentialDataDecryptedObject): string =>
	`${String(username ?? '')} at ${trimUrl(String(baseUrl ?? ''))}`;

/** The token that n8n keeps in the credential; empty where there is none for its user and its service. */
export const tokenOf = (credentials: ICredentialDataDecryptedObject): string =>
	credentials.issuedFor === issuedFor(credentials) ? String(credentials.accessToken ?? '') : '';
