// Keeps what became of an item: its billed start, if it has one, and its outcome, so that no attempt processes it twice.

import type { Effect, Failure } from '../failure/failure';
import type { Execution, NodeInExecution } from '../n8n/execution';
import { logStart, recordThread } from '../n8n/record-runs';

/** A start that is or was sent. */
export interface Start {
	item: number;
	/** `interrupted` until the status is known. */
	status: string;
	thread_id: string | null;
	effect: Exclude<Effect, 'none'>;
}

/** What the records of a start need of its item. */
export interface StartingItem extends Pick<NodeInExecution, 'context'> {
	readonly index: number;
	mask(text: string): string;
}

/** It is kept in memory for *Retry On Fail*, and restored for *Retry execution*. */
export class Ledger<T> {
	/** Starts of the executions that *Retry execution* repeats. */
	earlier: Start[] = [];
	/** This execution's start. A rejected one is removed, so that the item may start again. */
	start: Start | undefined;
	/** The last failure, or the success. */
	outcome: T | undefined;
	/** True if no later attempt may process the item. *Retry execution* restores this only after a success. */
	isSettled = false;
	/** Resolves at the end of the attempt that is processing the item. */
	private attempt: Promise<void> | undefined;
	private endAttempt = () => {};

	get starts(): Start[] {
		return this.start ? [...this.earlier, this.start] : this.earlier;
	}

	get effect(): Effect {
		if (this.starts.length === 0) return 'none';
		return this.starts.some(({ effect }) => effect === 'run') ? 'run' : 'maybe';
	}

	/** Adds what the retried execution has saved. */
	restore(starts: Start[], outcome: T | undefined): void {
		this.earlier = starts;
		if (outcome === undefined) return;
		this.outcome = outcome;
		this.isSettled = true;
	}

	/** Call this before sending: the execution may end before there is a response. */
	listStart({ context, index }: StartingItem, threadId: string | undefined): void {
		logStart(context, 'requested', index);
		this.start = { item: index, status: 'interrupted', thread_id: threadId ?? null, effect: 'maybe' };
	}

	acceptStart({ context, index, mask }: StartingItem, threadId: string | undefined): void {
		const start = this.start!;
		start.effect = 'run';
		start.thread_id = threadId ?? start.thread_id;
		if (threadId !== undefined) recordThread(context, index, mask(threadId));
	}

	/** Removes a start without effect, or adds the known data of its run. */
	failStart({ context, index, mask }: StartingItem, { effect, run }: Failure): void {
		if (effect === 'none') {
			this.start = undefined;
			logStart(context, 'rejected', index);
			return;
		}
		const start = this.start!;
		if (run?.thread_id && run.thread_id !== start.thread_id) {
			start.thread_id = run.thread_id;
			recordThread(context, index, mask(run.thread_id));
		}
		start.effect = effect;
		start.status = run?.status ?? start.status;
	}

	/** The status of the run that has ended, or that goes on in the background. */
	setStatus(status: string): void {
		this.start!.status = status;
	}

	/** Waits for a running attempt. Returns false if the item is settled, and must not be processed again. */
	async begin(): Promise<boolean> {
		// Several attempts can wait for the same running one.
		while (this.attempt) await this.attempt;
		if (this.isSettled) return false;
		this.attempt = new Promise((resolve) => (this.endAttempt = resolve));
		return true;
	}

	/**
	 * @param outcome undefined if the node was ending, and nothing was sent
	 * @param isFinal true if no later attempt may process the item
	 */
	end(outcome: T | undefined, isFinal: boolean): void {
		this.outcome = outcome ?? this.outcome;
		this.isSettled = outcome !== undefined && isFinal;
		this.attempt = undefined;
		this.endAttempt();
	}
}

/** A tool's attempts have different run indexes, so its input identifies the item. */
export function ledgerOf<T>(
	{ isTool, runIndex, memory: { ledgers } }: Pick<Execution, 'isTool' | 'memory' | 'runIndex'>,
	itemIndex: number,
	input: object,
): Ledger<T> {
	const key = isTool ? input : `${runIndex}:${itemIndex}`;
	const ledger = (ledgers.get(key) as Ledger<T> | undefined) ?? new Ledger<T>();
	ledgers.set(key, ledger);
	return ledger;
}
