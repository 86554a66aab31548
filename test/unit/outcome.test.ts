import { incompleteFailure } from '../../nodes/RunAutomation/output/failure';
import type { Run } from '../../nodes/RunAutomation/run/run';
import { each } from '../support/each';

describe('what a run that is not done advises', () => {
	const adviceFor = (blocked_by: string | undefined) => {
		const reason = 'The shop wants a password';
		const run = {
			status: 'not_done',
			thread_id: 'thread',
			reason,
			blocked_by,
			warnings: [],
			skipped: [],
		} as unknown as Run;
		return incompleteFailure(run).advice;
	};
	const provide =
		/^In another Run Automation, set 'Thread ID' to this run's thread ID and provide what the agent asks for in 'Task'$/;

	it.each<[string | undefined, RegExp]>([
		['sign_in', /^Copy a profile ID/],
		['one_time_code', /and enter the code in 'Task'\. The example 'one-time-code' asks a person for it$/],
		['approval', /and approve or decline in 'Task'$/],
		['page_down', /^Try again later/],
		...each(['captcha', 'other', undefined], provide),
	])('after %s is chosen by that word', (blockedBy, advice) => expect(adviceFor(blockedBy)).toMatch(advice));
});

it.each([
	['total', "'Run Timeout (s)' under 'Options', 'Limits'"],
	['idle', "'Idle Timeout (s)' under 'Options', 'Limits'"],
	['workflow', "'Timeout After' in the workflow settings"],
] as const)('a time-out names the limit that passed: %s', (expired, limit) => {
	const run = { status: 'timed_out', thread_id: 'thread', reason: 'Too long', expired, warnings: [], skipped: [] };
	const { advice } = incompleteFailure(run as unknown as Run);
	expect(advice).toBe(
		`Find the thread in the service's web console first: the run may still be in progress. If it needs longer, raise ${limit}`,
	);
});
