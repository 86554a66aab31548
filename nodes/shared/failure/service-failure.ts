import { counted, quoted } from '../values/text';
import { parseUrl } from '../values/url';
import { isBusy, requestedWait } from './retry-after';
import type { Failure, KnownRun } from './failure';
import { isPage, readReason, type Labels } from './reason';

export interface ServiceResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	/** As parsed by n8n, or as text. */
	body: unknown;
	/** Where it was sent, to compare the target of a redirect. */
	url?: string;
	/** If the status is a success but the body is not. */
	expected?: string;
	urlLabel?: 'Automation URL' | 'Base URL';
	/** Better advice than that of the status. */
	advice?: string;
	labels?: Labels;
}

const ADVICE: Record<number, string> = {
	401: "Check 'API Key' in the credential: it may be mistyped, expired, or revoked",
	402: 'Check the plan and balance of your account',
	407: "Add a user name and a password to the URL of n8n's proxy (HTTPS_PROXY)",
	408: 'The service timed out. Try again later',
	409: 'The current state does not allow this. Check it in the web console, then try again',
	410: 'It no longer exists. Enter a different ID',
	413: 'Send less data at a time',
	414: 'Send less data at a time',
	431: 'Send less data at a time',
};

const MEANING: Record<number, string> = {
	407: 'The proxy requires a user name and a password',
	413: 'The request is too large',
	429: 'Too many requests',
	529: 'The service is overloaded',
};

export const isRedirect = (statusCode: number): boolean => statusCode >= 300 && statusCode < 400;

function waitAdvice(headers: ServiceResponse['headers']): string {
	const wait = requestedWait(headers);
	if (wait === undefined) return 'Try again in a few minutes';
	const isLong = wait > 120_000;
	return `Try again in ${counted(Math.ceil(wait / (isLong ? 60_000 : 1000)), isLong ? 'minute' : 'second')}`;
}

const FROM_PROXY = 'A proxy or firewall rejected the request, not the service. Allow the request there';

/** Cloudflare, and AWS WAF. */
export const isChallenge = (headers: ServiceResponse['headers']): boolean =>
	headers['cf-mitigated'] === 'challenge' || /^(challenge|captcha)$/i.test(String(headers['x-amzn-waf-action']));

/** nginx, Apache, Tomcat, and Go. */
const NEEDS_TLS =
	/plain HTTP (request )?to an? (HTTPS|SSL)|plain HTTP request was sent to HTTPS|HTTP request to an HTTPS|requires TLS/i;

function proxyAdvice({ statusCode, headers, body }: ServiceResponse): string | undefined {
	if (isChallenge(headers)) return 'A firewall in front of the service wants to see a browser. Allow n8n there';
	const scheme = String(headers['www-authenticate'] ?? '');
	const wantsPassword = /^(basic|digest|ntlm|negotiate)\b/i.test(scheme) && !/\bbearer\b/i.test(scheme);
	if (statusCode === 401 && (isPage(body) || wantsPassword)) {
		return 'A proxy in front of the service requires a password of its own. Allow n8n there without it';
	}
	const isOfProxy =
		Math.floor(statusCode / 100) === 4 && !(statusCode in ADVICE) && ![404, 405, 429].includes(statusCode);
	return isOfProxy && isPage(body) ? FROM_PROXY : undefined;
}

/** What may differ is the path, `www.`, and https:// instead of http://. */
const siteOf = ({ host }: URL): string => host.replace(/^www\./, '');

function redirectOf({ headers, url }: ServiceResponse): { target: URL; isSameSite: boolean } | undefined {
	const from = url === undefined ? undefined : parseUrl(url);
	const target = parseUrl(String(headers.location), from?.href);
	if (!target || headers.location === undefined) return undefined;
	const isSafe = target.protocol === 'https:' || target.protocol === from?.protocol;
	return { target, isSameSite: isSafe && from !== undefined && siteOf(from) === siteOf(target) };
}

/** Anybody's sign-in page would get the key. */
function redirectAdvice(response: ServiceResponse): string {
	const label = quoted(response.urlLabel ?? 'Base URL');
	const step = redirectOf(response)?.isSameSite
		? `Set ${label} in the credential to the new URL`
		: `Allow n8n to reach ${label} without a proxy or a sign-in page`;
	return `To protect your credential, redirects are not followed. ${step}`;
}

/** The next step, by status and headers. */
export function adviceFor(response: ServiceResponse): string {
	const { statusCode, headers, body, urlLabel = 'Base URL', advice } = response;
	if (statusCode === 400 && typeof body === 'string' && NEEDS_TLS.test(body)) {
		return `Change http:// to https:// in ${quoted(urlLabel)} of the credential`;
	}
	const ofProxy = proxyAdvice(response);
	if (ofProxy) return ofProxy;
	if (advice) return advice;
	if (isBusy(statusCode)) return waitAdvice(headers);
	if (isRedirect(statusCode)) return redirectAdvice(response);
	if (statusCode === 403) {
		return `Grant the API key the missing permission in the service's web console, and check ${quoted(urlLabel)}`;
	}
	if (ADVICE[statusCode]) return ADVICE[statusCode];
	if (statusCode >= 500) return 'The service is temporarily unavailable. Try again later';
	// Only these are about the fields (section 7).
	if (statusCode === 400 || statusCode === 422) return 'Correct the fields of this node';
	return `Check that ${quoted(urlLabel)} in the credential points to the service, and that no proxy responds instead`;
}

export function reasonFor(response: ServiceResponse): string {
	const { statusCode, headers, body, expected, labels } = response;
	if (isRedirect(statusCode)) {
		const { target, isSameSite = false } = redirectOf(response) ?? {};
		const to = target ? target.origin + (isSameSite ? target.pathname : '') : 'another URL';
		return `${isSameSite || !target ? 'The service' : 'A proxy or a sign-in page'} redirected the request to ${to}`;
	}
	const { reason, page } = readReason(body, labels);
	if (reason) return reason;
	const status = `(status ${statusCode})`;
	if (page) return `The service returned ${page} ${status}`;
	if (expected && statusCode < 300)
		return `The service returned ${String(headers['content-type'] ?? 'an unknown type')} instead of ${expected} ${status}`;
	const meaning = MEANING[statusCode];
	return meaning ? `${meaning} ${status}` : `The service returned status ${statusCode} without a reason`;
}

/** Of the body, only the reason is kept. */
export function serviceFailure(response: ServiceResponse, run?: KnownRun): Failure {
	const advice = adviceFor(response);
	const isTemporary = [408, 429].includes(response.statusCode) || response.statusCode >= 500;
	return {
		reason: reasonFor(response),
		advice,
		...(isTemporary && { adviceForAgent: advice }),
		httpCode: String(response.statusCode),
		run,
	};
}
