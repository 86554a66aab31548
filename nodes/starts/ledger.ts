import type { Effect } from '../errors/failure';
import type { Execution } from '../execution/execution-context';

/** A start that was not refused: how its run ended, and in which thread. */
export interface Start {
	item: number;
	status: string;
	thread_id: string | null;
	effect: Exclude<Effect, 'none'>;
	/** Whether it was made in an execution before this one, which is a *Retry* of that. */
	fromEarlierExecution?: boolean;
}

/**
 * What is known of the starts for one item: in all tries of *Retry On Fail*, and in the executions before a *Retry*. Whoever wants
 * to know what was started, what may be, and what is told of it reads it here.
 */
export class Ledger<T> {
	/** The starts that were not refused, in order. */
	readonly starts: Start[] = [];

	/** The thread of the last one, if its connection was lost and it may go on there. */
	lostThread?: string;

	/** What the item has come to. It is set before a start is sent: a further try may begin meanwhile. */
	outcome?: Promise<T>;

	/** Whether the outcome is that of an execution before a *Retry*. */
	isKept = false;

	/** Those of this execution. */
	get ofThisExecution(): Start[] {
		return this.starts.filter(({ fromEarlierExecution }) => !fromEarlierExecution);
	}

	/** Whether the outcome stands: a run that failed in this execution is not started again, and one that is paid for neither. */
	get isFinal(): boolean {
		return this.isKept || this.ofThisExecution.length > 0;
	}

	/** What the starts have come to, all in all. */
	get effect(): Effect {
		if (this.starts.length === 0) return 'none';
		return this.starts.some(({ effect }) => effect === 'run') ? 'run' : 'maybe';
	}
}

const LEDGERS = Symbol('ledgers of items');

/**
 * Finds the ledger of one item, which is the same in every try of *Retry On Fail*. As a tool, each try may have a run index of its
 * own, but the same input.
 */
export function ledgerOf<T>(
	{ isTool, round, memory }: Pick<Execution, 'isTool' | 'memory' | 'round'>,
	itemIndex: number,
	input: object,
): Ledger<T> {
	const ledgers = ((memory as { [LEDGERS]?: Map<unknown, Ledger<T>> })[LEDGERS] ??= new Map());
	const key = isTool ? input : `${round}:${itemIndex}`;
	const ledger = ledgers.get(key) ?? new Ledger<T>();
	ledgers.set(key, ledger);
	return ledger;
}
