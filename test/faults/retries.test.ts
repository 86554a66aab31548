import { BROWSER_AUTOMATION } from '../engine/run-node';
import { restoreClock } from './clock';
import { play, playAll, press, type Answers, type RetryCase } from './retries';

afterAll(restoreClock);

/** What the service does with the starts of each item, in turn. */
const FIRST_FAILS: Answers[] = ['failed completed', 'completed', 'completed'];
const SECOND_FAILS: Answers[] = ['completed', 'failed completed', 'completed', 'completed'];
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

const tries: Array<RetryCase & { tries: number; starts: number[] }> = [
	{ name: 'A run fails', tries: 3, starts: [1], items: ['failed completed'] },
	{ name: 'A run waits for approval', tries: 3, starts: [1], items: ['approval completed'] },
	{ name: 'The connection breaks during a run', tries: 3, starts: [1], items: ['broken completed'] },
	{
		name: 'The agent could not do its task',
		tries: 3,
		starts: [1],
		items: ['not-done completed'],
		options: { checkDone: true },
	},
	{ name: 'The service rejects a run twice (429)', tries: 3, starts: [3], items: ['429 429 completed'] },
	{ name: 'The service responds with 500', tries: 3, starts: [1], items: ['500 completed'] },
	{ name: 'The same, Start in Background', tries: 3, starts: [1], items: ['500 completed'], ...BACKGROUND },
	{ name: 'The same, Start', tries: 3, starts: [1], items: ['500 completed'], ...START },
	{ name: 'Four items, one run at a time, the second fails', tries: 3, starts: [1, 1, 0, 0], items: SECOND_FAILS },
	{ name: 'Four parallel runs, the second fails', tries: 3, starts: [1, 1, 1, 1], items: SECOND_FAILS, ...PARALLEL },
	{
		name: 'Four parallel runs, the second is rejected once (429)',
		tries: 2,
		starts: [1, 2, 1, 1],
		items: ['completed', '429 completed', 'completed', 'completed'],
		...PARALLEL,
	},
	{
		name: 'On Error: Continue, the first of three runs fails',
		tries: 3,
		starts: [1, 1, 1],
		items: FIRST_FAILS,
		...CONTINUE,
	},
	{
		name: 'On Error: Continue (using error output), the first of three runs fails',
		tries: 3,
		starts: [1, 1, 1],
		items: FIRST_FAILS,
		onError: 'continueErrorOutput',
	},
	{
		name: 'A loop of two rounds, the run of each fails',
		tries: 6,
		starts: [1, 1],
		items: ['failed completed'],
		...CONTINUE,
		rounds: 2,
	},
	{
		name: 'Busy (429) for a second, four parallel runs',
		tries: 1,
		starts: [2, 2, 1, 1],
		items: ['busy completed', 'busy completed', 'completed', 'completed'],
		options: { parallelRuns: 4, waitIfBusy: 60 },
	},
	{
		name: 'Busy (429) that asks for more than Max Busy Wait',
		tries: 3,
		starts: [3],
		items: ['busy-for-long'],
		options: { waitIfBusy: 5 },
	},
	{
		name: 'Busy (429) that names a thread',
		tries: 3,
		starts: [1],
		items: ['429-with-thread completed'],
		options: { waitIfBusy: 5 },
	},
	{ name: 'Busy (429) for a second, Start', tries: 1, starts: [2], items: ['busy completed'], ...START },
	{ name: 'Unavailable (503) for a second, Start', tries: 3, starts: [1], items: ['busy-503 completed'], ...START },
	{ name: 'Busy (429) for a second, Search', tries: 1, starts: [2, 1], items: ['busy done', 'done'], ...SEARCH },
	{ name: 'Busy (529) for a second, Search', tries: 1, starts: [2, 1], items: ['busy-529 done', 'done'], ...SEARCH },
	{ name: 'Busy (503) for a second, Get Script', tries: 1, starts: [2], items: ['busy-503 done'], ...GET_SCRIPT },
	{
		name: 'Timeout Workflow of 60 seconds, during a run',
		tries: 3,
		starts: [1],
		items: ['silent'],
		workflowSettings: { executionTimeout: 60 },
		passes: 55,
	},
	{ name: 'Stop during a run', tries: 2, starts: [1], items: ['silent'], stops: 'run' },
	{ name: 'Stop before a later attempt', tries: 2, starts: [1], items: ['429'], stops: 'try' },
];

const ROWS = { operation: 'rows', columns: { column: [{ name: 'a', type: 'number' }] } };
const EMPTY = { ifNoRows: 'none', ifRowsInvalid: 'correction' };
const REDACTED = { redaction: { version: 2, production: true, manual: true } } as const;

/** With the starts of each item in the first execution, and in each one after it. */
const executions: Array<RetryCase & { starts: string[] }> = [
	{ name: 'Four parallel runs, the second failed', starts: ['1 1 1 1', '0 1 0 0'], items: SECOND_FAILS, ...PARALLEL },
	{ name: 'Four items, one run at a time, the second failed', starts: ['1 1 0 0', '0 1 1 1'], items: SECOND_FAILS },
	{
		name: 'The same, with another task',
		starts: ['1 1 0 0', '1 1 1 1'],
		items: SECOND_FAILS,
		presses: [{ parameters: { query: '={{ $itemIndex }}: again' } }],
	},
	{
		name: 'The same, with a higher Run Timeout',
		starts: ['1 1 0 0', '0 1 1 1'],
		items: SECOND_FAILS,
		presses: [{ options: { totalTimeout: 99 } }],
	},
	{
		name: 'A Retry that fails, and Retry on it',
		starts: ['1 1', '0 1', '0 1'],
		items: ['completed', 'failed failed completed'],
		presses: [{}, {}],
	},
	{
		name: 'A Retry that gets further and fails, and Retry on the first execution',
		starts: ['1 0', '1 1', '1 1'],
		items: ['failed completed', 'failed completed'],
		presses: [{}, { isOnFirst: true }],
	},
	{
		name: 'Retry On Fail at three tries, and a run that is rejected',
		starts: ['1 1', '2 0'],
		items: ['interrupted 429 completed', 'completed'],
		...PARALLEL,
		retryOnFail: true,
	},
	{
		name: 'Rows, with the fields of the input',
		starts: ['1 1', '0 1'],
		items: ['rows', 'failed rows'],
		parameters: { ...ROWS, include: 'allOtherFields' },
	},
	{
		name: 'Rows, and a follow-up run for those of the first item',
		starts: ['2 1', '0 1'],
		items: ['completed rows', 'failed rows'],
		parameters: ROWS,
		options: EMPTY,
	},
	{
		name: 'Raw output, one item per part',
		starts: ['1 1', '0 1'],
		items: ['file', 'failed file'],
		parameters: { operation: 'raw', output: 'parts' },
	},
	{ name: 'Runs in the background', starts: ['1 1', '0 1'], items: ['completed', '500 completed'], ...BACKGROUND },
	{ name: 'A run with a file that n8n keeps in memory', starts: ['1 1', '0 1'], items: ['file', 'failed completed'] },
	{
		name: 'A loop of two rounds, the run of the second fails',
		starts: ['1 1', '0 1'],
		items: [{ rounds: ['completed', 'failed completed'] }],
		rounds: 2,
	},
	{ name: 'The next node fails', starts: ['1 1', '0 0'], items: ['completed', 'completed'], nextFails: true },
	{
		name: 'A policy of redaction',
		starts: ['1 1', '1 1'],
		items: ['completed', 'failed completed'],
		runtimeData: REDACTED,
	},
	{
		name: 'The agent could not do the task of the second item',
		starts: ['1 1', '0 1'],
		items: ['completed', 'not-done completed'],
		options: { checkDone: true },
	},
	{ name: 'Start, response 500', starts: ['1', '1'], items: ['500'], ...START },
	{ name: 'Start, a busy service (429)', starts: ['1', '1'], items: ['429 completed'], ...START },
	{
		name: 'Search, a busy service (429) for the second',
		starts: ['1 1', '1 1'],
		items: ['done', '429 done'],
		...SEARCH,
	},
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
		expect(starts.map((counts) => counts.join(' '))).toEqual(one.starts);
		expect(shown).toMatchSnapshot();
	});
});
