import { busyService, startMemory } from '../../nodes/starts/start-memory';

const input = {};

/** A context of n8n: one try of a node in one round of a loop, all tries and rounds with the same memory. */
function tries() {
	const memory = {};
	return (round: number, type = 'runAutomation') =>
		({
			getNode: () => ({ type }),
			getContext: () => memory,
			evaluateExpression: (expression: string) => (expression === '{{ $runIndex }}' ? round : undefined),
		}) as never;
}

it('a further try finds what was started for its item, and no other item or round of a loop does', async () => {
	const contextOf = tries();
	startMemory(contextOf(0), 1, input).remember(Promise.resolve('run'));
	expect(await startMemory(contextOf(0), 1, input).recall()).toBe('run');
	expect(startMemory(contextOf(0), 0, input).recall()).toBeUndefined();
	expect(startMemory(contextOf(1), 1, input).recall()).toBeUndefined();
	expect(startMemory(tries()(0), 1, input).recall()).toBeUndefined();
});

it('a further try of a tool finds what was started for its input, whatever its round', async () => {
	const contextOf = tries();
	startMemory(contextOf(0, 'runAutomationTool'), 0, input).remember(Promise.resolve('run'));
	expect(await startMemory(contextOf(1, 'runAutomationTool'), 0, input).recall()).toBe('run');
	expect(startMemory(contextOf(0, 'runAutomationTool'), 0, {}).recall()).toBeUndefined();
});

it('all tries of a round wait for a busy service together, and the next round anew', () => {
	const contextOf = tries();
	const busy = busyService(contextOf(0), 60_000, Infinity);
	expect(busyService(contextOf(0), 60_000, Infinity)).toBe(busy);
	expect(busyService(contextOf(1), 60_000, Infinity)).not.toBe(busy);
});
