// Tells an item's error about other runs, and what *Retry execution* starts.

import { mayBeInProgress, type Failure, type KnownRun } from '../failure/failure';
import type { Ledger, Start } from '../start/ledger';
import { counted } from '../values/text';
import type { Outcome } from './outcome';

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

export interface BatchItem {
	ledger: Pick<Ledger<Outcome>, 'outcome' | 'starts'>;
}

export type Retry = 'none' | 'all' | 'unfinished';

/**
 * n8n drops all results of a node that stops, so its error says what becomes of them.
 *
 * @returns undefined if the error says everything
 */
export function sentenceOnOthers(items: BatchItem[], about: BatchItem, retry: Retry): string | undefined {
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
