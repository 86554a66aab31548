import { NO_RUN } from '../../nodes/starts/response';
import { batchFailure, withRuns, type Outcome, type StartedRun } from '../../nodes/RunAutomation/output/outcome';

const run = (item: number, status: string): StartedRun => ({ item, status, thread_id: `thread-${item}-${status}` });
const done = (item: number): Outcome => ({ items: [], hints: [], runs: [run(item, 'completed')], runsBefore: 0 });
const failedWith = (item: number, ...statuses: string[]): Outcome => {
	const runs = statuses.map((status) => run(item, status));
	const { status, thread_id } = runs.at(-1)!;
	return { failure: { reason: 'Blocked', advice: 'Change the task', run: { status, thread_id } }, runs, runsBefore: 0 };
};
const refused: Outcome = { failure: { reason: 'No money', advice: `${NO_RUN}. Pay` }, runs: [], runsBefore: 0 };

/** What is said of items of which one stops the node, and the runs that are listed. */
function told(outcomes: Array<Outcome | undefined>, retry: Parameters<typeof batchFailure>[3]) {
	const { failure } = outcomes.find((outcome) => outcome?.failure)!;
	const runs = outcomes.flatMap((outcome) => outcome?.runs ?? []);
	const { advice, run: about } = batchFailure(failure!, outcomes, runs, retry);
	return { advice, about };
}

const KEPT = (items: string) => `The results of ${items} are kept`;
const DROPPED = (count: string) =>
	`${count} items succeeded, but their results are dropped. To keep them next time, set 'On Error' to 'Continue (using error output)'`;
const OTHERS = 'Open the threads of the other runs that may still be in progress, too';
const starts = (what: string) => `'Retry' on this execution starts ${what} billed`;
const failed = failedWith(0, 'failed');

describe('an error that stops a node says what becomes of all items', () => {
	it.each<[string, Array<Outcome | undefined>, 'failed' | 'all' | undefined, string[]]>([
		['a single item', [failed], 'failed', [starts('the run again, which is')]],
		['one that failed', [failed, done(1)], 'failed', [KEPT('1 item'), starts('1 failed item, which is')]],
		[
			'one that was not started',
			[failed, failedWith(1, 'failed'), undefined, done(3), done(4)],
			'failed',
			[KEPT('2 items'), starts('2 failed and 1 not started items, each of which is')],
		],
		['nothing kept', [failed, undefined, done(2)], 'all', [DROPPED('1 of 3'), starts('3 items, each of which is')]],
		['no Retry', [failed, done(1)], undefined, [DROPPED('1 of 2')]],
		['no Retry, and others not started', [failed, undefined, undefined], undefined, ['Items not started: 2']],
		['no Retry, and none that succeeded', [failed, failedWith(1, 'failed')], undefined, []],
		[
			'others that may go on',
			[failed, failedWith(1, 'interrupted')],
			'failed',
			[OTHERS, starts('2 failed items, each of which is')],
		],
		[
			'others that took too long',
			[failed, failedWith(1, 'timed_out'), failedWith(2, 'failed')],
			'failed',
			[OTHERS, starts('3 failed items, each of which is')],
		],
		['its own run, which may go on', [failedWith(0, 'interrupted')], 'failed', [starts('the run again, which is')]],
	])('%s', (_name, outcomes, retry, sentences) => {
		expect(told(outcomes, retry).advice).toBe(['Change the task', ...sentences].join('. '));
	});

	it('and names all runs, also if it is about an item that was refused', () => {
		const { advice, about } = told([refused, done(1)], undefined);
		expect(advice).toBe(`No run was started for this item. Pay. ${DROPPED('1 of 2')}`);
		expect(about).toEqual({ runs: [run(1, 'completed')] });
	});
});

it('a further start that was refused tells of the last run of its item', () => {
	const runs = [run(0, 'failed'), run(0, 'aborted')];
	const { advice, run: about } = withRuns(refused.failure!, runs);
	expect(advice).toBe('No further run was started. Pay');
	expect(about).toEqual({ status: 'aborted', thread_id: 'thread-0-aborted', runs });
});

it.each(['interrupted', 'timed_out'])('it says so if any run of its item may still be in progress: %s', (status) => {
	const runs = [run(0, status), run(0, 'failed')];
	expect(withRuns(refused.failure!, runs).advice).toBe(
		'No further run was started. Pay. An earlier run may still be in progress. Look for it in the web console before you start another one',
	);
	// What a run itself says of its end is all that is said.
	const { failure } = failedWith(0, 'failed');
	const named = { ...failure!.run, runs };
	expect(withRuns(failure!, runs)).toEqual({ ...failure, run: named });
	expect(withRuns(failure!, runs.slice(1))).toBe(failure);
});
