import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { shorten } from '../values/shorten';
import type { Failure, RunData } from './failure';
import { changeTexts, withoutFileContents } from './file-contents';
import { maskOf } from './secrets';

export type NodeError = NodeApiError | NodeOperationError;

export const isNodeError = (error: unknown): error is NodeError =>
	error instanceof NodeApiError || error instanceof NodeOperationError;

export type { RunData };

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

/** Characters of a run's text that an agent is told with an error. */
const MAX_TEXT = 2000;

/** Shows who reads an error. Versions of n8n differ in which contexts have these methods. */
export interface ReaderContext {
	getNode(): INode;
	isToolExecution?(): boolean;
	isStreaming?(): boolean;
}

/**
 * Whether an AI agent has called the node. Newer versions of n8n run a tool as an ordinary node of the type that they
 * derived for tools; older ones run it in a context that says so, or in one that cannot tell.
 */
export const isUsedAsTool = (context: ReaderContext): boolean =>
	context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;

/** What a reader looks for first in the data of an error. */
const FIRST = ['status', 'thread_id', 'reason', 'warnings', 'text'];

const inOrder = (run: RunData): RunData =>
	Object.fromEntries([
		...FIRST.filter((key) => key in run).map((key) => [key, run[key]]),
		...Object.entries(run).filter(([key]) => !FIRST.includes(key)),
	]) as RunData;

/**
 * Makes the error of a failure, where it leaves the node: without secrets, and with everything it says in the place that
 * its reader sees. The editor shows message, description and `context.data`. An AI agent sees the message only, so that it
 * gets the advice and the text of the run there; a chat that n8n streams to shows the description only, so that the reason
 * goes there first.
 *
 * @param secrets values that must not appear in it, however a server or a person repeated them
 */
export function nodeError(context: ReaderContext, failure: Failure, itemIndex: number, secrets: unknown[]): NodeError {
	const mask = maskOf(secrets);
	const run = failure.run && inOrder(changeTexts(withoutFileContents(failure.run), mask));
	const reason = mask(failure.reason);
	const thread = run?.thread_id ? `. Thread ID: ${run.thread_id}` : '';
	const advice = mask(failure.advice) + thread;
	const everything = advice ? withAdvice(reason, advice) : reason;

	let message = reason;
	let description = advice;
	if (isUsedAsTool(context)) {
		const text = typeof run?.text === 'string' ? run.text : '';
		message = text ? `${everything}. Text so far: ${JSON.stringify(shorten(text, MAX_TEXT))}` : everything;
	} else if (context.isStreaming?.()) description = everything;

	const node = context.getNode();
	const { httpCode, isInput } = failure;
	if (isInput) return new NodeOperationError(node, message, { itemIndex, description });
	const error = new NodeApiError(node, { message }, { message, description, httpCode, itemIndex });
	// n8n replaces a message that contains a code it knows, such as ECONNRESET; the server's words must stay.
	error.message = message;
	if (run) error.context.data = run;
	return error;
}
