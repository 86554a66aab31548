import type { Failure, RunData } from '../../shared/failure';
import type { Ledger, Start } from '../../shared/ledger';
import { isSameThread } from '../../shared/thread';
import { counted } from '../../shared/text';
import type { Outcome } from './outcome';

const mayBeInProgress = ({ status }: Start) => status === 'interrupted' || status === 'timed_out';

/** The starts whose runs may still be in progress: not if a later run has ended in the same thread. */
const startsInProgress = (starts: Start[]): Start[] =>
	starts.filter((start, index) => {
		const isLaterEnd = (later: Start) =>
			!mayBeInProgress(later) && isSameThread(later.thread_id ?? '', start.thread_id ?? undefined);
		return mayBeInProgress(start) && !starts.slice(index).some(isLaterEnd);
	});

/** In the error data, unless there is only the run that the failure concerns. */
function withStarts(failure: Failure, own: Start[], all = own): Failure {
	const last = own.at(-1);
	if (all.length === 0 || (all.length === 1 && last && failure.run)) return failure;
	const known = failure.run ?? (last && { thread_id: last.thread_id, status: last.status });
	const runs = all.map(({ item, status, thread_id }) => ({ item, status, thread_id }));
	return { ...failure, run: { ...known, runs } as RunData };
}

const CHECK_EARLIER = 'An earlier run may still be in progress. Check the web console before you start another';

/** Also warns if a start was rejected while another run may be in progress. */
export function withRunsOfItem(failure: Failure, own: Start[], all = own): Failure {
	const { advice, cause, effect, run } = failure;
	const isRejected = run === undefined || effect === 'none';
	const isWarned = isRejected && cause !== 'threadInUse' && startsInProgress(own).length > 0;
	return withStarts(isWarned ? { ...failure, advice: `${advice}. ${CHECK_EARLIER}` } : failure, own, all);
}

export interface BatchItem {
	ledger: Pick<Ledger<unknown>, 'starts'>;
	/** Undefined if the node ended before it. */
	outcome?: Outcome;
}

/** *Retry execution* in the executions list. */
export interface Retry {
	/** Otherwise, nothing is saved, and it starts all. */
	startsFailedOnly: boolean;
}

const isUnfinished = ({ outcome }: BatchItem) => outcome?.failure !== undefined || !outcome;

/** What *Retry execution* starts; undefined for one item, because a reader expects it. */
function retrySentence({ startsFailedOnly }: Retry, items: BatchItem[]): string | undefined {
	// Not of a parent that reads the error: its own would start all items.
	const retry = "'Retry execution' in the 'Executions' tab of this node's workflow";
	if (items.length === 1) return undefined;
	if (!startsFailedOnly) return `${retry} starts all ${items.length} items`;
	return `${retry} starts ${items.filter(isUnfinished).length} of ${items.length} items, if the request is unchanged`;
}

function lossSentence(items: BatchItem[]): string | undefined {
	const done = items.filter((item) => !isUnfinished(item)).length;
	return done ? `Results of ${counted(done, 'completed item')} are lost` : undefined;
}

/**
 * The sentences about other items in the error that stops a node: n8n drops their results.
 *
 * @param retry undefined if the execution cannot be retried
 */
export function sentencesOnOthers(items: BatchItem[], about: BatchItem, retry: Retry | undefined): string[] {
	const isInvalid = about.outcome?.failure?.cause === 'input';
	// Invalid input concerns all items.
	if (isInvalid && items.every(({ ledger }) => ledger.starts.length === 0)) return [];
	const others = items.filter((item) => item !== about && isUnfinished(item));
	const running = others.flatMap(({ ledger }) => startsInProgress(ledger.starts)).length;
	const sentences = [
		running ? `${counted(running, 'other run')} may still be in progress` : undefined,
		retry ? retrySentence(retry, items) : lossSentence(items),
	];
	return sentences.filter((sentence) => sentence !== undefined);
}
