import { sleep } from 'n8n-workflow';

/** Maximum milliseconds of a sleep, which cannot be interrupted: a stop is detected when it ends. */
const PIECE_MS = 50;

const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 60_000;
const SHORTEST_PAUSE_MS = 1000;

/** Upper bound in seconds: larger values must be in another unit. */
const UNREADABLE_SECONDS = 1e9;

const parseDecimal = (text: unknown): number => (/^\s*\d+(\.\d+)?\s*$/.test(String(text)) ? Number(text) : Number.NaN);

/** Milliseconds until a date with a time; `Date.parse` alone also takes "-5" for a date. */
const untilDate = (text: unknown): number =>
	/\d:\d\d/.test(String(text)) ? Date.parse(String(text)) - Date.now() : Number.NaN;

/** Seconds since 1970 or, as most services send it, seconds from now. */
const untilReset = (seconds: number): number =>
	seconds < UNREADABLE_SECONDS ? seconds * 1000 : seconds * 1000 - Date.now();

/**
 * The wait that a response requests: by `Retry-After` (seconds or a date), else by `X-RateLimit-Reset`. A value that cannot be read
 * counts as absent.
 *
 * @returns milliseconds, at least one second; undefined if the response requests none
 */
export function requestedWait(headers: Record<string, unknown>): number | undefined {
	const retryAfter = headers['retry-after'];
	const waits = [
		parseDecimal(retryAfter) * 1000,
		untilDate(retryAfter),
		untilReset(parseDecimal(headers['x-ratelimit-reset'])),
	];
	const wait = waits.find((milliseconds) => milliseconds <= UNREADABLE_SECONDS * 1000);
	return wait === undefined ? undefined : Math.max(wait, SHORTEST_PAUSE_MS);
}

/** Waits until a time of `performance.now`, which may be postponed meanwhile. If `isOver` ends the wait early, no timer is left. */
export async function waitUntil(time: () => number, isOver?: () => boolean): Promise<void> {
	for (;;) {
		const left = time() - performance.now();
		if (left <= 0 || isOver?.()) return;
		await sleep(Math.min(left, PIECE_MS));
	}
}

/**
 * Whether the service rejects a request because it is busy, so that the request had no effect. A 503 does not count: caches and
 * proxies send it, with any content, after the service has accepted the request.
 */
export const isBusy = (statusCode: number): boolean => statusCode === 429 || statusCode === 529;

/** The limit that ended the wait: that of the node, or that of the workflow. */
export type WaitEnd = 'maxWait' | 'workflow';

/** Makes the error for a rejection that is final, because the next attempt would be too late. */
type ErrorOf = (endedBy: WaitEnd, neededWait?: number) => Error;

/**
 * Shared backoff state for a busy service. The wait budget starts at the first rejection, resets on every accepted request, and is
 * paused while a run is in progress.
 */
export class BusyGate {
	/** When the service began to reject requests, or the end of a run since then; undefined if it accepts them. */
	private busySince: number | undefined;

	private running = 0;

	private quietUntil = 0;

	private nextPause = FIRST_PAUSE_MS;

	/** The error with which the wait budget ended: nothing more is sent in this attempt. */
	exhaustedError: Error | undefined;

	/**
	 * @param maxWait milliseconds
	 * @param endsAt when the time limit of the workflow is near, in milliseconds of `performance.now`
	 */
	constructor(
		private readonly maxWait: number,
		private readonly endsAt = Infinity,
	) {}

	/** A later attempt of *Retry On Fail* sends the requests that earlier attempts did not send. */
	beginAttempt(): void {
		this.exhaustedError = undefined;
	}

	/** Records that the service was not busy for a request, which restores the wait budget. */
	accept(): void {
		this.busySince = undefined;
		this.nextPause = FIRST_PAUSE_MS;
	}

	/** Runs a callback that reads an accepted run; the wait budget is paused meanwhile. */
	async whileRunning<T>(run: () => Promise<T>): Promise<T> {
		this.accept();
		this.running++;
		try {
			return await run();
		} finally {
			this.running--;
			if (this.busySince !== undefined) this.busySince = performance.now();
		}
	}

	/** Milliseconds left of the wait budget. */
	private get left(): number {
		if (this.busySince === undefined || this.running > 0) return this.maxWait;
		// Rounded, because time passes between two readings of the clock.
		return this.maxWait - Math.round(performance.now() - this.busySince);
	}

	/** Milliseconds that a request may still wait, by the budget and by the time limit of the workflow. */
	private get remaining(): number {
		return Math.min(this.left, this.endsAt - performance.now());
	}

	private fail(errorOf: ErrorOf, neededWait?: number): Error {
		const endedBy = this.endsAt - performance.now() < this.left ? 'workflow' : 'maxWait';
		return (this.exhaustedError = errorOf(endedBy, neededWait));
	}

	/** Sets the pause before the next request. Requests that were sent together extend it once. */
	private pause(requested: number | undefined): number {
		const now = performance.now();
		if (requested !== undefined) this.quietUntil = Math.max(this.quietUntil, now + requested);
		else if (this.quietUntil <= now) {
			this.quietUntil = now + Math.min(this.nextPause, this.remaining);
			this.nextPause = Math.min(this.nextPause * 2, LONGEST_PAUSE_MS);
		}
		return Math.round(this.quietUntil - now);
	}

	/**
	 * Records that the service rejected a request because it is busy.
	 *
	 * @param errorOf receives the wait that would have been enough, in milliseconds, if the service requested a wait
	 * @returns milliseconds until the next attempt
	 * @throws the error that `errorOf` makes, if that would be too late
	 */
	reject(headers: Record<string, unknown>, errorOf: ErrorOf): number {
		const { left } = this;
		this.busySince ??= performance.now();
		const requested = requestedWait(headers);
		if (this.exhaustedError || this.remaining <= 0 || (requested ?? 0) > this.remaining) {
			throw this.fail(errorOf, requested && this.maxWait - left + requested);
		}
		return this.pause(requested);
	}

	/**
	 * Records that the service is unavailable for a start that may have been accepted, and is therefore not resent. Others wait, at
	 * most as long as the budget lasts; then no more are sent.
	 */
	suspend(headers: Record<string, unknown>, errorOf: ErrorOf): void {
		this.busySince ??= performance.now();
		const { remaining } = this;
		const requested = requestedWait(headers);
		if (remaining <= 0) this.fail(errorOf);
		else this.pause(requested && Math.min(requested, remaining));
	}

	/** Waits until a request may be sent, or `exhaustedError` is set. */
	async wait(isOver?: () => boolean): Promise<void> {
		await waitUntil(() => (this.exhaustedError ? 0 : this.quietUntil), isOver);
	}
}

/** The backoff state that all attempts of a node share in one run of a loop; `maxWait` is in milliseconds. */
export function busyGate(
	{ memory: { busy }, runIndex, endsAt }: { memory: { busy: Map<string, BusyGate> }; runIndex: string; endsAt: number },
	maxWait: number,
): BusyGate {
	const gate = busy.get(runIndex) ?? new BusyGate(maxWait, endsAt);
	busy.set(runIndex, gate);
	return gate;
}
