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

/** What holds for every fault and both nodes: sent once and to no other host, the socket closed, not all of it read. */
function expectSafe({ fault, requests, elsewhere, isClosed, sent }: Observation, refused: boolean) {
	const isBounded = sent < (fault.mostSent ?? Infinity);
	expect([fault.name, requests, elsewhere, isClosed, isBounded]).toEqual([fault.name, refused ? 0 : 1, 0, true, true]);
}

it('docs/reliability.md shows what happens with every fault', () => {
	expect(readSection('faults')).toBe(faultTables(all));
});

it('every fault of a run ends with its status, and nothing that was received is lost', () => {
	expect(all.runs.length).toBeGreaterThan(25);
	for (const seen of all.runs) {
		const { name, ending: [status, kept] = [], run } = seen.fault;
		const thread = kept === 'nothing' ? null : THREAD;
		const isError = status !== 'completed';
		expect([name, seen.status, seen.isError, seen.threadId]).toEqual([name, status, isError, thread]);
		if (kept === 'thread and text') expect(seen.text).toMatch(/^The partial result/);
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

it('no fault of a file fails its run, and every connection is closed', () => {
	expect(all.files.length).toBeGreaterThan(4);
	for (const { name, status, requests, isClosed } of all.files) {
		expect([name, status, requests, isClosed]).toEqual([name, 'completed', 2, true]);
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
	expect(all.runs.find(({ fault }) => fault.name === 'Invalid UTF-8')!.text).toBe('The partial result\uFFFD\uFFFD(');
});
