// Ends a node with items and hints, or one error that names every run.

import type { INodeExecutionData } from 'n8n-workflow';

import { errorItem, nodeError, withMaskedNames } from '../failure/node-error';
import { mayBeInProgress, type Failure, type KnownRun } from '../failure/failure';
import { failureOf, type NodeWithItems, type NodeItem } from './all-items';
import { failedItemsHint, hintsIf, html, showHints } from './hints';
import { deleteSaved, maySave, saveLedgers } from './saved';
import { Secrets } from '../mask/secrets';
import type { Start } from '../start/ledger';
import { counted, visible } from '../values/text';

/** Characters. The error item has the whole reason. */
const MAX_HINT_REASON = 119;

/** Characters of JSON that included fields may add for an item: n8n cannot save more than 512 MB. */
const MAX_INCLUDED = 100e6;

const rowsOf = ({ ledger: { outcome } }: NodeItem): number => (outcome && !outcome.failure ? outcome.items.length : 0);

/** If false, only the first row has included fields. */
const fitsEachRow = (item: NodeItem): boolean => JSON.stringify(item.included).length * rowsOf(item) <= MAX_INCLUDED;

const REPORT = 'Report this to the maintainers of the node, and execute it again';

/** @throws NodeApiError or NodeOperationError, if the node stops */
export function endNode(node: NodeWithItems): INodeExecutionData[] {
	const { context, execution, items } = node;
	const { continues, isTool } = execution;
	if (!execution.stop?.aborted && (continues || !items.some(failureOf))) {
		// An item without an outcome is a defect. In a successful output, it would only be missing.
		const reason = 'This item was not processed';
		for (const { ledger } of items) {
			if (!ledger.outcome) ledger.end({ failure: { reason, advice: REPORT, effect: ledger.effect } }, false);
		}
	}
	const failed = items.filter(failureOf);
	// Older agents (AI Agent 1.7, 2.2) hide a tool's error from their model, which would start another run.
	const mayToolHaveStarted = isTool && items.some(({ ledger }) => ledger.effect !== 'none');
	if (failed.length > 0 && !continues && !mayToolHaveStarted) {
		saveLedgers(execution, items);
		throw stoppingError(node, failed);
	}
	deleteSaved(execution);
	const hintsOfItems = items.map((item) => {
		const tooLarge = html`Input fields are too large for ${rowsOf(item)} rows. Only the first row has them`;
		return [...(item.ledger.outcome?.hints ?? []), ...hintsIf([!fitsEachRow(item), tooLarge])];
	});
	const [first] = isTool ? [] : failed;
	const reason = first && !execution.isRedacted ? failureOf(first)!.reason : undefined;
	const shownReason = reason && visible(new Secrets(first!.secrets()).quote(reason, MAX_HINT_REASON));
	showHints(context, hintsOfItems, first ? failedItemsHint(failed, items.length, shownReason) : []);
	return items.flatMap((item) => {
		const { index, ledger, startsRun, included } = item;
		const { outcome } = ledger;
		if (!outcome) return [];
		if (!outcome.failure) {
			// n8n and later nodes change items, and a later attempt must return the original ones. Included fields are added here,
			// because saved outcomes have none: a retried execution has the same input.
			const last = fitsEachRow(item) ? outcome.items.length : 1;
			return outcome.items.map((one, row) => {
				const { json, ...rest } = structuredClone(one);
				const copied = row < last ? structuredClone(included) : {};
				return { ...rest, json: { ...copied, ...json }, pairedItem: { item: index } };
			});
		}
		const secrets = item.secrets();
		const error = nodeError(execution, withRuns(outcome.failure, ledger.starts), placeOf(item, items), secrets);
		const binary = withMaskedNames(outcome.binary, secrets);
		return [errorItem(execution, error, index, { binary, effect: startsRun ? ledger.effect : undefined })];
	});
}

const placeOf = ({ index, ledger, startsRun }: NodeItem, items: NodeItem[]) => ({
	itemIndex: index,
	startsRun,
	hasRuns: ledger.starts.length > 0,
	mayBeInProgress: ledger.starts.some(mayBeInProgress),
	othersHaveRuns: items.some((other) => other.ledger !== ledger && other.ledger.starts.length > 0),
});

function stoppingError({ execution, items }: NodeWithItems, failed: NodeItem[]): Error {
	const { isTool, isStored } = execution;
	const about = failed.find(({ ledger }) => ledger.isSettled) ?? failed[0]!;
	const failure = failureOf(about)!;
	const isOfAll = failed.length > 1 && failed.every((item) => failureOf(item) === failure);
	const retry = isTool || !isStored ? 'none' : maySave(execution) ? 'unfinished' : 'all';
	const others = about.startsRun ? sentenceOnOthers(items, about, retry) : undefined;
	const place = placeOf(about, items);
	const allStarts = items.flatMap(({ ledger }) => ledger.starts);
	const secrets = [...new Set(items.flatMap((item) => item.secrets()))];
	return nodeError(
		execution,
		withRuns(failure, about.ledger.starts, allStarts),
		{ ...place, itemIndex: isOfAll ? undefined : place.itemIndex, others },
		secrets,
	);
}

/**
 * Lists the runs in the failure's data, unless they are the one that it already has.
 *
 * @param starts the item's
 * @param named the starts that the error names: the item's, or all items' if the node stops
 */
export function withRuns(failure: Failure, starts: Start[], named = starts): Failure {
	const { run } = failure;
	const last = starts.at(-1);
	if (named.length === 0 || (named.length === 1 && last && run)) return failure;
	const known = run ?? (last && { thread_id: last.thread_id, status: last.status });
	const runs = named.map(({ item, status, thread_id }) => ({ item, status, thread_id }));
	return { ...failure, run: { ...known, runs } as KnownRun };
}

/**
 * n8n drops all results of a node that stops, so its error says what becomes of them.
 *
 * @returns undefined if the error says everything
 */
export function sentenceOnOthers(
	items: NodeItem[],
	about: NodeItem,
	retry: 'none' | 'all' | 'unfinished',
): string | undefined {
	const isInvalid = about.ledger.outcome?.failure?.cause === 'input';
	if (isInvalid && items.every(({ ledger }) => ledger.starts.length === 0)) return undefined;
	const unfinished = items.filter(({ ledger: { outcome } }) => !outcome || outcome.failure !== undefined);
	const done = items.length - unfinished.length;
	if (retry === 'none') return done > 0 ? `Results of ${counted(done, 'completed item')} are lost` : undefined;
	if (items.length === 1) return undefined;
	const isOfAll = retry === 'all' || done === 0;
	const what = isOfAll ? `all ${items.length} items` : `${unfinished.length} of ${items.length} items`;
	const running = items.filter(({ ledger }) => ledger.starts.some(mayBeInProgress)).length;
	const inProgress = running > 0 ? `, although ${counted(running, 'run')} may still be in progress` : '';
	// *Retry execution* of a parent workflow would start all items.
	return `'Retry execution' in the 'Executions' tab of this node's workflow starts ${what} in new billed runs${inProgress}`;
}
