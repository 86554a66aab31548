// Makes the requests of a node wait together while the service is busy.

import { sleep } from 'n8n-workflow';

import { FailureError, type Failure, type ValueOrFailure } from '../failure/failure';
import { requestedWait } from '../failure/response/retry-after';
import { counted } from '../values/text';

/** A sleep cannot be interrupted, so it is short. */
const PIECE_MS = 50;

const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 60_000;

/** @param time milliseconds of `performance.now`, which may be postponed meanwhile */
export async function waitUntil(time: () => number, isEnding?: () => boolean): Promise<void> {
	for (;;) {
		const left = time() - performance.now();
		if (left <= 0 || isEnding?.()) return;
		await sleep(Math.min(left, PIECE_MS));
	}
}

/** The budget of `maxWait` starts at the first rejection, and again when a response has been read. */
export class BusyGate {
	private busySince: number | undefined;
	private running = 0;
	private pausedUntil = 0;
	private nextPause = FIRST_PAUSE_MS;
	/** A rejection after which nothing more is sent until its time. */
	private over: { until: number; failure: Failure } | undefined;

	/**
	 * @param maxWait milliseconds
	 * @param endsAt milliseconds of `performance.now`
	 * @param maxWaitField quoted label of the field that sets `maxWait`
	 */
	constructor(
		private readonly maxWait: number,
		private readonly endsAt: number,
		private readonly maxWaitField?: string,
	) {}

	/**
	 * After an accepted request, the caller reads the response and calls `leave`.
	 *
	 * @param onPause gets the milliseconds until the request is sent again
	 * @returns undefined if the node is ending, and nothing was sent
	 * @throws FailureError if the request must not be sent again, or only when it is too late
	 */
	async send<T>(
		isEnding: () => boolean,
		send: () => Promise<ValueOrFailure<T>>,
		onPause?: (milliseconds: number) => void,
	): Promise<T | undefined> {
		for (;;) {
			await waitUntil(() => this.pausedUntil, isEnding);
			if (isEnding()) return undefined;
			if (this.over && performance.now() < this.over.until) throw new FailureError(this.over.failure);
			const { value, failure } = await send();
			if (!failure) {
				this.busySince = undefined;
				this.nextPause = FIRST_PAUSE_MS;
				this.running++;
				return value;
			}
			// The service may have accepted this request (503), so it is not sent again. Others wait.
			if (failure.cause === 'unavailable') this.suspend(failure);
			if (failure.cause !== 'busy') throw new FailureError(failure);
			const pause = this.pause(failure);
			onPause?.(pause);
		}
	}

	leave(): void {
		this.running--;
		if (this.busySince !== undefined) this.busySince = performance.now();
	}

	/** Each further request might start a run, too, so that none is sent when the wait is over. */
	private suspend({ reason, httpCode }: Failure): void {
		const now = performance.now();
		this.busySince ??= now;
		this.pausedUntil = now + FIRST_PAUSE_MS;
		if (this.running > 0 || now - this.busySince < this.maxWait) return;
		const advice = 'The service is temporarily unavailable. Try again later';
		this.over = { until: Infinity, failure: { reason, httpCode, advice, effect: 'none' } };
	}

	/** Requests that were sent together extend the pause once. */
	private pause(failure: Failure): number {
		const now = performance.now();
		this.busySince ??= now;
		const waited = this.running > 0 ? 0 : Math.round(now - this.busySince);
		const left = Math.min(this.maxWait - waited, this.endsAt - now);
		const requested = requestedWait(failure.headers);
		if (left <= 0 || (requested ?? 0) > left) {
			this.over = { until: now + (requested ?? this.nextPause), failure: this.withWait(failure, waited, requested) };
			throw new FailureError(this.over.failure);
		}
		if (requested !== undefined) this.pausedUntil = Math.max(this.pausedUntil, now + requested);
		else if (this.pausedUntil <= now) {
			this.pausedUntil = now + Math.min(this.nextPause, left);
			this.nextPause = Math.min(this.nextPause * 2, LONGEST_PAUSE_MS);
		}
		return Math.round(this.pausedUntil - now);
	}

	private withWait(failure: Failure, waited: number, requested = 0): Failure {
		const spent = waited >= 500 ? `The node waited ${counted(Math.round(waited / 1000), 'second')}. ` : '';
		const seconds = requested > 0 ? ` to ${Math.ceil((waited + requested) / 1000)} or more` : '';
		const raise = this.maxWaitField === undefined ? '' : `, or raise ${this.maxWaitField}${seconds}`;
		return { ...failure, advice: `${spent}${failure.advice}${raise}` };
	}
}
