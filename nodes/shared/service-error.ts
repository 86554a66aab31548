import { NodeApiError, type INode } from 'n8n-workflow';

import { readReason, withoutSecrets } from './service-reason';

/** The parts of an HTTP answer that an error is made of. */
export interface ServiceAnswer {
	statusCode: number;
	headers: Record<string, unknown>;
	/** As parsed by n8n, or as text. */
	body: unknown;
	/** What should have come, for a status that means success but comes with something else. */
	expected?: string;
	/** What to do next, where the endpoint tells more about it than the status. */
	advice?: string;
}

const ADVICE: Record<number, string> = {
	400: 'Change what the service names in the fields of this node',
	401: 'Check the API key in the credential: it may be mistyped, expired or revoked',
	402: 'Check the plan and the balance of your account',
	403: 'The API key is known but may not do this. Check its permissions in the web console of the service',
	404: 'Check the ID or name in this node, and the URL in the credential',
	405: 'Check the URL in the credential: something else than the service seems to answer there',
	408: 'The service waited too long. Try again later',
	409: 'The service is in a state that does not allow this now. Look at what it says, then try again',
	410: 'What was asked for is gone and will not come back',
	413: 'Send less at a time',
	422: 'Correct the fields that the service names',
	529: 'The service is overloaded. Try again in some minutes',
};

/** How long the service asks to wait, as a sentence; from `Retry-After` or `X-RateLimit-Reset` (Unix seconds). */
function waitAdvice(headers: ServiceAnswer['headers'], now: number): string {
	const retryAfter = String(headers['retry-after'] ?? '').trim();
	const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN);
	let seconds: number | undefined;
	if (/^\d+$/.test(retryAfter)) seconds = Number(retryAfter);
	else if (retryAfter && !Number.isNaN(Date.parse(retryAfter))) seconds = (Date.parse(retryAfter) - now) / 1000;
	else if (Number.isFinite(reset)) seconds = reset - now / 1000;
	if (seconds === undefined || seconds > 1e9) return 'Too many requests at a time. Try again in some minutes';
	const wait = Math.max(0, Math.ceil(seconds));
	return `Too many requests at a time. Try again in ${wait} s, at ${new Date(now + wait * 1000).toISOString()} or later`;
}

/** What to do next, as the status and the headers of an answer tell. */
export function adviceFor({ statusCode, headers }: ServiceAnswer, now = Date.now()): string {
	if (statusCode === 429) return waitAdvice(headers, now);
	if (statusCode >= 300 && statusCode < 400) {
		return 'The URL in the credential leads to another address, which is not followed, so that nothing secret reaches anybody else. Enter the final address';
	}
	if (ADVICE[statusCode]) return ADVICE[statusCode];
	if (statusCode >= 500) return 'The service, or a proxy before it, is not able to answer now. Try again later';
	if (statusCode >= 400) return 'Check the fields of this node and the credential';
	return 'Check the URL in the credential: something else than the service seems to answer there';
}

/** What the service said, as one sentence: its own reason, or what came instead of one. */
export function sentenceFor({ statusCode, headers, body, expected }: ServiceAnswer): string {
	const { reason, page } = readReason(body);
	if (reason) return reason;
	const answer = `The service answered with status ${statusCode}`;
	if (page) return `${answer} and ${page}`;
	if (expected && statusCode < 300)
		return `${answer} and ${String(headers['content-type'] ?? 'no content type')} instead of ${expected}`;
	return `${answer} and gave no reason`;
}

/** Where an error belongs, and what must not be in it. */
export interface ErrorPlace {
	node: INode;
	itemIndex: number;
	/** Values that must not appear in the error, wherever a server has echoed them. */
	secrets: unknown[];
	/** Milliseconds since 1970, to tell when to try again. */
	now?: number;
}

/**
 * Makes a node error of an answer that is not what was asked for. The server's own reason is the `message` (all that an
 * AI agent sees) and the beginning of the `description` (all that a chat sees), which goes on with what to do next.
 * Nothing else of the body goes into the error.
 */
export function serviceError(
	answer: ServiceAnswer,
	{ node, itemIndex, secrets, now = Date.now() }: ErrorPlace,
): NodeApiError {
	const reason = withoutSecrets(sentenceFor(answer), secrets);
	const advice = answer.advice ?? adviceFor(answer, now);
	return apiError(node, reason, advice, { itemIndex, httpCode: String(answer.statusCode) });
}

/** A node error that says why, in these words, and what to do next. */
export function apiError(
	node: INode,
	reason: string,
	advice: string,
	options: { itemIndex: number; httpCode?: string },
): NodeApiError {
	const texts = { message: reason, description: describe(reason, advice) };
	const error = new NodeApiError(node, { message: reason }, { ...texts, ...options });
	// n8n replaces a message that contains a code it knows, such as ECONNRESET; the server's words must stay.
	error.message = reason;
	return error;
}

/** The text of an error's description: the reason, then what to do next. */
export function describe(reason: string, advice: string): string {
	// A pattern for the dots and blanks at the end takes time that grows with the square of their number.
	let end = reason.length;
	while (end > 0 && /[.\s]/.test(reason[end - 1])) end--;
	return `${reason.slice(0, end)}. ${advice}`;
}
