import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { FailureError, unreadableInput, type Failure } from '../errors/failure';
import { errorItem, nodeError } from '../errors/node-error';
import { busyGate } from '../execution/busy';
import { readExecution, type Execution } from '../execution/execution-context';
import { maskOf } from '../errors/secrets';
import { copyFiles, fileFingerprint, readAgentFiles, type AgentFile } from '../files/input-files';
import { ledgerOf } from '../starts/ledger';
import { clearAll, saveAll, maySave, restoreAll, type SavedItem } from './kept-ledgers';
import { withIncludedFields } from './output/items';
import { countHint, showHints } from './output/hints';
import { LiveOutput } from './output/live';
import { batchFailure, withRuns, type Retry } from './output/outcome';
import { requestFingerprint } from './parameters/request-fingerprint';
import { readNodeSettings, readRunRequest, type RunRequest } from './parameters/run-request';
import { readDestination, type Destination } from './transport/send-start';
import { runItem } from './run-item';

/** What was read of the form and the credential, or why nothing can be sent. */
type Attempt<T> = { value: T; failure?: undefined } | { value?: undefined; failure: Failure };

async function attempt<T>(read: () => T | Promise<T>): Promise<Attempt<T>> {
	try {
		return { value: await read() };
	} catch (error) {
		if (error instanceof FailureError) return { failure: error.failure };
		const advice = 'Nothing was sent to the service. Correct the fields of this node';
		return { failure: unreadableInput(error as Error, [advice, advice]).failure };
	}
}

/** One input item. */
interface Item extends SavedItem {
	input: IDataObject;
	/** What it asks for, or why nothing can be sent for it. */
	asked: Attempt<{ request: RunRequest; to: Destination; files: AgentFile[] }>;
	/** Whether nothing is to be started for it in this try: its outcome stands. */
	isSettled: boolean;
}

const secretsOf = ({ asked }: Item) => asked.value?.to.secrets ?? [];

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
	await restoreAll(context.helpers, execution, items);
	const settings = await attempt(() => readNodeSettings(context));
	await settle(context, execution, items, settings.failure && { ...settings.failure, isAboutAll: true });
	if (settings.value) await startWaiting(context, execution, items, settings.value);
	return end(context, execution, items);
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
		const { to, files = [] } = asked.value ?? {};
		const question = to && requestFingerprint(execution.node, to.automationUrl, files.map(fileFingerprint));
		items.push({
			index,
			input: json,
			asked,
			fingerprint: question,
			ledger: ledgerOf(execution, index, json),
			isSettled: false,
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
): Promise<void> {
	for (const item of items) {
		item.outcome = await item.ledger.outcome;
		item.isSettled = item.ledger.isFinal;
		const refusal = ofAll ?? item.asked.failure;
		if (refusal && !item.isSettled) refuse(context, execution, item, refusal);
	}
}

function refuse(context: IExecuteFunctions, { continues }: Execution, item: Item, failure: Failure): void {
	// A chat shows why nothing is sent, as it shows how a run ends: once, however often n8n tries.
	if (continues && item.outcome?.failure?.reason !== failure.reason) {
		const about = { itemIndex: item.index, live: [], operation: 'result' as const };
		new LiveOutput(context, about, maskOf(secretsOf(item))).end(failure.reason);
		item.ledger.outcome = Promise.resolve({ failure });
	}
	item.outcome = { failure };
	item.isSettled = true;
}

/** Starts the runs of the items that are not settled, at most as many at a time as the form says. */
async function startWaiting(
	context: IExecuteFunctions,
	execution: Execution,
	items: Item[],
	{ parallelRuns, waitIfBusy }: ReturnType<typeof readNodeSettings>,
): Promise<void> {
	const { continues, isTool, stop } = execution;
	const waiting = items.filter(({ isSettled }) => !isSettled);
	const decides = ({ isSettled, outcome }: Item) => !continues && isSettled && outcome?.failure !== undefined;
	let isDecided = items.some(decides);
	const ended = {
		get aborted() {
			return isDecided || stop?.aborted === true;
		},
	};
	// An agent gets the refusal of a busy service at once: its client may not wait as long.
	const busy = busyGate(execution, isTool ? 0 : waitIfBusy);
	busy.beginTry();
	const work = async () => {
		for (;;) {
			const item = ended.aborted ? undefined : waiting.shift();
			if (!item) return;
			const { request, to, files } = item.asked.value!;
			const copied = await attempt(() => copyFiles(context.helpers, files));
			if (copied.failure) refuse(context, execution, item, copied.failure);
			else {
				const started = runItem(context, execution, request, to, { busy, ended }, copied.value, item.ledger);
				item.ledger.outcome = started;
				const outcome = await started;
				item.isSettled = outcome !== undefined;
				item.outcome = outcome ?? item.outcome;
				busy.release();
			}
			isDecided ||= decides(item);
		}
	};
	await Promise.all(Array.from({ length: Math.min(parallelRuns, waiting.length) }, work));
}

/** The items of all outcomes; or one error that names every run, if the node stops on an error. */
function end(context: IExecuteFunctions, execution: Execution, items: Item[]): INodeExecutionData[] {
	const secrets = [...new Set(items.flatMap(secretsOf))];
	const starts = items.flatMap(({ ledger }) => ledger.ofThisExecution);
	const failed = items.filter(({ outcome }) => outcome?.failure);
	if (failed.length && !execution.continues) {
		saveAll(execution, items);
		const { index, outcome } = failed.find(({ ledger }) => ledger.isFinal) ?? failed[0];
		const retry = retryOf(execution);
		const standing = items.map(({ asked, ledger, outcome }) => {
			const asksInThread = ledger.lostThread !== undefined && asked.value?.request.asksInThread === true;
			return { ledger, outcome, isContinued: asksInThread && retry?.scope === 'failed' };
		});
		throw nodeError(execution, batchFailure(outcome!.failure!, standing, retry), index, secrets);
	}
	clearAll(execution);
	const hints = items.map(({ outcome }) => (outcome && !outcome.failure ? outcome.hints : []));
	showHints(context, hints, countHint(starts.length));
	return items.flatMap((item) => {
		const { index, input, asked, ledger, outcome } = item;
		if (!outcome) return [];
		if (!outcome.failure) return withIncludedFields(execution, outcome.items, input, asked.value?.request.rows);
		const error = nodeError(execution, withRuns(outcome.failure, ledger.starts), index, secretsOf(item));
		return errorItem(execution, error, index, { binary: outcome.binary, effect: ledger.effect });
	});
}

/** What *Retry* in the list of executions would start; undefined if there is none. */
function retryOf(execution: Execution): Retry | undefined {
	const { isTool, isStored, mode } = execution;
	if (isTool || !isStored) return undefined;
	return {
		scope: maySave(execution) ? 'failed' : 'all',
		isInEditor: mode === 'manual',
		isInSubworkflow: mode === 'integrated',
	};
}
