// Reads a credential's values: its URLs, its key, and the token that was issued for them.

import { createHash } from 'node:crypto';

import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { CredentialError } from '../failure/credential-error';
import { isUnevaluated, leftoverIn } from '../values/placeholders';
import { quoted } from '../values/text';

/** A pattern would try each slash, in time quadratic in the URL's length. */
function withoutSlashes(url: string): string {
	let end = url.length;
	while (url[end - 1] === '/') end--;
	return url.slice(0, end);
}

export const START_PATH = '/api/anything/start';

/** People paste URLs with blanks, slashes, or a start's path. */
export function trimUrl(url: unknown): string {
	const trimmed = withoutSlashes(String(url ?? '').trim());
	return trimmed.endsWith(START_PATH) ? withoutSlashes(trimmed.slice(0, -START_PATH.length)) : trimmed;
}

export const urlIn = (credentials: ICredentialDataDecryptedObject, field: 'baseUrl' | 'automationUrl'): string =>
	trimUrl(credentials[field]);

export const urlsIn = (credentials: ICredentialDataDecryptedObject): string[] => [
	urlIn(credentials, 'baseUrl'),
	urlIn(credentials, 'automationUrl'),
];

/** People paste keys in quotes, or with the header's name and scheme. */
const trimKey = (pasted: unknown): string =>
	String(pasted ?? '')
		.trim()
		.replace(
			/^(?:[\p{QMark}`\s]|[\w-]+[\p{QMark}`]?:\s|authorization:|bearer(?:\s+|$))+|(?<![\p{QMark}`\s])[\p{QMark}`\s]+$/giu,
			'',
		);

/** n8n writes this for a secret that the editor does not show. */
const N8N_BLANK = /^__n8n_BLANK_VALUE_/;

/** @throws CredentialError for a placeholder instead of a value (n8n#33074, n8n#24828, n8n#16892) */
export function checkSecret(value: string, label: string): void {
	const step = 'Correct the credential';
	if (isUnevaluated(value)) {
		throw new CredentialError(`${quoted(label)} contains an expression that is not evaluated`, step);
	}
	if (value === 'null' || leftoverIn(value) === value || N8N_BLANK.test(value)) {
		// A mask would hide the value in the message.
		throw new CredentialError(`${quoted(label)} contains a placeholder instead of a value`, step);
	}
}

/** @throws CredentialError even for characters that n8n's client silently drops */
export function apiKeyIn({ apiKey }: ICredentialDataDecryptedObject): string {
	const key = trimKey(apiKey);
	if (key === '') throw new CredentialError("'API Key' is empty", 'Enter it in the credential');
	checkSecret(key, 'API Key');
	if (/[^!-~]|["'`]/.test(key)) {
		throw new CredentialError(
			"'API Key' contains invalid characters",
			"Copy the key again from the service's web console, and paste it into the credential",
		);
	}
	return key;
}

/** A test compares this list with the forms. */
const SECRET_FIELDS = ['apiKey', 'password', 'accessToken', 'issuedForToken'];

export const secretsIn = (credentials: ICredentialDataDecryptedObject): unknown[] => [
	trimKey(credentials.apiKey),
	...SECRET_FIELDS.map((field) => credentials[field]),
];

/** `addBearer` removes it before the request is sent. */
export interface CredentialUse {
	urlField: 'baseUrl' | 'automationUrl';
	token?: TokenUse;
	isTest?: boolean;
}

export interface TokenUse {
	value?: string;
	/** The token that the service has rejected, or an empty text. */
	rejected: string;
	onUse: (token: string) => void;
}

export type RequestWithUse = IHttpRequestOptions & { credentialUse?: CredentialUse };

/** The hash of a token's origin: expressions may give each item another user, URL or password. */
export function issuedFor(credentials: ICredentialDataDecryptedObject): string {
	const { username, password } = credentials;
	const parts = [String(username ?? ''), urlIn(credentials, 'baseUrl'), String(password ?? '')];
	return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Empty if it was issued for other values. */
export const storedToken = (credentials: ICredentialDataDecryptedObject): string =>
	credentials.issuedForToken === issuedFor(credentials) ? String(credentials.accessToken ?? '') : '';

/** n8n then calls `preAuthentication`, and `authenticate` again. */
export const preAuthenticationError = (message: string): Error =>
	Object.assign(new Error(message), { response: { status: 401 } });

export function tokenToSend(credentials: ICredentialDataDecryptedObject, use?: TokenUse): string {
	const token = use?.value ?? storedToken(credentials);
	if (token === '' || token === use?.rejected) {
		throw preAuthenticationError('The token of the credential has to be renewed');
	}
	use?.onUse(token);
	return token;
}
