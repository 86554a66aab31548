import { operations } from '../contract/operations';
import { RUN_FORMS } from '../engine/run-node';
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

it('docs/reliability.md shows what happens with every fault', () => {
	expect(readSection('faults')).toBe(faultTables(all));
});

it('every fault of a run ends with its status, and nothing that was received is lost', () => {
	expect(all.runs.length).toBeGreaterThan(25);
	for (const seen of all.runs) {
		const { name, status, kept, run } = seen.fault;
		expect([name, seen.status, seen.isError]).toEqual([name, status, status !== 'completed']);
		expect([name, seen.threadId]).toEqual([name, kept === 'nothing' ? null : THREAD]);
		if (kept === 'thread and text')
			expect([name, seen.text]).toEqual([name, expect.stringMatching(/^The partial result/)]);
		expectSafe(seen, run === 'refused');
	}
});

it('every fault of another request ends in an error only if it must', () => {
	expect(all.answers.length).toBeGreaterThan(15);
	for (const seen of all.answers) {
		expect([seen.fault.name, seen.isError]).toEqual([seen.fault.name, seen.fault.fails]);
		if (seen.isError) expect(seen.shown).toMatch(/.{20,}/);
		expectSafe(seen, seen.fault.answer === 'refused');
	}
});

it.each(operations)('$resource $operation sends nothing twice and nothing to another host', async (tested) => {
	for (const { fault } of all.answers.filter(({ fault: { name } }) => /^(Reset|Body|Redirect.*307)/.test(name))) {
		const seen = await observeOperation(fault, tested);
		expect([fault.name, seen.isError]).toEqual([fault.name, true]);
		expectSafe(seen, false);
	}
});

it.each(RUN_FORMS)('a run started with %j is sent once, and nothing to another host', async (form) => {
	const started = all.runs.filter(({ fault }) => /^(Reset|Wrong|Redirect|`|Connection)/.test(fault.name));
	expect(started.length).toBeGreaterThan(8);
	for (const { fault } of started) expectSafe(await observeRun(fault, form), fault.run === 'refused');
});

it('bytes that are not characters become U+FFFD', () => {
	expect(find(all.runs, 'Invalid UTF-8').text).toBe('The partial result\uFFFD\uFFFD(');
});
