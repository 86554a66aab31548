import type { Failure, RunData } from '../../errors/failure';
import { isDataUrl } from '../../errors/file-contents';
import { NO_RUN } from '../../starts/response';
import type { Outcome, StartedRun } from './outcome';
import type { RunStatus } from '../stream';
import type { RunResult } from './result';

const OPEN_FIRST = 'The run may still be in progress. Open the thread in the web console before you start another run';

const ADVICE: Record<Exclude<RunStatus, 'completed'>, string> = {
	failed: "Change the task, or continue the thread with its ID as 'Thread ID'",
	aborted: "The service ended the run. Continue the thread with its ID as 'Thread ID', or start a new run",
	incomplete: "Run again with this 'Thread ID' to let the agent continue, or ask for less in one run",
	not_done:
		"Remove what stopped the agent, or change the task. Run again with this 'Thread ID' to keep what it has done",
	needs_approval: "Run again with this 'Thread ID' and a task that says whether you approve",
	interrupted: `${OPEN_FIRST}, which is billed again`,
	timed_out: `${OPEN_FIRST}. To wait longer, raise this limit`,
};

const NO_THREAD = 'The service named no thread. Look for the run in the web console before you start another one';

/**
 * What a run says that did not complete, with its partial result. A file in it that is not yet binary data is lost, and the
 * advice says so.
 */
export function incompleteFailure(result: RunResult, advice?: string): Failure {
	const { reason, status, files, thread_id } = result;
	const lost = files.some(({ url }) => isDataUrl(url))
		? ". Its files are lost. To keep them next time, set 'On Error' to 'Continue'"
		: '';
	return {
		reason: reason ?? status,
		advice: (thread_id === null ? NO_THREAD : (advice ?? ADVICE[status as keyof typeof ADVICE])) + lost,
		...(status === 'failed' && { kept: 'The partial result' }),
		run: result,
	};
}

/**
 * The failure with every run that was started for its item, if there are more than the one that it is about. If it is about a
 * further start that was refused, it tells of the last run.
 */
export function withRuns(failure: Failure, runs: StartedRun[]): Failure {
	const last = runs.at(-1);
	if (!last || (failure.run && runs.length === 1)) return failure;
	const about = failure.run ?? { thread_id: last.thread_id, status: last.status };
	const advice = failure.run ? failure.advice : failure.advice.replace(NO_RUN, 'No further run was started');
	return { ...failure, advice, run: { ...about, runs } };
}

/** What *Retry* in the list of executions starts: the items that have not succeeded, or all, if nothing may be kept. */
export type RetryScope = 'failed' | 'all';

/** Statuses of runs that may still be in progress. */
const OPEN = ['interrupted', 'timed_out'];

const countOf = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

function retrySentence(scope: RetryScope, outcomes: Array<Outcome | undefined>): string {
	if (outcomes.length === 1) return "'Retry' on this execution starts the run again, which is billed";
	const failed = outcomes.filter((outcome) => outcome?.failure).length;
	const missing = outcomes.filter((outcome) => !outcome).length;
	const kinds = [failed && `${failed} failed`, missing && `${missing} not started`].filter(Boolean);
	const count = scope === 'all' ? outcomes.length : failed + missing;
	const what = scope === 'all' ? countOf(count, 'item') : `${kinds.join(' and ')} item${count === 1 ? '' : 's'}`;
	return `'Retry' on this execution starts ${what}, ${count === 1 ? 'which' : 'each of which'} is billed`;
}

/**
 * The failure that stops the node. n8n drops the results of the other items, so that it lists every run that was started, and
 * says what becomes of the others.
 *
 * @param runs those of all items, also of executions before a *Retry*
 * @param retry undefined if the execution cannot be retried
 */
export function batchFailure(
	failure: Failure,
	outcomes: Array<Outcome | undefined>,
	runs: StartedRun[],
	retry: RetryScope | undefined,
): Failure {
	const own = outcomes.find((outcome) => outcome?.failure === failure)?.runs ?? [];
	const known = withRuns(failure, own);
	if (runs.length === 0) return known;
	const done = outcomes.filter((outcome) => outcome && !outcome.failure);
	const notStarted = outcomes.filter((outcome) => !outcome).length;
	const settled = [...own, ...done.flatMap((outcome) => outcome!.runs)];
	const mayGoOn = runs.some((run) => OPEN.includes(run.status) && !settled.includes(run));
	const becomeOf =
		retry === 'failed'
			? `The results of ${countOf(done.length, 'item')} are kept`
			: `${done.length} of ${outcomes.length} items succeeded, but their results are dropped. To keep them next time, set 'On Error' to 'Continue (using error output)'`;
	const sentences = [
		own.length ? known.advice : known.advice.replace(NO_RUN, `${NO_RUN} for this item`),
		done.length && becomeOf,
		retry && mayGoOn && 'Open the threads of the other runs that may still be in progress, too',
		retry ? retrySentence(retry, outcomes) : notStarted && `Items not started: ${notStarted}`,
	];
	const all = outcomes.length === 1 ? {} : { runs };
	return { ...known, advice: sentences.filter(Boolean).join('. '), run: { ...known.run, ...all } as RunData };
}
