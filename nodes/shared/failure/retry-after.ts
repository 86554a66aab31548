// Reads how long a busy service asks its clients to wait: the headers Retry-After (RFC 9110, section 10.2.3) and RateLimit-Reset.

const SHORTEST_PAUSE_MS = 1000;

/** Larger values must be in another unit. */
const UNREADABLE_SECONDS = 1e9;

const parseDecimal = (text: unknown): number => (/^\s*\d+(\.\d+)?\s*$/.test(String(text)) ? Number(text) : Number.NaN);

/** Milliseconds of a date with a time, in UTC (RFC 9110, section 5.6.7): `Date.parse` takes "-5" for a date, too. */
function parseDate(date: unknown): number {
	const text = String(date).trim();
	if (!/\d:\d\d/.test(text)) return Number.NaN;
	return Date.parse(/(?:Z|GMT|UTC|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`) || Date.parse(`${text} GMT`);
}

/** By the clock of the sender, if it is known. */
const untilDate = (text: unknown, sentAt: number): number => parseDate(text) - (sentAt || Date.now());

/** Seconds since 1970 or, as most services send it, seconds from now. */
const untilReset = (seconds: number, sentAt: number): number =>
	seconds < UNREADABLE_SECONDS ? seconds * 1000 : seconds * 1000 - (sentAt || Date.now());

/** Milliseconds; undefined if no wait was requested that can be read. */
export function requestedWait(headers: Record<string, unknown> = {}): number | undefined {
	const retryAfter = headers['retry-after'];
	const sentAt = parseDate(headers.date);
	const waits = [
		parseDecimal(retryAfter) * 1000,
		untilDate(retryAfter, sentAt),
		...['ratelimit-reset', 'x-ratelimit-reset'].map((name) => untilReset(parseDecimal(headers[name]), sentAt)),
	];
	const wait = waits.find((milliseconds) => milliseconds <= UNREADABLE_SECONDS * 1000);
	return wait === undefined ? undefined : Math.max(wait, SHORTEST_PAUSE_MS);
}

/** Not 503: proxies send it, with any content, after the service has accepted the request. */
export const isBusy = (statusCode: number): boolean => statusCode === 429 || statusCode === 529;
