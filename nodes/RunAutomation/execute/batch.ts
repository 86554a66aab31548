// Reads all items of Run Automation, starts a run for each, and ends the node.

import type { IExecuteFunctions, INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { failureOfInput, type Failure } from '../../shared/failure/failure';
import { fieldOf, quotedLabel } from '../../shared/form/fields';
import { BusyGate } from '../../shared/http/busy';
import { failureOf, ItemQueue, newItem, type NodeItem } from '../../shared/items/all-items';
import { endNode } from '../../shared/items/end-node';
import { changedValues, fingerprintOf } from '../../shared/items/saved';
import { inputItems, readExecution, type NodeInExecution } from '../../shared/n8n/execution';
import { Secrets } from '../../shared/mask/secrets';
import { fields } from '../form/fields';
import { limitFields, optionFields, options } from '../form/options';
import { readNodeSettings, readRunRequest, type NodeSettings, type RunRequest } from '../form/run-request';
import { InputFields } from '../form/rows-request';
import { fileFingerprint } from '../form/agent-files';
import { LiveOutput } from '../output/live';
import { runItem } from './item';

const CORRECT_FIELDS = 'Correct the fields of this node';

const MAX_WAIT = quotedLabel(fieldOf(optionFields, 'waitIfBusy'));

/** Starts a run for each unsettled item. Runs in progress are billed, so they are read to their end. */
export async function runAllItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const inputs = inputItems(context);
	if (inputs.length === 0) return [];
	const execution = readExecution(context);
	// n8n attempts a node again after a stop and after an error.
	if (execution.stop?.aborted) return [];

	// These settings hold for all items, so if one is invalid, every item fails with its reason.
	let settings: NodeSettings = { parallelRuns: 1, waitIfBusy: 0 };
	let invalid: Failure | undefined;
	try {
		settings = readNodeSettings(context, execution);
	} catch (error) {
		invalid = failureOfInput(error, CORRECT_FIELDS);
	}
	const items: Array<NodeItem<RunRequest>> = [];
	const inputFields = new InputFields(inputs);
	for (const [index, { json: input }] of inputs.entries()) {
		const item = { ...newItem(execution, index, input), startsRun: true };
		try {
			const request = await readRunRequest(context, execution, inputFields, index);
			const { rows, secrets } = request;
			const included = rows?.included ?? {};
			const fingerprint = fingerprintIn(execution.node, request);
			const parsed = invalid ? { failure: invalid } : { value: request };
			items.push({ ...item, included, parsed, fingerprint, secrets: () => secrets.values });
		} catch (error) {
			items.push({ ...item, parsed: { failure: invalid ?? failureOfInput(error, CORRECT_FIELDS) } });
		}
	}

	const node = { context, execution, items };
	const queue = await ItemQueue.of(node);
	for (const item of execution.continues ? queue.newlyInvalid : []) showInvalid(node, item);
	// An agent's client may not wait long.
	const maxWait = execution.isTool ? 0 : settings.waitIfBusy;
	const gate = new BusyGate(maxWait, execution.endsAt, execution.isTool ? undefined : MAX_WAIT);
	const { nodeEnds } = queue;
	await queue.process(settings.parallelRuns, async (request, ledger) => {
		return await runItem({ context, execution, gate, nodeEnds, ledger, request });
	});
	return endNode(node);
}

/** A chat shows the reason once, however often n8n attempts the node. */
function showInvalid(node: NodeInExecution, item: NodeItem): void {
	const secrets = new Secrets(item.secrets());
	const live = new LiveOutput(node, { itemIndex: item.index, liveKinds: [], operation: 'result', secrets });
	live.end(failureOf(item)!.reason, undefined);
}

/** These options change only what is returned, or when. */
const NOT_REQUESTED = [
	...['downloadLinks', 'ifIncomplete', 'ifRowsInvalid', 'includeFields', 'includeRunDetails', 'live', 'simplify'],
	...limitFields.map(({ name }) => name),
];

/** Hashes what *Retry execution* recognizes a start by: its stored fields, its URL and its files. */
export function fingerprintIn(
	{ parameters }: Pick<INode, 'parameters'>,
	{ automationUrl, files }: Pick<RunRequest, 'automationUrl' | 'files'>,
): string {
	const asked = fields.filter(({ type }) => type !== 'notice' && type !== 'collection');
	const requested = options.filter(({ name }) => !NOT_REQUESTED.includes(name));
	return fingerprintOf(
		changedValues(asked, parameters),
		changedValues(requested, Object(parameters.options) as INodeParameters),
		automationUrl,
		files.map(fileFingerprint),
	);
}
