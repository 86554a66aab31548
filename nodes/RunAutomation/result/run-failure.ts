// Explains why a run's result cannot be returned, and what to do next.

import type { Failure } from '../../shared/failure/failure';
import { QUOTED_LIMITS } from '../../shared/failure/limits';
import { isDataUrl } from '../../shared/values/data-url';
import { FIND_THREAD } from '../../shared/start/start-response';
import { shortenList } from '../../shared/values/text';
import type { RowsRequest } from '../form/rows-request';
import type { Reply } from '../reply/reply';
import type { BlockedBy } from '../reply/not-done';
import type { RowsInReply } from '../reply/read-rows';
import type { RunStatus } from '../run/ending';
import { withProblems, type RunResult } from './result';

type Advice = Pick<Failure, 'advice' | 'adviceForAgent'>;

/**
 * The advice names another node: a changed thread ID here would start all items again.
 *
 * @param forAgent the rest of a sentence; undefined if a person is needed
 */
const continueThread = (what: string, forAgent?: string): Advice => ({
	advice: `In another Run Automation, set 'Thread ID' to this run's thread ID ${what}`,
	adviceForAgent: forAgent && `Call this tool again with this thread ID ${forAgent}`,
});

const FIND_FIRST: Advice = {
	advice: FIND_THREAD,
	adviceForAgent: 'The run may still be in progress. Call this tool later with this thread ID to get the result',
};

const CONTINUE = continueThread("and ask in 'Task' to continue", 'to continue where the run stopped');

const ADVICE_AFTER: Record<Exclude<RunStatus, 'completed'>, Advice> = {
	failed: CONTINUE,
	aborted: CONTINUE,
	incomplete: CONTINUE,
	not_done: continueThread("and provide what the agent asks for in 'Task'"),
	needs_approval: {
		...continueThread("and approve or decline in 'Task'"),
		adviceForAgent: 'Ask the user whether to approve, and call this tool again with this thread ID and their answer',
	},
	interrupted: FIND_FIRST,
	timed_out: FIND_FIRST,
};

/** The task names the profile, because a start has no field for it. */
const SET_COOKIES: Advice = {
	advice:
		"Copy a profile ID from the web console, set its cookies with 'Set Cookies' of Browser Automation, and name the profile in 'Task'",
};

/** These obstacles need another step than providing what the agent asks for. */
const BLOCKED: Partial<Record<BlockedBy, Advice>> = {
	sign_in: SET_COOKIES,
	one_time_code: continueThread("and enter the code in 'Task'. The example 'one-time-code' asks a person for it"),
	approval: ADVICE_AFTER.needs_approval,
	page_down: { advice: 'Try again later, when the page loads' },
};

const LIMITS = { ...QUOTED_LIMITS, workflow: "'Timeout After' in the workflow settings" };

function adviceAfter(
	{ status, thread_id, blocked_by }: RunResult,
	{ run: { advice, expired, mayBeRunning } }: Reply,
): Advice {
	if (thread_id === null) return { advice: 'The service returned no thread ID. Look for the run in its web console' };
	if (mayBeRunning) return FIND_FIRST;
	if (advice) return { advice };
	if (expired) return { ...FIND_FIRST, advice: `${FIND_THREAD}. If it needs longer, raise ${LIMITS[expired]}` };
	if (status === 'not_done' && blocked_by) return BLOCKED[blocked_by] ?? ADVICE_AFTER.not_done;
	return ADVICE_AFTER[status as keyof typeof ADVICE_AFTER];
}

/** The agent's or the service's own words follow. */
const ENDED: Partial<Record<RunStatus, string>> = {
	aborted: 'Run aborted',
	failed: 'Run failed',
	not_done: 'Task not done',
};

export const endReason = ({ status, reason }: Pick<RunResult, 'reason' | 'status'>): string =>
	[ENDED[status], reason ?? status].filter(Boolean).join(': ');

export const incompleteFailure = (result: RunResult, latest: Reply): Failure => ({
	reason: endReason(result),
	...adviceAfter(result, latest),
	effect: 'run',
	run: result,
});

/** Only files in the stream are lost. Links remain. */
export function withLostFiles(failure: Failure, { files }: RunResult): Failure {
	if (!files.some(({ url }) => isDataUrl(url))) return failure;
	return { ...failure, advice: `${failure.advice}. Files of this run were not kept` };
}

/** The next step depends on where the columns are defined. */
const BY_SOURCE = {
	fields: { place: '', asText: "Change this column's type to 'Text'" },
	example: { place: " in 'JSON Example'", asText: "In 'JSON Example', enter this value as text" },
	schema: { place: " in 'JSON Schema'", asText: "In 'JSON Schema', set its 'type' to string" },
};

const VALID_ROWS = 'rows that match the columns';

function invalidRowsAdvice({ cause }: RowsInReply, { thread_id }: RunResult, { columnsFrom }: RowsRequest): Advice {
	const { place, asText } = BY_SOURCE[columnsFrom];
	if (cause === 'digits') return { advice: `${asText} to keep every digit` };
	if (cause === 'required') {
		const step = place ? `remove its name from 'required'${place}` : "turn off 'Required' for this column";
		return { advice: `If the value may be missing, ${step}` };
	}
	if (thread_id === null) return { advice: 'Describe in the task what each column should contain' };
	const correct = continueThread(`and ask in 'Task' for ${VALID_ROWS}`, `and ask for ${VALID_ROWS}`);
	return { ...correct, advice: `${correct.advice}. If a value is right, change its column's type${place}` };
}

/** Keeps the full reply and every problem. Undefined if the rows can be returned. */
export function rowsFailure(read: RowsInReply, result: RunResult, request: RowsRequest): Failure | undefined {
	const { problems, isUsable } = read;
	if (problems.length === 0 || (request.onInvalid === 'validOnly' && isUsable)) return undefined;
	const reason = shortenList(problems, 1).join(', ');
	return { reason, ...invalidRowsAdvice(read, result, request), effect: 'run', run: withProblems(result, problems) };
}
