import type { IBinaryKeyData, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { Failure, RunData } from '../../errors/failure';
import { isDataUrl } from '../../errors/file-contents';
import { NO_RUN } from '../../starts/response';
import { counted, quoted } from '../../values';
import type { RowsRequest } from '../parameters/rows-request';
import type { ReadRows } from '../rows/read-rows';
import type { RunStatus } from '../stream';
import { withProblems, type RunResult } from './result';

/** A run that was started: its item, how it ended, and its thread. */
export type StartedRun = { item: number; status: string; thread_id: string | null };

/** What one item gets: items, with the reason if they are a partial result; or what happened instead. */
export type Output =
	| { items: INodeExecutionData[]; hints: NodeExecutionHint[]; reason?: string; failure?: undefined }
	| { failure: Failure; binary?: IBinaryKeyData };

/** The output for one input item, and the runs that were started for it, in order: in all tries, and in executions before a *Retry*. */
export type Outcome = Output & {
	runs: StartedRun[];
	/** How many of them are of executions before this one, of which it is a *Retry*. */
	runsBefore: number;
	/** The thread of the last one, if its connection was lost and it may go on there: what a follow-up would have been started for. */
	lostThread?: string;
};

/** The runs that were started for one input item. */
export type KnownRuns = Pick<Outcome, 'runs' | 'runsBefore' | 'lostThread'>;

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

/** What a run says that did not complete, with its partial result. */
export function incompleteFailure(result: RunResult, advice?: string): Failure {
	const { reason, status, thread_id } = result;
	return {
		reason: reason ?? status,
		advice: thread_id === null ? NO_THREAD : (advice ?? ADVICE[status as keyof typeof ADVICE]),
		...(status === 'failed' && { kept: 'The partial result' }),
		run: result,
	};
}

/** The failure whose advice says that the files that the stream carried are lost; an agent cannot keep them. */
export function withLostFiles(failure: Failure, { files }: RunResult, isTool: boolean): Failure {
	if (!files.some(({ url }) => isDataUrl(url))) return failure;
	const nextTime = isTool ? '' : ". To keep them next time, set 'On Error' to 'Continue'";
	return { ...failure, advice: `${failure.advice}. Its files are lost${nextTime}` };
}

/** The first of several problems, and how many more there are. */
export const firstOf = ([first, ...more]: string[]): string =>
	more.length ? `${first} (and ${more.length} more)` : first;

/** What to ask for in the same thread, which keeps the work of the run. */
const ASK: Record<string, string> = { date: 'dates in ISO 8601', number: 'plain numbers' };

const ASK_AGAIN = "set the option 'If Rows Do Not Fit' to 'Ask Again in the Same Thread'";
const RAISE_FOLLOW_UPS = `raise ${quoted('Follow-Ups', 'Limits')}`;

/** What can help if the rows of a run that completed do not fit: first what costs no further run. */
function misfitAdvice({ cause }: ReadRows, { thread_id }: RunResult, { onMisfit }: RowsRequest): string {
	if (cause === 'digits') return "Set the type of this column to 'Text', which keeps every digit";
	const isRequired = cause === 'required';
	const hasThread = thread_id !== null;
	const ways = [
		isRequired && "turn off 'Required' for this column if the page may lack the value",
		!isRequired && hasThread && `run again with this 'Thread ID' and ask for ${ASK[cause ?? ''] ?? 'rows that fit'}`,
		hasThread && (onMisfit === 'askAgain' ? RAISE_FOLLOW_UPS : ASK_AGAIN),
		'say in the task what each column should contain',
	];
	const advice = ways.filter(Boolean).join(', or ');
	return `${advice.charAt(0).toUpperCase()}${advice.slice(1)}`;
}

/** What happened if the rows of a reply do not fit: with the full reply and every problem. */
export const misfitFailure = (result: RunResult, read: ReadRows, request: RowsRequest): Failure => ({
	reason: firstOf(read.problems),
	advice: misfitAdvice(read, result, request),
	kept: 'The full reply',
	run: withProblems(result, read.problems),
});

/** What happened if a run found no rows, and the form does not accept that. */
export const noRowsFailure = (result: RunResult): Failure => ({
	reason: 'The run found no rows',
	advice: "Change the task, or set the option 'If No Rows Are Found' to 'Return No Items'",
	run: result,
});

/** Whether a run may still be in progress. */
const isOpen = ({ status }: StartedRun) => status === 'interrupted' || status === 'timed_out';

const LOOK_FOR_EARLIER =
	'An earlier run may still be in progress. Look for it in the web console before you start another one';

const noFurtherRun = (advice: string): string => advice.replace(NO_RUN, 'No further run was started');

/** What happened if a follow-up run could not be started, or not be seen: with the reply before it. */
export const followUpFailure = (failure: Failure, result: RunResult): Failure => ({
	...failure,
	advice: `This is about the follow-up run. ${noFurtherRun(failure.advice)}`,
	kept: 'The earlier reply',
	run: result,
});

/**
 * The failure with every run that was started for its item, if there are more than the one that it is about. If it is about a
 * further start that was refused, it tells of the last run.
 */
export function withRuns(failure: Failure, runs: StartedRun[]): Failure {
	const last = runs.at(-1);
	if (!last || (failure.run && runs.length === 1)) return failure;
	if (failure.run) return { ...failure, run: { ...failure.run, runs } };
	const told = noFurtherRun(failure.advice);
	const advice = runs.some(isOpen) ? `${told}. ${LOOK_FOR_EARLIER}` : told;
	return { ...failure, advice, run: { thread_id: last.thread_id, status: last.status, runs } };
}

/** What *Retry* in the list of executions starts: the items that have not succeeded, or all, if nothing may be kept. */
export type RetryScope = 'failed' | 'all';

/** @param isContinued whether *Retry* goes on with an item in the thread of its run, whose connection was lost */
function retrySentence(
	scope: RetryScope,
	outcomes: Array<Outcome | undefined>,
	isContinued: (item: number) => boolean,
): string {
	const of = (outcome: Outcome | undefined, item: number) => {
		if (outcome && !outcome.failure) return 'kept';
		if (isContinued(item)) return 'continued';
		return outcome ? 'failed' : 'missing';
	};
	const kinds = outcomes.map(of);
	const numberOf = (kind: ReturnType<typeof of>) => kinds.filter((one) => one === kind).length;
	const [continued, failed, missing] = [numberOf('continued'), numberOf('failed'), numberOf('missing')];
	const isOne = outcomes.length === 1;
	if (isOne && !continued) return "'Retry' on this execution starts the run again, which is billed";
	const started = scope === 'all' ? outcomes.length : failed + missing;
	const why = [failed && `${failed} failed`, missing && `${missing} not started`].filter(Boolean).join(' and ');
	const what = scope === 'all' ? counted(started, 'item') : `${why} item${started === 1 ? '' : 's'}`;
	const threads = `${isOne ? 'the run' : counted(continued, 'run')} in ${continued === 1 ? 'its thread' : 'their threads'}`;
	const does = [continued && `continues ${threads}`, started && `starts ${what}`].filter(Boolean).join(' and ');
	return `'Retry' on this execution ${does}, ${continued + started === 1 ? 'which' : 'each of which'} is billed`;
}

/**
 * The failure that stops the node. n8n drops the results of the other items, so that it lists every run that was started, and
 * says what becomes of the others.
 *
 * @param runs those of all items, also of executions before a *Retry*
 * @param retry undefined if the execution cannot be retried
 * @param isContinued whether *Retry* goes on with an item in its thread
 */
export function batchFailure(
	failure: Failure,
	outcomes: Array<Outcome | undefined>,
	runs: StartedRun[],
	retry: RetryScope | undefined,
	isContinued: (item: number) => boolean = () => false,
): Failure {
	const own = outcomes.find((outcome) => outcome?.failure === failure)?.runs ?? [];
	const known = withRuns(failure, own);
	if (runs.length === 0) return known;
	const done = outcomes.filter((outcome) => outcome && !outcome.failure);
	const notStarted = outcomes.filter((outcome) => !outcome).length;
	const settled = [...own, ...done.flatMap((outcome) => outcome!.runs)];
	const mayGoOn = runs.some((run) => isOpen(run) && !settled.includes(run));
	const becomeOf =
		retry === 'failed'
			? `The results of ${counted(done.length, 'item')} are kept`
			: `${done.length} of ${outcomes.length} items succeeded, but their results are dropped. To keep them next time, set 'On Error' to 'Continue (using error output)'`;
	const sentences = [
		own.length ? known.advice : known.advice.replace(NO_RUN, `${NO_RUN} for this item`),
		done.length && becomeOf,
		retry && mayGoOn && 'Open the threads of the other runs that may still be in progress, too',
		retry ? retrySentence(retry, outcomes, isContinued) : notStarted && `Items not started: ${notStarted}`,
	];
	const all = outcomes.length === 1 ? {} : { runs };
	return { ...known, advice: sentences.filter(Boolean).join('. '), run: { ...known.run, ...all } as RunData };
}
