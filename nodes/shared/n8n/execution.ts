// Reads n8n's data on a node's execution once.

import type {
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	IWorkflowSettings,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { isObject } from '../values/nested';
import { readMemory, type NodeMemory } from './memory';

export interface Execution {
	node: INode;
	isTool: boolean;
	isStreaming: boolean;
	/** True if the workflow continues after an error. */
	continues: boolean;
	/** True under a redaction policy, which n8n applies to items and errors only. */
	isRedacted: boolean;
	/** `manual` in the editor, or `retry` from the executions list, for example. */
	mode: WorkflowExecuteMode | undefined;
	/** True if the workflow's settings store a failed execution. */
	isStored: boolean;
	/** Milliseconds of `performance.now` when runs must end; Infinity without a limit. */
	endsAt: number;
	/** A loop's iteration. */
	runIndex: string;
	/** It aborts when a person stops the execution. */
	stop: AbortSignal | undefined;
	memory: NodeMemory;
	/** True if n8n moves stored files into JSON (`binaryMode: 'combined'`). */
	movesFiles: boolean;
}

export interface NodeInExecution {
	readonly context: IExecuteFunctions;
	readonly execution: Execution;
}

/** Items from other packages may lack `json` (n8n#4015). */
export const inputItems = (context: IExecuteFunctions): INodeExecutionData[] =>
	context.getInputData().map((item) => (isObject(item.json) ? item : { ...item, json: {} }));

/** Versions and contexts of n8n lack some of these methods. */
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
		// Some tools' contexts do not say that they are one.
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

/** Milliseconds before the workflow's time limit, but at most a tenth of it. */
const LONGEST_MARGIN = 10_000;

/**
 * At *Timeout Workflow*, n8n drops the node's state, so runs end earlier. The time counts from the execution's start, which a
 * *Retry* and older versions do not report; a wait longer than the limit restarts it.
 *
 * @returns milliseconds
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
