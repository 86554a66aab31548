// Runs all items of a node, for both nodes: which may start, how many at the same time, and when the others no longer start.

import type { IDataObject } from 'n8n-workflow';

import { inputError, type Failure } from '../failure/failure';
import type { NodeInExecution } from '../n8n/execution';
import type { Ledger, OrNotStarted } from '../start/ledger';
import type { Outcome } from './outcome';
import { restoreAll, type SavedItem } from './saved';

export type ValueOrFailure<R> = { value: R; failure?: undefined } | { value?: undefined; failure: Failure };

export interface NodeItem<R = unknown> extends SavedItem {
	input: IDataObject;
	/** The request, or why nothing can be sent. */
	parsed: ValueOrFailure<R>;
	ledger: Ledger<Outcome>;
	/** True if the request is billed, and listed in the ledger. */
	startsRun: boolean;
	/** What must be in no text, such as the key. A token may be new after a request. */
	secrets(): unknown[];
}

export interface NodeExecution<I extends NodeItem = NodeItem> extends NodeInExecution {
	readonly items: I[];
}

export const knownOutcome = ({ ledger }: NodeItem): Outcome | undefined => ledger.state.outcome;

export const hasFailed = (item: NodeItem): boolean => knownOutcome(item)?.failure !== undefined;

const isNeverFinal = () => false;

/** A request that may have had an effect is not sent again by a later attempt. */
const isFinal = ({ ledger }: NodeItem, { failure }: Outcome): boolean =>
	!failure || failure.cause === 'unknownEffect' || ledger.ofThisExecution.length > 0;

interface Work<I> {
	/** The maximum number of items at the same time. */
	limit: number;
	onInvalid?(item: I, failure: Failure): void;
	/** Must not reject. */
	run(item: I, isEnding: () => boolean): Promise<OrNotStarted<Outcome>>;
}

/**
 * Runs the items that are not settled, by an earlier attempt or in the execution that a *Retry* repeats. If the node stops on an error,
 * none starts after one that failed; those in progress are completed.
 */
export async function runItems<I extends NodeItem>(node: NodeExecution<I>, work: Work<I>): Promise<void> {
	const { context, execution, items } = node;
	rejectUnreadable(items);
	await restoreAll(context.helpers, execution, items);
	const open = items.filter(({ ledger }) => ledger.state.is !== 'settled');
	const isFailed = (item: I) => (item.ledger.state.is === 'settled' ? hasFailed(item) : item.parsed.failure);
	let hasStopped = !execution.continues && items.some(isFailed);
	await failInvalid(open, work);
	const waiting = open.filter(({ parsed }) => !parsed.failure);
	const isEnding = () => hasStopped || execution.stop?.aborted === true;
	const runNext = async () => {
		for (;;) {
			const item = isEnding() ? undefined : waiting.shift();
			if (!item) return;
			const sent = await item.ledger.runUnlessSettled(
				async () => await work.run(item, isEnding),
				(outcome) => isFinal(item, outcome),
			);
			hasStopped ||= !execution.continues && sent.is === 'done' && hasFailed(item);
		}
	};
	await Promise.all(Array.from({ length: Math.min(work.limit, waiting.length) }, runNext));
}

/** For its error output, n8n copies the fields of input items after the node: one that cannot be read would lose all paid results. */
function rejectUnreadable(items: NodeItem[]): void {
	const unreadable = items.find(({ input }) => !hasReadableFields(input));
	if (!unreadable) return;
	const reason = `The fields of input item ${unreadable.index} cannot be read`;
	const { failure } = inputError(reason, 'Correct the node before this one');
	for (const item of items) item.parsed = { failure: { ...failure, ...(item.startsRun && { effect: 'none' }) } };
}

function hasReadableFields(json: object): boolean {
	try {
		return Object.values(json).length >= 0;
	} catch {
		return false;
	}
}

async function failInvalid<I extends NodeItem>(open: I[], { onInvalid }: Work<I>): Promise<void> {
	for (const item of open) {
		const { failure } = item.parsed;
		if (!failure) continue;
		onInvalid?.(item, failure);
		const invalid: OrNotStarted<Outcome> = { is: 'done', value: { failure } };
		await item.ledger.runUnlessSettled(async () => await Promise.resolve(invalid), isNeverFinal);
	}
}
