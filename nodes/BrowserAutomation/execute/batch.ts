// Reads all items of Browser Automation, sends a request for each, and ends the node.

import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ItemQueue, type NodeItem } from '../../shared/items/all-items';
import { endNode } from '../../shared/items/end-node';
import { inputItems, readExecution } from '../../shared/n8n/execution';
import { BusyGate } from '../../shared/http/busy';
import type { Call } from '../request/fields';
import { perform, readItem } from './item';

const MAX_SIMULTANEOUS_ITEMS = 10;

/** The wait for a busy service. AI agents do not wait. */
const MAX_WAIT_MS = 120_000;

export async function executeAllItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const input = inputItems(context);
	if (input.length === 0) return [];
	const execution = readExecution(context);
	// n8n attempts a node again after a stop.
	if (execution.stop?.aborted) return [];
	const items: Array<NodeItem<Call>> = [];
	for (const [index, { json }] of input.entries()) items.push(await readItem(context, execution, index, json));
	const gate = new BusyGate(execution.isTool ? 0 : MAX_WAIT_MS, execution.endsAt);
	const node = { context, execution, items };
	const queue = await ItemQueue.of(node);
	await queue.process(MAX_SIMULTANEOUS_ITEMS, async (call, ledger) => await perform(call, ledger, gate, queue.ending));
	return endNode(node);
}
