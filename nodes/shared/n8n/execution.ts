// Reads n8n's data on a node's execution once, and keeps what its attempts and items share.

import type {
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	IWorkflowSettings,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { isObject } from '../values/nested';

export interface SharedToken {
	value?: string;
	/** Tokens that the service has rejected, but may still quote. */
	rejected?: string[];
	/** The token that is being requested, or undefined if the service issues none. */
	ready?: Promise<string | undefined>;
}

export interface NodeMemory {
	/** The key is run and item index, or a tool's input. */
	ledgers: Map<unknown, object>;
	/** The key is the hash of user, URL and password. */
	tokens: Map<string, SharedToken>;
	/** Milliseconds since 1970. */
	firstExecutedAt: number;
	/** n8n's own object, which it saves with the execution, and has again in *Retry execution*. `items/saved.ts` writes it. */
	saved: { savedLedgers?: Record<string, string> };
}

export interface Execution {
	node: INode;
	isTool: boolean;
	isStreaming: boolean;
	/** True if *On Error* continues the workflow. */
	continues: boolean;
	/** True under a redaction policy, which n8n applies to items and errors only. */
	isRedacted: boolean;
	/** `manual` in the editor, `retry` from the executions list. */
	mode: WorkflowExecuteMode;
	/** True if the workflow's settings store a failed execution. */
	isStored: boolean;
	/** Milliseconds of `performance.now` when every request must end; Infinity without a limit. */
	endsAt: number;
	/** The iteration of a loop, from 0. */
	runIndex: string;
	/** Aborts when a person stops the execution. */
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

/** A tool's context has no streaming. */
type NodeContext = Omit<IExecuteFunctions, 'isStreaming'> & Partial<Pick<IExecuteFunctions, 'isStreaming'>>;

export function readExecution(context: NodeContext): Execution {
	const node = context.getNode();
	const memory = readMemory(context);
	const settings = context.getWorkflowSettings();
	const mode = context.getMode();
	const { saveManualExecutions, saveDataErrorExecution } = settings;
	const storesFailures = mode === 'manual' ? saveManualExecutions !== false : saveDataErrorExecution !== 'none';
	const { redaction, establishedAt } = context.getExecutionContext() ?? {};
	return {
		node,
		// The context of a tool does not always say that it is one.
		isTool: node.type.endsWith('Tool'),
		isStreaming: context.isStreaming?.() === true,
		continues: context.continueOnFail(),
		isRedacted: isRedacting(redaction),
		mode,
		isStored: context.getExecutionId() !== undefined && storesFailures,
		endsAt: performance.now() + timeLeft(settings, mode === 'retry' ? undefined : establishedAt, memory),
		runIndex: String(context.evaluateExpression('{{ $runIndex }}', 0)),
		stop: context.getExecutionCancelSignal(),
		memory,
		movesFiles: settings.binaryMode === 'combined',
	};
}

type ExecutionContext = NonNullable<ReturnType<IExecuteFunctions['getExecutionContext']>>;

function isRedacting(redaction: ExecutionContext['redaction']): boolean {
	if (!redaction) return false;
	return redaction.version === 1 ? redaction.policy !== 'none' : redaction.production || redaction.manual;
}

/** Time to end requests and return results, at most a tenth of the workflow's limit. */
const LONGEST_MARGIN_MS = 10_000;

/**
 * Milliseconds until every request must end, before *Timeout Workflow* drops the node's state. n8n counts from the execution's start,
 * and again after a wait longer than the limit. In a *Retry execution*, the reported start is that of the first execution.
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
	return limit - Math.min(limit / 10, LONGEST_MARGIN_MS) - (now - begin);
}

const newMemory = (saved: object): NodeMemory => ({
	ledgers: new Map(),
	tokens: new Map(),
	firstExecutedAt: Date.now(),
	saved,
});

const MEMORY = Symbol('memory of the node');

/**
 * All attempts of *Retry On Fail* get the same context object, of which n8n saves the text keys only. n8n's own Agents have
 * no execution, and share nothing.
 */
export function readMemory(context: Pick<IExecuteFunctions, 'getContext'>): NodeMemory {
	try {
		const shared = context.getContext('node') as { [MEMORY]?: NodeMemory };
		return (shared[MEMORY] ??= newMemory(shared));
	} catch {
		return newMemory({});
	}
}
