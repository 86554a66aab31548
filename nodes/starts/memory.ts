import type { INode } from 'n8n-workflow';

import { isUsedAsTool } from '../errors/node-error';
import { executionMemory, type ExecutionContext } from '../execution/memory';

const STARTS = Symbol('starts of paid runs');

interface Starts {
	byPlace: Map<string, Promise<unknown>>;
	byInput: WeakMap<object, Promise<unknown>>;
}

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
 *
 * @param input the `json` of the input item
 */
export function startMemory<T>(context: StartContext, itemIndex: number, input: object): StartMemory<T> {
	const memory = executionMemory(context) as { [STARTS]?: Starts };
	const { byPlace, byInput } = (memory[STARTS] ??= { byPlace: new Map(), byInput: new WeakMap() });
	if (isUsedAsTool(context)) {
		return {
			recall: () => byInput.get(input) as Promise<T> | undefined,
			remember: (outcome) => void byInput.set(input, outcome),
		};
	}
	const place = `${String(context.evaluateExpression('{{ $runIndex }}', itemIndex))}:${itemIndex}`;
	return {
		recall: () => byPlace.get(place) as Promise<T> | undefined,
		remember: (outcome) => void byPlace.set(place, outcome),
	};
}

/**
 * Starts a run for one item at most once in an execution, however often n8n tries the node again. A further try gets the
 * first outcome, unless that leaves room for another start.
 *
 * @param start must not reject: a failure is an outcome, too
 * @param mayStartAgain whether the outcome is of a start that surely had no effect, or that may be repeated
 */
export async function startOnce<T>(
	{ recall, remember }: StartMemory<T>,
	start: () => Promise<T>,
	mayStartAgain: (outcome: T) => boolean,
): Promise<T> {
	const first = recall();
	if (first) {
		const outcome = await first;
		if (!mayStartAgain(outcome)) return outcome;
	}
	const started = start();
	remember(started);
	return await started;
}
