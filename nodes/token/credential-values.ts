import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { trimUrl } from '../addresses/service-url';
import { CredentialError } from './credential-error';

const START_PATH = /\/api\/anything\/start$/;

/** An address as it may have been pasted, without blanks and slashes at its ends and without the path of a start. */
export const trimAddress = (address: unknown): string =>
	trimUrl(trimUrl(String(address ?? '')).replace(START_PATH, ''));

/** An address of the credential, trimmed. */
export const addressIn = (credentials: ICredentialDataDecryptedObject, field: 'baseUrl' | 'automationUrl'): string =>
	trimAddress(credentials[field]);

/** The API key as it may have been pasted, without blanks at its ends and without the word Bearer. */
export const trimKey = (key: unknown): string =>
	String(key ?? '')
		.trim()
		.replace(/^bearer(\s+|$)/i, '');

/**
 * The API key of a credential.
 *
 * @throws CredentialError if it is empty or cannot be sent: n8n's client drops such characters without a word
 */
export function apiKeyIn({ apiKey }: ICredentialDataDecryptedObject): string {
	const key = trimKey(apiKey);
	if (key === '') throw new CredentialError("'API Key' is empty", 'Enter it in the credential');
	if (/[^\x20-\x7e]/.test(key)) {
		throw new CredentialError(
			"'API Key' contains invalid characters",
			'Copy the key again from the web console of the service, and paste it into the credential',
		);
	}
	return key;
}

/** The values of a credential that must not be shown, even if a server repeats them. */
export const secretsIn = ({ apiKey, password, accessToken }: ICredentialDataDecryptedObject): unknown[] => [
	trimKey(apiKey),
	password,
	accessToken,
];
