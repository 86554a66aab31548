import {
	amongItems,
	batchFailure,
	incompleteFailure,
	withRuns,
	type BatchItem,
} from '../../nodes/RunAutomation/output/outcome';
import type { RunResult } from '../../nodes/RunAutomation/output/result';
import type { Reply } from '../../nodes/RunAutomation/reply';
import type { Failure } from '../../nodes/errors/failure';
import type { Start } from '../../nodes/starts/ledger';
import { FIND_THREAD, POSSIBLE_RUN } from '../../nodes/starts/response';

const run = (item: number, status: string) => ({ item, status, thread_id: `thread-${item}-${status}` });
const startsOf = (...runs: Array<ReturnType<typeof run>>): Start[] => runs.map((one) => ({ ...one, effect: 'run' }));

const done = (item: number): BatchItem => ({
	ledger: { starts: startsOf(run(item, 'completed')) },
	outcome: { items: [], hints: [] },
	isContinued: false,
});
const failedWith = (item: number, status: string): BatchItem & { outcome: { failure: Failure } } => {
	const about = { status, thread_id: run(item, status).thread_id };
	const failure = { reason: 'Blocked', advice: 'Change the task', run: about };
	return { ledger: { starts: startsOf(run(item, status)) }, outcome: { failure }, isContinued: false };
};
const REFUSAL: Failure = { reason: 'No money', advice: 'Pay', effect: 'none' };
const NO_RESPONSE: Failure = { reason: 'No response', ...POSSIBLE_RUN };
const WRONG_URL: Failure = { ...NO_RESPONSE, advice: 'Check the URL', changes: 'URL' };
const missing: BatchItem = { ledger: { starts: [] }, isContinued: false };
const refused: BatchItem = { ...missing, outcome: { failure: REFUSAL } };

/** What is said of items of which one stops the node, and the runs that are listed. */
function told(items: BatchItem[], scope: 'failed' | 'all' | undefined, isInSubworkflow = false) {
	const { failure } = items.find(({ outcome }) => outcome?.failure)!.outcome!;
	const retry = scope && { startsFailedOnly: scope === 'failed', isInSubworkflow };
	const { advice, run: about } = batchFailure(failure!, items, retry);
	return { advice, about };
}

const failed = failedWith(0, 'failed');
const continued = (item: number) => ({ ...failedWith(item, 'interrupted'), isContinued: true });

describe('an error that stops a node states the outcome of all items', () => {
	it.each<[string, BatchItem[], 'failed' | 'all' | undefined]>([
		['a single item', [failed], 'failed'],
		['one that failed', [failed, done(1)], 'failed'],
		['one that was not started', [failed, failedWith(1, 'failed'), missing, done(3), done(4)], 'failed'],
		['nothing kept', [failed, missing, done(2)], 'all'],
		['nothing kept, and none that succeeded', [failed, missing], 'all'],
		['no Retry', [failed, done(1)], undefined],
		['no Retry, and others not started', [failed, missing, missing], undefined],
		['no Retry, and none that succeeded', [failed, failedWith(1, 'failed')], undefined],
		['others that may continue', [failed, failedWith(1, 'interrupted')], 'failed'],
		['others that took too long', [failed, failedWith(1, 'timed_out'), failedWith(2, 'failed')], 'failed'],
		['its own run, which may continue', [failedWith(0, 'interrupted')], 'failed'],
		['a single item that is continued', [continued(0)], 'failed'],
		[
			'a single item that is not continued any more',
			[{ ...continued(0), isContinued: false, isGivenUp: true }],
			'failed',
		],
		['items that are continued', [continued(0), continued(1), failed, done(3)], 'failed'],
	])('%s', (_name, items, retry) => {
		expect(told(items, retry).advice).toMatchSnapshot();
		if (retry) expect(told(items, retry, true).advice).toMatchSnapshot('in a sub-workflow');
	});

	it.each<[string, Failure, Failure, number]>([
		['a further start that was rejected', REFUSAL, REFUSAL, 1],
		['a thread that is in use', { ...REFUSAL, advice: FIND_THREAD, httpCode: '409' }, REFUSAL, 1],
		['no response to several', NO_RESPONSE, NO_RESPONSE, 1],
		['no response to another', failed.outcome.failure, NO_RESPONSE, 1],
		['a wrong URL', WRONG_URL, WRONG_URL, 0],
		['a wrong URL, and no response to another', WRONG_URL, NO_RESPONSE, 1],
		['no response, and a wrong URL of another', NO_RESPONSE, WRONG_URL, 1],
	])('and says at most once that a run may be in progress: %s', (_name, failure, other, count) => {
		const lost = ({ run: about }: Failure) =>
			about ? startsOf({ ...run(0, 'interrupted'), thread_id: null! }) : startsOf(run(0, 'interrupted'));
		const items = [failure, other].map((one): BatchItem => {
			return { ledger: { starts: lost(one) }, outcome: { failure: one }, isContinued: false };
		});
		const { advice } = batchFailure(failure, items, undefined);
		expect(advice.match(/may still be in progress|may have started/g) ?? []).toHaveLength(count);
	});

	it('and what Retry starts, also if no run was started at all', () => {
		const { advice, about } = told([refused, missing, missing], 'failed');
		expect(advice).toMatch(/starts 3 items \(1 failed, 2 not started\) if this node is unchanged/);
		expect(about).toBeUndefined();
	});

	it('and counts an item that Retry continues once, also if nothing was started for it in this execution', () => {
		const waiting: BatchItem = { ledger: { starts: startsOf(run(1, 'interrupted')) }, isContinued: true };
		const { advice } = told([failed, waiting, missing], 'failed');
		expect(advice).toContain('starts 3 items (1 failed, 1 not started, 1 continued in its thread)');
	});

	it('and names all runs, also if it is about an item that was rejected', () => {
		const { advice, about } = told([refused, done(1)], undefined);
		expect(advice).toMatchSnapshot();
		expect(about).toEqual({ runs: [run(1, 'completed')] });
	});
});

it('a further start that was rejected reports the last run of its item', () => {
	const runs = [run(0, 'failed'), run(0, 'failed'), run(0, 'aborted')];
	const { advice, run: about } = withRuns(REFUSAL, startsOf(...runs));
	expect(advice).toMatchSnapshot();
	expect(about).toEqual({ status: 'aborted', thread_id: 'thread-0-aborted', runs });
});

it.each(['interrupted', 'timed_out'])('it says so if any run of its item may still be in progress: %s', (status) => {
	const runs = [run(0, status), run(0, 'failed')];
	expect(withRuns(REFUSAL, startsOf(...runs)).advice).toMatchSnapshot();
	const mistake: Failure = { reason: 'Empty', advice: 'Enter a task', isInput: true };
	expect(withRuns(mistake, startsOf(...runs)).advice).toMatch(
		/^Enter a task\. An earlier run may still be in progress/,
	);
	for (const known of [{ httpCode: '409' }, { isThreadGone: true }]) {
		expect(withRuns({ ...REFUSAL, ...known }, startsOf(...runs)).advice).toBe('Pay');
	}
	// What a run itself says of its end is all that is said.
	const { failure } = failed.outcome;
	const named = { ...failure.run, runs };
	expect(withRuns(failure, startsOf(...runs))).toEqual({ ...failure, run: named });
	expect(withRuns(failure, startsOf(runs[1]))).toBe(failure);
});

it('the error of a node has the run of the item that it is about, not that of the first one that failed', () => {
	const about = {
		ledger: { starts: startsOf(run(2, 'aborted')) },
		outcome: { failure: { ...REFUSAL } },
		isContinued: false,
	};
	const { failure } = about.outcome;
	expect(batchFailure(failure, [missing, failed, about], undefined).run).toMatchObject({
		status: 'aborted',
		thread_id: 'thread-2-aborted',
	});
});

describe('what a run that is not done advises', () => {
	const latest = { run: {} } as Reply;
	const adviceFor = (blocked_by: string | undefined, reason = 'The shop wants a password') => {
		const result = { status: 'not_done', thread_id: 'thread', reason, blocked_by } as RunResult;
		return incompleteFailure(result, latest).advice;
	};
	const provide = /^Set 'Thread ID' to this run's thread ID and provide what the agent asks for in 'Task'$/;

	it.each<[string | undefined, RegExp]>([
		['sign_in', /^Copy a profile ID/],
		['one_time_code', /and enter the code in 'Task'\. The example 'one-time-code' asks a person for it$/],
		['approval', /and approve or decline in 'Task'$/],
		['page_down', /^Try again later/],
		['captcha', provide],
		['other', provide],
		[undefined, /^Copy a profile ID/],
	])('after %s is chosen by that word', (blockedBy, advice) => {
		expect(adviceFor(blockedBy)).toMatch(advice);
	});

	it('is to provide what the agent asks for, without a word', () => {
		expect(adviceFor(undefined, 'A captcha')).toMatch(provide);
	});
});

it.each([
	['total', "'Run Timeout (Seconds)' under 'Limits'"],
	['idle', "'Idle Timeout (Seconds)' under 'Limits'"],
	['workflow', "'Timeout After' in the workflow settings"],
] as const)('a time-out names the limit that passed: %s', (expired, limit) => {
	const result = { status: 'timed_out', thread_id: 'thread', reason: 'Too long' } as RunResult;
	const { advice } = incompleteFailure(result, { run: { expired } } as Reply);
	expect(advice).toBe(
		`Find the thread in the service's web console first: the run may still be in progress. If it needs longer, raise ${limit}`,
	);
});

describe('among several items', () => {
	const RETRY = "'Retry execution' in the 'Executions' tab";
	const about = { status: 'needs_approval', thread_id: 'thread', reason: 'Pay?' } as RunResult;
	const approval = incompleteFailure(about, { run: {} } as Reply);
	const itemOf = (failure: Failure): BatchItem => ({ ...failedWith(0, 'failed'), outcome: { failure } });
	const advised = (failure: Failure, ...others: BatchItem[]) =>
		batchFailure(failure, [itemOf(failure), ...others], { startsFailedOnly: true, isInSubworkflow: false });

	it('a thread is continued in another node, since a changed thread ID starts all items again', () => {
		const inAnotherNode =
			"In another Run Automation, set 'Thread ID' to this run's thread ID and approve or decline in 'Task'";
		expect(amongItems(approval).advice).toBe(inAnotherNode);
		const { advice } = advised(approval, done(1));
		expect(advice).toBe(
			`${inAnotherNode}. ${RETRY} starts 1 item (1 failed) if this node is unchanged; 'Execute step' starts all 2. Each run is billed`,
		);
	});

	it.each([
		['', true, 'In another node. '],
		['', false, ''],
		['Raise the limit', true, 'Raise the limit. '],
	])('and %j stands for its step, unless that needs a thread and the form uses one: %j', (among, usesThread, step) => {
		const steps = { advice: 'In this thread', adviceAmongOthers: among, adviceInItem: 'In another node' };
		const failure: Failure = { reason: 'Blocked', ...steps, run: about };
		const items = [{ ...itemOf(failure), usesThread }, done(1)];
		expect(batchFailure(failure, items, undefined).advice).toBe(`${step}Results of 1 completed item are lost`);
	});

	it.each<[Failure['changes'], string, string]>([
		['setting', '', `${RETRY}, with the currently saved workflow, starts 1 item (1 failed); `],
		[
			'task',
			'A changed task starts all items again. ',
			`${RETRY} starts 1 item (1 failed) if this node is unchanged; `,
		],
		[
			'URL',
			'A changed URL starts all items again. ',
			`${RETRY} starts 1 item (1 failed) if this node and the URL are unchanged; `,
		],
	])('a changed %s says what Retry starts then', (changes, restart, retry) => {
		const failure: Failure = { reason: 'Too long', advice: 'Change it', changes, run: about };
		expect(advised(failure, done(1)).advice).toContain(`Change it. ${restart}${retry}`);
		expect(amongItems(failure).advice).toBe(`Change it. ${restart}`.replace(/\. $/, ''));
	});

	it('a mistake in the form is all that is said, unless a run was started', () => {
		const mistake: Failure = { reason: 'Empty', advice: 'Enter a task', isInput: true };
		const item = { ...missing, outcome: { failure: mistake } };
		const retry = { startsFailedOnly: true, isInSubworkflow: false };
		expect(batchFailure(mistake, [item, missing], retry).advice).toBe('Enter a task');
		expect(batchFailure(mistake, [item, done(1)], retry).advice).toContain(`Enter a task. ${RETRY} starts 1 item`);
	});

	it('a type that was right for another item is not changed', () => {
		const digits: Failure = { reason: 'Row 1', advice: 'Change the type', changes: 'type', run: about };
		const failure = { ...digits, adviceIfTypeIsRight: 'Correct the rows' };
		expect(advised(failure, failedWith(1, 'failed')).advice).toMatch(/^Change the type\. A changed type/);
		expect(advised(failure, done(1)).advice).toMatch(/^Correct the rows\. /);
		// A correction cannot restore digits.
		expect(advised(digits, done(1)).advice).toMatch(/^Change the type\. A changed type/);
	});

	it('a run is to be found if the earlier one in its thread has ended, but not if a later one has', () => {
		const adviceOf = (...statuses: string[]) => {
			const starts = startsOf(...statuses.map((status) => ({ ...run(0, status), thread_id: 'thread' })));
			return advised(approval, { ...failedWith(1, 'failed'), ledger: { starts } }).advice;
		};
		expect(adviceOf('completed', 'interrupted')).toContain('Find the thread');
		expect(adviceOf('interrupted', 'failed')).not.toContain('Find the thread');
	});

	it('a thread that no longer exists is not to be found', () => {
		const lost = failedWith(0, 'interrupted');
		const retry = { startsFailedOnly: true, isInSubworkflow: false };
		const adviceOf = (isThreadGone: boolean) =>
			batchFailure(lost.outcome.failure, [{ ...lost, ledger: { ...lost.ledger, isThreadGone } }, done(1)], retry)
				.advice;
		expect(adviceOf(false)).toContain('Find the thread');
		expect(adviceOf(true)).not.toContain('Find the thread');
	});
});
