// Records the threads of runs in n8n's log, its custom data, and the editor's console.

import type { IExecuteFunctions } from 'n8n-workflow';

import { visible } from '../values/text';

/** An execution's custom data has ten keys for all nodes. */
const THREADS_KEY = 'thread_ids';

/** n8n complains about longer values. */
const MAX_VALUE_CHARACTERS = 255;

/** The newest thread comes first. The log has those for which there is no room. */
function addThread(list: string, threadId: string): string {
	const ids = [threadId, ...list.split(', ').filter((id) => id !== '' && id !== threadId)];
	while (ids.join(', ').length > MAX_VALUE_CHARACTERS) ids.pop();
	return ids.join(', ');
}

export function quietly(action: () => void): void {
	try {
		action();
	} catch {
		// Some contexts of n8n do not support the action. The run is billed all the same.
	}
}

/**
 * A start is logged before it is sent, and again with its thread: the process may end in between. In n8n's plain log, a line
 * break would forge a line.
 */
export function logStart(
	context: Pick<IExecuteFunctions, 'getExecutionId' | 'getNode' | 'getWorkflow' | 'logger' | 'sendMessageToUI'>,
	what: 'rejected' | 'requested' | 'started',
	itemIndex: number,
	threadId?: string,
): void {
	quietly(() => {
		const known = [
			['thread', threadId],
			// n8n's own Agents and MCP server have no execution.
			['execution', context.getExecutionId()],
			['workflow', context.getWorkflow().id],
			['node', context.getNode().name],
			['item', itemIndex],
		].filter(([, value]) => value !== undefined);
		const line = `Automation run ${what}: ${known.map(([name, value]) => `${name} ${visible(String(value))}`).join(', ')}`;
		context.logger.info(line, { threadId, itemIndex });
		// Only the editor shows this, in the browser's console.
		if (what === 'started') context.sendMessageToUI(line);
	});
}

/** A stopped execution keeps only log and custom data, queue mode or a killed process only the log. */
export function recordThread(context: IExecuteFunctions, itemIndex: number, threadId: string): void {
	logStart(context, 'started', itemIndex, threadId);
	quietly(() => {
		const { customData } = context.getWorkflowDataProxy(itemIndex).$execution;
		customData.set(THREADS_KEY, addThread(customData.get(THREADS_KEY) ?? '', threadId));
	});
}
