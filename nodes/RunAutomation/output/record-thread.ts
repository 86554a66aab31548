import type { IExecuteFunctions, IWorkflowExecutionCustomData } from 'n8n-workflow';

/**
 * Writes the thread of a run to the execution's custom data and to the log as soon as it is known. When a person stops
 * the execution, n8n discards everything else that the node knows; in queue mode, and when the process is killed, it
 * discards the custom data too.
 */
export function recordThread(context: IExecuteFunctions, itemIndex: number, threadId: string | undefined): void {
	if (threadId === undefined) return;
	try {
		const key = context.getInputData().length > 1 ? `thread_id_${itemIndex}` : 'thread_id';
		customDataOf(context, itemIndex)?.set(key, threadId);
		const executionId = context.getExecutionId();
		// n8n's plain log prints the message only.
		context.logger?.info(`Automation run started: thread ${threadId}, execution ${executionId}`, {
			threadId,
			itemIndex,
		});
	} catch {
		// Some contexts, such as the one of tools, have neither: the run must not suffer from that.
	}
}

/** The custom data of the execution, which older versions of n8n give to expressions only. */
function customDataOf(context: IExecuteFunctions, itemIndex: number): IWorkflowExecutionCustomData | undefined {
	const proxy: Pick<IExecuteFunctions, 'getWorkflowDataProxy'> = context;
	if ('customData' in context) return context.customData;
	return proxy.getWorkflowDataProxy(itemIndex).$execution?.customData;
}
