import type { INode } from 'n8n-workflow';

import { BusyService } from '../execution/busy';
import { executionMemory, isUsedAsTool, type MemoryContext } from '../execution/execution-context';

const STARTS = Symbol('starts of paid runs');

/** What of n8n's contexts tells which item of which try is worked on. */
interface StartContext extends MemoryContext {
	getNode(): INode;
	evaluateExpression(expression: string, itemIndex?: number): unknown;
}

/** What is remembered of the start for one item, in this and in earlier tries of *Retry On Fail*. */
export interface StartMemory<T> {
	/** The outcome of the start, which may still be going on; undefined if there was none. */
	recall(): Promise<T> | undefined;
	/** To be called before the start is sent. */
	remember(outcome: Promise<T>): void;
}

/** The run index tells the rounds of a loop apart, and is the same on every try. */
const roundOf = (context: StartContext, itemIndex: number): string =>
	String(context.evaluateExpression('{{ $runIndex }}', itemIndex));

/** Finds what is remembered for one item. As a tool, each try may have a run index of its own, but the same input. */
export function startMemory<T>(context: StartContext, itemIndex: number, input: object): StartMemory<T> {
	const memory = executionMemory(context) as { [STARTS]?: Map<unknown, Promise<T>> };
	const starts = (memory[STARTS] ??= new Map());
	const key = isUsedAsTool(context) ? input : `${roundOf(context, itemIndex)}:${itemIndex}`;
	return { recall: () => starts.get(key), remember: (outcome) => void starts.set(key, outcome) };
}

const BUSY = Symbol('whether the service is busy');

/**
 * What all tries of a node know of a service that is busy, in each round of a loop.
 *
 * @param patience milliseconds to wait
 * @param left milliseconds until the time limit of the workflow is near
 */
export function busyService(context: StartContext, patience: number, left: number): BusyService {
	const rounds = ((executionMemory(context) as { [BUSY]?: Map<string, BusyService> })[BUSY] ??= new Map());
	const round = roundOf(context, 0);
	const busy = rounds.get(round) ?? new BusyService(patience, performance.now() + left);
	rounds.set(round, busy);
	return busy;
}
