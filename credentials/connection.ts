import type { ICredentialDataDecryptedObject, ICredentialTestRequest, INodeProperties } from 'n8n-workflow';

import { CredentialError } from '../nodes/shared/credential-error';
import { findUrlProblem } from '../nodes/shared/url';
import { trimUrl, urlIn, type CredentialUse, type RequestWithUse } from '../nodes/shared/credential';
import { parseUrl } from '../nodes/shared/url';

/** The fields of both credentials: the two URLs, and whether a secret, named in a sentence, may be sent over http://. */
export const connectionFields = (
	baseUrlHint: string,
	automationUrl: Pick<INodeProperties, 'hint' | 'required'>,
	secret: string,
): INodeProperties[] => [
	{
		displayName: 'Base URL',
		name: 'baseUrl',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. https://api.example.com',
		hint: baseUrlHint,
	},
	{
		displayName: 'Automation URL',
		name: 'automationUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://automation.example.com',
		...automationUrl,
	},
	{
		displayName: 'Allow Unencrypted Connections',
		name: 'allowUnencrypted',
		type: 'boolean',
		default: false,
		description: 'Whether to allow http:// URLs other than localhost',
		// n8n shows no description of a switch in the form of a credential.
		hint: `Over http://, others on the network can read ${secret}. Turn on only in a network that you trust.`,
	},
];

export const CHECK_URLS = 'Check the URL. The two URLs may be swapped';

const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * A connection test with a request that is always rejected: the status that proves the credential counts as success, and every
 * status that means a wrong secret or URL is an error. n8n shows the message of the first rule that matches.
 *
 * @param messages by the status of the response
 * @param proof the field that the response of the service always has; a web page or another service does not have it
 */
export function connectionTest(
	urlField: UrlField,
	{ url, body }: { url: string; body: object },
	messages: Record<number, string>,
	proof: string,
): ICredentialTestRequest {
	const request = {
		baseURL: `={{$credentials.${urlField}}}`,
		url,
		method: 'POST' as const,
		body,
		credentialUse: { urlField, isTest: true },
		ignoreHttpStatusErrors: {
			ignore: true as const,
			except: [...REDIRECTS, 401, 402, 403, 404, 405, 429, 500, 501, 502, 503, 504, 529],
		},
	};
	const label = `'${URL_LABELS[urlField]}'`;
	const message = [`Unexpected response from this ${label}`, CHECK_URLS].join('. ');
	const moved = [`This ${label} redirects to another URL`, CHECK_URLS].join('. ');
	const rules = [
		...[...REDIRECTS.map((status) => [status, moved]), ...Object.entries(messages)].map(([status, text]) => ({
			type: 'responseCode',
			properties: { value: Number(status), message: text },
		})),
		{ type: 'responseSuccessBody', properties: { key: proof, value: undefined, message } },
	];
	// The type knows lists of one kind of rule only; n8n reads each rule by its own type.
	return { request, rules: rules as ICredentialTestRequest['rules'] };
}

/** A request of a node of this package, or of n8n's HTTP Request node, whose older kind of request has `uri` for `url`. */
type AnyRequest = Omit<RequestWithUse, 'credentialUse'> & { uri?: string };

/**
 * Adds a bearer key or token to a request. A request of this package goes to the URL in the same credential: n8n itself
 * reads the URL for the first item only, so that expressions would send the key of one item to the URL of another.
 * Any other request is sent to the URL in its node, if that is at one of the two URLs. Redirects are never followed.
 *
 * @param secret name of the bearer in sentences
 * @throws CredentialError that names the field, if the secret must not be sent to the URL; in a connection test also for
 *   what is visible of the other URL without a request
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
	const request = credentialUse ? withBaseUrl(given, urlIn(credentials, field)) : given;
	return {
		...request,
		// n8n would send the secret to the target of a redirect.
		disableFollowRedirect: true,
		// For the older kind of request.
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

/**
 * Rejects a URL to which a secret must not be sent.
 *
 * @throws CredentialError that names the field
 */
export function checkUrl(credentials: ICredentialDataDecryptedObject, field: UrlField, secret: string): void {
	const isHttpAllowed = credentials.allowUnencrypted === true;
	const problem = findUrlProblem(urlIn(credentials, field), URL_LABELS[field], isHttpAllowed, secret);
	if (problem) throw new CredentialError(problem.reason, problem.advice);
}

/** Checks the URLs as far as possible without a request. User name and password work without an *Automation URL*. */
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

/** The request with another base URL, whose host joins the *Allowed HTTP Request Domains* as n8n adds the first item's. */
function withBaseUrl(request: AnyRequest, baseURL: string): AnyRequest {
	const { allowedDomains } = request;
	// n8n decides about the host of the first item; version 2.20 does not add it.
	if (allowedDomains === undefined || baseURL === trimUrl(request.baseURL)) return { ...request, baseURL };
	return { ...request, baseURL, allowedDomains: `${new URL(baseURL).hostname}, ${allowedDomains}` };
}

type UrlField = CredentialUse['urlField'];

const URL_FIELDS: UrlField[] = ['baseUrl', 'automationUrl'];

const URL_LABELS = { baseUrl: 'Base URL', automationUrl: 'Automation URL' };
