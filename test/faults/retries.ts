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
import { inGroups, registry, RUN_AUTOMATION } from '../engine/run-node';
import { executeOf, runWorkflow, type RunOptions, type RunResult } from '../engine/run-workflow';
import { serveStarts } from '../engine/serve-starts';
import { letRead } from '../support/let-read';
import { within } from '../support/within';
import { pass } from './clock';

const NODE = 'Run';

/** No case takes longer, even on a busy machine. */
const LIMIT_S = 100;

/** Milliseconds between two tries. */
const WAIT = 10;

/** What the service does with the starts of an item in turn, by names of `serveStarts`, the last one again and again; or that for each round of a loop. */
export type Answers = string | { rounds: string[] };

/** A case that the engine plays with *Retry On Fail* at three tries. */
export interface RetryCase {
	name: string;
	items: Answers[];
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
		const ofRounds = typeof item === 'string' ? Array.from({ length: rounds }, () => item) : item.rounds;
		return ofRounds.map((answers) => answers.split(' '));
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
			parameters: inGroups({ query, ...given.parameters, ...change.parameters, options } as INode['parameters']),
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

/** Without numbers that depend on the thread or on the time that has passed. */
const withoutNumbers = (shown: string) =>
	shown.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'thread').replace(/to \d+ or more/, 'to N or more');

/** Plays one case, and tells how often n8n tried the node, the starts of each item, and what the user sees. */
export async function play(one: RetryCase) {
	const { execute, starts, tries, tried, stop } = await workflowOf(one);
	const result = await execute();
	if (one.stops) {
		// After Stop, n8n tries the node once more.
		await tried(2);
		await sleep(WAIT * 5);
	}
	await stop();
	return { tries: tries(), starts: starts(), shown: withoutNumbers(shownOf(result)) };
}

/** Executes a case, presses *Retry* on its executions, and tells the starts of each item each time, and what the user sees in the end. */
export async function press(one: RetryCase) {
	const { execute, starts, stop } = await workflowOf({ retryOnFail: false, ...one });
	const first = await execute();
	const counts = [starts()];
	let latest = first;
	for (const { isOnFirst, ...change } of one.presses ?? [{}]) {
		const known = starts();
		latest = await execute(change, (isOnFirst ? first : latest).run);
		counts.push(starts().map((count, item) => count - known[item]));
	}
	await stop();
	const lost = latest.hints(NODE).filter(({ message }) => message.includes('no longer stored'));
	const shown = [shownOf(latest), ...lost.map(({ message }) => message)].join('. ');
	return { starts: counts, shown: withoutNumbers(shown) };
}

/** Begins to play all cases at once; those in which time passes for all follow one by one. */
export function playAll<Case extends RetryCase, T>(cases: Case[], playOne: (one: Case) => Promise<T>) {
	const begin = async (one: Case) => await within(LIMIT_S, one.name, playOne(one));
	const played = new Map<Case, Promise<T>>();
	for (const one of cases) if (!one.passes) played.set(one, begin(one));
	let last: Promise<unknown> = Promise.allSettled([...played.values()]);
	for (const one of cases) {
		if (!one.passes) continue;
		const own = last.then(async () => await begin(one));
		played.set(one, own);
		last = own.catch(() => {});
	}
	return played;
}
