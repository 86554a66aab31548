import { incompleteFailure } from '../../nodes/RunAutomation/output/failure';
import type { Run } from '../../nodes/RunAutomation/run/run';
import { each } from '../support/each';

const LOOK = /^Find the thread in the service's web console first: the run may still be in progress$/;
const GIVE = /set 'Thread ID' to this run's thread ID and provide what the agent asks for in 'Task'$/;
const CONTINUE = /set 'Thread ID' to this run's thread ID and ask in 'Task' to continue$/;
const blocked = (blocked_by?: string) => ({ status: 'not_done', blocked_by });

it.each<[object, RegExp]>([
	...each([{ status: 'interrupted' }, { status: 'timed_out' }, { status: 'failed', mayBeRunning: true }], LOOK),
	...each([{ status: 'failed' }, { status: 'aborted' }, { status: 'incomplete' }], CONTINUE),
	[{ status: 'incomplete', advice: 'Read it there' }, /^Read it there$/],
	[{ status: 'needs_approval' }, /and approve or decline in 'Task'$/],
	...each([blocked(), blocked('captcha'), blocked('other')], GIVE),
	[blocked('sign_in'), /^Copy a profile ID/],
	[blocked('one_time_code'), /and enter the code in 'Task', as in the example 'one-time-code'$/],
	[blocked('approval'), /and approve or decline in 'Task'$/],
	[blocked('page_down'), /^Try again later/],
	[{ status: 'failed', thread_id: null }, /^Look for the run in .* because no thread ID was returned$/],
])('a run of %j has one advice', (given, advice) => {
	const run = { thread_id: 'thread', reason: 'Too long', warnings: [], furtherWarnings: [], ...given };
	expect(incompleteFailure(run as unknown as Run).advice).toMatch(advice);
});
