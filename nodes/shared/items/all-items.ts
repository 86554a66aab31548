// Runs all items of a node: which may start, how many together, and until when.

import type { IDataObject } from 'n8n-workflow';

import { inputError, type Failure, type ValueOrFailure } from '../failure/failure';
import type { NodeInExecution } from '../n8n/execution';
import type { Ledger } from '../start/ledger';
import type { Outcome } from './outcome';
import { restoreAll, type SavedItem } from './saved';

export interface NodeItem<R = unknown> extends SavedItem {
	input: IDataObject;
	/** The request, or why it cannot be sent. */
	parsed: ValueOrFailure<R>;
	ledger: Ledger<Outcome>;
	/** True if the request starts a billed run. */
	startsRun: boolean;
	/** No text may contain these values. A request may renew a token. */
	secrets(): unknown[];
}

export interface NodeExecution<I extends NodeItem = NodeItem> extends NodeInExecution {
	readonly items: I[];
}

export const knownOutcome = ({ ledger }: NodeItem): Outcome | undefined => ledger.state.outcome;

export const hasFailed = (item: NodeItem): boolean => knownOutcome(item)?.failure !== undefined;

const isNeverFinal = () => false;

/** Later attempts never repeat a request that may have had an effect. */
const isFinal = ({ ledger }: NodeItem, { failure }: Outcome): boolean =>
	!failure || failure.cause === 'unknownEffect' || ledger.ofThisExecution.length > 0;

interface Work<I> {
	/** Items that may run at the same time. */
	limit: number;
	onInvalid?(item: I, failure: Failure): void;
	/** Must not reject. Returns nothing if the node was ending, and nothing was sent. */
	run(item: I, isEnding: () => boolean): Promise<Outcome | undefined>;
}

/**
 * An earlier attempt, or the execution that is retried, may have settled an item. If the node stops on an error, no further
 * item starts; those in progress are completed.
 */
export async function runItems<I extends NodeItem>(node: NodeExecution<I>, work: Work<I>): Promise<void> {
	const { execution, items } = node;
	rejectUnreadable(items);
	restoreAll(execution, items);
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
			await item.ledger.runUnlessSettled(
				async () => await work.run(item, isEnding),
				(outcome) => isFinal(item, outcome),
			);
			hasStopped ||= !execution.continues && hasFailed(item);
		}
	};
	await Promise.all(Array.from({ length: Math.min(work.limit, waiting.length) }, runNext));
}

/** n8n later reads every input item for its error output. If that throws, all output is lost, so nothing is sent. */
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
		await item.ledger.runUnlessSettled(async () => await Promise.resolve({ failure }), isNeverFinal);
	}
}
