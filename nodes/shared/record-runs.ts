import type { IExecuteFunctions } from 'n8n-workflow';

/** n8n keeps ten keys of custom data for an execution, shared with the user's own: this is one for all threads. */
const THREADS_KEY = 'thread_ids';

/** Characters above which n8n complains about a value: six UUIDs, and how many more there are. */
const MAX_VALUE = 255;

/** Adds a thread to the list in the custom data: newest first, then "+2 in the log" for threads above the limit. */
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

/** Performs an action that shows a run: some contexts of n8n do not support it, and the result must not depend on it. */
export function quietly(action: () => void): void {
	try {
		action();
	} catch {
		// The run is billed, whether or not it can be shown.
	}
}

/**
 * Writes a line about a start to the log of n8n, whose plain form shows the message only: before it is sent (if the process ends before
 * the service responds, nothing else shows that it may be billed), and when its thread is known.
 */
export function logStart(
	context: Pick<IExecuteFunctions, 'getExecutionId' | 'getNode' | 'getWorkflow' | 'logger'>,
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
		const text = known.map(([name, value]) => `${name} ${value}`).join(', ');
		context.logger?.info(`Automation run ${what}: ${text}`, { threadId, itemIndex });
	});
}

/**
 * Writes the thread of a run to the log and to the custom data of the execution as soon as it is known. If a person
 * stops the execution, n8n discards all other data of the node; in queue mode, and when the process is killed,
 * it discards the custom data, too.
 */
export function recordThread(context: IExecuteFunctions, itemIndex: number, threadId: string): void {
	logStart(context, 'started', itemIndex, threadId);
	quietly(() => {
		// All versions of n8n have it here, where expressions find it; the context of older ones does not.
		const { customData } = context.getWorkflowDataProxy(itemIndex).$execution ?? {};
		customData?.set(THREADS_KEY, addThread(customData.get(THREADS_KEY) ?? '', threadId));
	});
}
