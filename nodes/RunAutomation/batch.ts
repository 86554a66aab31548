import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { FailureError, unreadableInput, type Failure } from '../shared/failure';
import { errorItem, nodeError } from '../shared/error';
import { maskOf } from '../shared/secrets';
import { busyGate, type Sent } from '../shared/busy';
import { readExecution, type Execution } from '../shared/execution';
import { copyFiles, fileFingerprint, readAgentFiles, type AgentFile } from '../shared/input-files';
import { fieldOf, nameOf } from '../shared/form/read';
import { ledgerOf } from '../shared/ledger';
import { editorHints, failedItemsHint, showHints } from './output/hints';
import { withIncludedFields } from './output/items';
import { LiveOutput } from './output/live';
import { sentencesOnOthers, withRunsOfItem, type Retry } from './output/other-runs';
import type { Outcome } from './output/outcome';
import { optionFields } from './form/options';
import { requestFingerprint } from './form/fingerprint';
import { readNodeSettings, readRunRequest, type NodeSettings, type RunRequest } from './form/run-request';
import { runItem } from './item';
import { clearAll, maySave, restoreAll, saveAll, type SavedItem } from './saved';
import type { Batch } from './start';
import { readDestination, type Destination } from './send';

/** The field that limits the wait for a busy service. Tools do not have it. */
const MAX_WAIT = nameOf(fieldOf(optionFields, 'waitIfBusy'));

type ParsedInput<T> = { value: T; failure?: undefined } | { value?: undefined; failure: Failure };

async function parse<T>(read: () => T | Promise<T>): Promise<ParsedInput<T>> {
	try {
		return { value: await read() };
	} catch (error) {
		const isKnown = error instanceof FailureError;
		const { failure } = isKnown ? error : unreadableInput(error as Error, 'Correct the fields of this node');
		return { failure: { ...failure, effect: 'none' } };
	}
}

const REPORT = 'Report this to the maintainers of the node, and execute it again';

interface InputItem extends SavedItem {
	input: IDataObject;
	/** The request, or why nothing can be sent. */
	parsed: ParsedInput<{ request: RunRequest; to: Destination; files: AgentFile[] }>;
}

interface NodeExecution {
	context: IExecuteFunctions;
	execution: Execution;
	items: InputItem[];
}

const knownOutcome = ({ ledger }: InputItem): Outcome | undefined => ledger.state.outcome;
const secretsOf = ({ parsed }: InputItem) => parsed.value?.to.secrets ?? [];

/**
 * Starts one run per item that is not settled, with at most *Max Parallel Runs* at the same time. If the node stops on an error, no run
 * starts after one that failed; those in progress are read to their end, because they are billed.
 *
 * @throws NodeApiError or NodeOperationError that names every run of the node, whichever attempt started it
 */
export async function runAllItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	if (context.getInputData().length === 0) return [];
	const execution = readExecution(context);
	// n8n attempts a node again after a stop and after an error.
	if (execution.stop?.aborted) return [];
	const items = await readItems(context, execution);
	await restoreAll(context.helpers, execution, items);
	const node = { context, execution, items };
	const settings = await parse(() => readNodeSettings(context));
	const waiting = await failInvalidItems(node, settings.failure);
	if (settings.value) await startWaiting(node, waiting, settings.value);
	return endNode(node);
}

async function readItems(context: IExecuteFunctions, execution: Execution): Promise<InputItem[]> {
	const items: InputItem[] = [];
	const read = readRunRequest(context, execution);
	for (const [index, input] of context.getInputData().entries()) {
		const { json } = input;
		const parsed = await parse(async () => {
			const request = read(index);
			const to = await readDestination(context, index);
			const { files, hints } = await readAgentFiles(context.helpers, input, request.agentFiles, to.automationUrl);
			return { request: { ...request, hints: [...request.hints, ...hints] }, to, files };
		});
		const { to, files = [] } = parsed.value ?? {};
		const fingerprint = to && requestFingerprint(execution.node, to.automationUrl, files.map(fileFingerprint));
		items.push({ index, input: json, parsed, fingerprint, ledger: ledgerOf<Outcome>(execution, index, json) });
	}
	return items;
}

/** Returns the items to start. */
async function failInvalidItems(node: NodeExecution, settingsFailure: Failure | undefined): Promise<InputItem[]> {
	const waiting: InputItem[] = [];
	for (const item of node.items) {
		if (item.ledger.state.is === 'settled') continue;
		const failure = settingsFailure ?? item.parsed.failure;
		if (failure) await item.ledger.attempt(async () => await failInput(node, item, failure), hasNoEffect);
		else waiting.push(item);
	}
	return waiting;
}

const hasNoEffect = () => false;

async function failInput(
	{ context, execution }: NodeExecution,
	item: InputItem,
	failure: Failure,
): Promise<Sent<Outcome>> {
	// A chat shows the reason once, however often n8n attempts the node.
	if (execution.continues && knownOutcome(item)?.failure?.reason !== failure.reason) {
		const about = { itemIndex: item.index, liveKinds: [], operation: 'result' as const };
		new LiveOutput(context, about, maskOf(secretsOf(item))).begin().end(failure.reason);
	}
	return await Promise.resolve({ is: 'done', value: { failure } });
}

async function startWaiting(
	node: NodeExecution,
	waiting: InputItem[],
	{ parallelRuns, waitIfBusy }: NodeSettings,
): Promise<void> {
	const { context, execution, items } = node;
	const { continues, isTool, stop } = execution;
	const stopsNode = (item: InputItem) => !continues && knownOutcome(item)?.failure !== undefined;
	const isWaiting = new Set(waiting);
	let hasStopped = items.some((item) => !isWaiting.has(item) && stopsNode(item));
	const mayNotStart = () => hasStopped || stop?.aborted === true;
	// An agent gets the rejection of a busy service immediately: its client may not wait as long.
	const busy = isTool ? busyGate(execution, 0) : busyGate(execution, waitIfBusy, MAX_WAIT);
	busy.beginAttempt();
	const batch = { context, execution, busy, mayNotStart };
	const work = async () => {
		for (;;) {
			const item = mayNotStart() ? undefined : waiting.shift();
			if (!item) return;
			const hasOutcome = await startItem(node, batch, item);
			hasStopped ||= hasOutcome && stopsNode(item);
		}
	};
	await Promise.all(Array.from({ length: Math.min(parallelRuns, waiting.length) }, work));
}

/** Returns whether the item has an outcome now. */
async function startItem(node: NodeExecution, batch: Batch, item: InputItem): Promise<boolean> {
	const { request, to, files } = item.parsed.value!;
	const { ledger } = item;
	const run = async () => {
		const copied = await parse(() => copyFiles(node.context.helpers, files));
		if (copied.failure) return await failInput(node, item, copied.failure);
		return await runItem(batch, request, to, copied.value, ledger);
	};
	return (await ledger.attempt(run, () => ledger.ofThisExecution.length > 0)).is === 'done';
}

/** An item without an outcome must not be missing in a success. */
function failItemsWithoutOutcome({ execution, items }: NodeExecution): void {
	const isEnding = items.some((item) => knownOutcome(item)?.failure && !execution.continues);
	if (execution.stop?.aborted || isEnding) return;
	const reason = 'This item was not processed';
	for (const { ledger } of items) {
		if (!ledger.state.outcome) ledger.state = { is: 'open', outcome: { failure: { reason, advice: REPORT } } };
	}
}

function endNode(node: NodeExecution): INodeExecutionData[] {
	const { context, execution, items } = node;
	failItemsWithoutOutcome(node);
	const failed = items.filter((item) => knownOutcome(item)?.failure);
	if (failed.length && !execution.continues) throw stoppingError(node, failed);
	clearAll(execution);
	const hints = items.map((item) => knownOutcome(item)?.hints ?? []);
	const failedItems = execution.isTool ? [] : failed.map(({ index }) => index);
	showHints(context, hints, [...failedItemsHint(failedItems, items.length), ...editorHints(execution, items)]);
	return items.flatMap((item) => {
		const { index, input, parsed, ledger } = item;
		const outcome = knownOutcome(item);
		if (!outcome) return [];
		if (!outcome.failure) {
			// n8n changes the items that it gets; a later attempt returns the original ones.
			const own = outcome.items.map((one) => ({ ...one, json: { ...one.json } }));
			return withIncludedFields(execution, own, input, parsed.value?.request.rows);
		}
		const failure = withRunsOfItem(outcome.failure, ledger.starts);
		const error = nodeError(execution, failure, { itemIndex: index, ...runsBeside(item, items) }, secretsOf(item));
		return errorItem(execution, error, index, { binary: outcome.binary, effect: ledger.effect });
	});
}

const runsBeside = ({ ledger }: InputItem, items: InputItem[]) => ({
	hasRuns: ledger.starts.length > 0,
	othersHaveRuns: items.some((other) => other.ledger !== ledger && other.ledger.starts.length > 0),
});

/** Saves what a *Retry* needs, and makes the error that stops the node, which names every run. */
function stoppingError({ execution, items }: NodeExecution, failed: InputItem[]): Error {
	saveAll(execution, items);
	const about = failed.find(({ ledger }) => ledger.state.is === 'settled') ?? failed[0]!;
	const failure = knownOutcome(about)!.failure!;
	const isOfAll = failed.length > 1 && failed.every((item) => knownOutcome(item)?.failure === failure);
	const retry = retryOf(execution);
	const batch = items.map((item) => ({ ledger: item.ledger, outcome: knownOutcome(item) }));
	const others = sentencesOnOthers(batch, batch[items.indexOf(about)]!, retry);
	const place = { itemIndex: isOfAll ? undefined : about.index, others, ...runsBeside(about, items) };
	const allStarts = items.flatMap(({ ledger }) => ledger.starts);
	const secrets = [...new Set(items.flatMap(secretsOf))];
	return nodeError(execution, withRunsOfItem(failure, about.ledger.starts, allStarts), place, secrets);
}

function retryOf(execution: Execution): Retry {
	const { isTool, isStored } = execution;
	if (isTool || !isStored) return 'none';
	return maySave(execution) ? 'unfinished' : 'all';
}
