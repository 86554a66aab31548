// Makes the requests of a node wait together while the service is busy.

import { sleep } from 'n8n-workflow';

import { FailureError, type Failure, type ValueOrFailure } from '../failure/failure';
import type { Execution } from '../n8n/execution';
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

const notSent = ({ reason, httpCode }: Failure): Failure => ({
	reason,
	httpCode,
	advice: 'The service is temporarily unavailable. Try again later',
	effect: 'none',
});

const withWait = (failure: Failure, milliseconds: number): Failure => {
	const seconds = Math.round(milliseconds / 1000);
	return seconds > 0
		? { ...failure, advice: `The node waited ${counted(seconds, 'second')}. ${failure.advice}` }
		: failure;
};

/** The budget of `maxWait` starts at the first rejection, and pauses while a response is read. */
export class BusyGate {
	/** Milliseconds of `performance.now` at the first rejection, or when a later response was read. */
	private busySince: number | undefined;

	private running = 0;

	private pausedUntil = 0;

	private nextPause = FIRST_PAUSE_MS;

	private closedBy: Failure | undefined;

	/**
	 * @param maxWait milliseconds
	 * @param endsAt milliseconds of `performance.now`
	 * @param maxWaitField quoted label of the field that sets `maxWait`
	 */
	constructor(
		private readonly maxWait: number,
		private readonly endsAt = Infinity,
		private readonly maxWaitField?: string,
	) {}

	/** A new attempt of *Retry On Fail* may send again. */
	beginAttempt(): void {
		this.closedBy = undefined;
	}

	/**
	 * @param rejected the request's latest rejection
	 * @returns false if the node is ending, and nothing was sent
	 * @throws FailureError of `rejected`, or of the request that closed the gate
	 */
	async enter(isEnding: () => boolean, rejected?: Failure): Promise<boolean> {
		await this.wait(isEnding);
		if (isEnding() && !rejected) return false;
		const final = this.closedBy ?? (isEnding() ? rejected : undefined);
		if (final) throw new FailureError(rejected ?? final);
		return true;
	}

	accept(): void {
		this.busySince = undefined;
		this.nextPause = FIRST_PAUSE_MS;
		this.running++;
	}

	leave(): void {
		this.running--;
		if (this.busySince !== undefined) this.busySince = performance.now();
	}

	/** @returns milliseconds until the request may be sent again */
	reject(failure: Failure): number {
		if (failure.cause === 'busy') return this.postpone(failure);
		if (failure.cause === 'unavailable') this.suspend(failure);
		throw new FailureError(failure);
	}

	private get budgetLeft(): number {
		if (this.busySince === undefined || this.running > 0) return this.maxWait;
		// Rounded, because two readings of the clock differ by fractions of a millisecond.
		return this.maxWait - Math.round(performance.now() - this.busySince);
	}

	private get timeLeft(): number {
		return Math.min(this.budgetLeft, this.endsAt - performance.now());
	}

	/** Requests that were sent together extend the pause once. */
	private pause(requested: number | undefined): number {
		const now = performance.now();
		if (requested !== undefined) this.pausedUntil = Math.max(this.pausedUntil, now + requested);
		else if (this.pausedUntil <= now) {
			this.pausedUntil = now + Math.min(this.nextPause, this.timeLeft);
			this.nextPause = Math.min(this.nextPause * 2, LONGEST_PAUSE_MS);
		}
		return Math.round(this.pausedUntil - now);
	}

	private postpone(failure: Failure): number {
		const { budgetLeft } = this;
		this.busySince ??= performance.now();
		const requested = requestedWait(failure.headers);
		if (this.closedBy || this.timeLeft <= 0 || (requested ?? 0) > this.timeLeft) {
			const waited = this.maxWait - budgetLeft;
			this.closedBy = withWait(this.withLongerWait(failure, requested && waited + requested), waited);
			throw new FailureError(this.closedBy);
		}
		return this.pause(requested);
	}

	/** The service may have accepted this request (503), so it is not sent again. Others wait, at most for the budget. */
	private suspend(failure: Failure): void {
		this.busySince ??= performance.now();
		const { timeLeft } = this;
		const requested = requestedWait(failure.headers);
		if (timeLeft <= 0) this.closedBy = notSent(failure);
		else this.pause(requested && Math.min(requested, timeLeft));
	}

	/** @param neededWait milliseconds that would have been enough, if known */
	private withLongerWait(failure: Failure, neededWait: number | undefined): Failure {
		const { maxWaitField } = this;
		const seconds = neededWait ? ` to ${Math.ceil(neededWait / 1000)} or more` : '';
		const isWorkflow = this.endsAt - performance.now() < this.budgetLeft;
		const limit = isWorkflow ? "'Timeout After' in the workflow settings" : maxWaitField && maxWaitField + seconds;
		return limit ? { ...failure, advice: `${failure.advice}, or raise ${limit}` } : failure;
	}

	private async wait(isEnding?: () => boolean): Promise<void> {
		await waitUntil(() => (this.closedBy ? 0 : this.pausedUntil), isEnding);
	}
}

/**
 * After an accepted request, the caller reads the response and calls `leave`.
 *
 * @param send returns a failure without secrets, because other items may end with it
 * @param onPause gets the milliseconds until the request is sent again
 * @returns undefined if the node is ending, and nothing was sent
 * @throws FailureError if the request must not be sent again, or only when it is too late
 */
export async function sendThroughGate<T>(
	gate: BusyGate,
	isEnding: () => boolean,
	send: () => Promise<ValueOrFailure<T>>,
	onPause?: (milliseconds: number) => void,
): Promise<T | undefined> {
	let rejected: Failure | undefined;
	while (await gate.enter(isEnding, rejected)) {
		const { value, failure } = await send();
		if (!failure) {
			gate.accept();
			return value;
		}
		rejected = failure;
		const pause = gate.reject(failure);
		onPause?.(pause);
	}
	return undefined;
}

/** All attempts share the gate of one iteration of a loop. */
export function gateOf(
	{ memory: { gates }, runIndex, endsAt }: Pick<Execution, 'endsAt' | 'memory' | 'runIndex'>,
	maxWait: number,
	maxWaitField?: string,
): BusyGate {
	const gate = (gates.get(runIndex) as BusyGate | undefined) ?? new BusyGate(maxWait, endsAt, maxWaitField);
	gates.set(runIndex, gate);
	return gate;
}
