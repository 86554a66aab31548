import { streamed, type Scenario } from '../scenarios';
import { events, textRun } from '../streams';
import { asksWhetherDone, reasonFor } from './asked';

const NEEDS_CODE = 'The portal asks for a one-time code';

/** Whether a task, or an earlier one of its thread, speaks of a one-time code. */
export const isForPortalAgent = (queries: string[]) => queries.some((query) => /\bone-time code\b/i.test(query));

function replyTo(queries: string[]): string {
	const query = queries.at(-1)!;
	const [, code] = /\bone-time code is "?(\d{6})\b/i.exec(query) ?? [];
	// A code alone says nothing: what is to be done is in the thread.
	if (code && queries.length > 1) return 'Signed in. Open invoices: 17 and 23.';
	if (asksWhetherDone(query) !== 'line') return `${NEEDS_CODE}.`;
	return `TASK NOT DONE: ${reasonFor(query, 'one_time_code', NEEDS_CODE)}`;
}

/** The agent for a portal that asks for a one-time code of six digits, which it gets in the next run of the thread. */
export const portalAgent: Scenario = streamed('signs in with a one-time code', ({ queries }) =>
	events(textRun(replyTo(queries))),
);
