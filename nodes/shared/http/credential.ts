// Reads and checks a credential's values: its URLs, its key, and the token that was issued for them.

import { createHash } from 'node:crypto';

import type { ICredentialDataDecryptedObject, IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { CredentialError, credentialFailure, FailureError, unreadableInput } from '../failure/failure';
import { isUnevaluated, leftoverIn } from '../values/placeholders';
import { quoted } from '../values/text';
import { LOOPBACK, parseUrl } from '../values/url';

export const API_KEY = 'browserAutomationApi';
export const USER_LOGIN = 'browserAutomationOAuth2PasswordApi';

export const URL_LABELS = { baseUrl: 'Base URL', automationUrl: 'Automation URL' };

export type UrlField = keyof typeof URL_LABELS;

/** The lookbehind keeps the time linear. */
const withoutSlashes = (url: string): string => url.replace(/(?<!\/)\/+$/, '');

export const START_PATH = '/api/anything/start';

/** People paste URLs with blanks, slashes, or a start's path. */
export function trimUrl(url: unknown): string {
	const trimmed = withoutSlashes(String(url ?? '').trim());
	return trimmed.endsWith(START_PATH) ? withoutSlashes(trimmed.slice(0, -START_PATH.length)) : trimmed;
}

export const urlIn = (credentials: ICredentialDataDecryptedObject, field: UrlField): string =>
	trimUrl(credentials[field]);

export const urlsIn = (credentials: ICredentialDataDecryptedObject): string[] =>
	[credentials.baseUrl, credentials.automationUrl].map(trimUrl);

/**
 * @param secret what would be sent there, for the message
 * @throws CredentialError
 */
export function checkUrl(credentials: ICredentialDataDecryptedObject, field: UrlField, secret: string): void {
	const url = urlIn(credentials, field);
	const parsed = parseUrl(url);
	const problem = (is: string, advice: string) => new CredentialError(`${quoted(URL_LABELS[field])} ${is}`, advice);
	if (url === '') throw problem('is empty', "Enter the service's URL in the credential");
	if (!/^https?:\/\//i.test(url)) {
		const advice = 'Enter the full URL in the credential, such as https://api.example.com';
		throw problem('does not start with https://', advice);
	}
	if (!parsed) throw problem('is not a valid URL', 'Correct it in the credential');
	if (parsed.username || parsed.password) {
		throw problem('contains a user name or a password', 'Remove them from the URL in the credential');
	}
	if (/[?#]/.test(url)) {
		throw problem('contains "?" or "#"', 'In the credential, remove this character and everything after it');
	}
	if (parsed.protocol === 'http:' && credentials.allowUnencrypted !== true && !LOOPBACK.test(parsed.hostname)) {
		const is = `starts with http://, so ${secret} would be sent unencrypted`;
		throw problem(is, "Use https://, or turn on 'Allow Unencrypted Connections' in the credential");
	}
}

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

/** @throws CredentialError without a value, or for a placeholder instead of one (n8n#33074, n8n#24828, n8n#16892) */
function checkSecret(value: string, label: string): void {
	const problem = (is: string, step: string) => new CredentialError(`${quoted(label)} ${is}`, step);
	if (value === '') throw problem('is empty', 'Enter it in the credential');
	if (isUnevaluated(value)) throw problem('contains an expression that is not evaluated', 'Correct the credential');
	// A mask would hide the value in the message.
	const isPlaceholder = value === 'null' || leftoverIn(value) === value || N8N_BLANK.test(value);
	if (isPlaceholder) throw problem('contains a placeholder instead of a value', 'Correct the credential');
}

/** @throws CredentialError even for characters that n8n's client silently drops */
export function apiKeyIn({ apiKey }: ICredentialDataDecryptedObject): string {
	const key = trimKey(apiKey);
	checkSecret(key, 'API Key');
	if (/[^!-~]|["'`]/.test(key)) {
		throw new CredentialError(
			"'API Key' contains invalid characters",
			"Copy the key again from the service's web console, and paste it into the credential",
		);
	}
	return key;
}

/** @throws CredentialError */
export function userIn(credentials: ICredentialDataDecryptedObject): { username: string; password: string } {
	const username = String(credentials.username ?? '').trim();
	const password = String(credentials.password ?? '');
	checkSecret(username, 'User Name');
	checkSecret(password, 'Password');
	return { username, password };
}

/**
 * Reads one item's credential, and checks what its requests need, so that an invalid one fails before other items are sent. The
 * credential itself checks each request again.
 *
 * @throws FailureError also for a failing expression in the credential
 */
export async function readCredentials(
	context: IExecuteFunctions,
	type: string,
	itemIndex: number,
	urlField: UrlField,
): Promise<ICredentialDataDecryptedObject> {
	const read = async () => {
		const credentials = await context.getCredentials(type, itemIndex);
		if (type === USER_LOGIN) userIn(credentials);
		else apiKeyIn(credentials);
		checkUrl(credentials, urlField, type === USER_LOGIN ? 'the password' : 'the API key');
		return credentials;
	};
	return await read().catch((error: Error) => {
		if (error instanceof CredentialError) throw new FailureError(credentialFailure(error.response.data));
		const advice = 'Correct the expression in the credential';
		const { failure } = unreadableInput(error, advice, 'Select a credential in this node');
		throw new FailureError(credentialFailure(failure));
	});
}

/** A test compares this list with the forms. */
const SECRET_FIELDS = ['apiKey', 'password', 'accessToken', 'issuedForToken'];

export const secretsIn = (credentials: ICredentialDataDecryptedObject): unknown[] => [
	trimKey(credentials.apiKey),
	...SECRET_FIELDS.map((field) => credentials[field]),
];

export interface TokenUse {
	/** What the token must have been issued for. */
	user: string;
	value?: string;
	/** The token that the service has rejected, or an empty text. */
	rejected: string;
	onUse: (token: string) => void;
}

/** A key that no other package, expression or JSON can write: `onUse` gets the token. */
export const TOKEN_USE = Symbol('use of the token');

/** `addBearer` removes both before the request is sent. */
export interface RequestWithUse extends IHttpRequestOptions {
	credentialUse?: { urlField: UrlField; isTest?: boolean };
	[TOKEN_USE]?: TokenUse;
}

/** The hash of a token's origin: expressions may give each item another user, URL or password. */
export function issuedFor(credentials: ICredentialDataDecryptedObject): string {
	const { username, password } = credentials;
	const parts = [String(username ?? ''), urlIn(credentials, 'baseUrl'), String(password ?? '')];
	return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Empty if it was issued for other values. */
export const storedToken = (credentials: ICredentialDataDecryptedObject): string =>
	credentials.issuedForToken === issuedFor(credentials) ? String(credentials.accessToken ?? '') : '';
