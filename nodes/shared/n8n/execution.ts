// Reads once what n8n tells of the execution of a node.

import type {
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	IWorkflowSettings,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { isObject } from '../values/nested';
import { readMemory, type NodeMemory } from './memory';

/** What n8n tells of the execution of a node. */
export interface Execution {
	node: INode;
	isTool: boolean;
	isStreaming: boolean;
	/** Whether the workflow goes on after an error. */
	continues: boolean;
	/** Whether a policy of redaction holds, which n8n applies to items and errors only. */
	isRedacted: boolean;
	/** n8n's mode, such as `manual` in the editor, or `retry` from the executions list. */
	mode: WorkflowExecuteMode | undefined;
	/** Whether the workflow's settings keep the execution if it fails. */
	isStored: boolean;
	/** When runs must end, in milliseconds of `performance.now`; Infinity without a limit. */
	endsAt: number;
	/** The iteration of a loop. */
	runIndex: string;
	/** Aborts when a person stops the execution. */
	stop: AbortSignal | undefined;
	memory: NodeMemory;
	/** Whether n8n moves an item's stored files into its JSON (`binaryMode: 'combined'`). */
	movesFiles: boolean;
}

/** A node while it is executed: n8n's context, and what `readExecution` has read from it. */
export interface NodeInExecution {
	readonly context: IExecuteFunctions;
	readonly execution: Execution;
}

/** The input items of a node. Items that other packages make may lack `json` (n8n#4015). */
export const inputItems = (context: IExecuteFunctions): INodeExecutionData[] =>
	context.getInputData().map((item) => (isObject(item.json) ? item : { ...item, json: {} }));

/** Versions and contexts of n8n differ in which of these methods they have. */
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

export function readExecution(context: NodeContext): Execution {
	const node = context.getNode();
	const memory = readMemory(context);
	const settings = context.getWorkflowSettings?.() ?? {};
	const mode = context.getMode?.();
	const { redaction, establishedAt } = context.getExecutionContext?.() ?? {};
	return {
		node,
		// Some contexts of a tool do not say that they are one.
		isTool: node.type.endsWith('Tool'),
		isStreaming: context.isStreaming?.() === true,
		continues: context.continueOnFail(),
		isRedacted: isRedacting(redaction),
		mode,
		isStored: context.getExecutionId?.() !== undefined && isStoredOnError(settings, mode),
		endsAt: performance.now() + timeLeft(settings, mode === 'retry' ? undefined : establishedAt, memory),
		runIndex: String(context.evaluateExpression('{{ $runIndex }}', 0)),
		stop: context.getExecutionCancelSignal?.(),
		memory,
		movesFiles: settings.binaryMode === 'combined',
	};
}

type ExecutionContext = NonNullable<ReturnType<IExecuteFunctions['getExecutionContext']>>;

function isRedacting(redaction: ExecutionContext['redaction']): boolean {
	if (!redaction) return false;
	return redaction.version === 1 ? redaction.policy !== 'none' : redaction.production || redaction.manual;
}

const isStoredOnError = (settings: IWorkflowSettings, mode: WorkflowExecuteMode | undefined): boolean =>
	mode === 'manual' ? settings.saveManualExecutions !== false : settings.saveDataErrorExecution !== 'none';

/** Milliseconds before the workflow's time limit; at most a tenth of it. */
const LONGEST_MARGIN = 10_000;

/**
 * Milliseconds until the latest end of a node's runs: at *Timeout Workflow*, n8n drops the node's state. It counts from the start of the
 * execution, which is not reported in a *Retry* and in older versions, and begins again after a wait longer than the limit. An unknown
 * start is at least as long ago as the node's first execution.
 */
function timeLeft(
	{ executionTimeout }: IWorkflowSettings,
	reported: number | undefined,
	{ firstExecutedAt }: NodeMemory,
): number {
	const limit = Number(executionTimeout ?? 0) * 1000;
	if (!(limit > 0)) return Infinity;
	const now = Date.now();
	const begin = reported !== undefined && now - reported < limit ? reported : firstExecutedAt;
	return limit - Math.min(limit / 10, LONGEST_MARGIN) - (now - begin);
}
