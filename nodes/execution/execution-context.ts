import type { IExecuteFunctions, INode, IWorkflowSettings, WorkflowExecuteMode } from 'n8n-workflow';

/** What n8n tells of an execution of the node. It is read once, at the beginning: whoever wants to know asks no more. */
export interface Execution {
	node: INode;
	/** Whether an AI agent has called the node: it has the type that n8n derives for tools. Not every context of a tool says so. */
	isTool: boolean;
	/** Whether n8n streams what the node shows to a chat. */
	isStreaming: boolean;
	/** Whether the workflow continues on an error. */
	continues: boolean;
	/** Whether a policy of n8n takes the data out of this execution: it does so with items and errors only. */
	isRedacted: boolean;
	/** Such as `manual` in the editor, or `retry` from the list of executions. */
	mode: WorkflowExecuteMode | undefined;
	/** Whether n8n stores the execution if it fails, as far as the workflow says so. */
	isStored: boolean;
	/** Whether n8n deletes the execution, and the files of it, soon after it has succeeded, as far as the workflow says so. */
	isDroppedOnSuccess: boolean;
	/** When the runs of the node have to end, in milliseconds of `performance.now`; Infinity without a limit. */
	endsAt: number;
	/** Which round of a loop this is: the same on every try. */
	round: string;
	/** That a person stops the execution. */
	stop: AbortSignal | undefined;
	/** What the tries and items of the node share, or, if there is no execution, an object that nobody else gets. */
	memory: object;
	/** Whether there is an execution: n8n's own Agents call a tool without one. */
	hasMemory: boolean;
	/** Whether n8n moves the stored files of an item into its JSON, as a setting of the workflow says. */
	movesFiles: boolean;
}

/** Versions of n8n differ in which of these methods they have, and so do its contexts. */
type NodeContext = Pick<IExecuteFunctions, 'continueOnFail' | 'getContext' | 'getNode'> &
	Partial<
		Pick<
			IExecuteFunctions,
			| 'getExecutionCancelSignal'
			| 'getExecutionContext'
			| 'getExecutionId'
			| 'getMode'
			| 'getWorkflowSettings'
			| 'isStreaming'
		>
	> & { evaluateExpression(expression: string, itemIndex?: number): unknown };

/** Reads what n8n tells of an execution. */
export function readExecution(context: NodeContext): Execution {
	const node = context.getNode();
	const shared = nodeMemory(context);
	const memory = shared ?? {};
	const settings = context.getWorkflowSettings?.() ?? {};
	const mode = context.getMode?.();
	const { redaction, establishedAt } = context.getExecutionContext?.() ?? {};
	return {
		node,
		isTool: node.type.endsWith('Tool'),
		isStreaming: context.isStreaming?.() === true,
		continues: context.continueOnFail(),
		isRedacted: isRedacting(redaction),
		mode,
		isStored: context.getExecutionId?.() !== undefined && isStoredOnError(settings, mode),
		isDroppedOnSuccess: mode !== 'manual' && settings.saveDataSuccessExecution === 'none',
		endsAt: performance.now() + timeLeft(settings, mode === 'retry' ? undefined : establishedAt, memory),
		round: String(context.evaluateExpression('{{ $runIndex }}', 0)),
		stop: context.getExecutionCancelSignal?.(),
		memory,
		hasMemory: shared !== undefined,
		movesFiles: settings.binaryMode === 'combined',
	};
}

/**
 * Where a node keeps what its tries and items in one execution share: n8n hands out the same object on every try of *Retry On
 * Fail*. What stands under a symbol is neither saved nor seen by expressions; what stands under a text is saved with the
 * execution, and comes back with *Retry* in the list of executions.
 *
 * @returns undefined if there is no execution
 */
function nodeMemory(context: NodeContext): object | undefined {
	try {
		return context.getContext('node');
	} catch {
		return undefined;
	}
}

type Redaction = NonNullable<ReturnType<IExecuteFunctions['getExecutionContext']>>['redaction'];

function isRedacting(redaction: Redaction): boolean {
	if (!redaction) return false;
	return redaction.version === 1 ? redaction.policy !== 'none' : redaction.production || redaction.manual;
}

const isStoredOnError = (settings: IWorkflowSettings, mode: WorkflowExecuteMode | undefined): boolean =>
	mode === 'manual' ? settings.saveManualExecutions !== false : settings.saveDataErrorExecution !== 'none';

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
function timeLeft({ executionTimeout }: IWorkflowSettings, told: number | undefined, memory: object): number {
	const limit = Number(executionTimeout ?? 0) * 1000;
	if (!(limit > 0)) return Infinity;
	const now = Date.now();
	const own = ((memory as { [BEGIN]?: number })[BEGIN] ??= now);
	const begin = told !== undefined && now - told < limit ? told : own;
	return limit - Math.min(limit / 10, LONGEST_MARGIN) - (now - begin);
}
