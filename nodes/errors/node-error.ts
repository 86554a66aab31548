import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { withoutFileContents } from './file-contents';

export type NodeError = NodeApiError | NodeOperationError;

export const isNodeError = (error: unknown): error is NodeError =>
	error instanceof NodeApiError || error instanceof NodeOperationError;

/** What is known of a paid run that an error is about. The editor shows it as *Error data*. */
export interface RunData {
	thread_id: string | null;
	status: string;
	[field: string]: unknown;
}

/** What an error says. */
export interface ErrorContent {
	/** Why, in the service's own words if it gave any: the title in the editor, and all that an error item holds. */
	reason: string;
	/** The one thing to do next, shown below the reason. Without the reason and without a full stop at its end. */
	advice: string;
	itemIndex: number;
	httpCode?: string;
	/** Missing if no run can have been started. */
	run?: RunData;
}

/** Two sentences as one text. The first one's full stop, if it has any, is not doubled. */
export function withAdvice(reason: string, advice: string): string {
	// A pattern for the dots and blanks at the end takes time that grows with the square of their number.
	let end = reason.length;
	while (end > 0 && /[.\s]/.test(reason[end - 1])) end--;
	return `${reason.slice(0, end)}. ${advice}`;
}

/** How each error that was made here is made again. */
const makers = new WeakMap<NodeError, () => NodeError>();

/** Whether an error was made here, and not by n8n. */
export const isMadeHere = (error: NodeError): boolean => makers.has(error);

/** An error as it was made, before it was completed and put into words for its reader. */
export const asMade = (error: NodeError): NodeError => makers.get(error)?.() ?? error;

/** An error about the service or a run. `context.data` holds what is known of the run, without the contents of files. */
export function apiError(node: INode, content: ErrorContent): NodeApiError {
	const { reason, advice, itemIndex, httpCode, run } = content;
	const thread = run?.thread_id ? ` Thread ID: ${run.thread_id}` : '';
	const description = thread ? `${advice}.${thread}` : advice;
	const error = new NodeApiError(node, { message: reason }, { message: reason, description, httpCode, itemIndex });
	// n8n replaces a message that contains a code it knows, such as ECONNRESET; the server's words must stay.
	error.message = reason;
	if (run) error.context.data = withoutFileContents(run);
	makers.set(error, () => apiError(node, content));
	return error;
}

/**
 * The error for input that is refused before anything is sent.
 *
 * @param problem what is wrong, naming the field; never with the value that it holds
 */
export function inputError(node: INode, itemIndex: number, problem: string, advice: string): NodeOperationError {
	const error = new NodeOperationError(node, problem, { itemIndex, description: advice });
	makers.set(error, () => inputError(node, itemIndex, problem, advice));
	return error;
}

/** What is known of the run that an error is about; undefined if no run can have been started. */
export const runOf = (error: NodeError): RunData | undefined => error.context.data as RunData | undefined;
