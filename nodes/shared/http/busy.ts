// Makes the requests of a node wait together while the service is busy.

import { sleep } from 'n8n-workflow';

import { FailureError, type Failure } from '../failure/failure';
import { requestedWait } from '../failure/response/retry-after';
import { RAISE_LIMIT, WORKFLOW_LIMIT } from './watchdog';

/** A sleep cannot be interrupted, so it is short. */
const PIECE_MS = 50;

/** Milliseconds. */
const PAUSES = { first: 5000, longest: 60_000 };

/** A request with fewer milliseconds until the workflow's time limit would only be cut off. */
const LEAST_TIME = 250;

const AT_WORKFLOW_LIMIT =
	"Raise 'Timeout After' in the workflow settings, because that limit is about to be reached, or send fewer items";

/** The budget of `maxWait` starts at the first rejection, and again when a run has been read. */
export class BusyGate {
	private busySince: number | undefined;
	private running = 0;
	private pausedUntil = 0;
	private nextPause: number;
	/** The rejection after which this attempt sends nothing more. */
	private last: Failure | undefined;

	/**
	 * @param maxWait milliseconds
	 * @param endsAt milliseconds of `performance.now`
	 * @param maxWaitField quoted label of the field that sets `maxWait`
	 */
	constructor(
		private readonly maxWait: number,
		private readonly endsAt: number,
		private readonly maxWaitField?: string,
		private readonly pauses = PAUSES,
	) {
		this.nextPause = pauses.first;
	}

	/**
	 * Waits while the service is busy. Returns false if the node is ending, and nothing may be sent.
	 *
	 * @throws FailureError if another request has waited in vain, or no time is left
	 */
	async opens(nodeEnds: AbortSignal): Promise<boolean> {
		// Others may postpone it meanwhile.
		while (!nodeEnds.aborted && !this.last) {
			const left = Math.min(this.pausedUntil, this.endsAt) - performance.now();
			if (left <= 0) break;
			await sleep(Math.min(left, PIECE_MS));
		}
		if (nodeEnds.aborted) return false;
		if (this.last) throw new FailureError(this.last);
		if (this.endsAt - performance.now() >= LEAST_TIME) return true;
		throw new FailureError({ reason: WORKFLOW_LIMIT, advice: RAISE_LIMIT, effect: 'none' });
	}

	/** The service has accepted a request, so the next "busy" begins a new wait. */
	accept(): void {
		this.busySince = undefined;
		this.nextPause = this.pauses.first;
	}

	/** After an accepted start, whose run is read until `leave`. */
	enter(): void {
		this.accept();
		this.running++;
	}

	leave(): void {
		this.running--;
		if (this.busySince !== undefined) this.busySince = performance.now();
	}

	/**
	 * Call this after a failure. It throws the failure unless the request may be sent again.
	 *
	 * @param mask hides the item's secrets in the reason, because other items, with other secrets, may fail with it
	 * @param mayResend true if the request may be sent again
	 * @returns milliseconds until the request may be sent again
	 * @throws FailureError if it must not be sent again, or only when it is too late
	 */
	pauseAfter(given: Failure, mask: (text: string) => string, mayResend = given.cause === 'busy'): number {
		const failure = { ...given, reason: mask(given.reason) };
		// The service may have accepted this request (503), so it is not sent again. Others wait.
		if (failure.cause === 'unavailable') this.suspend(failure);
		if (!mayResend) throw new FailureError(failure);
		const now = performance.now();
		this.busySince ??= now;
		const waited = this.running > 0 ? 0 : Math.round(now - this.busySince);
		const untilLimit = this.endsAt - now;
		const left = Math.min(this.maxWait - waited, untilLimit);
		const requested = requestedWait(failure.headers);
		if (left <= 0 || (requested ?? 0) > left) {
			const seconds = requested ? ` to ${Math.ceil((waited + requested) / 1000)} or more` : '';
			const raise = this.maxWaitField === undefined ? '' : `, or raise ${this.maxWaitField}${seconds}`;
			this.last = { ...failure, advice: left === untilLimit ? AT_WORKFLOW_LIMIT : failure.advice + raise };
			throw new FailureError(this.last);
		}
		// Requests that were sent together extend the pause once.
		if (requested !== undefined) this.pausedUntil = Math.max(this.pausedUntil, now + requested);
		else if (this.pausedUntil <= now) {
			this.pausedUntil = now + Math.min(this.nextPause, left);
			this.nextPause = Math.min(this.nextPause * 2, this.pauses.longest);
		}
		return Math.round(this.pausedUntil - now);
	}

	/**
	 * After a 503, the service may be starting runs without saying so. Once the wait is used up, no further request is sent, because
	 * it might start a run, too.
	 */
	private suspend({ reason, httpCode }: Failure): void {
		const now = performance.now();
		this.busySince ??= now;
		this.pausedUntil = now + this.pauses.first;
		if (this.running > 0 || now - this.busySince < this.maxWait) return;
		this.last = { reason, httpCode, advice: 'Try again later', effect: 'none' };
	}
}
