import type { IExecuteFunctions, IWorkflowSettings } from 'n8n-workflow';

// What n8n's contexts tell about an execution. Versions of n8n differ in which of these methods they have.

/** Shows who sees what a node returns and throws. */
export type AudienceContext = Pick<IExecuteFunctions, 'getNode'> &
	Partial<Pick<IExecuteFunctions, 'continueOnFail' | 'isStreaming'>>;

/** Whether an AI agent has called the node: it has the type that n8n derives for tools. Not every context of a tool says so. */
export const isUsedAsTool = (context: AudienceContext): boolean => context.getNode().type.endsWith('Tool');

/** Shows which execution of which node this is. */
export type MemoryContext = Pick<IExecuteFunctions, 'getContext'>;

/**
 * Where a node keeps what its tries and items in one execution share: n8n hands out the same object on every try of *Retry On
 * Fail*. What stands under a symbol is neither saved nor seen by expressions; what stands under a text is saved with the
 * execution, and comes back with *Retry* in the list of executions.
 *
 * @returns undefined if there is no execution: n8n's own Agents call a tool so, and never try again
 */
export function nodeMemory(context: MemoryContext): object | undefined {
	try {
		return context.getContext('node');
	} catch {
		return undefined;
	}
}

/** The memory of a node, or an object that nobody else gets. */
export const executionMemory = (context: MemoryContext): object => nodeMemory(context) ?? {};

/** Older versions of n8n lack some of these. */
export type RunContext = Partial<Pick<IExecuteFunctions, 'getExecutionContext' | 'getMode' | 'getWorkflowSettings'>>;

/** Whether a policy of n8n takes the data out of this execution: it does so with items and errors only. */
export function isRedacted(context: RunContext): boolean {
	const redaction = context.getExecutionContext?.()?.redaction;
	if (!redaction) return false;
	return redaction.version === 1 ? redaction.policy !== 'none' : redaction.production || redaction.manual;
}

/** Whether this execution is a *Retry* of an earlier one, from the list of executions. */
export const isRetry = (context: RunContext): boolean => context.getMode?.() === 'retry';

/** Whether n8n stores the execution if it fails, as far as the workflow says so. */
export function isStoredOnError(context: RunContext): boolean {
	const settings: IWorkflowSettings = context.getWorkflowSettings?.() ?? {};
	if (context.getMode?.() === 'manual') return settings.saveManualExecutions !== false;
	return settings.saveDataErrorExecution !== 'none';
}

/** What ends before the time limit of a workflow: a tenth of it, and no more than this many milliseconds. */
const LONGEST_MARGIN = 10_000;

const BEGIN = Symbol('when the node was first executed');

/**
 * When the runs of a node have to end, because n8n cancels the execution at *Timeout Workflow* of the workflow and drops what
 * the node knows. n8n counts from the start of the execution, which it does not tell in a *Retry* and in older versions. After a
 * wait that took longer than the limit, it has begun anew. What is not told is at least as long ago as the node's first execution.
 *
 * @returns milliseconds from now; Infinity without a limit
 */
export function timeLeft(context: RunContext & MemoryContext): number {
	const limit = Number(context.getWorkflowSettings?.().executionTimeout ?? 0) * 1000;
	if (!(limit > 0)) return Infinity;
	const now = Date.now();
	const own = ((executionMemory(context) as { [BEGIN]?: number })[BEGIN] ??= now);
	const told = isRetry(context) ? undefined : context.getExecutionContext?.()?.establishedAt;
	const begin = told !== undefined && now - told < limit ? told : own;
	return limit - Math.min(limit / 10, LONGEST_MARGIN) - (now - begin);
}

/** Whether n8n moves the stored files of an item into its JSON, as a setting of the workflow says. */
export const movesFiles = (context: RunContext): boolean => context.getWorkflowSettings?.().binaryMode === 'combined';
