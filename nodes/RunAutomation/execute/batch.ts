// Reads all items of Run Automation, starts a run for each, and ends the node.

import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { knownOutcome, runItems, type NodeExecution, type NodeItem } from '../../shared/items/all-items';
import { endNode } from '../../shared/items/end-node';
import { FailureError, unreadableInput, type Failure, type ValueOrFailure } from '../../shared/failure/failure';
import { maskOf } from '../../shared/mask/secrets';
import { BusyGate } from '../../shared/start/busy';
import { inputItems, readExecution, type Execution } from '../../shared/n8n/execution';
import { fileFingerprint, readAgentFiles, type AgentFile } from '../form/task/agent-files';
import { fieldOf, quotedLabel } from '../../shared/form/field';
import { ledgerOf } from '../../shared/start/ledger';
import type { Outcome } from '../../shared/items/outcome';
import { withIncludedFields } from '../output/items';
import { LiveOutput } from '../output/live';
import { optionFields } from '../form/options';
import { requestFingerprint } from './fingerprint';
import { readNodeSettings, readRunRequest, type NodeSettings, type RunRequest } from '../form/run-request';
import { runItem } from './item';
import { readDestination, type Destination } from './send';

const MAX_WAIT = quotedLabel(fieldOf(optionFields, 'waitIfBusy'));

async function valueOrFailure<T>(read: () => T | Promise<T>): Promise<ValueOrFailure<T>> {
	try {
		return { value: await read() };
	} catch (error) {
		const isKnown = error instanceof FailureError;
		const { failure } = isKnown ? error : unreadableInput(error as Error, 'Correct the fields of this node');
		return { failure: { ...failure, effect: 'none' } };
	}
}

type InputItem = NodeItem<{ request: RunRequest; destination: Destination; files: AgentFile[] }>;

/** Starts a run for each unsettled item. Runs in progress are billed, so they are read to their end. */
export async function runAllItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	if (context.getInputData().length === 0) return [];
	const execution = readExecution(context);
	// n8n attempts a node again after a stop and after an error.
	if (execution.stop?.aborted) return [];
	const settings = await valueOrFailure(() => readNodeSettings(context));
	const items = await readItems(context, execution, settings.failure);
	const node = { context, execution, items };
	await startItems(node, settings.value);
	return endNode(node, ({ parsed }, own) => withIncludedFields(own, parsed.value?.request.included ?? {}));
}

/** `invalid` is why no item can start, such as an invalid limit. */
async function readItems(
	context: IExecuteFunctions,
	execution: Execution,
	invalid: Failure | undefined,
): Promise<InputItem[]> {
	const items: InputItem[] = [];
	const read = readRunRequest(context, execution);
	for (const [index, input] of inputItems(context).entries()) {
		const { json } = input;
		const parsed = await valueOrFailure(async () => {
			const request = read(index);
			const destination = await readDestination(context, index);
			const files = await readAgentFiles(context.helpers, input, request.agentFiles, destination.automationUrl);
			return { request, destination, files };
		});
		const { destination, files = [] } = parsed.value ?? {};
		const fingerprint =
			destination && requestFingerprint(execution.node, destination.automationUrl, files.map(fileFingerprint));
		items.push({
			index,
			input: json,
			parsed: invalid ? { failure: invalid } : parsed,
			fingerprint,
			ledger: ledgerOf<Outcome>(execution, index, json),
			startsRun: true,
			secrets: () => destination?.secrets ?? [],
		});
	}
	return items;
}

async function startItems(node: NodeExecution<InputItem>, settings: NodeSettings | undefined): Promise<void> {
	const { context, execution } = node;
	// An agent's client may not wait long.
	const maxWait = execution.isTool ? 0 : (settings?.waitIfBusy ?? 0);
	const gate = new BusyGate(maxWait, execution.endsAt, execution.isTool ? undefined : MAX_WAIT);
	await runItems(node, {
		limit: settings?.parallelRuns ?? 1,
		onInvalid: (item, failure) => showInvalid(node, item, failure),
		run: async (item, isEnding) => {
			const { request, destination, files } = item.parsed.value!;
			return await runItem({ context, execution, gate, isEnding }, request, destination, files, item.ledger);
		},
	});
}

/** A chat shows the reason once, however often n8n attempts the node. */
function showInvalid({ context, execution }: NodeExecution, item: InputItem, { reason }: Failure): void {
	if (!execution.continues || knownOutcome(item)?.failure?.reason === reason) return;
	const about = { itemIndex: item.index, liveKinds: [], operation: 'result' as const };
	new LiveOutput(context, about, maskOf(item.secrets())).begin().end(reason);
}
