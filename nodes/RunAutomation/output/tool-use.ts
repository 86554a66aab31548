import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Whether an AI agent has called the node. Newer versions of n8n run a tool as an ordinary node of the type that they
 * derived for tools; older ones run it in a context that says so, or in one that does not know the question.
 */
export const isUsedAsTool = (context: IExecuteFunctions): boolean =>
	context.getNode().type.endsWith('Tool') || ('isToolExecution' in context && context.isToolExecution());
