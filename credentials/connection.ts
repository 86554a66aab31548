import type { ICredentialDataDecryptedObject, ICredentialTestRequest, INodeProperties } from 'n8n-workflow';

import { CredentialError } from '../nodes/shared/failure/credential-error';
import { urlIn, type CredentialUse, type RequestWithUse } from '../nodes/shared/http/credential';
import { switchField, textField } from '../nodes/shared/form/fields';
import { findUrlProblem } from '../nodes/shared/http/url-problem';
import { parseUrl } from '../nodes/shared/values/url';

export const connectionFields = (
	baseUrlHint: string,
	automationUrl: Pick<INodeProperties, 'hint' | 'required'>,
	secret: string,
): INodeProperties[] => [
	textField('Base URL', 'baseUrl', {
		required: true,
		placeholder: 'e.g. https://api.example.com',
		hint: baseUrlHint,
	}),
	textField('Automation URL', 'automationUrl', {
		placeholder: 'e.g. https://automation.example.com',
		...automationUrl,
	}),
	switchField('Allow Unencrypted Connections', 'allowUnencrypted', {
		description: 'Whether to allow http:// URLs other than localhost',
		hint: `Over http://, others on the network can read ${secret}. Turn on only in a network that you trust.`,
	}),
];

export const CHECK_URLS = 'Check the URL. The two URLs may be swapped';

const PROXY = 'A proxy or a sign-in page may be in front of it';

const REDIRECTS = [301, 302, 303, 307, 308];
const SUCCESSES = [200, 201, 202, 203, 204, 205, 206, 207, 208, 226];
const FINAL_STATUSES = Array.from({ length: 400 }, (_, index) => 200 + index);

/**
 * A request that is always rejected: only the status that the contract names for this proves anything, with the body of the
 * service. n8n shows the message of the first rule that matches.
 */
export function connectionTest(
	urlField: UrlField,
	{ url, body }: { url: string; body: object },
	messages: Record<number, string>,
	proof: { status: number; field: string },
): ICredentialTestRequest {
	const request = {
		baseURL: `={{$credentials.${urlField}}}`,
		url,
		method: 'POST' as const,
		body,
		credentialUse: { urlField, isTest: true },
		// n8n makes an error of every status in this list, also of a success.
		ignoreHttpStatusErrors: {
			ignore: true as const,
			except: FINAL_STATUSES.filter((status) => status !== proof.status),
		},
	};
	const label = `'${URL_LABELS[urlField]}'`;
	const message = [`Unexpected response from this ${label}`, CHECK_URLS].join('. ');
	const moved = [`This ${label} redirects to another URL`, PROXY, CHECK_URLS].join('. ');
	const texts: Record<string, string> = {
		...Object.fromEntries([...SUCCESSES, 400, 422].map((status) => [status, message])),
		...Object.fromEntries(REDIRECTS.map((status) => [status, moved])),
		407: "n8n's proxy requires a user name and a password. Check them in its URL (HTTPS_PROXY)",
		...messages,
	};
	const rules = Object.entries(texts)
		.filter(([status]) => Number(status) !== proof.status)
		.map(([status, text]) => ({ type: 'responseCode', properties: { value: Number(status), message: text } }));
	const ofBody = { type: 'responseSuccessBody', properties: { key: proof.field, value: undefined, message } };
	return { request, rules: [...rules, ofBody] as ICredentialTestRequest['rules'] };
}

/** An older kind of request has `uri` for `url`. */
type AnyRequest = Omit<RequestWithUse, 'credentialUse'> & { uri?: string };

/**
 * A request of this package goes to its credential's URL, because n8n reads that for the first item only. Any other keeps its own,
 * if that is at one of the two.
 *
 * @throws CredentialError
 */
export function addBearer(
	credentials: ICredentialDataDecryptedObject,
	{ credentialUse, ...given }: RequestWithUse,
	bearer: string,
	secret: string,
): AnyRequest {
	if (credentialUse?.isTest) checkBothUrls(credentials, secret);
	const field = credentialUse?.urlField ?? urlFieldOf(given, credentials, secret);
	checkUrl(credentials, field, secret);
	const request = credentialUse ? { ...given, baseURL: urlIn(credentials, field) } : given;
	return {
		...request,
		// n8n would send the secret to the target of a redirect.
		disableFollowRedirect: true,
		maxRedirects: 0,
		headers: { ...request.headers, Authorization: `Bearer ${bearer}` },
	};
}

function urlFieldOf(request: AnyRequest, credentials: ICredentialDataDecryptedObject, secret: string): UrlField {
	const { baseURL, url, uri } = request;
	const origin = parseUrl(String(url ?? uri ?? ''), baseURL || undefined)?.origin;
	const field = URL_FIELDS.find((candidate) => parseUrl(urlIn(credentials, candidate))?.origin === origin);
	if (origin !== undefined && field) return field;
	throw new CredentialError(
		`This credential does not send ${secret} to ${origin ?? 'this URL'}, which is neither at 'Base URL' nor at 'Automation URL'`,
		'Correct the URL in this node, or use another credential',
	);
}

export function checkUrl(credentials: ICredentialDataDecryptedObject, field: UrlField, secret: string): void {
	const isHttpAllowed = credentials.allowUnencrypted === true;
	const problem = findUrlProblem(urlIn(credentials, field), URL_LABELS[field], isHttpAllowed, secret);
	if (problem) throw new CredentialError(problem.reason, problem.advice);
}

/** User name and password work without an *Automation URL*. */
function checkBothUrls(credentials: ICredentialDataDecryptedObject, secret: string): void {
	const [base, automation] = URL_FIELDS.map((field) => urlIn(credentials, field));
	checkUrl(credentials, 'baseUrl', secret);
	if (automation !== '') checkUrl(credentials, 'automationUrl', secret);
	if (base !== automation) return;
	throw new CredentialError(
		"'Base URL' and 'Automation URL' are the same",
		'They must be different. Correct one of them',
	);
}

type UrlField = CredentialUse['urlField'];

const URL_FIELDS: UrlField[] = ['baseUrl', 'automationUrl'];

const URL_LABELS = { baseUrl: 'Base URL', automationUrl: 'Automation URL' };
