import type { Failure, RunData } from '../../errors/failure';
import type { Outcome, StartedRun } from './outcome';
import type { RunStatus } from '../stream';
import type { RunResult } from './result';

const OPEN_FIRST = 'The run may still be in progress. Open the thread in the web console before you start another run';

const ADVICE: Record<Exclude<RunStatus, 'completed'>, string> = {
	failed: "Change the task, or continue the thread with its ID as 'Thread ID'",
	aborted: "The service ended the run. Continue the thread with its ID as 'Thread ID', or start a new run",
	incomplete: "Run again with this 'Thread ID' to let the agent continue, or ask for less in one run",
	needs_approval: "Run again with this 'Thread ID' and a task that says whether you approve",
	interrupted: `${OPEN_FIRST}, which is billed again`,
	timed_out: `${OPEN_FIRST}. To wait longer, raise this limit in 'Options'`,
};

/**
 * What a run says that did not complete, with its partial result. A file in it that is not yet binary data is lost, and the
 * advice says so.
 */
export function incompleteFailure(result: RunResult, advice?: string): Failure {
	const { reason, status, files } = result;
	const lost = files.some(({ url }) => /^data:/i.test(String(url)))
		? ". Its files are lost. To keep them next time, set 'On Error' to 'Continue'"
		: '';
	return {
		reason: reason ?? status,
		advice: (advice ?? ADVICE[status as keyof typeof ADVICE]) + lost,
		...(status === 'failed' && { kept: 'The partial result' }),
		run: result,
	};
}

/** The failure with every run that was started for its item, if there are more than the one that it is about. */
export const withRuns = (failure: Failure, runs: StartedRun[]): Failure =>
	runs.length > 1 ? { ...failure, run: { ...failure.run, runs } as RunData } : failure;

/**
 * The failure that stops the node: n8n drops the results of the other items, so that it lists every run that was started,
 * and says how many items got none.
 */
export function batchFailure(failure: Failure, outcomes: Array<Outcome | undefined>): Failure {
	const runs = outcomes.flatMap((outcome) => outcome?.runs ?? []);
	if (outcomes.length === 1) return withRuns(failure, runs);
	const sentences = [failure.advice];
	const succeeded = outcomes
		.flatMap((outcome) => (outcome?.failure ? [] : (outcome?.runs ?? [])))
		.filter(({ status }) => status === 'completed' || status === 'started').length;
	if (succeeded) {
		sentences.push(
			`${succeeded} of ${runs.length} runs succeeded, but their results are dropped. To keep them next time, set 'On Error' to 'Continue (using error output)'`,
		);
	}
	const notStarted = outcomes.filter((outcome) => !outcome).length;
	if (notStarted) sentences.push(`Items not started: ${notStarted}`);
	return { ...failure, advice: sentences.join('. '), run: { ...failure.run, runs } as RunData };
}
