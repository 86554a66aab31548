// Makes a response's failure: the service's words as its reason, and advice by status.

import { counted, quoted } from '../../values/text';
import { parseUrl } from '../../values/url';
import type { Failure, KnownRun, Problem } from '../failure';
import { unreadableBody, isPage, readReason, type Labels } from './reason';
import { isBusy, isChallenge, isUsedUp, requestedWait } from './retry-after';

export interface ReceivedResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	/** JSON as parsed, or text. */
	body: unknown;
	/** Why the body is not whole. */
	cut?: Problem;
}

/** A response to explain, with the known data of its request. */
export interface ServiceResponse extends ReceivedResponse {
	/** The credential's URL, with which a redirect's target is compared. */
	url?: string;
	/** The request's path below that URL. */
	path?: string;
	/** Hides only what a person typed, such as a cookie's value. */
	hideTyped?(text: string): string;
	/** What a success with another body should have contained. */
	expected?: string;
	urlLabel?: 'Automation URL' | 'Base URL';
	/** Replaces the status's advice. */
	advice?: string;
	labels?: Labels;
}

const CHECK_PLAN = 'Check the plan and balance of your account';
const LESS_DATA = 'Send less data at a time';

const ADVICE: Record<number, string> = {
	401: "Check 'API Key' in the credential: it may be mistyped, expired, or revoked",
	402: CHECK_PLAN,
	407: "Check the user name and the password in the URL of n8n's proxy (HTTPS_PROXY): they are missing or were rejected",
	409: "Check the current state in the service's web console, then try again",
	413: LESS_DATA,
	414: LESS_DATA,
	431: LESS_DATA,
};

export const isRedirect = (statusCode: number): boolean => statusCode >= 300 && statusCode < 400;

const isTemporary = (statusCode: number): boolean => statusCode === 408 || statusCode >= 500;

function waitAdvice({ headers }: ServiceResponse): string {
	const wait = requestedWait(headers);
	if (wait === undefined) return 'Try again in a few minutes';
	const isLong = wait > 120_000;
	return `Try again in ${counted(Math.ceil(wait / (isLong ? 60_000 : 1000)), isLong ? 'minute' : 'second')}`;
}

/** Its words may be about a permission or a limit, and a 403 without JSON may be a firewall's (openagents#4721). */
function forbiddenAdvice({ body, urlLabel = 'Base URL', advice }: ServiceResponse): string {
	const check =
		advice ?? `Check the API key's permissions and limits in the service's web console, and ${quoted(urlLabel)}`;
	const isJson = typeof body === 'object' && body !== null;
	return isJson ? check : `${check}, and whether a firewall in front of the service blocks n8n`;
}

/** Only the service itself responds in JSON. Web servers have pages for these statuses, too. */
const isOfProxy = ({ statusCode, body }: ServiceResponse): boolean =>
	statusCode >= 400 && statusCode < 500 && ![402, 404, 405, 407, 410, 429].includes(statusCode) && isPage(body);

/** The first rule that fits. */
export function adviceFor(response: ServiceResponse): string {
	const { statusCode, headers, urlLabel = 'Base URL', advice } = response;
	if (isChallenge(headers)) return 'A firewall in front of the service wants to see a browser: allow n8n there';
	if (isBusy(response)) return waitAdvice(response);
	if (isUsedUp(response)) return CHECK_PLAN;
	if (isOfProxy(response)) return 'A proxy or firewall rejected the request, not the service: allow the request there';
	if (statusCode === 403) return forbiddenAdvice(response);
	if (advice) return advice;
	if (isRedirect(statusCode))
		return `Check ${quoted(urlLabel)} in the credential: redirects are not followed, to protect the key`;
	if (ADVICE[statusCode]) return ADVICE[statusCode];
	if (isTemporary(statusCode)) return 'The service is temporarily unavailable. Try again later';
	// Only these statuses are about fields (contract 7).
	if (statusCode === 400 || statusCode === 422) return 'Correct the fields of this node';
	return `Check that ${quoted(urlLabel)} in the credential points to the service, and that no proxy responds instead`;
}

/** The target may contain a secret, such as a sign-in's state, so only its origin and a path of the same host are shown. */
function redirectReason({ headers, url = '', path = '' }: ServiceResponse): string {
	const from = parseUrl(url);
	const target = headers.location === undefined ? undefined : parseUrl(String(headers.location), from && url + path);
	if (!target) return 'The request was redirected to another URL';
	return `The request was redirected to ${target.origin}${target.host === from?.host ? target.pathname : ''}`;
}

export function reasonFor(response: ServiceResponse): string {
	const { statusCode, headers, body, cut, expected, labels, hideTyped } = response;
	if (isRedirect(statusCode)) return redirectReason(response);
	const unreadable = unreadableBody(body, headers);
	if (unreadable) return `The service sent an unreadable response: ${unreadable} (status ${statusCode})`;
	const { reason, page } = readReason(body, labels);
	if (cut && !page) return `${cut.reason}. Its status was ${statusCode}`;
	if (reason && /[\p{L}\p{N}]/u.test(reason)) return hideTyped?.(reason) ?? reason;
	const what =
		expected && statusCode < 300
			? `${String(headers['content-type'] ?? 'an unknown type')} instead of ${expected}`
			: '';
	const returned = page ?? what;
	return returned
		? `The service returned ${hideTyped?.(returned) ?? returned} (status ${statusCode})`
		: `The service returned status ${statusCode} without a reason`;
}

/** `startFailure` judges the effect of a start. */
export function serviceFailure(response: ServiceResponse, run?: KnownRun): Failure {
	const advice = adviceFor(response);
	const { statusCode } = response;
	return {
		reason: reasonFor(response),
		advice,
		adviceForAgent: isBusy(response) || isTemporary(statusCode) ? advice : undefined,
		httpCode: String(statusCode),
		effect: 'none',
		run,
	};
}
