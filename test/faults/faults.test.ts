import { operations } from '../contract/operations';
import { RUN_FORMS } from '../engine/run-node';
import { restoreClock } from './clock';
import { faults, fileFaults, THREAD } from './faults';
import { observeFile, observeOperation, observeRun, type Observation } from './observe';

afterAll(restoreClock);

const search = operations.find(({ operation }) => operation === 'search')!;
const ofRuns = faults.filter(({ run }) => run);
const ofAnswers = faults.filter(({ answer }) => answer);

/** What holds for every fault and both nodes: sent as often as it must and to no other host, the socket closed, not all of it read. */
function expectSafe({ fault, requests, elsewhere, isClosed, sent }: Observation, refused: boolean) {
	const isBounded = sent < (fault.mostSent ?? Infinity);
	const expected = refused ? 0 : (fault.requests ?? 1);
	expect([fault.name, requests, elsewhere, isClosed, isBounded]).toEqual([fault.name, expected, 0, true, true]);
}

expect(ofRuns.length).toBeGreaterThan(25);

it.each(ofRuns)('a fault loses nothing of a run $name', async (fault) => {
	const seen = await observeRun(fault);
	const { ending: [status, kept] = [], run } = fault;
	const threadId = kept === 'nothing' ? null : THREAD;
	expect(seen).toMatchObject({ status, isError: status !== 'completed', threadId });
	if (kept === 'thread and text') expect(seen.text).toMatch(/^The partial result/);
	if (fault.name === 'Invalid UTF-8') expect(seen.text).toBe('The partial result\uFFFD\uFFFD(');
	expectSafe(seen, run === 'refused');
	expect(seen.shown).toMatchSnapshot();
});

expect(ofAnswers.length).toBeGreaterThan(15);

it.each(ofAnswers)('another request fails only if it must $name', async (fault) => {
	const seen = await observeOperation(fault, search);
	expect(seen.isError).toBe(fault.fails);
	expectSafe(seen, fault.answer === 'refused');
	if (seen.isError) expect(seen.shown).toMatchSnapshot();
});

expect(fileFaults.length).toBeGreaterThan(4);

it.each(fileFaults)('a file fails no run $name', async (fault) => {
	const { run, replay, ...seen } = await observeFile(fault);
	expect(seen).toEqual({ status: 'completed', requests: 2, isClosed: true });
	expect([run, replay]).toMatchSnapshot();
});

it.each(operations)('$resource $operation sends nothing twice and nothing to another host', async (tested) => {
	const cut = ofAnswers.filter(({ name }) => /^(Reset|Body|Redirect.*307)/.test(name));
	expect(cut).toHaveLength(3);
	for (const fault of cut) {
		const seen = await observeOperation(fault, tested);
		expect([fault.name, seen.isError]).toEqual([fault.name, true]);
		expectSafe(seen, false);
	}
});

it.each(RUN_FORMS)('a run started with %j is sent once, and nothing to another host', async (form) => {
	const started = ofRuns.filter(({ name }) => /^(Reset|Wrong|Redirect|`|Connection)/.test(name));
	expect(started.length).toBeGreaterThan(8);
	for (const fault of started) expectSafe(await observeRun(fault, form), fault.run === 'refused');
});
