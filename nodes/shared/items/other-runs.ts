// Tells an item's error about other runs, and what *Retry execution* starts.

import type { Failure, KnownRun } from '../failure/failure';
import type { Ledger, Start } from '../start/ledger';
import { counted } from '../values/text';
import type { Outcome } from './outcome';

const mayBeInProgress = ({ status }: Start) => status === 'interrupted' || status === 'timed_out';

const CHECK_EARLIER = 'An earlier run may still be in progress. Check the web console before you start another';

/**
 * After a rejection, warns of earlier runs that may be in progress.
 *
 * @param starts the item's
 * @param named the starts that the error names: the item's, or all items' if the node stops
 */
export function withRunsOfItem(failure: Failure, starts: Start[], named = starts): Failure {
	const { advice, cause, effect, run } = failure;
	const isRejected = run === undefined || effect === 'none';
	const isWarned = isRejected && cause !== 'threadInUse' && starts.some(mayBeInProgress);
	const warned = isWarned ? { ...failure, advice: `${advice}. ${CHECK_EARLIER}` } : failure;
	const last = starts.at(-1);
	if (named.length === 0 || (named.length === 1 && last && run)) return warned;
	const known = run ?? (last && { thread_id: last.thread_id, status: last.status });
	const runs = named.map(({ item, status, thread_id }) => ({ item, status, thread_id }));
	return { ...warned, run: { ...known, runs } as KnownRun };
}

export interface BatchItem {
	ledger: Pick<Ledger<Outcome>, 'outcome' | 'starts'>;
}

export type Retry = 'none' | 'all' | 'unfinished';

const isUnfinished = ({ ledger: { outcome } }: BatchItem) => outcome?.failure !== undefined || !outcome;

/** n8n drops all results of a node that stops, so its error describes the other items. */
export function sentencesOnOthers(items: BatchItem[], about: BatchItem, retry: Retry): string[] {
	const isInvalid = about.ledger.outcome?.failure?.cause === 'input';
	if (isInvalid && items.every(({ ledger }) => ledger.starts.length === 0)) return [];
	const sentences: string[] = [];
	const unfinished = items.filter(isUnfinished);
	const others = unfinished.filter((item) => item !== about);
	const running = others.flatMap(({ ledger }) => ledger.starts.filter(mayBeInProgress)).length;
	if (running > 0) sentences.push(`${counted(running, 'other run')} may still be in progress`);
	const done = items.length - unfinished.length;
	if (retry === 'none') {
		if (done > 0) sentences.push(`Results of ${counted(done, 'completed item')} are lost`);
	} else if (items.length > 1) {
		const some = `${unfinished.length} of ${items.length} items, if the request is unchanged`;
		const what = retry === 'all' ? `all ${items.length} items` : some;
		// *Retry execution* of a parent workflow would start all items.
		sentences.push(`'Retry execution' in the 'Executions' tab of this node's workflow starts ${what}`);
	}
	return sentences;
}
