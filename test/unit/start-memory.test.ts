import { busyService, startMemory } from '../../nodes/starts/start-memory';
import { executionOf } from '../support/execution';

const input = {};

/** What n8n tells of one try of a node in one round of a loop, all tries and rounds with the same memory. */
function tries() {
	const memory = {};
	return (round: number, isTool = false) => executionOf({ memory, round: String(round), isTool });
}

it('a further try finds what was started for its item, and no other item or round of a loop does', async () => {
	const executionIn = tries();
	startMemory(executionIn(0), 1, input).remember(Promise.resolve('run'));
	expect(await startMemory(executionIn(0), 1, input).recall()).toBe('run');
	expect(startMemory(executionIn(0), 0, input).recall()).toBeUndefined();
	expect(startMemory(executionIn(1), 1, input).recall()).toBeUndefined();
	expect(startMemory(tries()(0), 1, input).recall()).toBeUndefined();
});

it('a further try of a tool finds what was started for its input, whatever its round', async () => {
	const executionIn = tries();
	startMemory(executionIn(0, true), 0, input).remember(Promise.resolve('run'));
	expect(await startMemory(executionIn(1, true), 0, input).recall()).toBe('run');
	expect(startMemory(executionIn(0, true), 0, {}).recall()).toBeUndefined();
});

it('all tries of a round wait for a busy service together, and the next round anew', () => {
	const executionIn = tries();
	const busy = busyService(executionIn(0), 60_000);
	expect(busyService(executionIn(0), 60_000)).toBe(busy);
	expect(busyService(executionIn(1), 60_000)).not.toBe(busy);
});
