// Reads whether a service is busy and its requested wait (Retry-After, RFC 9110, section 10.2.3; RateLimit-Reset).

import { isObject } from '../../values/nested';

const SHORTEST_PAUSE_MS = 1000;

/** From here on, a reset is a Unix time in seconds, and a wait is ignored. */
const UNREADABLE_SECONDS = 1e9;

const parseDecimal = (text: unknown): number => (/^\s*\d+(\.\d+)?\s*$/.test(String(text)) ? Number(text) : Number.NaN);

/** Dates are UTC (RFC 9110, section 5.6.7). `Date.parse` alone takes "-5" for a date. */
function parseDate(date: unknown): number {
	const text = String(date).trim();
	if (!/\d:\d\d/.test(text)) return Number.NaN;
	return Date.parse(/(?:Z|GMT|UTC|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`) || Date.parse(`${text} GMT`);
}

/** The sender's clock counts, if its response shows it. */
const untilDate = (text: unknown, sentAt: number): number => parseDate(text) - (sentAt || Date.now());

/** Most services send seconds from now, others seconds since 1970. */
const untilReset = (seconds: number, sentAt: number): number =>
	seconds < UNREADABLE_SECONDS ? seconds * 1000 : seconds * 1000 - (sentAt || Date.now());

const isReadable = (milliseconds: number): boolean => milliseconds <= UNREADABLE_SECONDS * 1000;

type Headers = Record<string, unknown>;

function retryAfterIn(headers: Headers): number | undefined {
	const retryAfter = headers['retry-after'];
	const waits = [parseDecimal(retryAfter) * 1000, untilDate(retryAfter, parseDate(headers.date))];
	return waits.find(isReadable);
}

function resetIn(headers: Headers): number | undefined {
	const sentAt = parseDate(headers.date);
	const resets = ['ratelimit-reset', 'x-ratelimit-reset'];
	return resets.map((name) => untilReset(parseDecimal(headers[name]), sentAt)).find(isReadable);
}

/** Milliseconds, or undefined if the service requested no readable wait. */
export function requestedWait(headers: Headers = {}): number | undefined {
	const wait = retryAfterIn(headers) ?? resetIn(headers);
	return wait === undefined ? undefined : Math.max(wait, SHORTEST_PAUSE_MS);
}

/** Firewalls have own headers for a challenge: `cf-mitigated`, `x-vercel-mitigated`, `x-amzn-waf-action`. */
export const isChallenge = (headers: Headers): boolean =>
	Object.values(headers).some((value) => /^(challenge|captcha)$/i.test(String(value)));

interface Rejection {
	statusCode: number;
	headers: Headers;
	body?: unknown;
}

const CODE_FIELDS = ['code', 'type', 'error', 'status', 'reason'];

/** APIs nest codes, such as `{ error: { errors: [{ code }] } }`. */
const CODE_DEPTH = 4;

function codesIn(body: unknown, depth = CODE_DEPTH): string[] {
	if (depth === 0) return [];
	if (Array.isArray(body)) return body.slice(0, 10).flatMap((entry) => codesIn(entry, depth - 1));
	if (!isObject(body)) return [];
	const codes = CODE_FIELDS.map((name) => body[name]).filter((value) => typeof value === 'string');
	const inner = [body.error, body.errors, body.detail, body.details];
	// Codes have no blanks, prose has.
	return [...codes.filter((code) => !/\s/.test(code)), ...inner.flatMap((value) => codesIn(value, depth - 1))];
}

const USED_UP = /insufficient_?(?:fund|quota|token)|balance|billing|credit|payment/i;

const forbidsRetry = (headers: Headers): boolean => String(headers['x-should-retry']).toLowerCase() === 'false';

/** True if waiting cannot help: the plan is used up, or retries are forbidden (gemini-cli#10925). */
export function isUsedUp({ statusCode, headers, body }: Rejection): boolean {
	if (statusCode !== 429 && !(statusCode === 403 && namesWait(headers))) return false;
	if (forbidsRetry(headers)) return true;
	const codes = codesIn(body);
	// Some services call one minute's requests a quota, and then name a wait.
	const isQuota = codes.some((code) => /quota/i.test(code)) && requestedWait(headers) === undefined;
	return isQuota || codes.some((code) => USED_UP.test(code));
}

/** A 403 that names a wait is a rate limit (python-api-core#679). */
function namesWait(headers: Headers): boolean {
	if ((retryAfterIn(headers) ?? -1) >= 0) return true;
	const remaining = ['x-ratelimit-remaining', 'ratelimit-remaining'].map((name) => parseDecimal(headers[name]));
	return remaining.includes(0) && (resetIn(headers) ?? 0) > 0;
}

/** A 503 is not busy: a proxy may send it after the service has accepted a request. */
export function isBusy(rejection: Rejection): boolean {
	const { statusCode, headers } = rejection;
	if (isChallenge(headers) || isUsedUp(rejection) || forbidsRetry(headers)) return false;
	return statusCode === 429 || statusCode === 529 || (statusCode === 403 && namesWait(headers));
}
