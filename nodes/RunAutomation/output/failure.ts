// Explains why a run's result cannot be returned, and what to do next.

import { mayBeInProgress, type Failure } from '../../shared/failure/failure';
import { FIND_THREAD } from '../../shared/start/start-response';
import { shortenList } from '../../shared/values/text';
import type { RowsRequest } from '../form/rows-request';
import type { BlockedBy } from '../reply/not-done';
import type { Run, RunStatus } from '../run/run';
import { completeOutput, withProblems } from './items';

type Advice = Pick<Failure, 'advice' | 'adviceForAgent'>;

/** The advice names another node: a changed thread ID here would start all items again. */
const inThread = (what: string): string => `In another Run Automation, set 'Thread ID' to this run's thread ID ${what}`;

const callAgain = (what: string): string => `Call this tool again with this thread ID ${what}`;

const LOOK_FIRST: Advice = {
	advice: FIND_THREAD,
	adviceForAgent: 'The run may still be in progress. Call this tool later with this thread ID to get the result',
};

const GIVE: Advice = { advice: inThread("and provide what the agent asks for in 'Task'") };

const APPROVE: Advice = {
	advice: inThread("and approve or decline in 'Task'"),
	adviceForAgent: 'Ask the user whether to approve, and call this tool again with this thread ID and their answer',
};

/** What to give for an obstacle that needs more than an answer. */
const GIVE_FOR: Partial<Record<BlockedBy, Advice>> = {
	// The task names the profile, because a start has no field for it.
	sign_in: {
		advice:
			"Copy a profile ID from the web console, set its cookies with 'Set Cookies' of Browser Automation, and name the profile in 'Task'",
	},
	one_time_code: { advice: inThread("and enter the code in 'Task', as in the example 'one-time-code'") },
	approval: APPROVE,
	page_down: { advice: 'Try again later, when the page loads' },
};

const CONTINUE: Advice = {
	advice: inThread("and ask in 'Task' to continue"),
	adviceForAgent: callAgain('to continue where the run stopped'),
};

/** The first that fits: the run cannot be found, it may be in progress, it waits for a person, or it can be continued. */
function adviceAfter(run: Run): Advice {
	const { status, thread_id, blocked_by, advice } = run;
	if (thread_id === null)
		return { advice: "Look for the run in the service's web console, because no thread ID was returned" };
	if (run.mayBeRunning || mayBeInProgress(run)) return LOOK_FIRST;
	if (advice) return { advice };
	if (status === 'needs_approval') return APPROVE;
	if (status === 'not_done') return (blocked_by && GIVE_FOR[blocked_by]) ?? GIVE;
	return CONTINUE;
}

/** The agent's or the service's own words follow. */
const ENDED: Partial<Record<RunStatus, string>> = {
	aborted: 'Run aborted',
	failed: 'Run failed',
	not_done: 'Task not done',
};

export const reasonWithStatus = ({ status, reason }: Pick<Run, 'reason' | 'status'>): string =>
	[ENDED[status], reason ?? status].filter(Boolean).join(': ');

export const incompleteFailure = (run: Run): Failure => ({
	reason: reasonWithStatus(run),
	...adviceAfter(run),
	effect: 'run',
	run: completeOutput(run),
});

/** The next step depends on where the columns are defined. */
const BY_SOURCE = {
	fields: { inField: '', asText: "Change this column's type to 'Text'" },
	example: { inField: " in 'JSON Example'", asText: "In 'JSON Example', enter this value as text" },
	schema: { inField: " in 'JSON Schema'", asText: "In 'JSON Schema', set its 'type' to string" },
};

const VALID_ROWS = 'rows that match the columns';

/** Keeps the full reply and every problem. Undefined if the rows can be returned. */
export function rowsFailure(run: Run, { columnsFrom, onInvalid }: RowsRequest): Failure | undefined {
	const { problems = [], isUsable, cause } = run.rows ?? {};
	if (problems.length === 0 || (onInvalid === 'validOnly' && isUsable)) return undefined;
	const { inField, asText } = BY_SOURCE[columnsFrom];
	let next: Advice = { advice: 'Describe in the task what each column should contain' };
	if (cause === 'digits') next = { advice: `${asText} to keep every digit` };
	else if (cause === 'required') {
		const step = inField ? `remove its name from 'required'${inField}` : "turn off 'Required' for this column";
		next = { advice: `If the value may be missing, ${step}` };
	} else if (run.thread_id !== null) {
		next = {
			advice: inThread(`and ask in 'Task' for ${VALID_ROWS}`),
			adviceForAgent: callAgain(`and ask for ${VALID_ROWS}`),
		};
	}
	const reason = shortenList(problems, 1).join(', ');
	return { reason, ...next, effect: 'run', run: completeOutput(withProblems(run)) };
}
