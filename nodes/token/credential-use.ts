import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { addressIn } from './credential-values';

/** What a node tells the credential about a request. The credential takes it out before the request is sent. */
export interface CredentialUse {
	/** The field of the credential with the address of the request. */
	address: 'baseUrl' | 'automationUrl';
	/** Only if the credential is a user name and a password. */
	token?: TokenUse;
	/** Whether this is the request of a connection test. */
	isTest?: boolean;
}

export interface TokenUse {
	/** The token to send; without it, the one that n8n keeps in the credential. */
	value?: string;
	/** A token that the service has refused and that must not be sent again; may be empty. */
	refused: string;
	/** Called with the token before it is sent. */
	onUse: (token: string) => void;
}

export type RequestWithUse = IHttpRequestOptions & { credentialUse?: CredentialUse };

/** For whom a token was issued: it must not be used for another user or sent to another address. */
export const issuedFor = (credentials: ICredentialDataDecryptedObject): string =>
	`${String(credentials.username ?? '')} at ${addressIn(credentials, 'baseUrl')}`;

/** The token that n8n keeps in the credential; empty if there is none for its user and its address. */
export const storedToken = (credentials: ICredentialDataDecryptedObject): string =>
	credentials.issuedFor === issuedFor(credentials) ? String(credentials.accessToken ?? '') : '';

/** An error that n8n takes for a 401 of the service: it calls preAuthentication, then authenticate once more. */
export const askForPreAuthentication = (message: string): Error =>
	Object.assign(new Error(message), { response: { status: 401 } });

/**
 * The token to send with a request.
 *
 * @throws an error if there is no token that may be sent: n8n then asks the credential for a new one and comes back
 */
export function tokenToSend(credentials: ICredentialDataDecryptedObject, use?: TokenUse): string {
	const token = use?.value ?? storedToken(credentials);
	if (token === '' || token === use?.refused) {
		throw askForPreAuthentication('The token of the credential has to be renewed');
	}
	use?.onUse(token);
	return token;
}
