import { sentencesOnOthers, withRunsOfItem, type BatchItem, type Retry } from '../../nodes/shared/items/other-runs';
import type { Failure } from '../../nodes/shared/failure/failure';
import type { Start } from '../../nodes/shared/start/ledger';
import { threadOf } from '../engine/thread-of';

const run = (item: number, status: string) => ({ item, status, thread_id: threadOf(`thread-${item}-${status}`) });
const startsOf = (...runs: Array<ReturnType<typeof run>>): Start[] => runs.map((one) => ({ ...one, effect: 'run' }));
const REFUSAL: Failure = { reason: 'No money', advice: 'Pay', effect: 'none' };

const item = (starts: Start[], outcome: BatchItem['ledger']['outcome']): BatchItem => ({ ledger: { starts, outcome } });
const done = (index: number) => item(startsOf(run(index, 'completed')), { items: [], hints: [] });
const failedWith = (index: number, status: string) =>
	item(startsOf(run(index, status)), {
		failure: { reason: 'Blocked', advice: '', effect: 'run', run: run(index, status) },
	});
const failed = failedWith(0, 'failed');
const missing = item([], undefined);
const invalid = item([], { failure: { reason: 'Empty', advice: 'Enter a task', cause: 'input', effect: 'none' } });

const RETRY = "'Retry execution' in the 'Executions' tab of this node's workflow";
const retrySome = (some: number, all: number) => `${RETRY} starts ${some} of ${all} items, if the request is unchanged`;

describe('the error that stops a node says of other items', () => {
	it.each<[string, BatchItem[], Retry, string]>([
		['a single item', [failed], 'unfinished', ''],
		['one that succeeded', [failed, done(1)], 'unfinished', retrySome(1, 2)],
		['one not started', [failed, missing, done(2)], 'unfinished', retrySome(2, 3)],
		['nothing kept', [failed, missing, done(2)], 'all', `${RETRY} starts all 3 items`],
		['no Retry', [failed, done(1), missing], 'none', 'Results of 1 completed item are lost'],
		['no Retry, and none that succeeded', [failed, missing], 'none', ''],
		[
			'others that may be in progress',
			[failed, failedWith(1, 'interrupted'), failedWith(2, 'timed_out')],
			'unfinished',
			`2 other runs may still be in progress. ${retrySome(3, 3)}`,
		],
		['a mistake in the form', [invalid, missing], 'unfinished', ''],
		['a mistake, and a run', [invalid, done(1)], 'unfinished', retrySome(1, 2)],
	])('%s', (_name, items, retry, expected) => {
		expect(sentencesOnOthers(items, items[0], retry).join('. ')).toBe(expected);
	});

	it('nothing of a run whose thread has ended later', () => {
		const starts = (...statuses: string[]) =>
			startsOf(...statuses.map((status) => ({ ...run(1, status), thread_id: 'thread' })));
		const running = (other: BatchItem) => sentencesOnOthers([failed, other], failed, 'none').join();
		expect(running(item(starts('completed', 'interrupted'), undefined))).toContain('may still be in progress');
		expect(running(item(starts('interrupted', 'failed'), undefined))).toBe('');
	});
});

describe('a failure lists the runs of its item', () => {
	it('if there are others than the one that it concerns', () => {
		const runs = [run(0, 'failed'), run(0, 'aborted')];
		const about: Failure = { reason: 'Blocked', advice: '', effect: 'run', run: runs[1] };
		expect(withRunsOfItem(about, startsOf(runs[1]))).toBe(about);
		expect(withRunsOfItem(about, startsOf(...runs)).run).toEqual({ ...runs[1], runs });
		expect(withRunsOfItem(REFUSAL, [])).toBe(REFUSAL);
		const last = { status: 'aborted', thread_id: threadOf('thread-0-aborted') };
		expect(withRunsOfItem(REFUSAL, startsOf(...runs)).run).toEqual({ ...last, runs });
		expect(withRunsOfItem(REFUSAL, [], startsOf(runs[0])).run).toEqual({ runs: [runs[0]] });
	});

	it.each(['interrupted', 'timed_out'])('and warns after a rejection if one may still be in progress: %s', (status) => {
		const starts = startsOf(run(0, status), run(0, 'failed'));
		const warned = /^Pay\. An earlier run may still be in progress\. Check the web console/;
		expect(withRunsOfItem(REFUSAL, starts).advice).toMatch(warned);
		expect(withRunsOfItem({ ...REFUSAL, cause: 'threadInUse' }, starts).advice).toBe('Pay');
		expect(withRunsOfItem({ ...REFUSAL, effect: 'run', run: run(0, 'failed') }, starts).advice).toBe('Pay');
	});
});
