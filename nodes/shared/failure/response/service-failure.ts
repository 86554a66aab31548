// Makes a response's failure: the service's words as its reason, and advice by status.

import { counted, quoted } from '../../values/text';
import { unreadableBody } from './compressed';
import { isBusy, isChallenge, isUsedUp, requestedWait } from './retry-after';
import type { Failure, KnownRun } from '../failure';
import { isPage, readReason } from './reason';
import type { ServiceResponse } from './response';
import { redirectAdvice, redirectReason } from './redirect';
import { withoutRepetition } from './repeated';

const ADVICE: Record<number, string> = {
	401: "Check 'API Key' in the credential: it may be mistyped, expired, or revoked",
	402: 'Check the plan and balance of your account',
	407: "Check the user name and the password in the URL of n8n's proxy (HTTPS_PROXY): they are missing or were rejected",
	408: 'The service timed out. Try again later',
	409: 'The current state does not allow this. Check it in the web console, then try again',
	413: 'Send less data at a time',
	414: 'Send less data at a time',
	431: 'Send less data at a time',
	// The network itself responded, and forwarded nothing (RFC 6585, section 6).
	511: "The network requires a sign-in. Sign in there, or allow n8n's machine without it",
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

/** n8n's client sends passwords in this scheme only (npm/cli#2888). */
const NEEDS_BASIC =
	"n8n can sign in to a proxy only by 'Basic', which this proxy does not offer. Allow n8n there without a password";

const FROM_PROXY = 'A proxy or firewall rejected the request, not the service. Allow the request there';

/** The texts are those of nginx, Apache, Tomcat and Go. */
const NEEDS_TLS =
	/plain HTTP (request )?to an? (HTTPS|SSL)|plain HTTP request was sent to HTTPS|HTTP request to an HTTPS|requires TLS/i;

function proxyAdvice({ statusCode, headers, body }: ServiceResponse): string | undefined {
	if (isChallenge(headers)) return 'A firewall in front of the service wants to see a browser. Allow n8n there';
	const scheme = String(headers[statusCode === 407 ? 'proxy-authenticate' : 'www-authenticate'] ?? '');
	const wantsPassword = /^(basic|digest|ntlm|negotiate)\b/i.test(scheme) && !/\bbearer\b/i.test(scheme);
	if (statusCode === 407 && scheme !== '' && !/\bbasic\b/i.test(scheme)) return NEEDS_BASIC;
	if (statusCode === 401 && (isPage(body) || wantsPassword)) {
		return 'A proxy in front of the service requires a password of its own. Allow n8n there without it';
	}
	const isOfProxy =
		Math.floor(statusCode / 100) === 4 && !(statusCode in ADVICE) && ![404, 405, 410, 429].includes(statusCode);
	return isOfProxy && isPage(body) ? FROM_PROXY : undefined;
}

/** A 403 without JSON may be a firewall's (openagents#4721). */
function forbiddenAdvice({ body, urlLabel = 'Base URL', advice }: ServiceResponse): string {
	const grant =
		advice ?? `Grant the API key the missing permission in the service's web console, and check ${quoted(urlLabel)}`;
	const isJson = typeof body === 'object' && body !== null;
	return isJson ? grant : `${grant}. If a firewall in front of the service rejected the request, allow n8n there`;
}

export function adviceFor(response: ServiceResponse): string {
	const { statusCode, headers, body, urlLabel = 'Base URL', advice } = response;
	if (statusCode === 400 && typeof body === 'string' && NEEDS_TLS.test(body)) {
		return `Change http:// to https:// in ${quoted(urlLabel)} of the credential`;
	}
	if (isBusy(response)) return waitAdvice(headers);
	if (isUsedUp(response)) return ADVICE[402]!;
	const ofProxy = proxyAdvice(response);
	if (ofProxy) return ofProxy;
	if (statusCode === 403) return forbiddenAdvice(response);
	if (advice) return advice;
	if (isRedirect(statusCode)) return redirectAdvice(response);
	if (statusCode === 410) return `This URL no longer exists. Check ${quoted(urlLabel)} in the credential`;
	if (ADVICE[statusCode]) return ADVICE[statusCode];
	if (statusCode >= 500) return 'The service is temporarily unavailable. Try again later';
	// Only these statuses are about fields (contract 7).
	if (statusCode === 400 || statusCode === 422) return 'Correct the fields of this node';
	return `Check that ${quoted(urlLabel)} in the credential points to the service, and that no proxy responds instead`;
}

export function reasonFor(response: ServiceResponse): string {
	const { statusCode, headers, body, expected, labels, mask, sent } = response;
	if (isRedirect(statusCode)) return redirectReason(response);
	const unreadable = unreadableBody(body, headers);
	if (unreadable) return `The service sent an unreadable response: ${unreadable} (status ${statusCode})`;
	const { reason, page } = readReason(body, labels);
	const cleaned = (text: string) => withoutRepetition(mask?.(text) ?? text, sent);
	const words = reason && cleaned(reason);
	if (words && /[\p{L}\p{N}]/u.test(words)) return words;
	const status = `(status ${statusCode})`;
	if (page) return `The service returned ${cleaned(page)} ${status}`;
	if (expected && statusCode < 300)
		return `The service returned ${String(headers['content-type'] ?? 'an unknown type')} instead of ${expected} ${status}`;
	const meaning = MEANING[statusCode === 403 && isBusy(response) ? 429 : statusCode];
	return meaning ? `${meaning} ${status}` : `The service returned status ${statusCode} without a reason`;
}

export function serviceFailure(response: ServiceResponse, run?: KnownRun): Failure {
	const advice = adviceFor(response);
	const { mask, statusCode } = response;
	const reason = reasonFor(response);
	const isTemporary = isBusy(response) || statusCode === 408 || statusCode >= 500;
	return {
		// A page's title may repeat a secret, too.
		reason: mask?.(reason) ?? reason,
		advice,
		adviceForAgent: isTemporary ? advice : undefined,
		httpCode: String(statusCode),
		run,
	};
}
