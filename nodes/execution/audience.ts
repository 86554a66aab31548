import type { INode } from 'n8n-workflow';

/** Shows who sees what a node returns and throws. Versions of n8n differ in which contexts have these methods. */
export interface AudienceContext {
	getNode(): INode;
	isToolExecution?(): boolean;
	isStreaming?(): boolean;
	continueOnFail?(): boolean;
}

/**
 * Whether an AI agent has called the node. Newer versions of n8n run a tool as an ordinary node of the type that they
 * derived for tools; older ones run it in a context that says so, or in one that cannot tell.
 */
export const isUsedAsTool = (context: AudienceContext): boolean =>
	context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;
