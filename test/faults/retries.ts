import {
	NodeConnectionTypes,
	sleep,
	type IExecuteFunctions,
	type INode,
	type INodeType,
	type NodeApiError,
} from 'n8n-workflow';
import { BROWSER_AUTOMATION, registry, RUN_AUTOMATION } from '../engine/run-node';
import { executeOf, runWorkflow, type RunResult } from '../engine/run-workflow';
import { serveStarts } from '../engine/serve-starts';
import { readSection, table } from '../support/report';
import { within } from '../support/within';

const NODE = 'Run';

/** No case takes longer, even on a busy machine. */
const LIMIT_S = 20;

/** Milliseconds between two tries, and those of a case in which Stop comes between them. */
const WAIT = 10;
const WAIT_FOR_STOP = 200;

/** A case that the engine plays with *Retry On Fail* at three tries. */
interface RetryCase {
	name: string;
	/** What the service does with the starts of each item, in words of `serveStarts`; the last one is repeated. */
	items: string[];
	type?: string;
	parameters?: Record<string, unknown>;
	options?: Record<string, unknown>;
	onError?: INode['onError'];
	/** How often a loop leads to the node. */
	rounds?: number;
	/** Presses Stop once the first start was received. */
	stops?: boolean;
}

const FIRST_FAILS = ['failed completed', 'completed', 'completed'];
const SECOND_FAILS = ['completed', 'failed completed', 'completed', 'completed'];
const SECOND_IS_REFUSED = ['completed', '429 completed', 'completed', 'completed'];
const RESTART = { options: { restartFailed: true } };
const PARALLEL = { options: { parallelRuns: 4 } };
const CONTINUE = { onError: 'continueRegularOutput' } as const;
const BACKGROUND = { parameters: { operation: 'background' } };
const START = { type: BROWSER_AUTOMATION, parameters: { resource: 'automationRun', operation: 'start' } };

const played = (name: string, items: string[], more: Partial<RetryCase> = {}): RetryCase => ({ name, items, ...more });

/** The rows that the engine plays. */
const cases = [
	played('A run fails', ['failed completed']),
	played('A run fails twice, with _Also Restart Failed Runs_', ['failed failed completed'], RESTART),
	played('A run waits for approval, with _Also Restart Failed Runs_', ['approval completed'], RESTART),
	played('The connection breaks during a run', ['broken completed']),
	played('The service refuses two starts (`429`)', ['429 429 completed']),
	played('The service responds to a start with `500`', ['500 completed']),
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
	played('Stop during a run', ['silent'], { stops: true }),
	played('Stop before a further try', ['429'], { stops: true }),
];

/** Sends its items back as often as a loop has rounds. */
const loop = (rounds: number): INodeType => ({
	description: {
		...{ displayName: 'Loop', name: 'loop', group: [], version: 1, description: '', defaults: {}, properties: [] },
		...{ inputs: [NodeConnectionTypes.Main], outputs: [NodeConnectionTypes.Main] },
	},
	async execute(this: IExecuteFunctions) {
		const round = Number(this.evaluateExpression('{{ $runIndex }}', 0));
		return [round + 1 < rounds ? this.getInputData().map((_, item) => ({ json: {}, pairedItem: item })) : []];
	},
});

/** A node that tells of each of its executions. */
function counting(node: INodeType, onExecute: () => void): INodeType {
	const execute = executeOf(node);
	return Object.assign(Object.create(node) as INodeType, {
		async execute(this: IExecuteFunctions) {
			onExecute();
			return await execute.call(this);
		},
	});
}

/** What the user sees: the error, or how each item ended. */
function shownOf(result: RunResult): string {
	const error = result.error(NODE) as NodeApiError | undefined;
	if (error) return [error.message, error.description].filter(Boolean).join('. ');
	if (result.run.status === 'canceled') return 'The execution is canceled';
	const items = [...result.items(NODE), ...result.items(NODE, 1)];
	const reasons = items.map(({ json }) => (json.error as { message?: string } | undefined)?.message ?? json.error);
	return items.map(({ json }, item) => (reasons[item] ? `error item: ${reasons[item]}` : json.status)).join(', ');
}

/** Plays one case against a service of its own; gives its row in the table. */
async function play({ name, items, type = RUN_AUTOMATION, ...given }: RetryCase): Promise<Array<string | number>> {
	const { rounds = 1, stops, onError, parameters } = given;
	// As if the patience with a busy service were over.
	const options = { waitIfBusy: 0, ...given.options };
	let received = () => {};
	const firstStart = new Promise<void>((resolve) => (received = resolve));
	// Each round of a loop is an item for the service.
	const script = items.flatMap((answers) => Array.from({ length: rounds }, () => answers.split(' ')));
	const server = await serveStarts(script, received);
	const nodes: Record<string, INodeType> = registry.nodes;
	let tries = 0;
	const node = (own: Partial<INode>) =>
		({ id: own.name, typeVersion: 1, position: [0, 0], parameters: {}, ...own }) as INode;
	const to = (target: string) => ({ main: [[{ node: target, type: NodeConnectionTypes.Main, index: 0 }]] });
	const query = `={{ String($itemIndex * ${rounds} + $runIndex) }}`;
	const tested = node({
		...{ name: NODE, type, onError, retryOnFail: true, maxTries: 3, waitBetweenTries: stops ? WAIT_FOR_STOP : WAIT },
		parameters: { ...parameters, query, options } as INode['parameters'],
		credentials: { browserAutomationApi: { id: '1', name: 'Local service' } },
	});
	const counted = { [type]: counting(nodes[type], () => tries++), 'test.loop': loop(rounds) };
	const result = await runWorkflow(
		{
			nodes: [node({ name: 'Start', type: 'test.start' }), node({ name: 'Loop', type: 'test.loop' }), tested],
			connections: { Start: to(NODE), [NODE]: to('Loop'), Loop: to(NODE) },
		},
		{
			registry: { ...registry, nodes: { ...nodes, ...counted } },
			credentials: { browserAutomationApi: { ...server.target, allowUnencrypted: false } },
			input: items.map(() => ({ json: {} })),
			cancelWhen: stops ? firstStart.then(async () => await sleep(WAIT_FOR_STOP / 2)) : undefined,
		},
	);
	// After Stop, n8n tries the node once more.
	if (stops) await sleep(WAIT_FOR_STOP * 2);
	await server.stop();
	const starts = server.starts.map(({ length }) => length);
	return [name, tries, starts.join(', '), shownOf(result).replace(/thread-\d+-\d+/g, 'thread')];
}

/** The table of docs/reliability.md about retries. The rows that a real n8n plays in test/e2e stay as they are. */
export async function retryTable(): Promise<string> {
	const failed = (name: string) => (error: Error) => [name, `Not played: ${error.message}`];
	const rows = await Promise.all(
		cases.map(async (one) => await within(LIMIT_S, one.name, play(one)).catch(failed(one.name))),
	);
	const [, , ...written] = readSection('retries').trimEnd().split('\n');
	const others = written.filter((line) => !cases.some(({ name }) => line.startsWith(`| ${name} |`)));
	return `${table(['Case', 'Tries of n8n', 'Starts of each run', 'What the user sees'], rows)}${others.join('\n')}\n`;
}
