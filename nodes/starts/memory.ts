import type { INode } from 'n8n-workflow';

import { isUsedAsTool } from '../errors/reader';

/**
 * Where the starts of one node in one execution are remembered: n8n hands out the same object on every try of
 * *Retry On Fail*. As a symbol, the memory is neither saved with the execution nor seen by expressions, and the *Retry*
 * of the executions list begins without it.
 */
const STARTS = Symbol('starts of paid runs');

interface Starts {
	byPlace: Map<string, Promise<unknown>>;
	byInput: WeakMap<object, Promise<unknown>>;
}

/** What of n8n's contexts tells which item of which try is worked on. */
export interface StartContext {
	getNode(): INode;
	getContext(type: 'node'): object;
	evaluateExpression(expression: string, itemIndex?: number): unknown;
	isToolExecution?(): boolean;
}

function startsOf(context: StartContext): Starts {
	const memory = context.getContext('node') as { [STARTS]?: Starts };
	return (memory[STARTS] ??= { byPlace: new Map(), byInput: new WeakMap() });
}

/**
 * Where the start for one item is remembered. In a workflow, the run index tells the rounds of a loop apart and is the
 * same on every try. As a tool, each try may have a run index of its own, but the same input.
 */
function placeOf(context: StartContext, itemIndex: number, input: object) {
	const { byPlace, byInput } = startsOf(context);
	if (isUsedAsTool(context)) {
		return {
			get: () => byInput.get(input),
			set: (outcome: Promise<unknown>) => void byInput.set(input, outcome),
		};
	}
	const place = `${String(context.evaluateExpression('{{ $runIndex }}', itemIndex))}:${itemIndex}`;
	return {
		get: () => byPlace.get(place),
		set: (outcome: Promise<unknown>) => void byPlace.set(place, outcome),
	};
}

/**
 * Starts a run for one item at most once in an execution, however often n8n tries the node again. The start is
 * remembered before it is sent; a further try gets the first outcome, unless that leaves room for another start.
 *
 * @param input the `json` of the input item
 * @param start must not reject: an error is an outcome, too
 * @param mayStartAgain whether the outcome is of a start that surely had no effect, or that may be repeated
 */
export async function startOnce<Outcome>(
	context: StartContext,
	itemIndex: number,
	input: object,
	start: () => Promise<Outcome>,
	mayStartAgain: (outcome: Outcome) => boolean,
): Promise<Outcome> {
	const place = placeOf(context, itemIndex, input);
	const first = place.get() as Promise<Outcome> | undefined;
	if (first) {
		const outcome = await first;
		if (!mayStartAgain(outcome)) return outcome;
	}
	const started = start();
	place.set(started);
	return await started;
}
