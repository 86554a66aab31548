import { sleep } from 'n8n-workflow';

/** The longest sleep, because none can be cut short: a stop is noticed when it ends. */
const PIECE_MS = 50;

const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 60_000;
const SHORTEST_PAUSE_MS = 1000;

/** Longer than anyone waits, in seconds: such a number is a time in another unit. */
const UNREADABLE_SECONDS = 1e9;

const numberIn = (text: unknown): number => (/^\s*\d+(\.\d+)?\s*$/.test(String(text)) ? Number(text) : Number.NaN);

/** Milliseconds until a date with a time; `Date.parse` alone also takes "-5" for a date. */
const untilDate = (text: unknown): number =>
	/\d:\d\d/.test(String(text)) ? Date.parse(String(text)) - Date.now() : Number.NaN;

/**
 * How long a response asks to wait, in milliseconds: by `Retry-After` (seconds or a date), else by `X-RateLimit-Reset` (Unix
 * seconds). What cannot be read counts as absent.
 *
 * @returns at least one second; undefined if the response does not say
 */
export function requestedWait(headers: Record<string, unknown>): number | undefined {
	const retryAfter = headers['retry-after'];
	const waits = [
		numberIn(retryAfter) * 1000,
		untilDate(retryAfter),
		numberIn(headers['x-ratelimit-reset']) * 1000 - Date.now(),
	];
	const wait = waits.find((one) => one <= UNREADABLE_SECONDS * 1000);
	return wait === undefined ? undefined : Math.max(wait, SHORTEST_PAUSE_MS);
}

/** What ends a wait early. */
export type Stop = Pick<AbortSignal, 'aborted'>;

/** Waits until a time of `performance.now`, which may be put off meanwhile. When this returns after a stop, no timer is left. */
export async function waitUntil(time: () => number, stop?: Stop): Promise<void> {
	for (;;) {
		const left = time() - performance.now();
		if (left <= 0 || stop?.aborted) return;
		await sleep(Math.min(left, PIECE_MS));
	}
}

/** What all requests of a node know of a service that is busy: until when none is sent, and when the waiting ends. */
export class BusyService {
	private deadline = Infinity;

	private quietUntil = 0;

	private nextPause = FIRST_PAUSE_MS;

	/** @param patience milliseconds to wait in all, from the first refusal on */
	constructor(private readonly patience: number) {}

	/**
	 * Notes that the service has refused a request because it is busy.
	 *
	 * @returns milliseconds until the next attempt; undefined if that would be too late, and the refusal stands
	 */
	refuse(headers: Record<string, unknown>): number | undefined {
		const now = performance.now();
		if (this.deadline === Infinity) this.deadline = now + this.patience;
		const requested = requestedWait(headers);
		const left = this.deadline - now;
		if (left <= 0 || (requested ?? 0) > left) return undefined;
		if (requested !== undefined) this.quietUntil = Math.max(this.quietUntil, now + requested);
		else if (this.quietUntil <= now) {
			// Requests that were under way together are refused together: they make one pause longer, not each the next.
			this.quietUntil = now + Math.min(this.nextPause, left);
			this.nextPause = Math.min(this.nextPause * 2, LONGEST_PAUSE_MS);
		}
		return Math.round(this.quietUntil - now);
	}

	/** Waits until a request may be sent; at once if the service has refused none. */
	async wait(stop?: Stop): Promise<void> {
		await waitUntil(() => this.quietUntil, stop);
	}
}
