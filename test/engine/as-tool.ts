import type { INodeType } from 'n8n-workflow';

/** The node type that n8n derives for the use as a tool of an AI agent: the same class under a name of its own. */
export function asTool(node: INodeType): INodeType {
	const description = { ...node.description, name: `${node.description.name}Tool` };
	return Object.assign(Object.create(node) as INodeType, { description });
}
