/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { EventEmitter, once } from 'node:events';
import {
	NodeConnectionTypes,
	NodeOperationError,
	sleep,
	type IExecuteFunctions,
	type INode,
	type INodeType,
	type IRun,
	type IWorkflowSettings,
	type NodeApiError,
} from 'n8n-workflow';
import { BROWSER_AUTOMATION, registry, RUN_AUTOMATION } from '../engine/run-node';
import { executeOf, runWorkflow, type RunOptions, type RunResult } from '../engine/run-workflow';
import { serveStarts } from '../engine/serve-starts';
import { letRead } from '../support/let-read';
import { readSection, table } from '../support/report';
import { within } from '../support/within';
import { pass } from './clock';

const NODE = 'Run';

/** No case takes longer, even on a busy machine. */
const LIMIT_S = 100;

/** Milliseconds between two tries. */
const WAIT = 10;

/** A case that the engine plays with *Retry On Fail* at three tries. */
interface RetryCase {
	name: string;
	/** What the service does with the starts of each item, in words of `serveStarts`; the last one is repeated. A bar parts the rounds of a loop. */
	items: string[];
	type?: string;
	parameters?: Record<string, unknown>;
	options?: Record<string, unknown>;
	onError?: INode['onError'];
	/** How often a loop leads to the node. */
	rounds?: number;
	/** Presses Stop once the first run has begun, or the first try has ended. */
	stops?: 'run' | 'try';
	/** Seconds that pass at once when a run has begun. */
	passes?: number;
	retryOnFail?: boolean;
	workflowSettings?: IWorkflowSettings;
	runtimeData?: RunOptions['runtimeData'];
	/** Whether the node behind it fails the first time that it is executed. */
	nextFails?: boolean;
	/** How often *Retry* is pressed on the latest execution, or on the first one, and what is changed before. */
	presses?: Array<Change & { isOnFirst?: true }>;
}

/** What a person changes in a node before *Retry*. */
interface Change {
	parameters?: Record<string, unknown>;
	options?: Record<string, unknown>;
}

const FIRST_FAILS = ['failed completed', 'completed', 'completed'];
const SECOND_FAILS = ['completed', 'failed completed', 'completed', 'completed'];
const SECOND_IS_REFUSED = ['completed', '429 completed', 'completed', 'completed'];
const BUSY = ['busy completed', 'busy completed', 'completed', 'completed'];
const RESTART = { options: { restartFailed: true } };
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

const played = (name: string, items: string[], more: Partial<RetryCase> = {}): RetryCase => ({ name, items, ...more });

/** The rows that the engine plays. */
const cases = [
	played('A run fails', ['failed completed']),
	played('A run fails twice, with _Also Restart Failed Runs_', ['failed failed completed'], RESTART),
	played('A run waits for approval, with _Also Restart Failed Runs_', ['approval completed'], RESTART),
	played('The connection breaks during a run', ['broken completed']),
	played('The agent could not do its task, with _Also Restart Failed Runs_', ['not-done completed'], {
		options: { checkDone: true, restartFailed: true },
	}),
	played('The service refuses a run twice (`429`)', ['429 429 completed']),
	played('The service responds with `500`', ['500 completed']),
	played('The same, _Start in Background_', ['500 completed'], BACKGROUND),
	played('The same, _Start_ of Browser Automation', ['500 completed'], START),
	played('Four items, one run at a time, the second fails', SECOND_FAILS),
	played('Four parallel runs, the second fails', SECOND_FAILS, PARALLEL),
	played('Four parallel runs, the second is refused once (`429`)', SECOND_IS_REFUSED, PARALLEL),
	played('_On Error_: _Continue_, the first of three runs fails', FIRST_FAILS, CONTINUE),
	played('_On Error_: _Continue (using error output)_, the first of three runs fails', FIRST_FAILS, {
		onError: 'continueErrorOutput',
	}),
	played('A loop of two rounds, the run of each fails', ['failed completed'], { ...CONTINUE, rounds: 2 }),
	played('A busy service (`429`) that asks to wait for 1 second, four parallel runs', BUSY, {
		options: { parallelRuns: 4, waitIfBusy: 60 },
	}),
	played('A busy service (`429`) that asks for more than _Limit: Wait If Busy_', ['busy-for-long'], {
		options: { waitIfBusy: 5 },
	}),
	played('A busy service (`429`) that names a thread', ['429-with-thread completed'], { options: { waitIfBusy: 5 } }),
	played(
		'A busy service (`429`) that asks to wait for 1 second, _Start_ of Browser Automation',
		['busy completed'],
		START,
	),
	played(
		'A busy service (`503`) that asks to wait for 1 second, _Start_ of Browser Automation',
		['busy-503 completed'],
		START,
	),
	played(
		'A busy service (`429`) that asks to wait for 1 second, _Search_ of Browser Automation, two items',
		['busy done', 'done'],
		SEARCH,
	),
	played(
		'A busy service (`529`) that asks to wait for 1 second, _Search_ of Browser Automation, two items',
		['busy-529 done', 'done'],
		SEARCH,
	),
	played(
		'A busy service (`503`) that asks to wait for 1 second, _Get Script_ of Browser Automation',
		['busy-503 done'],
		GET_SCRIPT,
	),
	played('_Timeout Workflow_ of 60 seconds, during a run', ['silent'], {
		workflowSettings: { executionTimeout: 60 },
		passes: 55,
	}),
	played('Stop during a run', ['silent'], { stops: 'run' }),
	played('Stop before a further try', ['429'], { stops: 'try' }),
];

const ROWS = { operation: 'rows', columns: { column: [{ name: 'a', type: 'number' }] } };
const EMPTY = { ifNoRows: 'none', ifRowsDoNotFit: 'askAgain' };
const REDACTED = { redaction: { version: 2, production: true, manual: true } } as const;

/** The rows about *Retry* in the list of executions. */
const pressed = [
	played('Four parallel runs, the second failed', SECOND_FAILS, PARALLEL),
	played('Four items, one run at a time, the second failed', SECOND_FAILS),
	played('The same, with another task', SECOND_FAILS, {
		presses: [{ parameters: { query: '={{ $itemIndex }}: again' } }],
	}),
	played('The same, with a higher _Limit: Total Timeout_', SECOND_FAILS, {
		presses: [{ options: { totalTimeout: 99 } }],
	}),
	played('A _Retry_ that fails, and _Retry_ on it', ['completed', 'failed failed completed'], { presses: [{}, {}] }),
	played(
		'A _Retry_ that gets further and fails, and _Retry_ on the first execution',
		['failed completed', 'failed completed'],
		{
			presses: [{}, { isOnFirst: true }],
		},
	),
	played('_Also Restart Failed Runs_ at three tries', ['completed', 'failed failed failed completed'], {
		...RESTART,
		retryOnFail: true,
	}),
	played('_Retry On Fail_ at three tries, and a run that is refused', ['interrupted 429 completed', 'completed'], {
		...PARALLEL,
		retryOnFail: true,
	}),
	played('Rows, with the fields of the input', ['rows', 'failed rows'], {
		parameters: { ...ROWS, include: 'allOtherFields' },
	}),
	played('Rows, and a follow-up run for those of the first item', ['completed rows', 'failed rows'], {
		parameters: ROWS,
		options: EMPTY,
	}),
	played('Raw output, one item per part', ['file', 'failed file'], {
		parameters: { operation: 'raw', output: 'parts' },
	}),
	played('Runs in the background', ['completed', '500 completed'], BACKGROUND),
	played('A run with a file that n8n keeps in memory', ['file', 'failed completed']),
	played('A loop of two rounds, the run of the second fails', ['completed | failed completed'], { rounds: 2 }),
	played('The next node fails', ['completed', 'completed'], { nextFails: true }),
	played('A policy of redaction', ['completed', 'failed completed'], { runtimeData: REDACTED }),
	played('The agent could not do the task of the second item', ['completed', 'not-done completed'], {
		options: { checkDone: true },
	}),
	played('_Start_ of Browser Automation, response `500`', ['500'], START),
	played('_Start_ of Browser Automation, a busy service (`429`)', ['429 completed'], START),
	played(
		'_Search_ of Browser Automation, two items, a busy service (`429`) for the second',
		['done', '429 done'],
		SEARCH,
	),
];

/** Sends its items back as often as a loop has rounds. */
const loop = (rounds: number, failsFirst = false): INodeType => ({
	description: {
		...{ displayName: 'Loop', name: 'loop', group: [], version: 1, description: '', defaults: {}, properties: [] },
		...{ inputs: [NodeConnectionTypes.Main], outputs: [NodeConnectionTypes.Main] },
	},
	async execute(this: IExecuteFunctions) {
		if (failsFirst) {
			failsFirst = false;
			throw new NodeOperationError(this.getNode(), 'The next node fails');
		}
		const round = Number(this.evaluateExpression('{{ $runIndex }}', 0));
		return [round + 1 < rounds ? this.getInputData().map((_, item) => ({ json: {}, pairedItem: item })) : []];
	},
});

/** A node that tells when each of its executions has ended. */
function counting(node: INodeType, onEnd: () => void): INodeType {
	const execute = executeOf(node);
	return Object.assign(Object.create(node) as INodeType, {
		async execute(this: IExecuteFunctions) {
			return await execute.call(this).finally(onEnd);
		},
	});
}

/** What the user sees: the error, or how each item ended. */
function shownOf(result: RunResult): string {
	const error = (result.error(NODE) ?? result.error('Loop')) as NodeApiError | undefined;
	if (error) return [error.message, error.description].filter(Boolean).join('. ');
	if (result.run.status === 'canceled') return 'The execution is canceled';
	const items = [...result.items(NODE), ...result.items(NODE, 1)];
	const reasons = items.map(({ json }) => (json.error as { message?: string } | undefined)?.message ?? json.error);
	return items
		.map(({ json }, item) => (reasons[item] ? `error item: ${reasons[item]}` : (json.status ?? JSON.stringify(json))))
		.join(', ');
}

/** A workflow for a case, against a service of its own. */
async function workflowOf(one: RetryCase) {
	const { items, type = RUN_AUTOMATION, rounds = 1, onError, ...given } = one;
	const events = new EventEmitter();
	const [firstStart, firstTry] = ['start', 'try'].map(async (event) => await once(events, event));
	const begun = firstStart.then(letRead);
	// Each round of a loop is an item for the service.
	const script = items.flatMap((item) => {
		const answers = item.split(' | ');
		return Array.from({ length: rounds }, (_, round) => (answers[round] ?? item).split(' '));
	});
	const server = await serveStarts(script, () => events.emit('start'));
	if (given.passes) void begun.then(() => pass(given.passes!));
	let tries = 0;
	const onTry = () => {
		tries++;
		events.emit('try');
	};
	const node = (own: Partial<INode>) =>
		({ id: own.name, typeVersion: 1, position: [0, 0], parameters: {}, ...own }) as INode;
	const to = (target: string) => ({ main: [[{ node: target, type: NodeConnectionTypes.Main, index: 0 }]] });
	const nodes: Record<string, INodeType> = registry.nodes;
	const counted = { [type]: counting(nodes[type], onTry), 'test.loop': loop(rounds, given.nextFails) };
	const execute = async (change: Change = {}, retryOf?: IRun) => {
		// As if the patience with a busy service were over.
		const options = { waitIfBusy: 0, ...given.options, ...change.options };
		const query = `={{ String($itemIndex * ${rounds} + $runIndex) }}`;
		const tested = node({
			...{ name: NODE, type, onError, retryOnFail: given.retryOnFail ?? true, maxTries: 3, waitBetweenTries: WAIT },
			parameters: { query, ...given.parameters, ...change.parameters, options } as INode['parameters'],
			credentials: { browserAutomationApi: { id: '1', name: 'Local service' } },
		});
		return await runWorkflow(
			{
				nodes: [node({ name: 'Start', type: 'test.start' }), node({ name: 'Loop', type: 'test.loop' }), tested],
				connections: { Start: to(NODE), [NODE]: to('Loop'), Loop: to(NODE) },
			},
			{
				registry: { ...registry, nodes: { ...nodes, ...counted } },
				credentials: { browserAutomationApi: { ...server.target, allowUnencrypted: false } },
				input: items.map((_, item) => ({ json: { company: `Company ${item}` } })),
				cancelWhen: given.stops && { run: begun, try: firstTry }[given.stops],
				workflowSettings: given.workflowSettings,
				runtimeData: given.runtimeData,
				retryOf,
			},
		);
	};
	const starts = () => server.starts.map(({ length }) => length);
	/** Waits until n8n has tried the node so often. */
	const tried = async (count: number) => {
		while (tries < count) await once(events, 'try');
	};
	return { execute, starts, tries: () => tries, tried, stop: server.stop };
}

const withoutNumbers = (shown: string) => shown.replace(/thread-\d+-\d+/g, 'thread');

/** Plays one case; gives its row in the table. */
async function play(one: RetryCase): Promise<Array<string | number>> {
	const { execute, starts, tries, tried, stop } = await workflowOf(one);
	const result = await execute();
	if (one.stops) {
		// After Stop, n8n tries the node once more.
		await tried(2);
		await sleep(WAIT * 5);
	}
	await stop();
	return [one.name, tries(), starts().join(', '), withoutNumbers(shownOf(result))];
}

/** Executes a case, and presses *Retry* on its executions; gives its row in the table. */
async function press(one: RetryCase): Promise<string[]> {
	const { execute, starts, stop } = await workflowOf({ retryOnFail: false, ...one });
	const first = await execute();
	const before = starts();
	const counts: string[] = [];
	let latest = first;
	for (const { isOnFirst, ...change } of one.presses ?? [{}]) {
		const known = starts();
		latest = await execute(change, (isOnFirst ? first : latest).run);
		counts.push(
			starts()
				.map((count, item) => count - known[item])
				.join(', '),
		);
	}
	await stop();
	const lost = latest.hints(NODE).filter(({ message }) => message.startsWith('Files'));
	const shown = [shownOf(latest), ...lost.map(({ message }) => message)].join('. ');
	return [one.name, before.join(', '), counts.join('; then '), withoutNumbers(shown)];
}

/** A section of docs/reliability.md. The rows that a real n8n plays in test/e2e stay as they are. */
async function tableOf<Case extends RetryCase>(
	section: string,
	head: string[],
	all: Case[],
	playOne: (one: Case) => Promise<Array<string | number>>,
): Promise<string> {
	const failed = (name: string) => (error: Error) => [name, `Not played: ${error.message}`];
	const rows = new Map<Case, Array<string | number>>();
	const add = async (one: Case) =>
		void rows.set(one, await within(LIMIT_S, one.name, playOne(one)).catch(failed(one.name)));
	await Promise.all(all.filter(({ passes }) => !passes).map(add));
	// Time passes for all that are played together.
	for (const one of all.filter(({ passes }) => passes)) await add(one);
	const [, , ...written] = readSection(section).trimEnd().split('\n');
	const others = written.filter((line) => !all.some(({ name }) => line.startsWith(`| ${name} |`)));
	return `${table(
		head,
		all.map((one) => rows.get(one)!),
	)}${others.map((line) => `${line}\n`).join('')}`;
}

/** The table about *Retry On Fail*, and about a service that is busy. */
export const retryTable = async () =>
	await tableOf('retries', ['Case', 'Tries of n8n', 'Requests for each item', 'What the user sees'], cases, play);

/** The table about *Retry* in the list of executions. */
export const executionTable = async () =>
	await tableOf(
		'executions',
		['Case', 'Requests before', 'Requests by _Retry_', 'What the user sees then'],
		pressed,
		press,
	);
