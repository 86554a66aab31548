import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { CredentialError } from './credential-error';

// The interface between nodes and credentials. n8n passes only plain values between them: a request contains
// `credentialUse` for the credential, and an error contains `reason` and `advice` for the node.

/** A URL as it may have been pasted, without spaces and slashes at its ends and without the path of a start. */
export const trimUrl = (url: unknown): string =>
	String(url ?? '')
		.trim()
		.replace(/\/*(\/api\/anything\/start\/*)?$/, '');

/** A URL of the credential, trimmed. */
export const urlIn = (credentials: ICredentialDataDecryptedObject, field: 'baseUrl' | 'automationUrl'): string =>
	trimUrl(credentials[field]);

/** The API key as it may have been pasted, without spaces at its ends and without the word Bearer. */
const trimKey = (key: unknown): string =>
	String(key ?? '')
		.trim()
		.replace(/^bearer(\s+|$)/i, '');

/**
 * The API key of a credential.
 *
 * @throws CredentialError if it is empty or cannot be sent: n8n's client silently drops such characters
 */
export function apiKeyIn({ apiKey }: ICredentialDataDecryptedObject): string {
	const key = trimKey(apiKey);
	if (key === '') throw new CredentialError("'API Key' is empty", 'Enter it in the credential');
	if (/[^\x20-\x7e]/.test(key)) {
		throw new CredentialError(
			"'API Key' contains invalid characters",
			"Copy the key again from the service's web console, and paste it into the credential",
		);
	}
	return key;
}

/** The fields that the forms of all credentials hide: `password` in their `typeOptions`. A test compares them. */
const SECRET_FIELDS = ['apiKey', 'password', 'accessToken'];

/** The values of a credential that must not be shown, even if a server repeats them. */
export const secretsIn = (credentials: ICredentialDataDecryptedObject): unknown[] => [
	trimKey(credentials.apiKey),
	...SECRET_FIELDS.map((field) => credentials[field]),
];

/** The node's data for the credential in a request. The credential removes it before the request is sent. */
export interface CredentialUse {
	urlField: 'baseUrl' | 'automationUrl';
	/** Only if the credential is a user name and a password. */
	token?: TokenUse;
	isTest?: boolean;
}

export interface TokenUse {
	value?: string;
	/** A token that the service has rejected and that must not be resent; may be empty. */
	rejected: string;
	/** Called with the token before it is sent. */
	onUse: (token: string) => void;
}

export type RequestWithUse = IHttpRequestOptions & { credentialUse?: CredentialUse };

/** The user and URL of a token: it must not be used for another user or sent to another URL. */
export const issuedFor = (credentials: ICredentialDataDecryptedObject): string =>
	`${String(credentials.username ?? '')} at ${urlIn(credentials, 'baseUrl')}`;

/** The token that n8n stores in the credential; empty if it belongs to another user or URL. */
export const storedToken = (credentials: ICredentialDataDecryptedObject): string =>
	credentials.issuedFor === issuedFor(credentials) ? String(credentials.accessToken ?? '') : '';

/** An error that n8n treats as a 401 of the service: it calls preAuthentication, then authenticate again. */
export const preAuthenticationError = (message: string): Error =>
	Object.assign(new Error(message), { response: { status: 401 } });

/**
 * The token to send with a request.
 *
 * @throws an error if there is no token that may be sent: n8n then requests a new token from the credential and tries again
 */
export function tokenToSend(credentials: ICredentialDataDecryptedObject, use?: TokenUse): string {
	const token = use?.value ?? storedToken(credentials);
	if (token === '' || token === use?.rejected) {
		throw preAuthenticationError('The token of the credential has to be renewed');
	}
	use?.onUse(token);
	return token;
}
