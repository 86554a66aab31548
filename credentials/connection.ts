// Both credentials share this: URL fields, connection test, and adding the key or token.

import type { ICredentialDataDecryptedObject, ICredentialTestRequest, INodeProperties } from 'n8n-workflow';

import { CredentialError } from '../nodes/shared/failure/credential-error';
import { urlIn, type CredentialUse, type RequestWithUse } from '../nodes/shared/http/credential';
import { switchField, textField } from '../nodes/shared/form/fields';
import { findUrlProblem } from '../nodes/shared/http/url-problem';
import { parseUrl, REDIRECTS } from '../nodes/shared/values/url';
import { isAmbiguousPath, isBelow, optionInTheWay, targetsOf, type AnyRequest } from './destination';

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
		hint: `Over http://, others on the network can read ${secret}. Turn this on only in a network that you trust.`,
	}),
];

export const CHECK_URLS = 'Check the URL. The two URLs may be swapped';

const PROXY = 'A proxy or a sign-in page may be in front of it';

const SUCCESSES = [200, 201, 202, 203, 204, 205, 206, 207, 208, 226];
const FINAL_STATUSES = Array.from({ length: 400 }, (_, index) => 200 + index);

/**
 * The test's request is always rejected. Only the contract's status with the service's body proves the key; any other
 * response shows the first matching rule's message.
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
		// n8n makes an error of every status in this list, even of a success.
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

/**
 * Nothing else adds a key or token to a request. This package's requests get the URL from their item's credential, because
 * n8n reads the first item's; others must lead below one of the two URLs.
 *
 * @throws CredentialError
 */
export function addBearer(
	credentials: ICredentialDataDecryptedObject,
	{ credentialUse, ...given }: AnyRequest & Pick<RequestWithUse, 'credentialUse'>,
	bearer: string,
	secret: string,
): AnyRequest {
	if (credentialUse?.isTest) checkBothUrls(credentials, secret);
	const { urlField } = credentialUse ?? {};
	if (urlField) checkUrl(credentials, urlField, secret);
	const request = urlField ? { ...given, baseURL: urlIn(credentials, urlField) } : given;
	checkDestination(request, credentials, urlField ? [urlField] : URL_FIELDS, secret);
	return {
		...request,
		// n8n would send the secret to the target of a redirect.
		disableFollowRedirect: true,
		maxRedirects: 0,
		headers: { ...request.headers, Authorization: `Bearer ${bearer}` },
	};
}

function checkDestination(
	request: AnyRequest,
	credentials: ICredentialDataDecryptedObject,
	fields: UrlField[],
	secret: string,
): void {
	const refusal = `This credential does not send ${secret}`;
	const isOwn = fields.length === 1;
	for (const target of targetsOf(request)) {
		const field = target && fields.find((candidate) => isBelowUrlIn(credentials, candidate, target));
		if (target && field && !isAmbiguousPath(target, isOwn)) checkUrl(credentials, field, secret);
		else throw new CredentialError(...refusedTarget(refusal, target, field));
	}
	const option = optionInTheWay(request);
	if (option === undefined) return;
	throw new CredentialError(`${refusal} in a request with ${option}`, 'Remove this option from the node');
}

function isBelowUrlIn(credentials: ICredentialDataDecryptedObject, field: UrlField, target: URL): boolean {
	const base = parseUrl(urlIn(credentials, field));
	return base !== undefined && isBelow(target, base);
}

function refusedTarget(
	refusal: string,
	target: URL | undefined,
	field: UrlField | undefined,
): [reason: string, advice: string] {
	if (field) {
		const reason = `${refusal} to a path with an encoded slash, backslash or dot`;
		return [reason, 'Remove the slash, backslash or dots from the value in the path'];
	}
	return [
		`${refusal} to ${target?.origin ?? 'this URL'}, which is neither at 'Base URL' nor at 'Automation URL'`,
		'Correct the URL in this node, or use another credential',
	];
}

export function checkUrl(credentials: ICredentialDataDecryptedObject, field: UrlField, secret: string): void {
	const isHttpAllowed = credentials.allowUnencrypted === true;
	const problem = findUrlProblem(urlIn(credentials, field), URL_LABELS[field], isHttpAllowed, secret);
	if (problem) throw new CredentialError(problem.reason, problem.advice);
}

/** Credentials with user name and password work without an *Automation URL*. */
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
