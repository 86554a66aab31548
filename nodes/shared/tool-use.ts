import type { INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

type Context = { getNode(): INode; isToolExecution?(): boolean };

/**
 * Whether an AI agent has called the node. Newer versions of n8n run a tool as an ordinary node of the type that they
 * derived for tools; older ones run it in a context that says so, or in one that does not know the question.
 */
export const isUsedAsTool = (context: Context): boolean =>
	context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;

/** An AI agent sees nothing of an error but its message: there it gets the reason and what to do next. */
export function tellAgent<T extends NodeApiError | NodeOperationError>(context: Context, error: T): T {
	if (isUsedAsTool(context) && error.description) error.message = error.description;
	return error;
}
