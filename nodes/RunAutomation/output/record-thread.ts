import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Writes the thread of a run to the execution's custom data and to the log as soon as it is known. When a person stops
 * the execution, n8n discards everything else that the node knows.
 */
export function recordThread(context: IExecuteFunctions, itemIndex: number, threadId: string | undefined): void {
	if (threadId === undefined) return;
	try {
		const key = context.getInputData().length > 1 ? `thread_id_${itemIndex}` : 'thread_id';
		context.customData?.set(key, threadId);
		context.logger?.info('Automation run started', { threadId, itemIndex });
	} catch {
		// Some contexts, such as the one of tools, have neither: the run must not suffer from that.
	}
}
