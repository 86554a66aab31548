import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { OrNotStarted } from '../start/busy';
import { errorItem, nodeError } from '../failure/node-error';
import type { Execution } from '../n8n/execution';
import type { Effect, Failure } from '../failure/failure';
import { failedItemsHint, showHints } from './hints';
import type { Hint } from './hint';
import type { Ledger } from '../start/ledger';
import type { Outcome } from './outcome';

export type ValueOrFailure<R> = { value: R; failure?: undefined } | { value?: undefined; failure: Failure };

export interface NodeItem<R = unknown> {
	index: number;
	input: IDataObject;
	/** The request, or why nothing can be sent. */
	parsed: ValueOrFailure<R>;
	ledger: Ledger<Outcome>;
}

export interface NodeExecution<I extends NodeItem = NodeItem> {
	context: IExecuteFunctions;
	execution: Execution;
	items: I[];
}

export const knownOutcome = ({ ledger }: NodeItem): Outcome | undefined => ledger.state.outcome;

const hasFailed = (item: NodeItem): boolean => knownOutcome(item)?.failure !== undefined;

const isNeverFinal = () => false;

interface Work<I> {
	/** At the same time. */
	limit: number;
	onInvalid?(item: I, failure: Failure): void;
	/** Must not reject. */
	run(item: I, isEnding: () => boolean): Promise<OrNotStarted<Outcome>>;
	/** Whether an outcome settles its item. */
	isFinal(item: I, outcome: Outcome): boolean;
}

/**
 * Runs the items that are not settled. If the node stops on an error, none starts after one that failed; those in progress are
 * completed.
 */
export async function runItems<I extends NodeItem>(
	{ execution: { continues, stop }, items }: NodeExecution<I>,
	{ limit, onInvalid, run, isFinal }: Work<I>,
): Promise<void> {
	const open = items.filter(({ ledger }) => ledger.state.is !== 'settled');
	let hasStopped =
		!continues && items.some((item) => (item.ledger.state.is === 'settled' ? hasFailed(item) : item.parsed.failure));
	for (const item of open) {
		const { failure } = item.parsed;
		if (!failure) continue;
		onInvalid?.(item, failure);
		const invalid: OrNotStarted<Outcome> = { is: 'done', value: { failure } };
		await item.ledger.runUnlessSettled(async () => await Promise.resolve(invalid), isNeverFinal);
	}
	const waiting = open.filter(({ parsed }) => !parsed.failure);
	const isEnding = () => hasStopped || stop?.aborted === true;
	const work = async () => {
		for (;;) {
			const item = isEnding() ? undefined : waiting.shift();
			if (!item) return;
			const sent = await item.ledger.runUnlessSettled(
				async () => await run(item, isEnding),
				(outcome) => isFinal(item, outcome),
			);
			hasStopped ||= !continues && sent.is === 'done' && hasFailed(item);
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, waiting.length) }, work));
}

const REPORT = 'Report this to the maintainers of the node, and execute it again';

/** An item without an outcome must not be missing in a success. */
function failItemsWithoutOutcome({ execution, items }: NodeExecution): void {
	if (execution.stop?.aborted || (!execution.continues && items.some(hasFailed))) return;
	const reason = 'This item was not processed';
	for (const { ledger } of items) {
		if (!ledger.state.outcome) ledger.state = { is: 'open', outcome: { failure: { reason, advice: REPORT } } };
	}
}

interface NodeEnding<I> {
	errorOf(item: I, failure: Failure): ReturnType<typeof nodeError>;
	effectOf(item: I, failure: Failure): Effect | undefined;
	/** The error that stops the node; by default, that of the first failed item. */
	stop?(failed: I[]): Error;
	/** If the node does not stop. */
	onEnd?(): void;
	hints?(): Hint[];
	output?(item: I, items: INodeExecutionData[]): INodeExecutionData[];
}

/** Returns the items that all outcomes become, and shows hints. */
export function endNode<I extends NodeItem>(
	node: NodeExecution<I>,
	{ errorOf, effectOf, stop, onEnd, hints, output }: NodeEnding<I>,
): INodeExecutionData[] {
	const { context, execution, items } = node;
	failItemsWithoutOutcome(node);
	const failed = items.filter(hasFailed);
	const [first] = failed;
	if (first && !execution.continues) throw stop?.(failed) ?? errorOf(first, knownOutcome(first)!.failure!);
	onEnd?.();
	const hintsOfItems = items.map((item) => knownOutcome(item)?.hints ?? []);
	const failedItems = execution.isTool ? [] : failed.map(({ index }) => index);
	showHints(context, hintsOfItems, [...failedItemsHint(failedItems, items.length), ...(hints?.() ?? [])]);
	return items.flatMap((item) => {
		const outcome = knownOutcome(item);
		if (!outcome) return [];
		const { failure } = outcome;
		if (failure) {
			const about = { binary: outcome.binary, effect: effectOf(item, failure) };
			return errorItem(execution, errorOf(item, failure), item.index, about);
		}
		// n8n changes the items that it gets; a later attempt returns the original ones.
		const own = outcome.items.map((one) => ({ ...one, json: { ...one.json } }));
		return output?.(item, own) ?? own;
	});
}
