import { BusyService } from '../execution/busy';
import type { Execution } from '../execution/execution-context';

const STARTS = Symbol('starts of paid runs');

/** Which tries of which node share what is remembered. */
type Shared = Pick<Execution, 'isTool' | 'memory' | 'round'>;

/** What is remembered of the start for one item, in this and in earlier tries of *Retry On Fail*. */
export interface StartMemory<T> {
	/** The outcome of the start, which may still be going on; undefined if there was none. */
	recall(): Promise<T> | undefined;
	/** To be called before the start is sent. */
	remember(outcome: Promise<T>): void;
}

/** Finds what is remembered for one item. As a tool, each try may have a run index of its own, but the same input. */
export function startMemory<T>(execution: Shared, itemIndex: number, input: object): StartMemory<T> {
	const { isTool, round } = execution;
	const memory = execution.memory as { [STARTS]?: Map<unknown, Promise<T>> };
	const starts = (memory[STARTS] ??= new Map());
	const key = isTool ? input : `${round}:${itemIndex}`;
	return { recall: () => starts.get(key), remember: (outcome) => void starts.set(key, outcome) };
}

const BUSY = Symbol('whether the service is busy');

/**
 * What all tries of a node know of a service that is busy, in each round of a loop.
 *
 * @param patience milliseconds to wait
 */
export function busyService(
	{ memory, round, endsAt }: Omit<Shared, 'isTool'> & Pick<Execution, 'endsAt'>,
	patience: number,
): BusyService {
	const rounds = ((memory as { [BUSY]?: Map<string, BusyService> })[BUSY] ??= new Map());
	const busy = rounds.get(round) ?? new BusyService(patience, endsAt);
	rounds.set(round, busy);
	return busy;
}
