// Reads whether a service is busy, and its requested wait (Retry-After, RFC 9110, section 10.2.3).

const SHORTEST_PAUSE_MS = 1000;

/** A longer wait is ignored. */
const LONGEST_WAIT_MS = 1e12;

type Headers = Record<string, unknown>;

/** The sender's clock counts, if its response shows it. `Date.parse` alone takes "-5" for a date. */
function waitIn(headers: Headers): number {
	const wait = String(headers['retry-after']).trim();
	if (/^\d+(\.\d+)?$/.test(wait)) return Number(wait) * 1000;
	return /\d:\d\d/.test(wait) ? Date.parse(wait) - (Date.parse(String(headers.date)) || Date.now()) : Number.NaN;
}

/** Milliseconds, or undefined if the service requested no readable wait. */
export function requestedWait(headers: Headers = {}): number | undefined {
	const wait = waitIn(headers);
	return wait <= LONGEST_WAIT_MS ? Math.max(wait, SHORTEST_PAUSE_MS) : undefined;
}

/** Firewalls have own headers for a challenge: `cf-mitigated`, `x-vercel-mitigated`, `x-amzn-waf-action`. */
export const isChallenge = (headers: Headers): boolean =>
	Object.values(headers).some((value) => /^(challenge|captcha)$/i.test(String(value)));

interface Rejection {
	statusCode: number;
	headers: Headers;
	body?: unknown;
}

/** Codes have no blanks, prose has. The lookahead keeps the time linear. */
const USED_UP = /"(?=[\w.-]+"(?!:))[\w.-]*(?:insufficient_?(?:fund|quota|token)|balance|billing|credit|payment)/i;

/** True if waiting cannot help: the plan is used up, or retries are forbidden (gemini-cli#10925). */
export const isUsedUp = ({ statusCode, headers, body }: Rejection): boolean =>
	[403, 429, 529].includes(statusCode) &&
	(String(headers['x-should-retry']).toLowerCase() === 'false' || USED_UP.test(JSON.stringify(body) ?? ''));

/**
 * A 403 that names a wait is a rate limit (python-api-core#679). A 503 is not busy: a proxy may send it after the service has
 * accepted a request.
 */
export function isBusy(rejection: Rejection): boolean {
	const { statusCode, headers } = rejection;
	if (isChallenge(headers) || isUsedUp(rejection)) return false;
	return statusCode === 429 || statusCode === 529 || (statusCode === 403 && waitIn(headers) >= 0);
}
