import type { IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';

import type { Failure, RunData } from '../../errors/failure';
import { isDataUrl } from '../../errors/file-contents';
import type { Ledger, Start } from '../../starts/ledger';
import { FIND_THREAD, isSameThread, isThreadInUse } from '../../starts/response';
import { counted, shortenList } from '../../values';
import type { RowsRequest } from '../parameters/rows-request';
import type { Reply } from '../reply';
import type { BlockedBy } from '../rows/not-done';
import type { ReadRows } from '../rows/read-rows';
import type { RunStatus } from '../stream';
import type { Hint } from './hints';
import { withProblems, type RunResult } from './result';

/** The outcome of one item: items, with the reason if they are a partial result; or a failure. */
export type Outcome =
	| { items: INodeExecutionData[]; hints: Hint[]; reason?: string; failure?: undefined }
	| { failure: Failure; hints?: undefined; binary?: IBinaryKeyData };

/** A next step, worded for its reader. */
type Steps = Pick<
	Failure,
	'advice' | 'adviceAmongOthers' | 'adviceForAgent' | 'adviceIfTypeIsRight' | 'adviceInItem' | 'changes'
>;

/**
 * A step in the thread of a run. Among several items, it needs another node: a changed thread ID starts all of them again.
 *
 * @param what rest of the sentence
 * @param forAgent rest of the sentence for an AI agent; undefined if a new run would stop in the same way, so that a person is needed
 */
const stepInThread = (what: string, forAgent?: string): Steps => {
	const inAnotherNode = `In another Run Automation, set 'Thread ID' to this run's thread ID ${what}`;
	return {
		advice: `Set 'Thread ID' to this run's thread ID ${what}`,
		adviceAmongOthers: forAgent ? '' : inAnotherNode,
		adviceInItem: inAnotherNode,
		adviceForAgent: forAgent && `Call this tool again with this thread ID ${forAgent}`,
	};
};

const FIND_FIRST: Steps = {
	advice: FIND_THREAD,
	adviceAmongOthers: '',
	adviceForAgent: 'The run may still be in progress. Call this tool later with this thread ID to get the result',
};

const CONTINUE = stepInThread("and ask in 'Task' to continue", 'to continue where the run stopped');

const STEPS: Record<Exclude<RunStatus, 'completed'>, Steps> = {
	failed: CONTINUE,
	aborted: CONTINUE,
	incomplete: CONTINUE,
	not_done: stepInThread("and provide what the agent asks for in 'Task'"),
	needs_approval: {
		...stepInThread("and approve or decline in 'Task'"),
		adviceForAgent: 'Ask the user whether to approve, and call this tool again with this thread ID and their answer',
	},
	interrupted: FIND_FIRST,
	timed_out: FIND_FIRST,
};

const SIGN_IN = /\b(sign|log)(ged|ging|s)?[ -]?in\b|\bpassword\b/i;

/** A start has no field for a profile. */
const SET_COOKIES: Steps = {
	advice:
		"Copy a profile ID from the web console, set its cookies with 'Set Cookies' of Browser Automation, and name the profile in 'Task'",
	changes: 'task',
};

/** The step by obstacle, if it differs from providing what the agent asks for. An AI agent gets no error then, but a result. */
const BLOCKED_STEPS: Partial<Record<BlockedBy, Steps>> = {
	sign_in: SET_COOKIES,
	one_time_code: stepInThread("and enter the code in 'Task'. The example 'one-time-code' asks a person for it"),
	approval: STEPS.needs_approval,
	page_down: { advice: 'Try again later, when the page loads' },
};

const MORE_TIME = {
	total: "If it needs longer, raise 'Run Timeout (Seconds)' under 'Limits'",
	idle: "If it needs longer, raise 'Idle Timeout (Seconds)' under 'Limits'",
	workflow: "If it needs longer, raise 'Timeout After' in the workflow settings",
};

function stepsAfter(
	{ reason, status, thread_id, blocked_by }: RunResult,
	{ otherThread, run: { advice, expired, mayBeRunning } }: Reply,
): Steps {
	if (thread_id === null) return { advice: 'The service returned no thread ID. Look for the run in its web console' };
	if (otherThread) return { advice: "Check both threads in the service's web console" };
	if (mayBeRunning) return FIND_FIRST;
	if (advice) return { advice, adviceAmongOthers: '' };
	if (expired) {
		const more = MORE_TIME[expired];
		return { ...FIND_FIRST, advice: `${FIND_THREAD}. ${more}`, adviceAmongOthers: more, changes: 'setting' };
	}
	if (status === 'not_done' && blocked_by) return BLOCKED_STEPS[blocked_by] ?? STEPS.not_done;
	if (status === 'not_done' && SIGN_IN.test(reason ?? '')) return SET_COOKIES;
	return STEPS[status as keyof typeof STEPS];
}

/** The failure of a run that did not complete, with its partial result. */
export const incompleteFailure = (result: RunResult, latest: Reply): Failure => ({
	reason: result.reason ?? result.status,
	...stepsAfter(result, latest),
	run: result,
});

/** Adds to the advice that files in the stream were not kept. */
export function withLostFiles(failure: Failure, { files }: RunResult): Failure {
	if (!files.some(({ url }) => isDataUrl(url))) return failure;
	return { ...failure, advice: `${failure.advice}. Files of this run were not kept` };
}

const VALID_ROWS = 'rows that match the columns';

const correctionOption = ({ onInvalid }: RowsRequest): string =>
	onInvalid === 'correction'
		? "Raise 'Max Follow-Ups' under 'Limits'"
		: "Set 'If Rows Are Invalid' to 'Request Correction'";

function invalidRowsSteps(
	{ cause, invalidColumn }: ReadRows,
	{ thread_id }: RunResult,
	{ otherThread }: Reply,
	request: RowsRequest,
): Steps {
	const { columns, isFromExample } = request;
	if (cause === 'digits') {
		const change = isFromExample
			? "In 'JSON Example', enter this value as text"
			: "Change this column's type to 'Text'";
		return { advice: `${change} to keep every digit`, changes: 'type' };
	}
	if (cause === 'required') {
		return { advice: "If the value may be missing, turn off 'Required' for this column", changes: 'column' };
	}
	if (thread_id === null || otherThread) {
		return { advice: 'Describe in the task what each column should contain', changes: 'task' };
	}
	const correct: Steps = {
		...stepInThread(`and ask in 'Task' for ${VALID_ROWS}`, `and ask for ${VALID_ROWS}`),
		adviceAmongOthers: correctionOption(request),
		changes: 'setting',
	};
	if (invalidColumn === undefined) return correct;
	const isChoice = columns.some(({ name, type }) => name === invalidColumn && type === 'choice');
	const ofColumn = `${isChoice ? "'Choices'" : 'the type'} of "${invalidColumn}"${isFromExample ? " in 'JSON Example'" : ''}`;
	const changeType = `Change ${ofColumn} if these values are right`;
	return {
		...correct,
		advice: `${changeType}, or continue the thread with this ID and ask for ${VALID_ROWS}`,
		adviceAmongOthers: changeType,
		adviceInItem: changeType,
		adviceIfTypeIsRight: correctionOption(request),
		changes: isChoice ? 'column' : 'type',
	};
}

/** The failure if the rows of a run cannot be returned: with the full reply and every problem. */
export function rowsFailure(
	latest: Reply,
	read: ReadRows,
	result: RunResult,
	request: RowsRequest,
): Failure | undefined {
	const { problems, isUsable, rows } = read;
	const isInvalid = problems.length > 0 && !(request.onInvalid === 'validOnly' && isUsable);
	if (!isInvalid && !(rows.length === 0 && request.needsRows)) return undefined;
	const run = withProblems(result, problems);
	// If the run did not complete, its own reason explains why there are no rows.
	if (result.status !== 'completed') return incompleteFailure(run, latest);
	if (isInvalid) {
		const steps = invalidRowsSteps(read, result, latest, request);
		return { reason: shortenList(problems, 1).join(', '), ...steps, textLabel: 'The full reply', run };
	}
	const advice = "If an empty result is valid, set 'If No Rows Are Found' to 'Return No Items'";
	return { reason: 'The run found no rows', advice, changes: 'setting', run };
}

const mayBeInProgress = ({ status }: Start) => status === 'interrupted' || status === 'timed_out';

/** The starts whose runs may still be in progress: not if a later run has ended in the same thread. */
const startsInProgress = (starts: Start[]): Start[] =>
	starts.filter((start, index) => {
		const isLaterEnd = (later: Start) =>
			!mayBeInProgress(later) && isSameThread(later.thread_id ?? '', start.thread_id ?? undefined);
		return mayBeInProgress(start) && !starts.slice(index).some(isLaterEnd);
	});

const CHECK_EARLIER = 'An earlier run may still be in progress. Check the web console before you start another';

/** The failure if a follow-up run could not be started, or returned nothing: with the reply before it. */
export const followUpFailure = (failure: Failure, result: RunResult): Failure => ({
	...failure,
	...(failure.effect === 'none'
		? {
				noRunScope: 'further',
				adviceForAgent: failure.adviceForAgent && `${failure.adviceForAgent}, with this thread ID`,
			}
		: { advice: `This concerns the follow-up run. ${failure.advice}` }),
	run: result,
});

/** Starts as the error data list them. */
const listStarts = (starts: Start[]) => starts.map(({ item, status, thread_id }) => ({ item, status, thread_id }));

/**
 * The failure with every run that was started for its item, if there is more than the run that it concerns. If it concerns a further
 * start that was rejected, its run is the last of them.
 */
function listRuns(failure: Failure, starts: Start[]): Failure {
	const last = starts.at(-1);
	if (!last || (failure.run && starts.length === 1)) return failure;
	const { thread_id, status } = last;
	const run = { ...(failure.run ?? { thread_id, status }), runs: listStarts(starts) };
	return failure.run ? { ...failure, run } : { ...failure, noRunScope: 'further', run };
}

/** The failure of an item with its runs, and with a warning if a start was rejected while one of them may still be in progress. */
export function withRuns(failure: Failure, starts: Start[]): Failure {
	const known = listRuns(failure, starts);
	const isRejected = failure.run === undefined || failure.effect === 'none';
	const isWarned = isThreadInUse(failure) || failure.isThreadGone === true;
	if (!isRejected || isWarned || startsInProgress(starts).length === 0) return known;
	return { ...known, advice: `${failure.advice}. ${CHECK_EARLIER}` };
}

/** The effect of *Retry execution* in the executions list. */
export interface Retry {
	/** Whether it starts only the items that have not succeeded; otherwise nothing is saved, and it starts all. */
	startsFailedOnly: boolean;
	/** Whether the error is read in a parent, which has a *Retry* of its own. */
	isInSubworkflow: boolean;
}

/** An item of a node that stops on an error. */
export interface BatchItem {
	ledger: Pick<Ledger<unknown>, 'starts'> & Partial<Pick<Ledger<unknown>, 'isThreadGone'>>;
	/** Undefined if the node ended before it. */
	outcome?: Outcome;
	/** Whether *Retry* continues the thread of its run, whose connection was lost. */
	isContinued: boolean;
	/** Whether *Retry* would continue it, if the form allowed a follow-up, or if its thread still existed. */
	isGivenUp?: boolean;
	/** Whether the form contains a thread ID, or continues a thread, so that a thread ID is useful. */
	usesThread?: boolean;
}

const EACH_BILLED = 'Each run is billed';

/** What *Retry* and *Execute step* start, and that it is billed. Every sentence about a *Retry* is made here. */
function retryAdvice(
	{ startsFailedOnly, isInSubworkflow }: Retry,
	items: BatchItem[],
	changes: Failure['changes'],
): string {
	// A changed limit or option needs the current workflow. Any other change starts all items.
	const entry = changes === 'setting' ? ', with the currently saved workflow,' : '';
	const condition = entry ? '' : ` if this node ${changes === 'URL' ? 'and the URL are' : 'is'} unchanged`;
	const retry = `'Retry execution' ${isInSubworkflow ? 'on the execution of this sub-workflow' : "in the 'Executions' tab"}${entry}`;
	const inParent = isInSubworkflow ? ', without results for the parent' : '';
	const others = isInSubworkflow ? '; on the parent' : "; 'Execute step'";
	const [only] = items;
	if (items.length === 1) {
		if (!only?.isContinued) return `${retry} starts a new run${inParent}. ${EACH_BILLED}`;
		const anew = isInSubworkflow ? ' it starts a new run' : ' starts a new run';
		return `${retry} continues the run${condition}${inParent}${others}${anew}. ${EACH_BILLED}`;
	}
	const unfinished = items.filter(({ outcome }) => !outcome || outcome.failure);
	if (!startsFailedOnly) {
		const losesResults = unfinished.length < items.length;
		return `${retry} starts all ${items.length} items${losesResults ? '; completed results are lost' : ''}. ${EACH_BILLED}`;
	}
	const continued = unfinished.filter(({ isContinued }) => isContinued).length;
	const missing = unfinished.filter(({ outcome, isContinued }) => !outcome && !isContinued).length;
	const failed = unfinished.length - continued - missing;
	const kinds = [
		failed && `${failed} failed`,
		missing && `${missing} not started`,
		continued && `${continued} continued in ${continued === 1 ? 'its thread' : 'their threads'}`,
	];
	const started = `${counted(unfinished.length, 'item')} (${kinds.filter(Boolean).join(', ')})`;
	const all = isInSubworkflow ? ` all ${items.length}` : ` starts all ${items.length}`;
	return `${retry} starts ${started}${condition}${inParent}${others}${all}. ${EACH_BILLED}`;
}

/** The loss for other items if the execution cannot be retried. */
function lossAdvice(items: BatchItem[]): string[] {
	const done = items.filter(({ outcome }) => outcome && !outcome.failure).length;
	const notStarted = items.filter(({ outcome }) => !outcome).length;
	return [
		...(done ? [`Results of ${counted(done, 'completed item')} are lost`] : []),
		...(notStarted ? [`Not started: ${counted(notStarted, 'item')}`] : []),
	];
}

/** The failure of a node with one item: with the effect of its *Retry*, if that is unexpected. */
function singleFailure(known: Failure, item: BatchItem, retry: Retry | undefined): Failure {
	if (!retry || !(item.isContinued || item.isGivenUp)) return known;
	return { ...known, advice: `${known.advice}. ${retryAdvice(retry, [item], known.changes)}`, cost: '' };
}

/** A step that, for several items, says that a changed request starts all of them again. */
const withRestart = (step: string, { changes }: Failure): string =>
	step && changes && changes !== 'setting' ? `${step}. A changed ${changes} starts all items again` : step;

/** The failure in the error item of one of several items. */
export const amongItems = (failure: Failure): Failure => ({
	...failure,
	advice: withRestart(failure.adviceInItem ?? failure.advice, failure),
	noRunScope: failure.noRunScope ?? 'item',
});

/** The failure with an option instead of a changed type, if that type was right for another item. */
function withRightType(failure: Failure, items: BatchItem[]): Failure {
	const { adviceIfTypeIsRight: advice } = failure;
	const isRight = advice !== undefined && items.some(({ outcome }) => outcome && !outcome.failure);
	return isRight ? { ...failure, adviceAmongOthers: advice, changes: 'setting' } : failure;
}

/**
 * The failure that stops the node. n8n drops the results of the other items, so it lists every run that was started. Its advice
 * says first that a run may still be in progress, if this applies; then gives its own step in the form or the credential, if any; then
 * the effect of a *Retry*.
 *
 * @param retry undefined if the execution cannot be retried
 */
export function batchFailure(failure: Failure, items: BatchItem[], retry: Retry | undefined): Failure {
	const starts = items.flatMap(({ ledger }) => ledger.starts);
	const about = items.find(({ outcome }) => outcome?.failure === failure)!;
	if (items.length === 1) return singleFailure(withRuns(failure, about.ledger.starts), about, retry);
	const known = withRightType(listRuns(failure, about.ledger.starts), items);
	// An invalid form concerns all items.
	if (starts.length === 0 && failure.isInput) return known;
	// The failure of a start without a thread already says where to find its run, unless a wrong URL started none.
	const isWrongUrl = ({ changes, run }: Partial<Failure> = {}) => changes === 'URL' && run !== undefined;
	const isSaid = failure.run?.thread_id === null && !isWrongUrl(failure);
	const isToFind = ({ ledger, outcome }: BatchItem) =>
		!ledger.isThreadGone &&
		startsInProgress(ledger.starts).some(
			({ thread_id }) => thread_id !== null || !(isSaid || isWrongUrl(outcome?.failure)),
		);
	const unfinished = items.filter(({ outcome }) => !outcome || outcome.failure);
	const usesThread = typeof known.run?.thread_id === 'string' && about.usesThread === true;
	const { advice, adviceAmongOthers = advice, adviceInItem = advice } = known;
	const ownStep = adviceAmongOthers === '' && usesThread && !isToFind(about) ? adviceInItem : adviceAmongOthers;
	const sentences = [
		!isThreadInUse(failure) && unfinished.some(isToFind) && FIND_THREAD,
		withRestart(ownStep, known),
		...(retry ? [retryAdvice(retry, items, known.changes)] : lossAdvice(items)),
	];
	return {
		...known,
		advice: sentences.filter(Boolean).join('. '),
		cost: retry ? '' : undefined,
		noRunScope: about.ledger.starts.length ? known.noRunScope : 'item',
		...(starts.length > 0 && { run: { ...known.run, runs: listStarts(starts) } as RunData }),
	};
}
