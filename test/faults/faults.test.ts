import { operations } from '../contract/operations';
import { readSection } from '../support/report';
import { THREAD } from './faults';
import { faultTables, observeAll, observeOperation, observeRun, type Observation } from './observe';

jest.setTimeout(60_000);

let all: Awaited<ReturnType<typeof observeAll>>;
beforeAll(async () => {
	all = await observeAll();
});

const find = (list: Observation[], name: string) => list.find(({ fault }) => fault.name === name)!;

/** What holds for every fault and both nodes. */
function expectSafe({ fault, requests, elsewhere, closed, sent, keyIsShown }: Observation, refused: boolean) {
	expect(requests).toBe(refused ? 0 : 1);
	expect(elsewhere).toBe(0);
	expect(closed).toBe(true);
	expect(keyIsShown).toBe(false);
	expect(sent).toBeLessThan(fault.mostSent ?? Infinity);
}

test('docs/reliability.md shows what happens', () => {
	expect(readSection('faults')).toBe(faultTables(all));
});

test('every fault ends as it should in Run Automation, and costs nothing that had arrived', () => {
	expect(all.runs.length).toBeGreaterThan(25);
	for (const seen of all.runs) {
		const { name, status, kept, run } = seen.fault;
		expect([name, seen.status, seen.isError]).toEqual([name, status, status !== 'completed']);
		expect([name, seen.threadId]).toEqual([name, kept === 'nothing came' ? null : THREAD]);
		if (kept === 'thread and text') expect([name, seen.text]).toEqual([name, expect.stringMatching(/^What arrived/)]);
		expectSafe(seen, run === 'refused');
	}
});

test.each(operations)('every fault ends as it should in $resource $operation', async (tested) => {
	const faults = all.answers.map(({ fault }) => fault);
	expect(faults.length).toBeGreaterThan(15);
	for (const fault of faults.filter(({ name }) => !/^(Slow|Huge body)/.test(name))) {
		const seen = await observeOperation(fault, tested);
		expect([fault.name, seen.isError]).toEqual([fault.name, fault.fails]);
		if (seen.isError) expect(seen.shown).toMatch(/.{20,}/);
		expectSafe(seen, fault.answer === 'refused');
	}
});

test.each(['background', 'message', 'parts', 'chunks'])(
	'no fault is sent twice by the operation %s',
	async (operation) => {
		const started = all.runs.filter(({ fault }) => /^(Reset|Wrong|Redirect|`|Connection)/.test(fault.name));
		expect(started.length).toBeGreaterThan(8);
		for (const { fault } of started) {
			const seen = await observeRun(fault, operation);
			expectSafe(seen, fault.run === 'refused');
		}
	},
);

test('characters that are none become U+FFFD', () => {
	expect(find(all.runs, 'Invalid UTF-8').text).toBe('What arrived\uFFFD\uFFFD(');
});
