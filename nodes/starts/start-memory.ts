import type { INode } from 'n8n-workflow';

import { isUsedAsTool } from '../execution/audience';
import { executionMemory, type ExecutionContext } from '../execution/execution-memory';

const STARTS = Symbol('starts of paid runs');

/** What of n8n's contexts tells which item of which try is worked on. */
interface StartContext extends ExecutionContext {
	getNode(): INode;
	evaluateExpression(expression: string, itemIndex?: number): unknown;
	isToolExecution?(): boolean;
}

/** What is remembered of the start for one item, in this and in earlier tries of *Retry On Fail*. */
export interface StartMemory<T> {
	/** The outcome of the start, which may still be going on; undefined if there was none. */
	recall(): Promise<T> | undefined;
	/** To be called before the start is sent. */
	remember(outcome: Promise<T>): void;
}

/**
 * Finds what is remembered for one item. In a workflow, the run index tells the rounds of a loop apart and is the same on
 * every try. As a tool, each try may have a run index of its own, but the same input.
 */
export function startMemory<T>(context: StartContext, itemIndex: number, input: object): StartMemory<T> {
	const memory = executionMemory(context) as { [STARTS]?: Map<unknown, Promise<T>> };
	const starts = (memory[STARTS] ??= new Map());
	const key = isUsedAsTool(context)
		? input
		: `${String(context.evaluateExpression('{{ $runIndex }}', itemIndex))}:${itemIndex}`;
	return { recall: () => starts.get(key), remember: (outcome) => void starts.set(key, outcome) };
}
