// Ends a node with items and hints, or one error that names every run.

import type { INodeExecutionData } from 'n8n-workflow';

import { errorItem, nodeError, withMaskedNames } from '../failure/node-error';
import { failureOf, type NodeExecution, type NodeItem } from './all-items';
import { failedItemsHint, showHints } from './hints';
import { sentencesOnOthers, withRunsOfItem } from './other-runs';
import { clearAll, maySave, saveAll } from './saved';

const REPORT = 'Report this to the maintainers of the node, and execute it again';

/** @throws NodeApiError or NodeOperationError, if the node stops */
export function endNode(node: NodeExecution): INodeExecutionData[] {
	const { context, execution, items } = node;
	const { continues, isTool } = execution;
	if (!execution.stop?.aborted && (continues || !items.some(failureOf))) {
		// An item without an outcome is a defect. In a successful output, it would only be missing.
		const reason = 'This item was not processed';
		for (const { ledger } of items) ledger.outcome ??= { failure: { reason, advice: REPORT, effect: ledger.effect } };
	}
	const failed = items.filter(failureOf);
	// Older agents (AI Agent 1.7, 2.2) hide a tool's error from their model, which would start another run.
	const mayToolHaveStarted = isTool && items.some(({ ledger }) => ledger.effect !== 'none');
	if (failed.length > 0 && !continues && !mayToolHaveStarted) {
		saveAll(execution, items);
		throw stoppingError(node, failed);
	}
	clearAll(execution);
	const hintsOfItems = items.map(({ ledger }) => ledger.outcome?.hints ?? []);
	const failedIndexes = isTool ? [] : failed.map(({ index }) => index);
	showHints(context, hintsOfItems, failedItemsHint(failedIndexes, items.length));
	return items.flatMap((item) => {
		const { index, ledger, startsRun, included } = item;
		const { outcome } = ledger;
		if (!outcome) return [];
		if (!outcome.failure) {
			// n8n and later nodes change items, and a later attempt must return the original ones.
			return outcome.items.map((one) => {
				const { json, ...rest } = structuredClone(one);
				return { ...rest, json: { ...structuredClone(included), ...json }, pairedItem: { item: index } };
			});
		}
		const secrets = item.secrets();
		const error = nodeError(execution, withRunsOfItem(outcome.failure, ledger.starts), placeOf(item, items), secrets);
		const binary = withMaskedNames(outcome.binary, secrets);
		return [errorItem(execution, error, index, { binary, effect: startsRun ? ledger.effect : undefined })];
	});
}

const placeOf = ({ index, ledger, startsRun }: NodeItem, items: NodeItem[]) => ({
	itemIndex: index,
	startsRun,
	hasRuns: ledger.starts.length > 0,
	othersHaveRuns: items.some((other) => other.ledger !== ledger && other.ledger.starts.length > 0),
});

function stoppingError({ execution, items }: NodeExecution, failed: NodeItem[]): Error {
	const { isTool, isStored } = execution;
	const about = failed.find(({ ledger }) => ledger.isSettled) ?? failed[0]!;
	const failure = failureOf(about)!;
	const isOfAll = failed.length > 1 && failed.every((item) => failureOf(item) === failure);
	const retry = isTool || !isStored ? 'none' : maySave(execution) ? 'unfinished' : 'all';
	const others = about.startsRun ? sentencesOnOthers(items, about, retry) : [];
	const place = placeOf(about, items);
	const allStarts = items.flatMap(({ ledger }) => ledger.starts);
	const secrets = [...new Set(items.flatMap((item) => item.secrets()))];
	return nodeError(
		execution,
		withRunsOfItem(failure, about.ledger.starts, allStarts),
		{ ...place, itemIndex: isOfAll ? undefined : place.itemIndex, others },
		secrets,
	);
}
