import type { IBinaryKeyData, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { Failure, RunData } from '../../errors/failure';
import { isDataUrl } from '../../errors/file-contents';
import type { Ledger, Start } from '../../starts/ledger';
import { counted } from '../../values';
import type { ReadRows } from '../rows/read-rows';
import type { RunStatus } from '../stream';
import { withProblems, type RunResult } from './result';

/** What one item gets: items, with the reason if they are a partial result; or what happened instead. */
export type Outcome =
	| { items: INodeExecutionData[]; hints: NodeExecutionHint[]; reason?: string; failure?: undefined }
	| { failure: Failure; binary?: IBinaryKeyData };

/** A step that continues the thread of a run, in the words of whoever takes it. */
type Steps = Pick<Failure, 'advice' | 'cost' | 'adviceAmongOthers' | 'adviceForAgent'>;

/** @param what what to do in the thread, as the rest of a sentence */
const inThread = (what: string): Steps => ({
	advice: `Enter this thread ID as 'Thread ID' ${what}`,
	cost: 'That run is billed',
	adviceAmongOthers: `Run this item alone, with this thread ID as 'Thread ID', ${what}`,
	adviceForAgent: `Call this tool again with this thread ID ${what}`,
});

/** A step in the form, which several items share. */
const inForm = (advice: string): Steps => ({
	advice,
	cost: 'The next run is billed',
	adviceAmongOthers: `${advice}, which asks for all items again`,
});

const OPEN_FIRST: Steps = {
	advice: 'Open the thread to see whether the run goes on',
	adviceForAgent: 'The run may go on. Call this tool later with this thread ID to ask for its result',
};

const CONTINUE = inThread('to continue where the run stopped');

const STEPS: Record<Exclude<RunStatus, 'completed'>, Steps> = {
	failed: CONTINUE,
	aborted: CONTINUE,
	incomplete: inThread('to let the agent continue'),
	not_done: inThread('and give the agent what it asks for'),
	needs_approval: inThread('and say whether you approve'),
	interrupted: OPEN_FIRST,
	timed_out: OPEN_FIRST,
};

/** What an agent writes if a page wants it to sign in. */
const SIGN_IN = /\b(sign|log)(ged|ging|s)?[ -]?in\b|\bpassword\b/i;

/** A start has no field for a profile. */
const SET_COOKIES = inForm(
	"Set cookies of the page with 'Set Cookies' of Browser Automation, and name their profile in the task",
);

const NO_THREAD: Steps = {
	advice: 'The service named no thread: look for the run in its web console',
};

function stepsAfter({ reason, status, thread_id }: RunResult): Steps {
	if (thread_id === null) return NO_THREAD;
	if (status === 'not_done' && SIGN_IN.test(reason ?? '')) return SET_COOKIES;
	return STEPS[status as keyof typeof STEPS];
}

/** What a run says that did not complete, with its partial result. */
export function incompleteFailure(result: RunResult, advice?: string): Failure {
	const steps = stepsAfter(result);
	return {
		reason: result.reason ?? result.status,
		...(advice && result.thread_id !== null ? { advice } : steps),
		run: result,
	};
}

/** The failure whose advice says that the files that the stream carried are lost. */
export function withLostFiles(failure: Failure, { files }: RunResult): Failure {
	if (!files.some(({ url }) => isDataUrl(url))) return failure;
	return { ...failure, advice: `Its files are lost. ${failure.advice}` };
}

/** The first of several problems, and how many more there are. */
export const withCount = ([first, ...more]: string[]): string =>
	more.length ? `${first} (and ${more.length} more)` : first;

/** What to ask for in the same thread, which keeps the work of the run. */
const ASK: Record<string, string> = { date: 'dates in ISO 8601', number: 'plain numbers' };

/** What can help if the rows of a run that completed do not fit. */
function misfitSteps({ cause }: ReadRows, { thread_id }: RunResult): Steps {
	if (cause === 'digits') return inForm("Set the type of this column to 'Text', which keeps every digit");
	if (cause === 'required') return inForm("Turn off 'Required' for this column if the page may lack the value");
	if (thread_id === null) return inForm('Say in the task what each column should contain');
	return inThread(`and ask for ${ASK[cause ?? ''] ?? 'rows that fit'}`);
}

/** What happened if the rows of a reply do not fit: with the full reply and every problem. */
export const misfitFailure = (result: RunResult, read: ReadRows): Failure => ({
	reason: withCount(read.problems),
	...misfitSteps(read, result),
	textLabel: 'The full reply',
	run: withProblems(result, read.problems),
});

/** What happened if a run found no rows, and the form does not accept that. */
export const noRowsFailure = (result: RunResult): Failure => ({
	reason: 'The run found no rows',
	...inForm("Set 'If No Rows Are Found' to 'Return No Items' if there may be none"),
	run: result,
});

/** Whether a run may still be in progress. */
const isOpen = ({ status }: Start) => status === 'interrupted' || status === 'timed_out';

const LOOK_FOR_EARLIER =
	'An earlier run may still be in progress. Look for it in the web console before you start another one';

/** What happened if a follow-up run could not be started, or not be seen: with the reply before it. */
export const followUpFailure = (failure: Failure, result: RunResult): Failure => ({
	...failure,
	...(failure.effect === 'none'
		? { noRunScope: 'further' }
		: { advice: `This is about the follow-up run. ${failure.advice}` }),
	run: result,
});

/** Starts as the error data list them. */
const listStarts = (starts: Start[]) => starts.map(({ item, status, thread_id }) => ({ item, status, thread_id }));

/**
 * The failure with every run that was started for its item, if there are more than the one that it is about. If it is about a
 * further start that was refused, it tells of the last run.
 */
export function withRuns(failure: Failure, starts: Start[]): Failure {
	const last = starts.at(-1);
	if (!last || (failure.run && starts.length === 1)) return failure;
	const { thread_id, status } = last;
	const run = { ...(failure.run ?? { thread_id, status }), runs: listStarts(starts) };
	if (failure.run) return { ...failure, run };
	const advice = starts.some(isOpen) ? `${failure.advice}. ${LOOK_FOR_EARLIER}` : failure.advice;
	return { ...failure, advice, noRunScope: 'further', run };
}

/** How the items of an execution can be started again. */
export interface Retry {
	/** What *Retry* in the list of executions starts: the items that have not succeeded, or all, if nothing may be kept. */
	scope: 'failed' | 'all';
	/** Whether a person who sees the error in the editor has *Execute step* in front of them. */
	isInEditor: boolean;
	/** Whether the error is read in a parent, which has a *Retry* of its own. */
	isInSubworkflow: boolean;
}

/** One of the items of a node that stops on an error. */
export interface BatchItem {
	ledger: Pick<Ledger<unknown>, 'starts'>;
	/** Undefined if nothing was started for it in this execution. */
	outcome?: Outcome;
	/** Whether *Retry* goes on with it in the thread of its run, whose connection was lost. */
	isContinued: boolean;
}

const RETRY_CONTINUES: Steps = {
	advice: "'Retry' on this execution continues the run in its thread",
	cost: 'That run is billed',
};

/** What a click starts, of several items. */
function costOf({ scope, isInEditor, isInSubworkflow }: Retry, items: BatchItem[]): string {
	const open = items.filter(({ outcome }) => !outcome || outcome.failure);
	const continued = open.filter(({ isContinued }) => isContinued).length;
	const missing = open.filter(({ outcome, isContinued }) => !outcome && !isContinued).length;
	const failed = open.length - continued - missing;
	const kinds = [
		failed && `${failed} failed`,
		missing && `${missing} not started`,
		continued && `${continued} continued in ${continued === 1 ? 'its thread' : 'their threads'}`,
	];
	const all = `all ${items.length} items`;
	const why = kinds.filter(Boolean).join(', ');
	if (isInEditor) {
		const isLess = scope === 'failed' && (open.length < items.length || continued > 0);
		const retry = isLess ? `, 'Retry' in the list of executions only ${open.length} (${why})` : '';
		return `Executing this node again starts ${all}${retry}; each run is billed`;
	}
	const retry = `'Retry' on ${isInSubworkflow ? 'the execution of this sub-workflow' : 'this execution'}`;
	if (scope === 'all') return `${retry} starts ${all}; each run is billed`;
	const again = `${counted(open.length, 'item')} again (${why})`;
	return `${retry} starts ${again} if this node stays as it is; each run is billed`;
}

/**
 * The failure that stops the node. n8n drops the results of the other items, so that it lists every run that was started, and
 * says what becomes of the others.
 *
 * @param retry undefined if the execution cannot be retried
 */
export function batchFailure(failure: Failure, items: BatchItem[], retry: Retry | undefined): Failure {
	const starts = items.flatMap(({ ledger }) => ledger.starts);
	const about = items.find(({ outcome }) => outcome?.failure === failure)!;
	const known = withRuns(failure, about.ledger.starts);
	if (items.length === 1 && retry && about.isContinued) return { ...known, ...RETRY_CONTINUES };
	// What the form has to say first decides for all items.
	if (items.length === 1 || (starts.length === 0 && failure.isInput)) return known;
	const done = items.filter(({ outcome }) => outcome && !outcome.failure).length;
	const notStarted = items.filter(({ outcome }) => !outcome).length;
	const others = items.filter((item) => item !== about && (!item.outcome || item.outcome.failure));
	const mayGoOn = others.some(({ ledger }) => ledger.starts.some(isOpen));
	const advice = known.adviceAmongOthers ?? known.advice;
	const sentences = [
		advice,
		done && `The results of ${counted(done, 'item')} are ${retry?.scope === 'failed' ? 'kept' : 'dropped'}`,
		retry && mayGoOn && 'Open the threads of the other runs that may still be in progress, too',
		retry ? costOf(retry, items) : notStarted && `Items not started: ${notStarted}`,
	];
	return {
		...known,
		advice: sentences.filter(Boolean).join('. '),
		cost: retry ? '' : undefined,
		noRunScope: about.ledger.starts.length ? known.noRunScope : 'item',
		...(starts.length > 0 && { run: { ...known.run, runs: listStarts(starts) } as RunData }),
	};
}
