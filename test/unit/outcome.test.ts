import { batchFailure, withRuns, type Outcome, type StartedRun } from '../../nodes/RunAutomation/output/outcome';

const run = (item: number, status: string): StartedRun => ({ item, status, thread_id: `thread-${item}-${status}` });
const done = (item: number): Outcome => ({ items: [], hints: [], runs: [run(item, 'completed')], runsBefore: 0 });
const failedWith = (item: number, ...statuses: string[]): Outcome => {
	const runs = statuses.map((status) => run(item, status));
	const { status, thread_id } = runs.at(-1)!;
	return { failure: { reason: 'Blocked', advice: 'Change the task', run: { status, thread_id } }, runs, runsBefore: 0 };
};
const refused: Outcome = { failure: { reason: 'No money', advice: 'Pay', effect: 'none' }, runs: [], runsBefore: 0 };

/** What is said of items of which one stops the node, and the runs that are listed. */
function told(outcomes: Array<Outcome | undefined>, scope: 'failed' | 'all' | undefined, isInEditor = false) {
	const { failure } = outcomes.find((outcome) => outcome?.failure)!;
	const runs = outcomes.flatMap((outcome) => outcome?.runs ?? []);
	const { advice, run: about } = batchFailure(
		failure!,
		outcomes,
		runs,
		scope && { scope, isInEditor, isInSubworkflow: false, isContinued: () => false },
	);
	return { advice, about };
}

const failed = failedWith(0, 'failed');

describe('an error that stops a node says what becomes of all items', () => {
	it.each<[string, Array<Outcome | undefined>, 'failed' | 'all' | undefined]>([
		['a single item', [failed], 'failed'],
		['one that failed', [failed, done(1)], 'failed'],
		['one that was not started', [failed, failedWith(1, 'failed'), undefined, done(3), done(4)], 'failed'],
		['nothing kept', [failed, undefined, done(2)], 'all'],
		['no Retry', [failed, done(1)], undefined],
		['no Retry, and others not started', [failed, undefined, undefined], undefined],
		['no Retry, and none that succeeded', [failed, failedWith(1, 'failed')], undefined],
		['others that may go on', [failed, failedWith(1, 'interrupted')], 'failed'],
		['others that took too long', [failed, failedWith(1, 'timed_out'), failedWith(2, 'failed')], 'failed'],
		['its own run, which may go on', [failedWith(0, 'interrupted')], 'failed'],
	])('%s', (_name, outcomes, retry) => {
		expect(told(outcomes, retry).advice).toMatchSnapshot();
		if (retry) expect(told(outcomes, retry, true).advice).toMatchSnapshot('in the editor');
	});

	it('and what Retry starts, also if no run was started at all', () => {
		const { advice, about } = told([refused, undefined, undefined], 'failed');
		expect(advice).toMatch(/starts 3 items again \(1 failed, 2 not started\)/);
		expect(about).toBeUndefined();
	});

	it('and names all runs, also if it is about an item that was refused', () => {
		const { advice, about } = told([refused, done(1)], undefined);
		expect(advice).toMatchSnapshot();
		expect(about).toEqual({ runs: [run(1, 'completed')] });
	});
});

it('a further start that was refused tells of the last run of its item', () => {
	const runs = [run(0, 'failed'), run(0, 'aborted')];
	const { advice, run: about } = withRuns(refused.failure!, runs);
	expect(advice).toMatchSnapshot();
	expect(about).toEqual({ status: 'aborted', thread_id: 'thread-0-aborted', runs });
});

it.each(['interrupted', 'timed_out'])('it says so if any run of its item may still be in progress: %s', (status) => {
	const runs = [run(0, status), run(0, 'failed')];
	expect(withRuns(refused.failure!, runs).advice).toMatchSnapshot();
	// What a run itself says of its end is all that is said.
	const { failure } = failedWith(0, 'failed');
	const named = { ...failure!.run, runs };
	expect(withRuns(failure!, runs)).toEqual({ ...failure, run: named });
	expect(withRuns(failure!, runs.slice(1))).toBe(failure);
});
