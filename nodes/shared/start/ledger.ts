// Keeps the starts and the outcome of an item, so that no attempt starts it twice.

import type { Effect } from '../failure/failure';
import type { Execution } from '../n8n/execution';

/** A start that is or was sent. A rejected one is removed. */
export interface Start {
	item: number;
	/** `interrupted` until the status is known. */
	status: string;
	thread_id: string | null;
	effect: Exclude<Effect, 'none'>;
	/** True if the execution that *Retry execution* repeats sent it. */
	fromEarlierExecution?: boolean;
}

type LedgerState<T> =
	/** `outcome` is an earlier failure. The item may run again. */
	| { is: 'open'; outcome?: T }
	| { is: 'running'; promise: Promise<unknown>; outcome?: T }
	/** The item starts again neither in this execution, nor in a *Retry* after a success. */
	| { is: 'settled'; outcome: T };

/** It is kept in memory for *Retry On Fail*, and restored for *Retry execution*. */
export class Ledger<T> {
	readonly starts: Start[] = [];

	state: LedgerState<T> = { is: 'open' };

	get ofThisExecution(): Start[] {
		return this.starts.filter(({ fromEarlierExecution }) => !fromEarlierExecution);
	}

	get effect(): Effect {
		if (this.starts.length === 0) return 'none';
		return this.starts.some(({ effect }) => effect === 'run') ? 'run' : 'maybe';
	}

	/** Call this before sending: the execution may end before there is a response. */
	add(item: number, threadId: string | null): Start {
		const start: Start = { item, status: 'interrupted', thread_id: threadId, effect: 'maybe' };
		this.starts.push(start);
		return start;
	}

	withdraw(start: Start): void {
		this.starts.splice(this.starts.indexOf(start), 1);
	}

	/**
	 * A later attempt waits for a running one.
	 *
	 * @param run must not reject; returns nothing if the node was ending, and nothing was sent
	 */
	async runUnlessSettled(run: () => Promise<T | undefined>, isFinal: (outcome: T) => boolean): Promise<void> {
		// Several attempts can wait for the same running one.
		while (this.state.is === 'running') await this.state.promise;
		if (this.state.is === 'settled') return;
		const { outcome: earlier } = this.state;
		const promise = run();
		this.state = { is: 'running', promise, outcome: earlier };
		const outcome = await promise;
		if (outcome === undefined) this.state = { is: 'open', outcome: earlier };
		else this.state = { is: isFinal(outcome) ? 'settled' : 'open', outcome };
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
