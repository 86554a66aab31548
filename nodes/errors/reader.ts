import type { INode } from 'n8n-workflow';

import { shorten } from '../values/shorten';
import { withAdvice, type NodeError } from './node-error';

/** Characters of a run's text that an agent is told with an error. */
const MAX_TEXT = 2000;

/** Shows who reads an error. Versions of n8n differ in which contexts have these methods. */
export interface ErrorContext {
	getNode(): INode;
	isToolExecution?(): boolean;
	isStreaming?(): boolean;
}

/**
 * Whether an AI agent has called the node. Newer versions of n8n run a tool as an ordinary node of the type that they
 * derived for tools; older ones run it in a context that says so, or in one that cannot tell.
 */
export const isUsedAsTool = (context: ErrorContext): boolean =>
	context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;

/**
 * The last step of every error: moves everything it says to the place that its reader sees. The editor shows message and description. An
 * AI agent sees the message only, so that it gets the advice and the text of the run there; a chat that n8n streams to
 * shows the description only, so that the reason goes there first.
 */
export function forReader<E extends NodeError>(context: ErrorContext, error: E): E {
	const everything = error.description ? withAdvice(error.message, error.description) : error.message;
	if (isUsedAsTool(context)) {
		const { text } = (error.context.data ?? {}) as { text?: unknown };
		const hasText = typeof text === 'string' && text !== '';
		error.message = hasText ? `${everything}. Text so far: ${JSON.stringify(shorten(text, MAX_TEXT))}` : everything;
	} else if (context.isStreaming?.()) {
		error.description = everything;
	}
	return error;
}
