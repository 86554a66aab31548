import { gateOf } from '../../nodes/shared/http/busy';
import { Ledger, ledgerOf, type Start } from '../../nodes/shared/start/ledger';
import { executionOf, memoryOf } from '../support/execution';

const input = {};

/** What n8n tells of one try of a node in one round of a loop, all tries and rounds with the same memory. */
function tries() {
	const memory = memoryOf();
	return (round: number, isTool = false) => executionOf({ memory, runIndex: String(round), isTool });
}

it('a later attempt finds the ledger of its item, and no other item or iteration of a loop does', () => {
	const executionIn = tries();
	const ledger = ledgerOf(executionIn(0), 1, input);
	expect(ledgerOf(executionIn(0), 1, input)).toBe(ledger);
	expect(ledgerOf(executionIn(0), 0, input)).not.toBe(ledger);
	expect(ledgerOf(executionIn(1), 1, input)).not.toBe(ledger);
	expect(ledgerOf(tries()(0), 1, input)).not.toBe(ledger);
});

it('a later attempt of a tool finds the ledger of its input, whatever its iteration', () => {
	const executionIn = tries();
	const ledger = ledgerOf(executionIn(0, true), 0, input);
	expect(ledgerOf(executionIn(1, true), 0, input)).toBe(ledger);
	expect(ledgerOf(executionIn(0, true), 0, {})).not.toBe(ledger);
});

const [none, maybe, run, before] = [
	...[[], [{ effect: 'maybe' }], [{ effect: 'run' }, { effect: 'maybe' }]],
	[{ effect: 'run', fromEarlierExecution: true }],
].map((starts) => Object.assign(new Ledger(), { starts: starts as Start[] }));

it('a ledger reports the effect of its starts, and whether another attempt may start', () => {
	expect([none, maybe, run, before].map(({ effect }) => effect)).toEqual(['none', 'maybe', 'run', 'run']);
	expect([run, before].map(({ ofThisExecution: own }) => own.length)).toEqual([2, 0]);
});

it('all attempts of an iteration wait for a busy service together, and the next iteration anew', () => {
	const executionIn = tries();
	const busy = gateOf(executionIn(0), 60_000);
	expect(gateOf(executionIn(0), 60_000)).toBe(busy);
	expect(gateOf(executionIn(1), 60_000)).not.toBe(busy);
});

/** Attempts an item once, with its outcome, or undefined if nothing was sent. */
const attempt = async (ledger: Ledger<string>, outcome: string | undefined, isFinal = false, onBegin = () => {}) =>
	await ledger.runUnlessSettled(
		async () => (onBegin(), await Promise.resolve(outcome)),
		() => isFinal,
	);

it('an attempt waits for the one before it, and starts nothing once the item is settled', async () => {
	const ledger = new Ledger<string>();
	const attempts: unknown[] = [];
	const begin = async (outcome: string | undefined, isFinal: boolean) =>
		await attempt(ledger, outcome, isFinal, () => attempts.push(outcome));
	await Promise.all([begin('refused', false), begin(undefined, true), begin('done', true)]);
	await begin('again', true);
	expect(attempts).toEqual(['refused', undefined, 'done']);
	expect(ledger.state).toEqual({ is: 'settled', outcome: 'done' });
});

it('keeps the outcome of the attempt before if one sends nothing', async () => {
	const ledger = new Ledger<string>();
	for (const outcome of ['rejected', undefined]) await attempt(ledger, outcome);
	expect(ledger.state).toEqual({ is: 'open', outcome: 'rejected' });
});

it('runs one attempt at a time, also if several wait for the same one', async () => {
	const ledger = new Ledger<string>();
	let [running, most] = [0, 0];
	const run = async () => {
		most = Math.max(most, ++running);
		await new Promise<void>((resolve) => queueMicrotask(resolve));
		running--;
		return 'rejected';
	};
	await Promise.all([1, 2, 3].map(async () => await ledger.runUnlessSettled(run, () => false)));
	expect(most).toBe(1);
});

it('a start is listed before it is sent, and is the same one if it was withdrawn and is sent again', () => {
	const ledger = new Ledger();
	const first = ledger.add(0, null);
	expect(first).toEqual({
		start: { item: 0, status: 'interrupted', thread_id: null, effect: 'maybe' },
		isResend: false,
	});
	expect(ledger.effect).toBe('maybe');
	ledger.withdraw(first.start);
	expect([ledger.effect, ledger.add(0, null).isResend, ledger.add(0, null).isResend]).toEqual(['none', true, false]);
});

it('logs a start anew in a later attempt, because it is not the one that was withdrawn before', async () => {
	const ledger = new Ledger<string>();
	const isResend: boolean[] = [];
	const run = async () => {
		const first = ledger.add(0, null);
		ledger.withdraw(first.start);
		isResend.push(first.isResend, ledger.add(0, null).isResend);
		ledger.withdraw(ledger.starts[0]);
		return await Promise.resolve('rejected');
	};
	await ledger.runUnlessSettled(run, () => false);
	await ledger.runUnlessSettled(run, () => false);
	expect(isResend).toEqual([false, true, false, true]);
});
