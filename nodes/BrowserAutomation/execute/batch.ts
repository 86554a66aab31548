// All items of Browser Automation: reads them, sends a request for each, and ends the node.

import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { endNode, runItems, type NodeItem } from '../../shared/items/all-items';
import { gateOf } from '../../shared/start/busy';
import { nodeError } from '../../shared/failure/node-error';
import { readExecution } from '../../shared/n8n/execution';
import { ledgerOf } from '../../shared/start/ledger';
import type { Outcome } from '../../shared/items/outcome';
import type { Call } from './call';
import { secretsOf } from './send';
import { readCall, perform } from './item';

/** At the same time. */
const MAX_ITEMS = 10;

/** For a busy service; an agent does not wait. */
const MAX_WAIT_MS = 120_000;

/** Sends one request per item that is not settled, and returns items in the order of the input. */
export async function executeAllItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const input = context.getInputData();
	if (input.length === 0) return [];
	const execution = readExecution(context);
	// n8n attempts a node again after a stop.
	if (execution.stop?.aborted) return [];
	const items: Array<NodeItem<Call>> = [];
	for (const [index, { json }] of input.entries()) {
		const parsed = await readCall(context, execution, index);
		items.push({ index, input: json, parsed, ledger: ledgerOf<Outcome>(execution, index, json) });
	}
	const gate = gateOf(execution, execution.isTool ? 0 : MAX_WAIT_MS);
	gate.beginAttempt();
	const node = { context, execution, items };
	await runItems(node, {
		limit: MAX_ITEMS,
		run: async ({ parsed }, isEnding) => await perform(parsed.value!, gate, isEnding),
		isFinal: (_item, { failure }) => !failure || failure.cause === 'unknownEffect' || failure.run !== undefined,
	});
	return endNode(node, {
		errorOf: ({ index, parsed }, failure) =>
			nodeError(execution, failure, { itemIndex: index }, parsed.value ? secretsOf(parsed.value) : []),
		effectOf: (_item, { effect }) => effect,
	});
}
