import { BROWSER_AUTOMATION } from '../engine/run-node';
import { restoreClock } from './clock';
import { play, playAll, press, type RetryCase } from './retries';

afterAll(restoreClock);

const FIRST_FAILS = ['failed completed', 'completed', 'completed'];
const SECOND_FAILS = ['completed', 'failed completed', 'completed', 'completed'];
const SECOND_IS_REFUSED = ['completed', '429 completed', 'completed', 'completed'];
const BUSY = ['busy completed', 'busy completed', 'completed', 'completed'];
const PARALLEL = { options: { parallelRuns: 4 } };
const CONTINUE = { onError: 'continueRegularOutput' } as const;
const BACKGROUND = { parameters: { operation: 'background' } };
const START = { type: BROWSER_AUTOMATION, parameters: { resource: 'automationRun', operation: 'start' } };

const SEARCH = {
	type: BROWSER_AUTOMATION,
	parameters: { resource: 'web', operation: 'search', searchQuery: '={{ String($itemIndex) }}' },
};
const GET_SCRIPT = {
	type: BROWSER_AUTOMATION,
	parameters: { resource: 'session', operation: 'getScript', sessionId: '={{ String($itemIndex) }}' },
};

/** A row about *Retry On Fail*: how often n8n tries the node, and the starts of each item. */
const tried = (name: string, tries: number, starts: string, items: string[], more: Partial<RetryCase> = {}) => ({
	...{ name, tries, starts, items, ...more },
});

/** A row about *Retry* in the list of executions: the starts of each item, at first and by each *Retry*. */
const pressed = (name: string, starts: string, items: string[], more: Partial<RetryCase> = {}) => ({
	...{ name, starts, items, ...more },
});

const tries = [
	tried('A run fails', 3, '1', ['failed completed']),
	tried('A run waits for approval', 3, '1', ['approval completed']),
	tried('The connection breaks during a run', 3, '1', ['broken completed']),
	tried('The agent could not do its task', 3, '1', ['not-done completed'], {
		options: { checkDone: true },
	}),
	tried('The service refuses a run twice (429)', 3, '3', ['429 429 completed']),
	tried('The service responds with 500', 3, '1', ['500 completed']),
	tried('The same, Start in Background', 3, '1', ['500 completed'], BACKGROUND),
	tried('The same, Start', 3, '1', ['500 completed'], START),
	tried('Four items, one run at a time, the second fails', 3, '1, 1, 0, 0', SECOND_FAILS),
	tried('Four parallel runs, the second fails', 3, '1, 1, 1, 1', SECOND_FAILS, PARALLEL),
	tried('Four parallel runs, the second is refused once (429)', 2, '1, 2, 1, 1', SECOND_IS_REFUSED, PARALLEL),
	tried('On Error: Continue, the first of three runs fails', 3, '1, 1, 1', FIRST_FAILS, CONTINUE),
	tried('On Error: Continue (using error output), the first of three runs fails', 3, '1, 1, 1', FIRST_FAILS, {
		onError: 'continueErrorOutput',
	}),
	tried('A loop of two rounds, the run of each fails', 6, '1, 1', ['failed completed'], { ...CONTINUE, rounds: 2 }),
	tried('Busy (429) for a second, four parallel runs', 1, '2, 2, 1, 1', BUSY, {
		options: { parallelRuns: 4, waitIfBusy: 60 },
	}),
	tried('Busy (429) that asks for more than Max Wait If Busy', 3, '3', ['busy-for-long'], {
		options: { waitIfBusy: 5 },
	}),
	tried('Busy (429) that names a thread', 3, '1', ['429-with-thread completed'], { options: { waitIfBusy: 5 } }),
	tried('Busy (429) for a second, Start', 1, '2', ['busy completed'], START),
	tried('Unavailable (503) for a second, Start', 3, '1', ['busy-503 completed'], START),
	tried('Busy (429) for a second, Search', 1, '2, 1', ['busy done', 'done'], SEARCH),
	tried('Busy (529) for a second, Search', 1, '2, 1', ['busy-529 done', 'done'], SEARCH),
	tried('Busy (503) for a second, Get Script', 1, '2', ['busy-503 done'], GET_SCRIPT),
	tried('Timeout Workflow of 60 seconds, during a run', 3, '1', ['silent'], {
		workflowSettings: { executionTimeout: 60 },
		passes: 55,
	}),
	tried('Stop during a run', 2, '1', ['silent'], { stops: 'run' }),
	tried('Stop before a further try', 2, '1', ['429'], { stops: 'try' }),
];

const ROWS = { operation: 'rows', columns: { column: [{ name: 'a', type: 'number' }] } };
const EMPTY = { ifNoRows: 'none', ifRowsDoNotFit: 'askAgain' };
const REDACTED = { redaction: { version: 2, production: true, manual: true } } as const;

const executions = [
	pressed('Four parallel runs, the second failed', '1, 1, 1, 1; then 0, 1, 0, 0', SECOND_FAILS, PARALLEL),
	pressed('Four items, one run at a time, the second failed', '1, 1, 0, 0; then 0, 1, 1, 1', SECOND_FAILS),
	pressed('The same, with another task', '1, 1, 0, 0; then 1, 1, 1, 1', SECOND_FAILS, {
		presses: [{ parameters: { query: '={{ $itemIndex }}: again' } }],
	}),
	pressed('The same, with a higher Run Timeout', '1, 1, 0, 0; then 0, 1, 1, 1', SECOND_FAILS, {
		presses: [{ options: { totalTimeout: 99 } }],
	}),
	pressed(
		'A Retry that fails, and Retry on it',
		'1, 1; then 0, 1; then 0, 1',
		['completed', 'failed failed completed'],
		{ presses: [{}, {}] },
	),
	pressed(
		'A Retry that gets further and fails, and Retry on the first execution',
		'1, 0; then 1, 1; then 1, 1',
		['failed completed', 'failed completed'],
		{ presses: [{}, { isOnFirst: true }] },
	),
	pressed(
		'Retry On Fail at three tries, and a run that is refused',
		'1, 1; then 2, 0',
		['interrupted 429 completed', 'completed'],
		{ ...PARALLEL, retryOnFail: true },
	),
	pressed('Rows, with the fields of the input', '1, 1; then 0, 1', ['rows', 'failed rows'], {
		parameters: { ...ROWS, include: 'allOtherFields' },
	}),
	pressed(
		'Rows, and a follow-up run for those of the first item',
		'2, 1; then 0, 1',
		['completed rows', 'failed rows'],
		{ parameters: ROWS, options: EMPTY },
	),
	pressed('Raw output, one item per part', '1, 1; then 0, 1', ['file', 'failed file'], {
		parameters: { operation: 'raw', output: 'parts' },
	}),
	pressed('Runs in the background', '1, 1; then 0, 1', ['completed', '500 completed'], BACKGROUND),
	pressed('A run with a file that n8n keeps in memory', '1, 1; then 0, 1', ['file', 'failed completed']),
	pressed('A loop of two rounds, the run of the second fails', '1, 1; then 0, 1', ['completed | failed completed'], {
		rounds: 2,
	}),
	pressed('The next node fails', '1, 1; then 0, 0', ['completed', 'completed'], { nextFails: true }),
	pressed('A policy of redaction', '1, 1; then 1, 1', ['completed', 'failed completed'], { runtimeData: REDACTED }),
	pressed(
		'The agent could not do the task of the second item',
		'1, 1; then 0, 1',
		['completed', 'not-done completed'],
		{ options: { checkDone: true } },
	),
	pressed('Start, response 500', '1; then 1', ['500'], START),
	pressed('Start, a busy service (429)', '1; then 1', ['429 completed'], START),
	pressed('Search, a busy service (429) for the second', '1, 1; then 1, 1', ['done', '429 done'], SEARCH),
];

describe('Retry On Fail starts nothing twice', () => {
	let played: Map<RetryCase, ReturnType<typeof play>>;
	beforeAll(() => {
		played = playAll(tries, play);
	});

	it.each(tries)('$name', async (one) => {
		const { shown, ...seen } = await played.get(one)!;
		expect(seen).toEqual({ tries: one.tries, starts: one.starts });
		expect(shown).toMatchSnapshot();
	});
});

describe('Retry in the list starts only what is missing', () => {
	let played: Map<RetryCase, ReturnType<typeof press>>;
	beforeAll(() => {
		played = playAll(executions, press);
	});

	it.each(executions)('$name', async (one) => {
		const { shown, starts } = await played.get(one)!;
		expect(starts).toBe(one.starts);
		expect(shown).toMatchSnapshot();
	});
});
