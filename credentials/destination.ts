// Adds a key or a token to a request of any node, if it may carry it. What n8n shows of a request to whoever may use the
// credential, such as its headers in an error item of HTTP Request, is not defended against here: no package can.

import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { CredentialError } from '../nodes/shared/failure/failure';
import {
	checkUrl,
	TOKEN_USE,
	trimUrl,
	urlIn,
	urlsIn,
	type RequestWithUse,
	type UrlField,
} from '../nodes/shared/http/credential';
import { isAmbiguousPath, parseUrl } from '../nodes/shared/values/url';

/** The HTTP Request node makes these, too. Its older version has `uri` for `url`. */
type AnyRequest = IHttpRequestOptions & { uri?: string };

/**
 * Nothing else adds a key or token to a request. This package's requests get the URL from their item's credential, because
 * n8n reads the first item's; others must lead below one of the two URLs.
 *
 * @throws CredentialError
 */
export function addBearer(
	credentials: ICredentialDataDecryptedObject,
	{ credentialUse, ...given }: AnyRequest & RequestWithUse,
	bearer: string,
	secret: string,
): AnyRequest {
	const { urlField, isTest } = credentialUse ?? {};
	delete given[TOKEN_USE];
	if (isTest) checkBothUrls(credentials, secret);
	const request = urlField ? { ...given, baseURL: urlIn(credentials, urlField) } : given;
	checkDestination(request, credentials, urlField, secret);
	return {
		...request,
		// n8n would send the secret to the target of a redirect.
		disableFollowRedirect: true,
		maxRedirects: 0,
		headers: { ...request.headers, Authorization: `Bearer ${bearer}` },
	};
}

/** Credentials with user name and password work without an *Automation URL*. */
function checkBothUrls(credentials: ICredentialDataDecryptedObject, secret: string): void {
	checkUrl(credentials, 'baseUrl', secret);
	const [base, automation] = urlsIn(credentials);
	if (automation !== '') checkUrl(credentials, 'automationUrl', secret);
	if (base !== automation) return;
	throw new CredentialError(
		"'Base URL' and 'Automation URL' are the same",
		'They must be different. Correct one of them',
	);
}

/** n8n's client joins texts: `https://h/v1` and `/x` become `https://h/v1/x`. Undefined if it may call another URL. */
function targetOf({ baseURL, url, uri }: AnyRequest): URL | undefined {
	// The pagination of HTTP Request sets both.
	const [given = '', ...others] = new Set([url as string | undefined, uri].filter((one) => one !== undefined));
	if (others.length > 0) return undefined;
	if (!baseURL) return parseUrl(given);
	return /^(?:\/[^/\\]|$)/.test(given) ? parseUrl(trimUrl(baseURL) + given) : undefined;
}

const segmentsOf = ({ pathname }: URL) => pathname.replace(/\/$/, '').split('/');

function isBelow(target: URL, url: string): boolean {
	const base = parseUrl(url);
	if (base?.origin !== target.origin) return false;
	const segments = segmentsOf(target);
	return segmentsOf(base).every((segment, index) => segments[index] === segment);
}

/** Labels an option by which somebody else than the service could read the key. */
function optionInTheWay(request: AnyRequest, { protocol }: URL): string | undefined {
	const { agentOptions, proxy, rejectUnauthorized, skipSslCertificateValidation, ca } = request as AnyRequest &
		Record<string, unknown>;
	const ofAgent = Object(agentOptions) as Record<string, unknown>;
	const isUnchecked = [rejectUnauthorized, ofAgent.rejectUnauthorized].includes(false);
	if (isUnchecked || skipSslCertificateValidation === true) return "'Ignore SSL Issues'";
	if (ca ?? ofAgent.ca) return "a certificate authority of its own under 'SSL Certificates'";
	return proxy && protocol === 'http:' ? "'Proxy' with an http:// URL" : undefined;
}

/**
 * A request must lead below one of the credential's two URLs, and one of this package below its own.
 *
 * @param secret what would be sent there, for the message
 * @throws CredentialError
 */
function checkDestination(
	request: AnyRequest,
	credentials: ICredentialDataDecryptedObject,
	packageField: UrlField | undefined,
	secret: string,
): void {
	const refused = (reason: string, advice: string) =>
		new CredentialError(`This credential does not send ${secret} ${reason}`, advice);
	if (packageField) checkUrl(credentials, packageField, secret);
	const fields: UrlField[] = packageField ? [packageField] : ['baseUrl', 'automationUrl'];
	const target = targetOf(request);
	const field = target && fields.find((one) => isBelow(target, urlIn(credentials, one)));
	if (!field) {
		const where = `to ${target?.origin ?? 'this URL'}, which is neither at 'Base URL' nor at 'Automation URL'`;
		throw refused(where, 'Correct the URL in this node, or use another credential');
	}
	if (isAmbiguousPath(target.pathname, packageField !== undefined)) {
		const advice = 'Remove the slash, backslash or dots from the value in the path';
		throw refused('to a path with an encoded slash, backslash or dot', advice);
	}
	if (!packageField) checkUrl(credentials, field, secret);
	const option = optionInTheWay(request, target);
	if (option !== undefined) throw refused(`in a request with ${option}`, 'Remove this option from the node');
}
