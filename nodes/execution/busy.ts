import { sleep } from 'n8n-workflow';

import { isObject } from '../values';
import type { Execution } from './execution-context';

/** The longest sleep, because none can be cut short: a stop is noticed when it ends. */
const PIECE_MS = 50;

const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 60_000;
const SHORTEST_PAUSE_MS = 1000;

/** Longer than anyone waits, in seconds: such a number is a time in another unit. */
const UNREADABLE_SECONDS = 1e9;

const parseDecimal = (text: unknown): number => (/^\s*\d+(\.\d+)?\s*$/.test(String(text)) ? Number(text) : Number.NaN);

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
		parseDecimal(retryAfter) * 1000,
		untilDate(retryAfter),
		parseDecimal(headers['x-ratelimit-reset']) * 1000 - Date.now(),
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

/**
 * Whether a service refuses a request because it is busy, so that the request had no effect. A proxy may respond with 503 after the
 * service has taken the request; a service says when to come back, or why in JSON.
 */
export const isBusy = ({
	statusCode,
	headers,
	body,
}: {
	statusCode: number;
	headers: object;
	body: unknown;
}): boolean => [429, 529].includes(statusCode) || (statusCode === 503 && ('retry-after' in headers || isObject(body)));

/** What ended the waiting for a busy service: the patience of the node, or the time limit of the workflow. */
export type WaitEnd = 'patience' | 'workflow';

/**
 * What all requests of a node know of a service that is busy: until when none is sent, and when the waiting ends. The time for it
 * begins with the first refusal after a request was accepted, and stands still while a run of the node goes on: a service that goes on
 * accepting is waited for, however long the list.
 */
export class BusyGate {
	/** Milliseconds that are left, as of `since`. */
	private left: number;

	/** Since when the time passes; undefined while it stands still. */
	private since: number | undefined;

	private isRefusing = false;

	private running = 0;

	private quietUntil = 0;

	private nextPause = FIRST_PAUSE_MS;

	/** Whether a further try sends one request, and whether that is under way. */
	private probe: 'due' | 'sent' | undefined;

	/** The refusal with which the time was over: nothing more is sent in this try. */
	refusal: Error | undefined;

	/**
	 * @param patience milliseconds to wait
	 * @param endsAt when the time limit of the workflow is near, in milliseconds of `performance.now`
	 */
	constructor(
		private readonly patience: number,
		private readonly endsAt = Infinity,
	) {
		this.left = patience;
	}

	/** A further try of *Retry On Fail* sends one request, if the time was over, and waits for what comes of it. */
	beginTry(): void {
		if (!this.refusal) return;
		this.refusal = undefined;
		this.probe = 'due';
	}

	/** Notes that the service was not busy for a request. The time for waiting is all there again. */
	accept(): void {
		this.left = this.patience;
		this.since = undefined;
		this.isRefusing = false;
		this.nextPause = FIRST_PAUSE_MS;
		this.probe = undefined;
	}

	/** Lets others send, if the one that was to send first has sent nothing. */
	release(): void {
		if (this.probe === 'sent') this.probe = undefined;
	}

	/** Does what reads a run that was accepted: meanwhile the time stands still. */
	async whileRunning<T>(run: () => Promise<T>): Promise<T> {
		this.accept();
		this.running++;
		try {
			return await run();
		} finally {
			this.running--;
			this.watchTime();
		}
	}

	/** Lets the time pass, or stand still. */
	private watchTime(): void {
		const now = performance.now();
		if (this.since !== undefined) this.left -= now - this.since;
		this.since = this.isRefusing && this.running === 0 ? now : undefined;
	}

	/**
	 * Notes that the service has refused a request because it is busy.
	 *
	 * @param errorOf makes the error of a refusal that stands, because the next attempt would be too late
	 * @returns milliseconds until the next attempt
	 * @throws that error
	 */
	refuse(headers: Record<string, unknown>, errorOf: (endedBy: WaitEnd) => Error): number {
		this.isRefusing = true;
		this.watchTime();
		const wasProbe = this.probe === 'sent';
		this.probe = undefined;
		const now = performance.now();
		const requested = requestedWait(headers);
		const left = Math.min(this.left, this.endsAt - now);
		if (this.refusal || wasProbe || left <= 0 || (requested ?? 0) > left) {
			throw (this.refusal = errorOf(this.endsAt - now < this.left ? 'workflow' : 'patience'));
		}
		if (requested !== undefined) this.quietUntil = Math.max(this.quietUntil, now + requested);
		else if (this.quietUntil <= now) {
			// Requests that were under way together are refused together: they make one pause longer, not each the next.
			this.quietUntil = now + Math.min(this.nextPause, left);
			this.nextPause = Math.min(this.nextPause * 2, LONGEST_PAUSE_MS);
		}
		return Math.round(this.quietUntil - now);
	}

	/** Waits until a request may be sent, or `refusal` says that none is; at once if the service has refused none. */
	async wait(stop?: Stop): Promise<void> {
		await waitUntil(() => (this.refusal ? 0 : this.quietUntil), stop);
		if (this.probe === 'due' && !stop?.aborted) this.probe = 'sent';
		else await waitUntil(() => (this.probe ? Infinity : 0), stop);
	}
}

const BUSY = Symbol('whether the service is busy');

/**
 * What all tries of a node know of a service that is busy, in each round of a loop.
 *
 * @param patience milliseconds to wait
 */
export function busyGate(
	{ memory, round, endsAt }: Pick<Execution, 'endsAt' | 'memory' | 'round'>,
	patience: number,
): BusyGate {
	const rounds = ((memory as { [BUSY]?: Map<string, BusyGate> })[BUSY] ??= new Map());
	const busy = rounds.get(round) ?? new BusyGate(patience, endsAt);
	rounds.set(round, busy);
	return busy;
}
