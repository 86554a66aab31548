/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import type { Failure } from '../../nodes/shared/failure/failure';
import { ItemQueue, type NodeItem } from '../../nodes/shared/items/all-items';
import type { Outcome } from '../../nodes/shared/items/outcome';
import { Ledger, ledgerOf, type Start } from '../../nodes/shared/start/ledger';
import { executionOf } from '../support/execution';

const input = {};
const execution = executionOf();

// How attempts of other nodes find it shows in test/workflow/retry.test.ts.
it('a later attempt of a tool finds the ledger of its input, whatever its iteration', () => {
	const [first, later] = ['0', '1'].map((runIndex) => ({ memory: execution.memory, runIndex, isTool: true }));
	const ledger = ledgerOf(first, 0, input);
	expect(ledgerOf(later, 0, input)).toBe(ledger);
	expect(ledgerOf(first, 0, {})).not.toBe(ledger);
});

const startWith = (effect: Start['effect']): Start => ({ item: 0, status: 'failed', thread_id: null, effect });

it('a ledger reports the effect of its starts, earlier executions included', () => {
	const [none, maybe, run, before] = [0, 1, 2, 3].map(() => new Ledger());
	maybe.start = startWith('maybe');
	Object.assign(run, { earlier: [startWith('run')], start: startWith('maybe') });
	before.earlier = [startWith('run')];
	expect([none, maybe, run, before].map(({ effect }) => effect)).toEqual(['none', 'maybe', 'run', 'run']);
	expect(run.starts).toEqual([startWith('run'), startWith('maybe')]);
});

it('an attempt waits for the one before it, and starts nothing once the item is settled', async () => {
	const ledger = new Ledger<string>();
	const attempts: unknown[] = [];
	const attempt = async (outcome: string | undefined, isFinal: boolean) => {
		if (!(await ledger.begin())) return;
		attempts.push(outcome);
		await new Promise<void>((resolve) => queueMicrotask(resolve));
		attempts.push('ended');
		ledger.end(outcome, isFinal);
	};
	await Promise.all([attempt('refused', false), attempt(undefined, true), attempt('done', true)]);
	await attempt('again', true);
	expect(attempts).toEqual(['refused', 'ended', undefined, 'ended', 'done', 'ended']);
	expect(ledger).toMatchObject({ isSettled: true, outcome: 'done' });
});

it('keeps the outcome of the attempt before if one sends nothing', async () => {
	const ledger = new Ledger<string>();
	for (const outcome of ['rejected', undefined]) {
		await ledger.begin();
		ledger.end(outcome, true);
	}
	expect(ledger).toMatchObject({ isSettled: false, outcome: 'rejected' });
});

describe('the items of a node', () => {
	const itemOf = (index: number, failure?: Failure): NodeItem<string> => ({
		...{ index, input, included: {}, startsRun: true, fingerprint: undefined, secrets: () => [] },
		parsed: failure ? { failure } : { value: `request ${index}` },
		ledger: new Ledger<Outcome>(),
	});
	const queueOf = async (items: Array<NodeItem<string>>, continues = false) =>
		await ItemQueue.of({ context: {} as never, execution: executionOf({ continues }), items });
	const done = async (): Promise<Outcome> => await Promise.resolve({ items: [], hints: [] });
	/** Processes items of which each succeeds, and gives the requests that were sent. */
	async function requestsOf(items: Array<NodeItem<string>>, continues: boolean) {
		const sent: string[] = [];
		await (await queueOf(items, continues)).process(2, async (request) => (sent.push(request), await done()));
		return sent;
	}

	it('keep no later attempt waiting after a defect, and keep its start', async () => {
		const items = [itemOf(0), itemOf(1)];
		const fail = async (_request: string, ledger: Ledger<Outcome>) => {
			if (ledger === items[1].ledger) ledger.start = startWith('run');
			return await Promise.reject(new Error('A defect'));
		};
		await (await queueOf(items, true)).process(2, fail);
		expect(items.map(({ ledger }) => ledger.outcome?.failure)).toMatchObject([
			{ reason: 'A defect', effect: 'none' },
			{ reason: 'A defect', effect: 'run', run: { status: 'interrupted' } },
		]);
		expect(await requestsOf(items, true)).toEqual(['request 0']);
	});

	const invalid: Failure = { reason: 'Empty', advice: 'Enter', cause: 'input', effect: 'none' };
	it.each([
		[true, ['request 0']],
		[false, []],
	])('are sent beside an invalid one only if the workflow continues: %s', async (continues, expected) => {
		expect(await requestsOf([itemOf(0), itemOf(1, invalid)], continues)).toEqual(expected);
	});

	it('are processed as many at the same time as allowed, and no further one after a failure', async () => {
		let [running, most] = [0, 0];
		const send = jest.fn(async (request: string): Promise<Outcome> => {
			most = Math.max(most, ++running);
			await new Promise<void>((resolve) => setImmediate(resolve));
			running--;
			return request === 'request 3' ? { failure: { ...invalid, cause: undefined } } : await done();
		});
		await (await queueOf(Array.from({ length: 9 }, (_, index) => itemOf(index)))).process(2, send);
		expect([most, send.mock.calls.length]).toEqual([2, 5]);
	});
});
