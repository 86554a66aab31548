import type { INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

/** Characters of a run's text that an agent is told with an error. */
const MAX_TEXT = 2000;

type Context = { getNode(): INode; isToolExecution?(): boolean };

/**
 * Whether an AI agent has called the node. Newer versions of n8n run a tool as an ordinary node of the type that they
 * derived for tools; older ones run it in a context that says so, or in one that does not know the question.
 */
export const isUsedAsTool = (context: Context): boolean =>
	context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;

/** An AI agent sees nothing of an error but its message: there it gets the reason, what to do next, and the text so far. */
export function tellAgent<T extends NodeApiError | NodeOperationError>(context: Context, error: T): T {
	if (!isUsedAsTool(context)) return error;
	const { text } = (error.context.details ?? {}) as { text?: unknown };
	const arrived =
		typeof text === 'string' && text !== '' ? ` Text so far: ${JSON.stringify(text.slice(0, MAX_TEXT))}` : '';
	error.message = `${error.description ?? error.message}${arrived}`;
	return error;
}
