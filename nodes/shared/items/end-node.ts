// Ends a node with items and hints, or one error that names every run.

import type { INodeExecutionData } from 'n8n-workflow';

import type { Failure } from '../failure/failure';
import { errorItem, nodeError, withMaskedNames } from '../failure/node-error';
import type { Execution } from '../n8n/execution';
import { hasFailed, knownOutcome, type NodeExecution, type NodeItem } from './all-items';
import { failedItemsHint, showHints } from './hints';
import { sentencesOnOthers, withRunsOfItem, type Retry } from './other-runs';
import { clearAll, maySave, saveAll } from './saved';

const REPORT = 'Report this to the maintainers of the node, and execute it again';

/** An item without an outcome is a defect. In a successful output, it would only be missing. */
function failItemsWithoutOutcome({ execution, items }: NodeExecution): void {
	if (execution.stop?.aborted || (!execution.continues && items.some(hasFailed))) return;
	const reason = 'This item was not processed';
	for (const { ledger } of items) {
		if (!ledger.state.outcome) ledger.state = { is: 'open', outcome: { failure: { reason, advice: REPORT } } };
	}
}

/** @throws NodeApiError or NodeOperationError, if the node stops */
export function endNode<I extends NodeItem>(
	node: NodeExecution<I>,
	withInput: (item: I, own: INodeExecutionData[]) => INodeExecutionData[] = (_item, own) => own,
): INodeExecutionData[] {
	const { context, execution, items } = node;
	failItemsWithoutOutcome(node);
	const failed = items.filter(hasFailed);
	if (failed.length > 0 && !execution.continues && !mayToolHaveStarted(node)) {
		saveAll(execution, items);
		throw stoppingError(node, failed);
	}
	clearAll(execution);
	const hintsOfItems = items.map((item) => knownOutcome(item)?.hints ?? []);
	const failedItems = execution.isTool ? [] : failed.map(({ index }) => index);
	showHints(context, hintsOfItems, [...failedItemsHint(failedItems, items.length)]);
	return items.flatMap((item) => {
		const outcome = knownOutcome(item);
		if (!outcome) return [];
		if (outcome.failure) return failedItem(node, item, outcome);
		const pairedItem = { item: item.index };
		// n8n and later nodes change items, and a later attempt must return the original ones.
		const own = outcome.items.map((one) => ({ ...structuredClone(one), pairedItem }));
		return withInput(item, own);
	});
}

/** Older agents (AI Agent 1.7, 2.2) hide a tool's error from their model, which would start another run. */
const mayToolHaveStarted = ({ execution, items }: NodeExecution): boolean =>
	execution.isTool && items.some(({ ledger }) => ledger.effect !== 'none');

function failedItem(
	{ execution, items }: NodeExecution,
	item: NodeItem,
	{ failure, binary }: { failure: Failure } & Pick<INodeExecutionData, 'binary'>,
): INodeExecutionData {
	const { index, ledger, startsRun } = item;
	const place = { itemIndex: index, ...runsBeside(item, items) };
	const secrets = item.secrets();
	const error = nodeError(execution, withRunsOfItem(failure, ledger.starts), place, secrets);
	const files = withMaskedNames(binary, secrets);
	return errorItem(execution, error, index, { binary: files, effect: startsRun ? ledger.effect : undefined });
}

const runsBeside = ({ ledger }: NodeItem, items: NodeItem[]) => ({
	hasRuns: ledger.starts.length > 0,
	othersHaveRuns: items.some((other) => other.ledger !== ledger && other.ledger.starts.length > 0),
});

function stoppingError({ execution, items }: NodeExecution, failed: NodeItem[]): Error {
	const about = failed.find(({ ledger }) => ledger.state.is === 'settled') ?? failed[0]!;
	const failure = knownOutcome(about)!.failure!;
	const isOfAll = failed.length > 1 && failed.every((item) => knownOutcome(item)?.failure === failure);
	const batch = items.map((item) => ({ ledger: item.ledger, outcome: knownOutcome(item) }));
	const others = about.startsRun ? sentencesOnOthers(batch, batch[items.indexOf(about)]!, retryOf(execution)) : [];
	const place = { itemIndex: isOfAll ? undefined : about.index, others, ...runsBeside(about, items) };
	const allStarts = items.flatMap(({ ledger }) => ledger.starts);
	const secrets = [...new Set(items.flatMap((item) => item.secrets()))];
	return nodeError(execution, withRunsOfItem(failure, about.ledger.starts, allStarts), place, secrets);
}

function retryOf(execution: Execution): Retry {
	const { isTool, isStored } = execution;
	if (isTool || !isStored) return 'none';
	return maySave(execution) ? 'unfinished' : 'all';
}
