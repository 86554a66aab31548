// Tells an item's error about other runs, and what *Retry execution* starts.

import type { Failure, KnownRun } from '../failure/failure';
import type { Ledger, Start } from '../start/ledger';
import { counted } from '../values/text';
import type { Outcome } from './outcome';

const mayBeInProgress = ({ status }: Start) => status === 'interrupted' || status === 'timed_out';

const CHECK_EARLIER = 'An earlier run may still be in progress. Check the web console before you start another';

/**
 * @param own the item's starts
 * @param all the starts that the error names: one item's, or all items' if the node stops
 */
export function withRunsOfItem(failure: Failure, own: Start[], all = own): Failure {
	const { advice, cause, effect, run } = failure;
	// After a rejection, earlier runs may be in progress.
	const isRejected = run === undefined || effect === 'none';
	const isWarned = isRejected && cause !== 'threadInUse' && own.some(mayBeInProgress);
	const warned = isWarned ? { ...failure, advice: `${advice}. ${CHECK_EARLIER}` } : failure;
	const last = own.at(-1);
	if (all.length === 0 || (all.length === 1 && last && run)) return warned;
	const known = run ?? (last && { thread_id: last.thread_id, status: last.status });
	const runs = all.map(({ item, status, thread_id }) => ({ item, status, thread_id }));
	return { ...warned, run: { ...known, runs } as KnownRun };
}

export interface BatchItem {
	ledger: Pick<Ledger<Outcome>, 'outcome' | 'starts'>;
}

export type Retry = 'none' | 'all' | 'unfinished';

const isUnfinished = ({ ledger: { outcome } }: BatchItem) => outcome?.failure !== undefined || !outcome;

function retrySentence(retry: Retry, items: BatchItem[]): string | undefined {
	const started = items.filter(isUnfinished).length;
	const done = items.length - started;
	if (retry === 'none') return done ? `Results of ${counted(done, 'completed item')} are lost` : undefined;
	if (items.length === 1) return undefined;
	const what =
		retry === 'all'
			? `all ${done + started} items`
			: `${started} of ${done + started} items, if the request is unchanged`;
	// *Retry execution* of a parent workflow would start all items.
	return `'Retry execution' in the 'Executions' tab of this node's workflow starts ${what}`;
}

/** n8n drops all results of a node that stops, so its error describes the other items. */
export function sentencesOnOthers(items: BatchItem[], about: BatchItem, retry: Retry): string[] {
	const isInvalid = about.ledger.outcome?.failure?.cause === 'input';
	if (isInvalid && items.every(({ ledger }) => ledger.starts.length === 0)) return [];
	const others = items.filter((item) => item !== about && isUnfinished(item));
	const running = others.flatMap(({ ledger }) => ledger.starts.filter(mayBeInProgress)).length;
	const inProgress = running ? `${counted(running, 'other run')} may still be in progress` : undefined;
	return [inProgress, retrySentence(retry, items)].filter((sentence) => sentence !== undefined);
}
