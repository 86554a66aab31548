// Records the threads of runs in n8n's log, its custom data, and the editor's console.

import type { IExecuteFunctions } from 'n8n-workflow';

import { visible } from '../values/text';

/** One of ten keys of custom data, which users share. */
const THREADS_KEY = 'thread_ids';

/** Characters. n8n complains about a longer value. */
const MAX_VALUE = 255;

/** The newest first, then "+2 in the log". */
export function addThread(list: string, threadId: string): string {
	const entries = list.split(', ').filter(Boolean);
	const last = /^\+(\d+) in the log$/.exec(entries.at(-1) ?? '');
	const known = last ? entries.slice(0, -1) : entries;
	const ids = [threadId, ...known.filter((id) => id !== threadId)];
	for (let count = ids.length; ; count--) {
		const left = ids.length - count + Number(last?.[1] ?? 0);
		const value = [...ids.slice(0, count), ...(left ? [`+${left} in the log`] : [])].join(', ');
		if (value.length <= MAX_VALUE) return value;
	}
}

/** Does what some contexts of n8n do not support. */
export function quietly(action: () => void): void {
	try {
		action();
	} catch {
		// The run is billed all the same.
	}
}

/**
 * Logs a start before it is sent (if the process ends before the service responds, nothing else shows that it may be billed), and
 * when its thread is known. All is in the message: n8n's plain log shows nothing else. A line break in a name would forge a line.
 */
export function logStart(
	context: Pick<IExecuteFunctions, 'getExecutionId' | 'getNode' | 'getWorkflow' | 'logger'> &
		Partial<Pick<IExecuteFunctions, 'sendMessageToUI'>>,
	what: 'requested' | 'started',
	itemIndex: number,
	threadId?: string,
): void {
	quietly(() => {
		const known = [
			['thread', threadId],
			// n8n's own Agents and its MCP server run nodes without an execution.
			['execution', context.getExecutionId()],
			['workflow', context.getWorkflow().id],
			['node', context.getNode().name],
			['item', itemIndex],
		].filter(([, value]) => value !== undefined);
		const line = `Automation run ${what}: ${known.map(([name, value]) => `${name} ${visible(String(value))}`).join(', ')}`;
		context.logger?.info(line, { threadId, itemIndex });
		// n8n shows this in the browser's console, in the editor only.
		if (what === 'started') context.sendMessageToUI?.(line);
	});
}

/**
 * Records a thread as soon as it is known: if a person stops the execution, n8n keeps only the log and the custom data; in queue
 * mode, and if the process is killed, only the log.
 */
export function recordThread(context: IExecuteFunctions, itemIndex: number, threadId: string): void {
	logStart(context, 'started', itemIndex, threadId);
	quietly(() => {
		// The context of older versions of n8n has no customData.
		const { customData } = context.getWorkflowDataProxy(itemIndex).$execution ?? {};
		customData?.set(THREADS_KEY, addThread(customData.get(THREADS_KEY) ?? '', threadId));
	});
}
