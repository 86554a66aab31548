import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { Failed, unreadable, type Effect, type Failure } from '../errors/failure';
import { errorItem, nodeError } from '../errors/node-error';
import { readExecution, type Execution } from '../execution/execution-context';
import { maskOf } from '../errors/secrets';
import { copyFiles, questionAbout, readAgentFiles, type AgentFile } from '../files/input-files';
import { busyService, startMemory, type StartMemory } from '../starts/start-memory';
import { keptOutcomes, type Kept, type KeptOutcomes } from './kept-outcomes';
import { withIncludedFields } from './output/items';
import { countHint, showHints } from './output/hints';
import { LiveOutput } from './output/live';
import { batchFailure, withRuns, type Outcome, type Retry } from './output/outcome';
import { traceRuns } from './output/record-runs';
import { questionOf } from './parameters/question';
import { readNodeSettings, readRunRequest, type RunRequest } from './parameters/run-request';
import { readDestination, type Destination } from './transport/send-start';
import { runItem, type Batch } from './run-item';

/** What was read of the form and the credential, or why nothing can be sent. */
type Attempt<T> = { value: T; failure?: undefined } | { value?: undefined; failure: Failure };

async function attempt<T>(read: () => T | Promise<T>): Promise<Attempt<T>> {
	try {
		return { value: await read() };
	} catch (error) {
		if (error instanceof Failed) return { failure: error.failure };
		const advice = 'Nothing was sent to the service. Correct the fields of this node';
		return { failure: unreadable(error as Error, [advice, advice]).failure };
	}
}

/** One input item. */
interface Item {
	index: number;
	input: IDataObject;
	/** What it asks for, or why nothing can be sent for it. */
	asked: Attempt<{ request: RunRequest; to: Destination; files: AgentFile[] }>;
	memory: StartMemory<Outcome>;
	/** What an earlier try has left of it. */
	earlier?: Outcome;
	/** What the execution that is retried has left of it. */
	kept: Kept;
	outcome?: Outcome;
}

const secretsOf = ({ asked }: Item) => asked.value?.to.secrets ?? [];

/** Whether an outcome of this or an earlier try decides the item: no further try may start a run for it. */
const isFinal = ({ runs, runsBefore }: Outcome): boolean => runs.length > runsBefore;

/** What the starts of an item have come to, all in all. */
function effectOf({ failure, runs }: Outcome): Effect {
	if (runs.length === 0) return 'none';
	const isKnown = runs.some(({ thread_id }) => thread_id !== null) || failure?.effect === undefined;
	return isKnown ? 'run' : 'maybe';
}

/**
 * Starts one run per item, each once, at most as many at a time as the form says. Items keep their order. What earlier
 * tries of *Retry On Fail* left, and what an execution left that is retried, is settled for all items before anything starts. If
 * the node stops on an error, no run starts after one that failed, and those that are going on are read to their end: they
 * are paid for, and their threads must not be lost.
 *
 * @throws NodeApiError or NodeOperationError that names every run of the node, whichever try started it
 */
export async function runAllItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	if (context.getInputData().length === 0) return [];
	const execution = readExecution(context);
	// n8n tries once more after a stop, and again after an error.
	if (execution.stop?.aborted) return [];
	const items = await readItems(context, execution);
	const settings = await attempt(() => readNodeSettings(context));
	const store = await settle(context, execution, items, settings.failure && { ...settings.failure, isAboutAll: true });
	if (settings.value) await startWaiting(context, execution, items, settings.value);
	return end(context, execution, items, store);
}

async function readItems(context: IExecuteFunctions, execution: Execution): Promise<Item[]> {
	const items: Item[] = [];
	const read = readRunRequest(context, execution);
	for (const [index, input] of context.getInputData().entries()) {
		const { json } = input;
		const asked = await attempt(async () => {
			const request = read(index);
			const to = await readDestination(context, index);
			const { files, hints } = await readAgentFiles(context.helpers, input, request.agentFiles, to.automationUrl);
			return { request: { ...request, hints: [...request.hints, ...hints] }, to, files };
		});
		items.push({
			index,
			input: json,
			asked,
			memory: startMemory(execution, index, json),
			kept: { runs: [], runsBefore: 0 },
		});
	}
	return items;
}

/** Settles the items for which nothing is to be started: what is known of them decides, or nothing can be sent. */
async function settle(
	context: IExecuteFunctions,
	execution: Execution,
	items: Item[],
	ofAll: Failure | undefined,
): Promise<KeptOutcomes | undefined> {
	const questions = items.map(
		({ asked: { value } }) =>
			value && questionOf(execution.node, value.to.automationUrl, value.files.map(questionAbout)),
	);
	const store = keptOutcomes(context.helpers, execution, questions);
	for (const item of items) {
		item.earlier = await item.memory.recall();
		item.kept = (await store?.recall(item.index)) ?? item.kept;
		item.outcome = item.earlier && isFinal(item.earlier) ? item.earlier : item.kept.outcome;
		const refusal = ofAll ?? item.asked.failure;
		if (refusal && !item.outcome) refuse(context, execution, item, refusal);
	}
	return store;
}

function refuse(context: IExecuteFunctions, { continues }: Execution, item: Item, failure: Failure): void {
	const { runs, runsBefore, lostThread } = item.earlier ?? item.kept;
	const outcome = { failure, runs, runsBefore, lostThread };
	// A chat shows why nothing is sent, as it shows how a run ends: once, however often n8n tries.
	if (continues && item.earlier?.failure?.reason !== failure.reason) {
		const about = { itemIndex: item.index, live: [], operation: 'result' as const };
		new LiveOutput(context, about, maskOf(secretsOf(item))).end(failure.reason);
		item.memory.remember(Promise.resolve(outcome));
	}
	item.outcome = outcome;
}

/** Starts the runs of the items that are not settled, at most as many at a time as the form says. */
async function startWaiting(
	context: IExecuteFunctions,
	execution: Execution,
	items: Item[],
	{ parallelRuns, waitIfBusy }: ReturnType<typeof readNodeSettings>,
): Promise<void> {
	const { continues, isTool, stop } = execution;
	const waiting = items.filter(({ outcome }) => !outcome);
	const decides = ({ outcome }: Item) => !continues && outcome?.failure !== undefined;
	let isDecided = items.some(decides);
	const ended = {
		get aborted() {
			return isDecided || stop?.aborted === true;
		},
	};
	// An agent gets the refusal of a busy service at once: its client may not wait as long.
	const patience = isTool ? 0 : waitIfBusy;
	const busy = busyService(execution, patience);
	busy.beginTry();
	const batch: Batch = { busy, ended };
	const work = async () => {
		for (;;) {
			const item = ended.aborted ? undefined : waiting.shift();
			if (!item) return;
			const { request, to, files } = item.asked.value!;
			const copied = await attempt(() => copyFiles(context.helpers, files));
			if (!copied.failure) await busy.wait(ended);
			// Copying and waiting take a while: what was not started until then stays so.
			if (ended.aborted) return;
			if (copied.failure) refuse(context, execution, item, copied.failure);
			else {
				const started = runItem(context, execution, request, to, batch, copied.value, item.earlier ?? item.kept);
				item.memory.remember(started);
				item.outcome = await started;
				busy.release();
			}
			isDecided ||= decides(item);
		}
	};
	await Promise.all(Array.from({ length: Math.min(parallelRuns, waiting.length) }, work));
}

/** The items of all outcomes; or one error that names every run, if the node stops on an error. */
function end(
	context: IExecuteFunctions,
	execution: Execution,
	items: Item[],
	store: KeptOutcomes | undefined,
): INodeExecutionData[] {
	// An item that got no further start keeps what an earlier try left.
	const outcomes = items.map(({ outcome, earlier }) => outcome ?? earlier);
	const secrets = [...new Set(items.flatMap(secretsOf))];
	// Of this execution alone.
	const runs = outcomes.flatMap((outcome) => outcome?.runs.slice(outcome.runsBefore) ?? []);
	traceRuns(context, runs, maskOf(secrets));
	const failed = items.filter(({ index }) => outcomes[index]?.failure);
	if (failed.length && !execution.continues) {
		// What was kept stays as it was: a file that n8n does not find now may be there later.
		store?.keep(items.map(({ index, kept }) => (kept.outcome ? undefined : outcomes[index])));
		const { index } = failed.find(({ index }) => isFinal(outcomes[index]!)) ?? failed[0];
		const { failure } = outcomes[index] as { failure: Failure };
		const allRuns = items.flatMap(({ kept }, item) => (outcomes[item] ?? kept).runs);
		const retry = retryOf(execution, store);
		const isContinued = (item: number) => {
			const { asked, kept } = items[item];
			const { lostThread } = outcomes[item] ?? kept;
			return retry?.scope === 'failed' && lostThread !== undefined && asked.value?.request.asksInThread === true;
		};
		throw nodeError(
			execution,
			batchFailure(failure, outcomes, allRuns, retry && { ...retry, isContinued }),
			index,
			secrets,
		);
	}
	store?.clear();
	const hints = outcomes.map((outcome) => (outcome && !outcome.failure ? outcome.hints : []));
	showHints(context, hints, countHint(runs.length));
	return items.flatMap((item) => {
		const { index, input, asked } = item;
		const outcome = outcomes[index];
		if (!outcome) return [];
		if (!outcome.failure) return withIncludedFields(execution, outcome.items, input, asked.value?.request.rows);
		const error = nodeError(execution, withRuns(outcome.failure, outcome.runs), index, secretsOf(item));
		return errorItem(execution, error, index, { binary: outcome.binary, effect: effectOf(outcome) });
	});
}

/** What *Retry* in the list of executions would start; undefined if there is none. */
function retryOf(
	{ isTool, isStored, mode }: Execution,
	store: KeptOutcomes | undefined,
): Omit<Retry, 'isContinued'> | undefined {
	if (isTool || !isStored) return undefined;
	return {
		scope: store?.mayKeep ? 'failed' : 'all',
		isInEditor: mode === 'manual',
		isInSubworkflow: mode === 'integrated',
	};
}
