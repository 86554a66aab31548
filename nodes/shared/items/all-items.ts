// All items of a node: which may start, and which stop the others.

import type { IDataObject } from 'n8n-workflow';

import { inputError, type Failure, type ValueOrFailure } from '../failure/failure';
import type { Execution, NodeInExecution } from '../n8n/execution';
import { ledgerOf, type Ledger } from '../start/ledger';
import type { Outcome } from './outcome';
import { defectAfter } from '../start/start-response';
import { restoreSaved, type SavableItem } from './saved';

export interface NodeItem<R = unknown> extends SavableItem {
	input: IDataObject;
	/** The request, or why it cannot be sent. */
	parsed: ValueOrFailure<R>;
	ledger: Ledger<Outcome>;
	/** True if the request starts a billed run. */
	startsRun: boolean;
	/** Input fields that each output item gets, over which its own have precedence. */
	included: IDataObject;
	/** No text may contain these values. A request may renew a token. */
	secrets(): unknown[];
}

/** An item before its request is read. */
export const newItem = (execution: Execution, index: number, input: IDataObject): Omit<NodeItem, 'parsed'> => ({
	index,
	input,
	startsRun: false,
	included: {},
	fingerprint: undefined,
	ledger: ledgerOf<Outcome>(execution, index, input),
	secrets: () => [],
});

export interface NodeWithItems<I extends NodeItem = NodeItem> extends NodeInExecution {
	readonly items: I[];
}

export const failureOf = ({ ledger }: NodeItem): Failure | undefined => ledger.outcome?.failure;

/** n8n later reads every input item for its error output. If that throws, all output is lost, so nothing is sent. */
function rejectUnreadable(items: NodeItem[]): void {
	for (const { index, input } of items) {
		try {
			Object.values(input);
		} catch {
			const reason = `The fields of input item ${index} cannot be read`;
			const { failure } = inputError(reason, 'Correct the node before this one');
			for (const item of items) item.parsed = { failure };
			return;
		}
	}
}

/**
 * An earlier attempt, or the execution that is retried, may have settled an item. If the node stops on an error, no further
 * item starts; those in progress are completed.
 */
export class ItemQueue<R> {
	/** Aborts if the execution was stopped, or an item has stopped the node. */
	readonly nodeEnds: AbortSignal;
	/** Items that this attempt was the first to find invalid, or invalid for another reason. */
	readonly newlyInvalid: Array<NodeItem<R>> = [];
	private readonly stopping = new AbortController();

	private constructor(private readonly node: NodeWithItems<NodeItem<R>>) {
		const { stop } = node.execution;
		this.nodeEnds = AbortSignal.any([this.stopping.signal, ...(stop ? [stop] : [])]);
	}

	/** Restores what a retried execution has saved, and fails invalid items. */
	static async of<R>(node: NodeWithItems<NodeItem<R>>): Promise<ItemQueue<R>> {
		rejectUnreadable(node.items);
		if (node.execution.mode === 'retry') restoreSaved(node.execution, node.items);
		const queue = new ItemQueue(node);
		for (const item of node.items) {
			const { ledger, parsed } = item;
			if (parsed.failure && (await ledger.begin())) {
				if (failureOf(item)?.reason !== parsed.failure.reason) queue.newlyInvalid.push(item);
				ledger.end({ failure: parsed.failure }, false);
			}
			// An item that *Retry On Fail* may try again also has a failure, of the attempt before, which stops nothing.
			if (parsed.failure ?? ledger.isSettled) queue.stopAfter(item);
		}
		return queue;
	}

	/**
	 * Processes the items, some at the same time.
	 *
	 * @param processItem returns undefined if the node was ending, and nothing was sent
	 */
	async process(
		simultaneous: number,
		processItem: (request: R, ledger: Ledger<Outcome>) => Promise<Outcome | undefined>,
	): Promise<void> {
		const waiting = this.node.items.filter(({ ledger, parsed }) => !ledger.isSettled && !parsed.failure);
		const processItems = async () => {
			for (let item = waiting.shift(); item && !this.nodeEnds.aborted; item = waiting.shift()) {
				const { ledger, parsed } = item;
				if (await ledger.begin()) {
					// Later attempts wait for the end of this one, so it ends even after a defect.
					const outcome = await processItem(parsed.value!, ledger).catch((error: Error): Outcome => {
						return { failure: defectAfter(ledger.start, error) };
					});
					const { failure } = outcome ?? {};
					// Later attempts never repeat a request that may have had an effect.
					ledger.end(outcome, !failure || failure.cause === 'unknownEffect' || ledger.start !== undefined);
				}
				this.stopAfter(item);
			}
		};
		await Promise.all(Array.from({ length: Math.min(simultaneous, waiting.length) }, processItems));
	}

	private stopAfter(item: NodeItem<R>): void {
		if (!this.node.execution.continues && failureOf(item)) this.stopping.abort();
	}
}
