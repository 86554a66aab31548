import type { NodeItem } from '../../nodes/shared/items/all-items';
import { sentenceOnOthers, withRuns } from '../../nodes/shared/items/end-node';
import type { Outcome } from '../../nodes/shared/items/outcome';
import type { Failure } from '../../nodes/shared/failure/failure';
import type { Start } from '../../nodes/shared/start/ledger';
import { threadOf } from '../engine/thread-of';

const run = (item: number, status: string) => ({ item, status, thread_id: threadOf(`thread-${item}-${status}`) });
const startsOf = (...runs: Array<ReturnType<typeof run>>): Start[] => runs.map((one) => ({ ...one, effect: 'run' }));
const REFUSAL: Failure = { reason: 'No money', advice: 'Pay', effect: 'none' };

const item = (starts: Start[], outcome: Outcome | undefined) => ({ ledger: { starts, outcome } }) as NodeItem;
const done = (index: number) => item(startsOf(run(index, 'completed')), { items: [], hints: [] });
const failedWith = (index: number, status: string) =>
	item(startsOf(run(index, status)), {
		failure: { reason: 'Blocked', advice: '', effect: 'run', run: run(index, status) },
	});
const failed = failedWith(0, 'failed');
const missing = item([], undefined);
const invalid = item([], { failure: { reason: 'Empty', advice: 'Enter a task', cause: 'input', effect: 'none' } });

const retryOf = (what: string) =>
	`'Retry execution' in the 'Executions' tab of this node's workflow starts ${what} in new billed runs`;

const open = [failedWith(1, 'interrupted'), failedWith(2, 'timed_out')];
const IN_PROGRESS = ', although 2 runs may still be in progress';
it.each<[string, NodeItem[], Parameters<typeof sentenceOnOthers>[2], string | undefined]>([
	['a single item', [failed], 'unfinished', undefined],
	['one that succeeded', [failed, done(1)], 'unfinished', retryOf('1 of 2 items')],
	['one not started', [failed, missing, done(2)], 'unfinished', retryOf('2 of 3 items')],
	['nothing kept', [failed, missing, done(2)], 'all', retryOf('all 3 items')],
	['no Retry', [failed, done(1), missing], 'none', 'Results of 1 completed item are lost'],
	['no Retry, and none that succeeded', [failed, missing], 'none', undefined],
	['others that may be in progress', [failed, ...open], 'unfinished', `${retryOf('all 3 items')}${IN_PROGRESS}`],
	['a mistake in the form', [invalid, missing], 'unfinished', undefined],
	['a mistake, and a run', [invalid, done(1)], 'unfinished', retryOf('1 of 2 items')],
])('the error that stops a node says one sentence of other items: %s', (_name, items, retry, expected) => {
	expect(sentenceOnOthers(items, items[0], retry)).toBe(expected);
});

it('a failure lists the runs of its item if there are others than the one that it concerns', () => {
	const runs = [run(0, 'failed'), run(0, 'aborted')];
	const about: Failure = { reason: 'Blocked', advice: '', effect: 'run', run: runs[1] };
	expect(withRuns(about, startsOf(runs[1]))).toBe(about);
	expect(withRuns(about, startsOf(...runs)).run).toEqual({ ...runs[1], runs });
	expect(withRuns(REFUSAL, [])).toBe(REFUSAL);
	const last = { status: 'aborted', thread_id: threadOf('thread-0-aborted') };
	expect(withRuns(REFUSAL, startsOf(...runs)).run).toEqual({ ...last, runs });
	expect(withRuns(REFUSAL, [], startsOf(runs[0])).run).toEqual({ runs: [runs[0]] });
});
